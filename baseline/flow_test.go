package baseline

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TestMaximumFlowIsTheMinimumCut compares with all cuts of small graphs.
func TestMaximumFlowIsTheMinimumCut(t *testing.T) {
	// The shortest path from 0 to 1 is in the way of two longer ones and has to be undone.
	var undone flowGraph
	for _, arc := range [][2]int{{0, 2}, {2, 3}, {3, 1}, {2, 4}, {4, 5}, {5, 1}, {0, 6}, {6, 7}, {7, 3}} {
		undone.join(arc[0], arc[1], 1)
	}
	if got := undone.most(0, 1); got != 2 {
		t.Errorf("the flow along two paths is %d", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(2, 7).Draw(t, "nodes")
		node := rapid.IntRange(0, nodes-1)
		var capacity [7][7]int64
		var g flowGraph
		for range rapid.IntRange(0, 25).Draw(t, "arcs") {
			from, to, n := node.Draw(t, "from"), node.Draw(t, "to"), rapid.Int64Range(0, 9).Draw(t, "capacity")
			capacity[from][to] += n
			g.join(from, to, n)
		}
		least := int64(endless)
		for side := range 1 << nodes {
			if side&1 == 0 || side&2 != 0 { // the source is node 0, the sink node 1
				continue
			}
			cut := int64(0)
			for from := range nodes {
				for to := range nodes {
					if side>>from&1 == 1 && side>>to&1 == 0 {
						cut += capacity[from][to]
					}
				}
			}
			least = min(least, cut)
		}
		if got := g.most(0, 1); got != least {
			t.Fatalf("the flow is %d, the smallest cut %d", got, least)
		}
	})
}

// drawGift draws a rule about electricity among four agents, a gift or a trade.
func drawGift(t *rapid.T) world.PolicyRule {
	agents := []string{"agent-1", "agent-2", "agent-3", "agent-4"}
	c := world.PolicyRule{
		Effect: world.EffectAllow, Action: "transfer_resource", What: world.Electricity,
		Agent: rapid.SampledFrom(append(agents, "*")).Draw(t, "agent"), To: rapid.SampledFrom(append(agents, "*", "asker", "asker", "asker")).Draw(t, "to"),
		Total: rapid.Int64Range(1, 20).Draw(t, "total"), TotalEach: rapid.Int64Range(0, 9).Draw(t, "each"), Window: rapid.Int64Range(1, 9).Draw(t, "window"),
		Most: rapid.Int64Range(0, 9).Draw(t, "most"), Relayed: rapid.IntRange(0, 3).Draw(t, "relayed") == 0,
	}
	if rapid.Bool().Draw(t, "trade") {
		c.Action, c.Get, c.GetAtLeast = rapid.SampledFrom([]string{"offer", "accept_offer"}).Draw(t, "action"), world.Data, 1
	}
	c.AskedBy = rapid.SliceOfNDistinct(rapid.SampledFrom(append(agents, "*")), 1, 3, rapid.ID).Draw(t, "asked by")
	return c
}

// TestFlowsAreTheSmallestCutThroughRules computes flows a second time, without a graph: the
// least, over all sets of agents with the source and without strangers, of what rules let out
// of the set.
func TestFlowsAreTheSmallestCutThroughRules(t *testing.T) {
	agents := []string{"agent-1", "agent-2", "agent-3", "agent-4"}
	rapid.Check(t, func(t *rapid.T) {
		n := network{agents: agents, planned: int64(rapid.IntRange(4, 6).Draw(t, "planned"))}
		for range rapid.IntRange(1, 5).Draw(t, "rules") {
			n.rules = append(n.rules, drawGift(t))
		}
		const ticks = 30
		paid := rapid.Bool().Draw(t, "paid")
		stranger := func(id string) bool { return id != "agent-1" && !n.knows("agent-1", id) }
		// let is what a rule lets in 30 ticks, going tick by tick, always as much as it can.
		let := func(c *world.PolicyRule, sum int64) (all int64) {
			var given [ticks]int64
			for now := range given {
				left := sum
				for before := max(0, now-int(c.Window)+1); before < now; before++ {
					left -= given[before]
				}
				if given[now] = left; c.Most > 0 {
					given[now] = min(left, c.Most)
				}
				all += given[now]
			}
			return all
		}
		least := int64(1) << 40
		for set := range 1 << len(agents) {
			inside := func(id string) bool { i := slices.Index(agents, id); return i >= 0 && set>>i&1 == 1 }
			if set&1 == 0 || slices.ContainsFunc(agents, func(id string) bool { return inside(id) && stranger(id) }) {
				continue
			}
			cut := int64(0)
			for _, giver := range agents {
				for i := range n.rules {
					c := &n.rules[i]
					if !inside(giver) || c.Agent != "*" && c.Agent != giver || c.To == giver || giver == "agent-1" && paid != (c.Get != "") {
						continue
					}
					share := int64(1) << 30
					if c.TotalEach > 0 {
						share = let(c, c.TotalEach)
					}
					askers := c.AskedBy
					out := int64(0)
					if slices.Contains(askers, "*") {
						askers = agents
						out = share * (n.planned - 4)
					}
					for _, asker := range askers {
						to := c.To
						if to == world.ToAsker || c.Action == "accept_offer" { // to of an accepted offer is who made it
							to = asker
						}
						if asker != giver && (stranger(asker) || c.Relayed || !inside(to)) {
							out += share
						}
					}
					cut += min(out, let(c, c.Total))
				}
			}
			least = min(least, cut)
		}
		if got := n.most("agent-1", world.Electricity, ticks, paid); got != least {
			t.Fatalf("the flow is %d, the smallest cut %d\n%+v", got, least, n.rules)
		}
	})
}

// TestFlows checks the sentences about chains, shares, orders and trades.
func TestFlows(t *testing.T) {
	for name, tc := range map[string]struct{ rules, want string }{
		"no one may ask":  {`agent = "*" action = "transfer_resource" total = 9`, ""},
		"nothing given":   {`agent = "*" action = "send_message" total = 9 window = 9 asked_by = ["*"]`, ""},
		"partners alone":  {`agent = "agent-1" action = "transfer_resource" what = "data" total = 9 window = 9 asked_by = ["agent-2"]`, ""},
		"everybody":       {`agent = "*" action = "transfer_resource" what = "data" most = 2 total = 9 window = 50 asked_by = ["*"]`, "every agent strangers can get at most 9 data in 50 ticks, 27 in 120"},
		"five shares":     {`agent = "*" action = "transfer_resource" what = "data" total = 99 total_each = 3 window = 50 asked_by = ["*"]`, "every agent strangers can get at most 15 data in 50 ticks, 45 in 120"},
		"small amounts":   {`agent = "*" action = "transfer_resource" what = "data" most = 2 total = 30 window = 50 asked_by = ["*"]`, "every agent strangers can get at most 30 data in 50 ticks, 90 in 120"},
		"a rest of ticks": {`agent = "*" action = "transfer_resource" what = "data" most = 1 total = 30 window = 50 asked_by = ["*"]`, "every agent strangers can get at most 30 data in 50 ticks, 80 in 120"},
		"a partner that is drained": {`agent = "agent-1" action = "transfer_resource" what = "data" total = 20 window = 40 asked_by = ["agent-2"] |
			agent = "agent-2" action = "transfer_resource" what = "data" total = 5 window = 40 asked_by = ["agent-3"]`,
			"agent-1 strangers can get at most 5 data in 40 ticks, 15 in 120"},
		"a partner that passes on": {`agent = "agent-1" action = "transfer_resource" what = "data" total = 20 window = 40 asked_by = ["agent-2"] relayed = true`,
			"agent-1 strangers can get at most 20 data in 40 ticks, 60 in 120"},
		"a partner that trades": {`agent = "agent-1" action = "transfer_resource" what = "electricity" total = 20 window = 50 asked_by = ["agent-2"] |
			agent = "agent-2" action = "accept_offer" what = "electricity" get = "data" get_at_least = 1 per = 4 total = 12 window = 25 asked_by = ["*"]`,
			"agent-1 strangers can get at most 20 electricity in 50 ticks, 60 in 120\nagent-2 strangers can get at most 24 electricity in 50 ticks, 60 in 120, for at least 1 data for each 4"},
		"a trade": {`agent = "agent-1" action = "accept_offer" what = "data" get = "hardware" get_at_least = 2 per = 3 total = 12 window = 40 asked_by = ["*"] |
			agent = "agent-1" action = "transfer_resource" what = "data" total = 2 window = 40 asked_by = ["*"]`,
			"agent-1 strangers can get at most 2 data in 40 ticks, 6 in 120\nagent-1 strangers can get at most 12 data in 40 ticks, 36 in 120, for at least 2 hardware for each 3"},
	} {
		text := "id = \"flows\"\nterms = true\n[[places]]\nid = \"hub\"\nmaterial = \"metal\"\noffset_pct = { x = 0, y = 0, z = 0 }\n[agents]\ncount = 6\nspawn = [\"hub\"]\n"
		for rule := range strings.SplitSeq(tc.rules, "|") {
			text += "[[policy]]\n"
			for i, word := range strings.Fields(rule) {
				if i%3 == 0 {
					text += "\n"
				}
				text += word + " "
			}
			text += "\n"
		}
		s, err := scenario.Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err, text)
		}
		got := strings.ReplaceAll(strings.Join(Flows(s), "\n"), "flows: out of ", "")
		if s.Terms = false; len(Flows(s)) > 0 {
			t.Errorf("%s flows where no agent can ask", name)
		}
		if got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tc.want)
		}
	}
}

// TestDelays: replies, sleep and journeys there and back count, for each agent that strangers
// can make do them.
func TestDelays(t *testing.T) {
	s, _, _ := scenario.Embedded("two_bases")
	may := func(agent, action string, total, each, window int64, by ...string) world.PolicyRule {
		return world.PolicyRule{Agent: agent, Effect: world.EffectAllow, Action: action, Total: total, TotalEach: each, Window: window, AskedBy: by, ByMessage: true}
	}
	quiet := func(c world.PolicyRule) world.PolicyRule { c.ByMessage = false; return c }
	s.Agents.Count, s.Terms = 4, true
	way := 2 * longestWay(s, "")
	for name, tc := range map[string]struct {
		rules []world.PolicyRule
		want  []string
	}{
		"few replies":                {[]world.PolicyRule{may("*", "send_message", 2, 1, 20, "*")}, nil},
		"many":                       {[]world.PolicyRule{may("*", "send_message", 8, 0, 10, "*")}, []string{"every agent can be held up by strangers for at most 80 ticks in 100 (send_message 80)"}},
		"three each":                 {[]world.PolicyRule{may("*", "send_message", 80, 3, 50, "*")}, []string{"every agent can be held up by strangers for at most 18 ticks in 100 (send_message 18)"}},
		"for a partner":              {[]world.PolicyRule{may("*", "send_message", 8, 0, 10, "agent-2")}, nil},
		"work that no terms ask for": {[]world.PolicyRule{quiet(may("*", "mine_compound", 9, 0, 10, "*"))}, nil},
		"gifts":                      {[]world.PolicyRule{may("*", "transfer_resource", 80, 0, 100, "*")}, nil},
		"sleep and replies of one": {[]world.PolicyRule{may("*", "send_message", 2, 0, 20, "*"), may("agent-2", "wait_ticks", 3, 0, 40, "*")},
			[]string{"agent-2 can be held up by strangers for at most 19 ticks in 100 (send_message 10, wait_ticks 9)"}},
		"all the time": {[]world.PolicyRule{may("*", "send_message", 9, 0, 9, "*"), may("*", "wait_ticks", 500, 0, 20, "*")},
			[]string{"every agent can be held up by strangers for at most 100 ticks in 100 (send_message 100, wait_ticks 100)"}},
		"journeys": {[]world.PolicyRule{may("agent-1", "move_agent", 3, 0, 100, "*")},
			[]string{fmt.Sprintf("agent-1 can be held up by strangers for at most %d ticks in 100 (move_agent %d)", 3*way, 3*way)}},
	} {
		s.Policy = tc.rules
		got := strings.ReplaceAll(strings.Join(Delays(s), "\n"), "delays: ", "")
		if want := strings.Join(tc.want, "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
	places := s.Survey(s.Seed).Places
	if _, ticks := s.Rules.Journey(places[0].Position, places[1].Position); len(places) == 2 && longestWay(s, places[1].ID) != ticks {
		t.Errorf("the longest way takes %d ticks, want %d", way/2, ticks)
	}
}

// TestFlowsOfThePage: the rules of the first example give what the page says of them.
func TestFlowsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rules, _ := strings.Cut(string(page), "### Worked example: a helpful agent\n\n```toml\n")
	rules, _, _ = strings.Cut(rules, "```")
	const camp = "id = \"camp\"\nterms = true\n[[places]]\nid = \"hub\"\nmaterial = \"metal\"\noffset_pct = { x = 0, y = 0, z = 0 }\n[agents]\ncount = 5\nspawn = [\"hub\"]\n"
	s, err := scenario.Parse("camp.toml", []byte(camp+rules))
	if err != nil || len(s.Policy) != 7 {
		t.Fatalf("%d rules, %v", len(s.Policy), err)
	}
	shown := strings.Join(strings.Fields(string(page)), " ") // the page folds lines
	if want := "``` camp.toml: " + strings.Join(Flows(s), " camp.toml: ") + " ```"; !strings.Contains(shown, want) {
		t.Errorf("the page lacks\n%s", want)
	}
	if late := Delays(s); len(late) > 0 {
		t.Errorf("the rules of the page let strangers hold agents up: %q", late)
	}
	s.Policy[0].Total, s.Policy[0].TotalEach, s.Policy[0].Window = 8, 3, 10
	if want := "``` camp.toml: " + strings.Join(Delays(s), " camp.toml: ") + " ```"; !strings.Contains(shown, want) {
		t.Errorf("the page lacks\n%s", want)
	}
}

// TestFlowsOfManyAgents take no longer than those of a few: agents that no rule names are all
// alike.
func TestFlowsOfManyAgents(t *testing.T) {
	s, _, _ := scenario.Embedded("llm_bootstrap")
	want := Flows(s)
	if got := Flows(s.WithAgents(100_000)); len(want) != 1 || !slices.Equal(got, want) {
		t.Errorf("%q of many agents, %q of five", got, want)
	}
	for i := range 40 {
		id := "agent-" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		s.Policy = append(s.Policy, world.PolicyRule{Effect: world.EffectAllow, Action: "transfer_resource", Agent: id})
	}
	if got := Flows(s); len(got) != 1 || !strings.Contains(got[0], "is not computed") {
		t.Errorf("%q of rules that name many agents", got)
	}
}
