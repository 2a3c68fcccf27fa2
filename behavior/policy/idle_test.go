package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/internal/draws"
	"example.com/agentworld/world"
)

func TestFindIdle(t *testing.T) {
	forbid := func(agent, action string) world.PolicyRule {
		return world.PolicyRule{Agent: agent, Effect: world.EffectForbid, Action: action}
	}
	allow := func(agent, action string) world.PolicyRule {
		return world.PolicyRule{Agent: agent, Effect: world.EffectAllow, Action: action}
	}
	with := func(c world.PolicyRule, change func(*world.PolicyRule)) world.PolicyRule {
		change(&c)
		return c
	}
	limited := func(c world.PolicyRule, most, total int64) world.PolicyRule {
		c.Most, c.Total = most, total
		return c
	}
	at := func(c world.PolicyRule, place string) world.PolicyRule { c.At = place; return c }
	asked := func(c world.PolicyRule, by ...string) world.PolicyRule { c.AskedBy = by; return c }
	// may is what another may ask for: up to most at once, total and each in a window.
	may := func(action, to string, most, total, each, window int64, by ...string) world.PolicyRule {
		return world.PolicyRule{Agent: "agent-1", Effect: world.EffectAllow, Action: action, To: to, Most: most, Total: total, TotalEach: each, Window: window, AskedBy: by}
	}
	trade := func(action, what string, least, per int64) world.PolicyRule {
		return world.PolicyRule{Agent: "*", Effect: world.EffectAllow, Action: action, What: what, Get: "data", GetAtLeast: least, Per: per}
	}
	const mine, give = "mine_compound", "transfer_resource"
	loud := func(c *world.PolicyRule) { c.ByMessage = true }
	for i, c := range []world.PolicyRule{may(give, "asker", 5, 20, 0, 50, "*"), may(give, "agent-2", 5, 20, 0, 50, "*"), allow("*", "decline"), with(may(give, "asker", 5, 20, 0, 50, "*"), loud)} {
		want := []string{"policy[0]: without terms = true there are no requests and offers, and ", "policy[0].asked_by: without terms = true there are no requests and offers, and ", "policy[0]: there is no decline without terms = true", ""}[i]
		if found := FindIdle([]world.PolicyRule{c}, false); want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.HasPrefix(found[0].String(), want)) {
			t.Errorf("%+v without requests and offers: %v, want %q", c, found, want)
		}
	}
	for _, c := range []struct {
		name  string
		rules []world.PolicyRule
		want  []string
	}{
		{"sums that bind", []world.PolicyRule{may(give, "asker", 5, 20, 10, 50, "*")}, nil},
		{"each beyond all", []world.PolicyRule{may(give, "asker", 5, 20, 21, 50, "*")}, []string{"policy[0].total_each: 21 can never be reached, because total, 20, is smaller"}},
		{"each as much as all", []world.PolicyRule{may(give, "asker", 5, 20, 20, 50, "*")}, nil},
		{"more at once than for each", []world.PolicyRule{may(give, "asker", 15, 20, 10, 50, "*")}, []string{"policy[0].most: 15 can never be reached, because total_each, 10, is smaller"}},
		{"more at once than for each, of its own accord", []world.PolicyRule{may(give, "agent-2", 15, 20, 10, 50, "*")}, nil},
		{"a window that many small gifts fill", []world.PolicyRule{may(give, "asker", 5, 50, 10, 10, "*")}, nil},
		{"a window too short", []world.PolicyRule{may(give, "asker", 5, 20, 10, 4, "*")}, []string{"policy[0].total: 20 in 4 ticks bounds nothing, because an agent acts once a tick, by 5 at most"}},
		{"one less", []world.PolicyRule{may(give, "asker", 5, 49, 10, 10, "*")}, nil},
		{"an answer in every tick", []world.PolicyRule{may("send_message", "asker", 0, 11, 10, 10, "*")},
			[]string{"policy[0].total: 11 in 10 ticks bounds nothing, because an agent acts once a tick, by 1 at most", "policy[0].total_each: 10 in 10 ticks bounds nothing"}},
		{"a rule of its own without a window", []world.PolicyRule{limited(allow("*", "send_message"), 0, 50)}, nil},
		{"messengers for everybody", []world.PolicyRule{with(may(give, "asker", 5, 20, 0, 50, "*"), func(c *world.PolicyRule) { c.Relayed = true })}, []string{"policy[0].relayed: everybody may ask"}},
		{"messengers for one", []world.PolicyRule{with(may(give, "asker", 5, 20, 0, 50, "agent-2"), func(c *world.PolicyRule) { c.Relayed = true })}, nil},
		{"a price that no trade has", []world.PolicyRule{trade("sell_power", "", 20, 1), trade("sell_power", "", 201, 10)}, []string{"policy[1]: no trade brings as much: a price is 1 to 200 data for 10 electricity"}},
		{"too cheap to be bought", []world.PolicyRule{trade("buy_power", "", 10, 1), trade("buy_power", "", 21, 2)}, []string{"policy[1]: no trade brings as much"}},
		{"an offer at any price", []world.PolicyRule{trade("accept_offer", "hardware", 1_000_000, 1)}, nil},
		{"a rate and none", []world.PolicyRule{trade("accept_offer", "hardware", 2, 1), allow("*", "accept_offer")},
			[]string{"policy[0].get_at_least: it bounds nothing, because policy[1] allows the same without a limit"}},
		{"one door in a wall", []world.PolicyRule{forbid("*", mine), limited(at(allow("*", mine), "hub"), 2000, 0)}, nil},
		{"everything forbidden, one thing allowed", []world.PolicyRule{forbid("*", "*"), allow("*", mine)}, nil},
		{"an allow as wide as the forbid", []world.PolicyRule{forbid("*", mine), limited(allow("*", mine), 2000, 0)}, []string{"policy[1]: it never allows anything: policy[0] forbids all"}},
		{"all askers forbidden", []world.PolicyRule{may(give, "asker", 5, 20, 0, 50, "agent-2", "agent-3"), with(forbid("agent-1", give), func(c *world.PolicyRule) { c.To = "agent-2" }), with(forbid("*", "*"), func(c *world.PolicyRule) { c.To, c.At = "agent-3", "" }), with(forbid("agent-1", give), func(c *world.PolicyRule) { c.To = "agent-3" })},
			[]string{"policy[0]: it never allows anything: all that may ask are forbidden to have it, by as many conditions: agent-2 by policy[1], agent-3 by policy[3]"}},
		{"an asker forbidden by less", []world.PolicyRule{may(give, "asker", 5, 20, 0, 50, "agent-2"), with(forbid("*", give), func(c *world.PolicyRule) { c.To = "agent-2" })}, nil},
		{"one asker left", []world.PolicyRule{may(give, "asker", 5, 20, 0, 50, "agent-2", "agent-3"), with(forbid("agent-1", give), func(c *world.PolicyRule) { c.To = "agent-2" })}, nil},
		{"errands to an asker", []world.PolicyRule{with(may("move_agent", "asker", 0, 2, 0, 50, "agent-2"), loud), with(forbid("agent-1", "*"), func(c *world.PolicyRule) { c.To = "agent-2" })}, nil},
		{"a forbid for the agent, an allow at a place", []world.PolicyRule{at(allow("*", mine), "hub"), forbid("*", mine), at(forbid("*", mine), "hub")},
			[]string{"policy[0]: it never allows anything: policy[2] forbids all"}},
		{"the same forbid twice", []world.PolicyRule{forbid("*", mine), forbid("*", mine)}, []string{"policy[1]: it forbids nothing that policy[0] does not"}},
		{"a narrower forbid in vain", []world.PolicyRule{at(forbid("*", mine), "hub"), forbid("*", mine)}, []string{"policy[0]: it forbids nothing that policy[1] does not"}},
		{"a narrower forbid behind an allow", []world.PolicyRule{forbid("*", mine), at(allow("*", mine), "hub"), at(forbid("agent-1", mine), "hub")}, nil},
		{"an allow of what no rule forbids", []world.PolicyRule{allow("*", mine)}, []string{"policy[0]: it changes nothing: "}},
		{"an allow beside a limit", []world.PolicyRule{limited(allow("*", mine), 5, 0), at(allow("*", mine), "hub")}, nil},
		{"most beyond total", []world.PolicyRule{limited(allow("*", mine), 50, 20)}, []string{"policy[0].most: 50 can never be reached, because total, 20, is smaller"}},
		{"most as large as total", []world.PolicyRule{limited(allow("*", mine), 20, 20)}, nil},
		{"most beyond the rules", []world.PolicyRule{limited(allow("*", "execute_until"), 256, 0)}, []string{"policy[0].most: 256 bounds nothing, because no execute_until is larger than 256"}},
		{"a limit and none", []world.PolicyRule{limited(allow("agent-1", mine), 5, 50), allow("*", mine)},
			[]string{"policy[0].most: it bounds nothing, because policy[1] allows the same", "policy[0].total: it bounds nothing"}},
		{"a limit on requests and none without", []world.PolicyRule{with(asked(limited(allow("*", mine), 5, 0), "agent-2"), loud), allow("*", mine)}, nil},
		{"work that no terms ask for", []world.PolicyRule{may(mine, "", 0, 5, 0, 10, "*")}, []string{"policy[0].asked_by: no request or offer asks for mine_compound, and without by_message no message counts"}},
		{"a gift to itself", []world.PolicyRule{with(forbid("agent-1", give), func(c *world.PolicyRule) { c.To = "agent-1" })}, []string{"policy[0]: it is about what agent-1 does to itself"}},
		{"only itself may ask", []world.PolicyRule{asked(limited(allow("agent-1", mine), 5, 0), "agent-1")}, []string{"policy[0].asked_by: only agent-1 itself may ask"}},
		{"a standing order is no other action", []world.PolicyRule{forbid("*", "*"), forbid("*", "execute_until")}, nil},
	} {
		var got []string
		for _, i := range FindIdle(c.rules, true) {
			got = append(got, i.String())
		}
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestTotalsThatBoundNothingNeverDo: an agent that does as much as it may in every tick gets
// as far without what lint calls idle, and is stopped by what it does not.
func TestTotalsThatBoundNothingNeverDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(most int64, name string) int64 { return rapid.Int64Range(1, most).Draw(t, name) }
		c := world.PolicyRule{
			Agent: "agent-1", Effect: world.EffectAllow, Action: "transfer_resource", To: world.ToAsker, What: "data",
			Most: n(6, "most"), Total: n(40, "total"), TotalEach: n(40, "each"), Window: n(8, "window"), AskedBy: []string{"agent-2"},
		}
		idle := map[string]bool{}
		for _, i := range FindIdle([]world.PolicyRule{c}, true) {
			idle[i.Field] = true
		}
		without := c
		if idle["total"] {
			without.Total = 1 << 40
		}
		if idle["total_each"] {
			without.TotalEach = 0
		}
		if idle["most"] {
			without.Most = 1 << 40
		}
		m, l := Compile("agent-1", []world.PolicyRule{c}), Ledger{}
		stopped := false
		for tick := range int64(30) {
			with, _ := m.rules[0].remaining(l, tick, "agent-2")
			if free, _ := (&rule{without, 1}).remaining(l, tick, "agent-2"); free != with {
				t.Fatalf("tick %d: %d may be given, without what is idle %d: %+v, %v", tick, with, free, c, idle)
			}
			stopped = stopped || with < c.Most
			d, _ := operationOf(world.Transfer{To: "agent-2", Kind: "data", Amount: with}, "hub")
			l = m.Settle(l, tick, d, nil)
		}
		if !stopped && !idle["total"] {
			t.Errorf("nothing stops it, and lint says %v of %+v", idle, c)
		}
	})
}

// TestIdleClausesChangeNothing: without what is idle every action passes, or not, as
// before, whatever is in view. What a plan left open is not tried: a rule also lends
// such a plan the names in it.
func TestIdleClausesChangeNothing(t *testing.T) {
	view := viewOf(t, 1)
	found := map[string]int{}
	play := func(rt *rapid.T) {
		s := drawSituation(rt, view)
		s.evidence.Plan, s.evidence.Ledger = nil, Ledger{}
		for i := range s.rules {
			c := &s.rules[i]
			if c.Effect == world.EffectForbid {
				c.Most, c.Total, c.AskedBy = 0, 0, nil
			}
			if c.To == world.ToAsker && (c.Effect == world.EffectForbid || len(c.AskedBy) == 0 || c.Action == world.Anyone) {
				c.To = ""
			}
		}
		m := s.compile()
		if m.evaluation(s.action, s.evidence).op.unknown {
			return // every forbid stands against an offer that is not in view, and so does the world
		}
		for _, idle := range FindIdle(s.rules, true) {
			found[idle.Field]++
			without := s
			without.rules = slices.Clone(s.rules)
			switch c := &without.rules[idle.Rule]; idle.Field {
			case "most":
				c.Most = 0
			case "total":
				c.Total = 0
			case "asked_by":
				c.AskedBy = nil
			case "total_each":
				c.TotalEach = 0
			case "get_at_least":
				c.GetAtLeast = 0
			case "relayed":
				c.Relayed = false
			default:
				without.rules = slices.Delete(without.rules, idle.Rule, idle.Rule+1)
			}
			if s.passes() != without.passes() {
				rt.Fatalf("%s, and yet %s passes: %v, without it %v\n%s", idle, world.EncodeAction(s.action), s.passes(), without.passes(), fmt.Sprintf("%+v", s.rules))
			}
		}
	}
	rapid.Check(t, play)
	draws.Until(func() bool { return found[""]+found["most"]+found["total"] > 0 }, play)
}
