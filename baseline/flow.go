package baseline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// flowAgentsMax is how many agents the rules may name for their flows to be computed.
const flowAgentsMax = 32

// everyOther is the label for all agents that no rule names.
const everyOther = "every other agent"

// endless is more than any sum of a scenario; two hundred of it still fit.
const endless = 1 << 50

// Flows lists the most that strangers can get out of each agent through the rules of a
// scenario that let others ask. Strangers of an agent are the agents that none of its own
// rules names. The sum includes what they ask for, wherever it goes, what they receive, and
// what a partner of the agent passes on by gift or trade. With relayed terms any request may
// originate from a stranger. An agent's own trades are listed apart, with the least they
// bring. The real amount may be less, since forbids, places and stocks are ignored.
func Flows(s world.Scenario) (lines []string) {
	n := network{planned: plannedAgents(s)}
	note := func(ids ...string) {
		for _, id := range ids {
			if strings.HasPrefix(id, "agent-") && !slices.Contains(n.agents, id) {
				n.agents = append(n.agents, id)
			}
		}
	}
	windows, resources := map[string]int64{}, s.Industry().Resources
	for _, c := range s.Policy {
		if c.Effect != world.EffectAllow {
			continue
		}
		if c.Unheard(s.Terms) != "" {
			c.Total = 0 // nobody can ask
		}
		n.rules = append(n.rules, c)
		note(append([]string{c.Agent, c.To}, c.AskedBy...)...)
		for _, resource := range resources {
			if amount, _ := given(&c, resource); amount > 0 && len(c.AskedBy) > 0 {
				windows[resource] = max(windows[resource], c.Window)
			}
		}
	}
	if len(windows) == 0 {
		return nil
	}
	if len(n.agents) > flowAgentsMax {
		return []string{fmt.Sprintf("flows: the rules name more than %d agents; what strangers can get is not computed",
			flowAgentsMax)}
	}
	slices.SortFunc(n.agents, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	sources := n.agents
	if int64(len(sources)) < n.planned {
		sources = append(slices.Clone(sources), everyOther) // they are all alike
	}
	ticks := int64(lintTicks)
	if s.Task != nil {
		ticks = s.Task.Ticks
	}
	told := grouped{all: len(sources), of: map[string][]string{}}
	for _, from := range sources {
		for _, paid := range []bool{false, true} {
			var parts []string
			for _, resource := range resources {
				window := windows[resource]
				if within := n.most(from, resource, window, paid); within > 0 {
					part := fmt.Sprintf("%d %s in %d ticks, %d in %d", within, resource, window, n.most(from, resource, ticks, paid),
						ticks)
					if paid {
						part += ", for at least " + n.rates(from, resource)
					}
					parts = append(parts, part)
				}
			}
			told.add(from, strings.Join(parts, "; "))
		}
	}
	return told.lines("flows: out of %s strangers can get at most %s")
}

// plannedAgents is how many agents a scenario was written for.
func plannedAgents(s world.Scenario) int64 { return cmp.Or(s.PlannedAgents, s.Agents.Count) }

// grouped collects reports, and lists each once with the agents that it is about.
type grouped struct {
	all   int // the agents there are
	of    map[string][]string
	order []string
}

func (g *grouped) add(agent, what string) {
	if what != "" && g.of[what] == nil {
		g.order = append(g.order, what)
	}
	g.of[what] = append(g.of[what], agent)
}

func (g *grouped) lines(format string) (lines []string) {
	for _, what := range g.order {
		who := strings.Join(g.of[what], ", ")
		if len(g.of[what]) == g.all {
			who = "every agent"
		}
		lines = append(lines, fmt.Sprintf(format, who, what))
	}
	return lines
}

// delayTicks is how many ticks in a hundred strangers may cost an agent without a report.
const delayTicks = 10

// Delays lists the agents that can lose more than ten ticks in a hundred to strangers, by
// the actions that all agents may ask for. Gifts and trades do not count. A journey costs the
// longest way to the place and back, every other action one tick.
func Delays(s world.Scenario) []string {
	sources := []string{everyOther}
	for _, c := range s.Policy {
		if c.Agent != world.Anyone && !slices.Contains(sources, c.Agent) {
			sources = append(sources, c.Agent)
		}
	}
	slices.Sort(sources)
	if int64(len(sources)) > plannedAgents(s) {
		sources = slices.DeleteFunc(sources, func(id string) bool { return id == everyOther })
	}
	resources := s.Industry().Resources
	told := grouped{all: len(sources), of: map[string][]string{}}
	for _, agent := range sources {
		var parts []string
		sum := int64(0)
		for _, c := range s.Policy {
			asks := c.Effect == world.EffectAllow && c.Unheard(s.Terms) == "" && slices.Contains(c.AskedBy, world.Anyone)
			gives := func(resource string) bool { total, _ := given(&c, resource); return total > 0 }
			if !asks || !c.Binds(agent) || slices.ContainsFunc(resources, gives) {
				continue
			}
			total := c.Total
			if c.TotalEach > 0 {
				total = min(total, times(c.TotalEach, plannedAgents(s)-1))
			}
			ticks := over(total, 1, c.Window, 100)
			if c.Action == (world.Move{}).ActionName() {
				ticks = times(ticks, 2*longestWay(s, c.To))
			}
			ticks = min(ticks, 100)
			sum += ticks
			parts = append(parts, fmt.Sprintf("%s %d", c.Action, ticks))
		}
		if sum > delayTicks {
			told.add(agent, fmt.Sprintf("%d ticks in 100 (%s)", min(sum, 100), strings.Join(parts, ", ")))
		}
	}
	return told.lines("delays: %s can be held up by strangers for at most %s")
}

// longestWay is the ticks of the longest journey to a place; to any, if to names none.
func longestWay(s world.Scenario, to string) (longest int64) {
	places := s.Survey(s.Seed).Places
	if len(places) > reachMax {
		return endless
	}
	named := slices.ContainsFunc(places, func(p world.Place) bool { return p.ID == to })
	for _, p := range places {
		for _, q := range places {
			if !named || q.ID == to {
				_, ticks := s.Rules.Journey(p.Position, q.Position)
				longest = max(longest, ticks)
			}
		}
	}
	return longest
}

// network is the part of a scenario that flows depend on.
type network struct {
	rules []world.PolicyRule
	// agents are those that rules name, planned is how many there are.
	agents  []string
	planned int64
}

// given is how much of a resource a rule lets be given in its window, and at once; 0 if none.
func given(c *world.PolicyRule, resource string) (total, most int64) {
	what := c.What
	switch c.Action {
	case "transfer_resource", "offer", "accept_offer":
		what = cmp.Or(what, resource)
	case "buy_power":
		what = world.Data
	case "sell_power":
		what = world.Electricity
	default:
		return 0, 0
	}
	if what != resource {
		return 0, 0
	}
	return c.Total, cmp.Or(c.Most, c.Total)
}

// times multiplies up to endless.
func times(a, b int64) int64 {
	if b > 0 && a > endless/b {
		return endless
	}
	return a * b
}

// over is how much a limit in a sliding window allows in some ticks, since an agent acts at most
// once a tick.
func over(total, most, window, ticks int64) int64 {
	rest := min(total, times(most, ticks%window))
	return min(endless, times(min(total, times(most, window)), ticks/window)+rest)
}

// knows reports whether a rule of one agent names the other.
func (n *network) knows(agent, other string) bool {
	return slices.ContainsFunc(n.rules, func(c world.PolicyRule) bool {
		return c.Binds(agent) && (c.To == other || slices.Contains(c.AskedBy, other))
	})
}

// rates lists what an agent's trades in a resource bring at least.
func (n *network) rates(agent, resource string) string {
	var list []string
	for _, c := range n.rules {
		if total, _ := given(&c, resource); total == 0 || len(c.AskedBy) == 0 || c.Get == "" || !c.Binds(agent) {
			continue
		}
		rate := fmt.Sprintf("%d %s for each %d", c.GetAtLeast, c.Get, max(1, c.Per))
		if !slices.Contains(list, rate) {
			list = append(list, rate)
		}
	}
	return strings.Join(list, " or ")
}

// most is the largest flow of a resource from an agent to strangers in some ticks. With paid it
// is what the agent trades, else what it gives for nothing. Others pass on what they get in
// both ways.
func (n *network) most(from, resource string, ticks int64, paid bool) int64 {
	agents := n.agents
	if !slices.Contains(agents, from) {
		agents = append(slices.Clone(agents), from)
	}
	const sink = 0
	g := flowGraph{}
	node := func(id string) int {
		if i := slices.Index(agents, id); i >= 0 && (id == from || n.knows(from, id)) {
			return 1 + i
		}
		return sink
	}
	next := 1 + len(agents)
	for i := range n.rules {
		c := &n.rules[i]
		total, most := given(c, resource)
		for _, giver := range agents {
			if total == 0 || len(c.AskedBy) == 0 || !c.Binds(giver) ||
				c.To == giver || node(giver) == sink || giver == from && paid != (c.Get != "") {
				continue
			}
			rule := next
			next++
			g.join(node(giver), rule, over(total, most, c.Window, ticks))
			each := int64(endless)
			if c.TotalEach > 0 {
				each = over(c.TotalEach, most, c.Window, ticks)
			}
			askers := c.AskedBy
			if slices.Contains(askers, world.Anyone) {
				askers = agents
				g.join(rule, sink, times(each, n.planned-int64(len(agents))))
			}
			for _, asker := range askers {
				if asker == giver {
					continue
				}
				to := sink // a stranger asks, or anybody may receive it
				switch {
				case node(asker) == sink || c.Relayed:
				case c.To == world.ToAsker || c.Action == "accept_offer":
					to = node(asker)
				case slices.Contains(agents, c.To):
					to = node(c.To)
				}
				g.join(rule, to, each)
			}
		}
	}
	return g.most(node(from), sink)
}

// flowGraph holds arcs in pairs, each followed by the one back.
type flowGraph struct {
	to   []int
	left []int64
	out  [][]int
}

// join adds an arc.
func (g *flowGraph) join(from, to int, capacity int64) {
	for len(g.out) <= max(from, to) {
		g.out = append(g.out, nil)
	}
	g.out[from], g.out[to] = append(g.out[from], len(g.to)), append(g.out[to], len(g.to)+1)
	g.to, g.left = append(g.to, to, from), append(g.left, capacity, 0)
}

// most is the maximum flow, by shortest augmenting paths (Edmonds and Karp). It uses up the
// graph.
func (g *flowGraph) most(source, sink int) (flow int64) {
	for len(g.out) > max(source, sink) {
		by := make([]int, len(g.out)) // the arc by which a node is reached, from 1
		for queue := []int{source}; len(queue) > 0 && by[sink] == 0; queue = queue[1:] {
			for _, a := range g.out[queue[0]] {
				if v := g.to[a]; g.left[a] > 0 && by[v] == 0 && v != source {
					by[v], queue = a+1, append(queue, v)
				}
			}
		}
		if by[sink] == 0 {
			break
		}
		path := int64(endless)
		for v := sink; v != source; v = g.to[(by[v]-1)^1] {
			path = min(path, g.left[by[v]-1])
		}
		for v := sink; v != source; v = g.to[(by[v]-1)^1] {
			g.left[by[v]-1] -= path
			g.left[(by[v]-1)^1] += path
		}
		flow += path
	}
	return flow
}
