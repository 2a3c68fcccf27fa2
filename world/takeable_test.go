package world

import "testing"

// TestAnOfferThatNoRuleCanTakeWakesNobody: agent-1 sleeps. An offer wakes it if its rules can ever let it accept the
// offer, or say nothing of such offers.
func TestAnOfferThatNoRuleCanTakeWakesNobody(t *testing.T) {
	takes := PolicyRule{Agent: "agent-1", Effect: EffectAllow, Action: "accept_offer", What: Data, Get: Hardware, GetAtLeast: 1, Per: 2,
		Most: 8, Total: 20, Window: 50, AskedBy: []string{"agent-2"}}
	never := PolicyRule{Agent: "*", Effect: EffectForbid, Action: "accept_offer"}
	with := func(change func(*PolicyRule)) PolicyRule {
		c := takes
		change(&c)
		return c
	}
	for _, tt := range []struct {
		name       string
		rules      []PolicyRule
		give, want int64
		wakes      bool
	}{
		{"no rules", nil, 1, 9, true},
		{"within the rule", []PolicyRule{takes}, 4, 8, true},
		{"too much at once", []PolicyRule{takes}, 9, 9, false},
		{"a worse rate", []PolicyRule{takes}, 3, 8, false},
		{"more than the total", []PolicyRule{with(func(c *PolicyRule) { c.Most, c.Total = 0, 7 })}, 4, 8, false},
		{"more than for each", []PolicyRule{with(func(c *PolicyRule) { c.Most, c.TotalEach = 0, 7 })}, 4, 8, false},
		{"one of two rules", []PolicyRule{with(func(c *PolicyRule) { c.Most = 1 }), takes}, 4, 8, true},
		{"a rule about other goods", []PolicyRule{with(func(c *PolicyRule) { c.Get = Compound })}, 1, 9, true},
		{"forbidden", []PolicyRule{never}, 4, 8, false},
		{"forbidden, lifted by a narrower rule", []PolicyRule{never, takes}, 4, 8, true},
		{"forbidden as narrowly", []PolicyRule{takes, with(func(c *PolicyRule) {
			*c = PolicyRule{Agent: "agent-1", Effect: EffectForbid, Action: "accept_offer", What: Data}
		})}, 4, 8, false},
		{"a rule of another agent", []PolicyRule{with(func(c *PolicyRule) { c.Agent, c.Most = "agent-2", 1 })}, 4, 8, true},
	} {
		w := dealers(t, 2, Amount{Electricity, 100}, Amount{Data, 20}, Amount{Hardware, 20})
		w.scenario.Policy = tt.rules
		w.Advance()
		act(w, map[int]Action{0: WaitTicks{20}, 1: Offer{To: "agent-1", Give: Hardware, GiveAmount: tt.give, Want: Data, WantAmount: tt.want, Ticks: 9}})
		w.Advance()
		w.Advance()
		due := w.Due()
		if wakes := len(due) > 0 && due[0] == 0; wakes != tt.wakes {
			t.Errorf("%s: woken %v, want %v", tt.name, wakes, tt.wakes)
		}
		if inbox := w.View(0).Observe().Inbox; len(inbox) != 1 {
			t.Errorf("%s: the inbox is %+v", tt.name, inbox)
		}
	}
}
