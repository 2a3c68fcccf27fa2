package baseline

import (
	"slices"

	"example.com/agentworld/world"
)

// Scripted is the policy of agents that follow a fixed list of priorities and do the first
// thing on it that the world would accept. Each agent has an agent of its own; they share
// nothing but the public text.
func Scripted(b Brief) Decider { return listed(b, scriptedTastes) }

// Greedy is the policy of agents that follow the same list and do not look ahead: they work for the next
// batch alone, in one factory, and keep neither a stock nor charge for the way back.
func Greedy(b Brief) Decider { return listed(b, greedyTastes) }

func listed(b Brief, t tastes) Decider {
	agents := map[string]*player{}
	return func(v world.View) world.Action {
		m, ok := agents[v.AgentID()]
		if !ok {
			m = newPlayer(v.AgentID(), b, t)
			agents[v.AgentID()] = m
		}
		return firstAccepted(v, m.wishes(situationOf(v)))
	}
}

// firstAccepted is the first of the wishes that the world would accept, with amounts clamped.
func firstAccepted(v world.View, wishes []world.Action) world.Action {
	for _, wish := range wishes {
		action, _ := v.Clamp(wish)
		status := v.Check(action).Status
		// How full the battery of another agent is can only be found out by a gift.
		if _, gift := action.(world.Transfer); status == world.CheckAccepted || gift && status == world.CheckUnknown {
			return action
		}
	}
	return world.Wait{}
}

// moment is one decision: an agent and what it knows.
type moment struct {
	*player
	Situation
}

// wishes lists what the agent would do, best first.
func (m *player) wishes(s Situation) []world.Action {
	n := &moment{m, s}
	n.learn()
	list := n.trade()
	switch {
	case n.anchored():
		return append(list, n.work(n.wanted())...)
	case n.brief.helped(): // by who does not count
		return append(list, n.help()...)
	}
	list = append(list, n.stayPowered()...)
	for _, g := range n.open {
		if g.kind == "place" {
			list = append(list, n.visit(g.name)...)
			break
		}
	}
	resource := n.wanted()
	list = append(list, n.work(resource)...)
	return append(list, n.prospect(resource)...)
}

// anchored agents count and stay where help is to come.
func (n *moment) anchored() bool { return n.brief.helped() && n.counts }

// wanted is the resource that the task measures, if the agent has a part in it, or else the
// one that the next goal asks for. A goal of a factory asks for a product to make in it, one of batches for
// a chip. wanted is empty if there is nothing to make.
func (n *moment) wanted() string {
	if kind, resource := n.brief.Task.Measures(); n.brief.scored() && kind != "uptime" && (n.counts || n.brief.helped()) {
		return resource
	}
	for _, g := range n.open {
		switch g.kind {
		case "stock", "product", "made":
			if g.name != world.Electricity { // charging needs no wish
				return g.name
			}
		case "factory":
			return n.productFor(g.name)
		case "event":
			if slices.Contains([]string{"factory_built", "batch_done", "job_done"}, g.name) {
				return world.ControlChip
			}
		}
	}
	return ""
}
