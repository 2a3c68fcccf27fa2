package policy

import (
	"testing"

	"example.com/agentworld/world"
)

// TestClausesHold holds actions against rules with nothing of others in view.
func TestClausesHold(t *testing.T) {
	mine, gift := world.Mine{MassG: 2000}, world.Transfer{To: "agent-2", Kind: "electricity", Amount: 10}
	for _, tt := range []struct {
		name   string
		rules  []world.PolicyRule
		action world.Action
		rule   Reason // empty when it passes
	}{
		{"no rules", nil, gift, ""},
		{"an allow forbids nothing else", []world.PolicyRule{allow("mine_compound")}, gift, ""},
		{"a forbid without conditions", []world.PolicyRule{forbid("mine_compound")}, mine, ReasonForbidden},
		{"a forbid of another action", []world.PolicyRule{forbid("refine_compound")}, mine, ""},
		{"everything forbidden", []world.PolicyRule{forbid("*")}, mine, ReasonForbidden},
		{"everything forbidden but a wait", []world.PolicyRule{forbid("*")}, world.Wait{}, ""},
		{"a tie", []world.PolicyRule{forbid("mine_compound"), allow("mine_compound")}, mine, ReasonForbidden},
		{"a tie in another order", []world.PolicyRule{allow("mine_compound"), forbid("mine_compound")}, mine, ReasonForbidden},
		{"everything forbidden and allowed", []world.PolicyRule{forbid("*"), allow("*")}, mine, ReasonForbidden},
		{"little to any receiver", []world.PolicyRule{allow("transfer_resource", to("*"), most(9))}, gift, ReasonAmount},
		{"everywhere but here", []world.PolicyRule{forbid("mine_compound"), allow("mine_compound", at("hub"))}, mine, ""},
		{"everywhere but elsewhere", []world.PolicyRule{forbid("mine_compound"), allow("mine_compound", at("rim"))}, mine, ReasonForbidden},
		{"one action of all", []world.PolicyRule{forbid("*"), allow("mine_compound")}, mine, ""},
		{"another action of all", []world.PolicyRule{forbid("*"), allow("mine_compound")}, gift, ReasonForbidden},
		{"an action does not outweigh a receiver", []world.PolicyRule{forbid("*", to("agent-2")), allow("transfer_resource", what("electricity"))}, gift, ReasonForbidden},
		{"for this agent", []world.PolicyRule{forbid("mine_compound"), allow("mine_compound", agent("agent-1"))}, mine, ""},
		{"two conditions against one", []world.PolicyRule{forbid("transfer_resource", to("agent-2")), allow("transfer_resource", to("agent-2"), what("electricity"))}, gift, ""},
		{"one allow has to lift all forbids", []world.PolicyRule{forbid("transfer_resource"), forbid("transfer_resource", to("agent-2"), what("electricity")),
			allow("transfer_resource", to("agent-2"))}, gift, ReasonForbidden},
		{"any receiver is no condition", []world.PolicyRule{forbid("transfer_resource"), allow("transfer_resource", to("*"))}, gift, ReasonForbidden},
		{"no agent asked", []world.PolicyRule{forbid("transfer_resource"), allow("transfer_resource", to("asker"), askedBy("*"))}, gift, ReasonForbidden},
		{"an order of what is forbidden", []world.PolicyRule{forbid("mine_compound")}, order(t, mine, 3), ReasonForbidden},
		{"no orders", []world.PolicyRule{forbid("execute_until")}, order(t, mine, 3), ReasonForbidden},
		{"no orders, once", []world.PolicyRule{forbid("execute_until")}, mine, ""},
		{"an order of the one action allowed", []world.PolicyRule{forbid("*"), allow("mine_compound")}, order(t, mine, 3), ""},
		{"short orders", []world.PolicyRule{allow("execute_until", most(3))}, order(t, mine, 3), ""},
		{"too long an order", []world.PolicyRule{allow("execute_until", most(3))}, order(t, mine, 4), ReasonAmount},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Compile("agent-1", tt.rules)
			if _, broken := m.untrimmed(tt.action, Evidence{View: viewOf(t, 1)}); reasonOf(broken) != tt.rule {
				t.Errorf("%+v, want %q", broken, tt.rule)
			}
		})
	}
}

// TestOrdersCountTheirAttempts: all of them when an order begins, in the window of a rule
// about orders.
func TestOrdersCountTheirAttempts(t *testing.T) {
	rule := allow("execute_until", most(6), total(8))
	rule.Window = 20
	m, harvest := Compile("agent-1", []world.PolicyRule{rule}), world.Harvest{MaxAmount: 5}
	begun, _ := operationOf(order(t, harvest, 6), "hub")
	attempt, _ := operationOf(harvest, "hub")
	l := m.Settle(m.Settle(Ledger{}, 1, begun, nil), 2, attempt, nil)
	for n, want := range map[int64]Reason{2: "", 3: ReasonTotal} {
		if _, f := m.untrimmed(order(t, harvest, n), Evidence{View: viewOf(t, 1), Ledger: l}); reasonOf(f) != want {
			t.Errorf("an order of %d after one of 6: %+v, want %q", n, f, want)
		}
	}
	if _, f := m.untrimmed(harvest, Evidence{View: viewOf(t, 1), Ledger: l}); f != nil {
		t.Errorf("an action without an order: %+v", f)
	}
}

// TestAmounts bounds amounts at a time and over the run.
func TestAmounts(t *testing.T) {
	give := func(n int64) world.Action { return world.Transfer{To: "agent-2", Kind: "electricity", Amount: n} }
	small := allow("transfer_resource", what("electricity"), most(10), total(15))
	for _, tt := range []struct {
		name    string
		rules   []world.PolicyRule
		before  []world.Action
		action  world.Action
		rule    Reason
		maximum int64
	}{
		{"within", []world.PolicyRule{small}, nil, give(10), "", 0},
		{"beyond most", []world.PolicyRule{small}, nil, give(11), ReasonAmount, 10},
		{"within the rest", []world.PolicyRule{small}, []world.Action{give(10)}, give(5), "", 0},
		{"beyond the rest", []world.PolicyRule{small}, []world.Action{give(10)}, give(6), ReasonTotal, 5},
		{"used up", []world.PolicyRule{small}, []world.Action{give(10), give(5)}, give(1), ReasonTotal, 0},
		{"an order counts its first attempt", []world.PolicyRule{small}, []world.Action{order(t, give(10), 4)}, give(6), ReasonTotal, 5},
		{"orders in all", []world.PolicyRule{allow("execute_until", total(9))}, []world.Action{order(t, give(1), 6)}, order(t, give(1), 4), ReasonTotal, 3},
		{"another resource", []world.PolicyRule{small}, nil, world.Transfer{To: "agent-2", Kind: "data", Amount: 12}, "", 0},
		{"the larger of two limits", []world.PolicyRule{small, allow("transfer_resource", to("agent-2"), most(40))}, nil, give(30), "", 0},
		{"beyond the larger", []world.PolicyRule{small, allow("transfer_resource", to("agent-2"), most(40))}, nil, give(41), ReasonAmount, 40},
		{"an allow that lifts nothing does not widen one that does", []world.PolicyRule{forbid("transfer_resource"), allow("transfer_resource"),
			allow("transfer_resource", to("agent-2"), most(5))}, nil, give(6), ReasonAmount, 5},
		{"an allow to the asker bounds no other gift", []world.PolicyRule{allow("transfer_resource", to("asker"), most(1), askedBy("*"))}, nil, give(30), "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, l := Compile("agent-1", tt.rules), Ledger{}
			for _, a := range tt.before {
				d, _ := operationOf(a, "hub")
				l = m.Settle(l, 1, d, nil)
			}
			_, f := m.untrimmed(tt.action, Evidence{View: viewOf(t, 1), Ledger: l})
			if reasonOf(f) != tt.rule {
				t.Fatalf("%+v; want %q", f, tt.rule)
			}
			if f != nil && (*f.Maximum != tt.maximum || f.Argument != "amount" && f.Argument != ArgumentOrder) {
				t.Errorf("%+v, at most %d; want amount, at most %d", f, *f.Maximum, tt.maximum)
			}
		})
	}
}

// reasonOf is why an action was refused, empty for none.
func reasonOf(v *Violation) Reason {
	if v == nil {
		return ""
	}
	return v.Reason
}
