package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/world"
)

func TestFindIdle(t *testing.T) {
	forbid := func(agent, action string) world.Clause {
		return world.Clause{Agent: agent, Effect: world.EffectForbid, Action: action}
	}
	allow := func(agent, action string) world.Clause {
		return world.Clause{Agent: agent, Effect: world.EffectAllow, Action: action}
	}
	with := func(c world.Clause, change func(*world.Clause)) world.Clause {
		change(&c)
		return c
	}
	limited := func(c world.Clause, most, total int64) world.Clause {
		c.Most, c.Total = most, total
		return c
	}
	at := func(c world.Clause, place string) world.Clause { c.At = place; return c }
	asked := func(c world.Clause, by ...string) world.Clause { c.AskedBy = by; return c }
	const mine, give = "mine_compound", "transfer_resource"
	for _, c := range []struct {
		name    string
		clauses []world.Clause
		want    []string
	}{
		{"one door in a wall", []world.Clause{forbid("*", mine), limited(at(allow("*", mine), "hub"), 2000, 0)}, nil},
		{"everything forbidden, one thing allowed", []world.Clause{forbid("*", "*"), allow("*", mine)}, nil},
		{"an allow as wide as the forbid", []world.Clause{forbid("*", mine), limited(allow("*", mine), 2000, 0)}, []string{"mandate[1]: it never allows anything: mandate[0] forbids all"}},
		{"a forbid for the agent, an allow at a place", []world.Clause{at(allow("*", mine), "hub"), forbid("*", mine), at(forbid("*", mine), "hub")},
			[]string{"mandate[0]: it never allows anything: mandate[2] forbids all"}},
		{"the same forbid twice", []world.Clause{forbid("*", mine), forbid("*", mine)}, []string{"mandate[1]: it forbids nothing that mandate[0] does not"}},
		{"a narrower forbid in vain", []world.Clause{at(forbid("*", mine), "hub"), forbid("*", mine)}, []string{"mandate[0]: it forbids nothing that mandate[1] does not"}},
		{"a narrower forbid behind an allow", []world.Clause{forbid("*", mine), at(allow("*", mine), "hub"), at(forbid("agent-1", mine), "hub")}, nil},
		{"an allow of what nobody forbids", []world.Clause{allow("*", mine)}, []string{"mandate[0]: it changes nothing: "}},
		{"an allow beside a limit", []world.Clause{limited(allow("*", mine), 5, 0), at(allow("*", mine), "hub")}, nil},
		{"most beyond total", []world.Clause{limited(allow("*", mine), 50, 20)}, []string{"mandate[0].most: 50 can never be reached, because total, 20, is smaller"}},
		{"most as large as total", []world.Clause{limited(allow("*", mine), 20, 20)}, nil},
		{"most beyond the rules", []world.Clause{limited(allow("*", "execute_until"), 256, 0)}, []string{"mandate[0].most: 256 bounds nothing, because no execute_until is larger than 256"}},
		{"a limit and none", []world.Clause{limited(allow("agent-1", mine), 5, 50), allow("*", mine)},
			[]string{"mandate[0].most: it bounds nothing, because mandate[1] allows the same", "mandate[0].total: it bounds nothing"}},
		{"a limit on requests and none without", []world.Clause{asked(limited(allow("*", mine), 5, 0), "agent-2"), allow("*", mine)}, nil},
		{"a gift to itself", []world.Clause{with(forbid("agent-1", give), func(c *world.Clause) { c.To = "agent-1" })}, []string{"mandate[0]: it is about what agent-1 does to itself"}},
		{"nobody but itself may ask", []world.Clause{asked(limited(allow("agent-1", mine), 5, 0), "agent-1")}, []string{"mandate[0].asked_by: only agent-1 itself may ask"}},
		{"a standing order is no other action", []world.Clause{forbid("*", "*"), forbid("*", "execute_until")}, nil},
	} {
		var got []string
		for _, i := range FindIdle(c.clauses) {
			got = append(got, i.String())
		}
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestIdleClausesChangeNothing: without what is idle every action passes, or not, as
// before, whatever is in view. What a plan left open is not tried: a clause also lends
// such a plan the names in it.
func TestIdleClausesChangeNothing(t *testing.T) {
	view := viewOf(t, 1)
	found := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt, view)
		s.evidence.Plan, s.evidence.Spent = nil, Spending{}
		for i := range s.clauses {
			c := &s.clauses[i]
			if c.Effect == world.EffectForbid {
				c.Most, c.Total, c.AskedBy = 0, 0, nil
			}
			if c.To == world.ToAsker && (c.Effect == world.EffectForbid || len(c.AskedBy) == 0 || c.Action == world.Anyone) {
				c.To = ""
			}
		}
		for _, idle := range FindIdle(s.clauses) {
			found[idle.Field]++
			without := s
			without.clauses = slices.Clone(s.clauses)
			switch c := &without.clauses[idle.Clause]; idle.Field {
			case "most":
				c.Most = 0
			case "total":
				c.Total = 0
			case "asked_by":
				c.AskedBy = nil
			default:
				without.clauses = slices.Delete(without.clauses, idle.Clause, idle.Clause+1)
			}
			if s.passes() != without.passes() {
				rt.Fatalf("%s, and yet %s passes: %v, without it %v\n%s", idle, world.EncodeAction(s.action), s.passes(), without.passes(), fmt.Sprintf("%+v", s.clauses))
			}
		}
	})
	if found[""]+found["most"]+found["total"] == 0 {
		t.Error("nothing idle was found; the test shows nothing")
	}
}
