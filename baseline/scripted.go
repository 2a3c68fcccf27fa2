package baseline

import "example.com/agentworld/world"

// Scripted is the policy of agents that follow a fixed list of priorities. Each
// agent has a mind of its own; they share nothing but the public text.
func Scripted(s world.Scenario) Decider {
	b, minds := newBrief(s), map[string]*mind{}
	return func(v world.View) world.Action {
		m, ok := minds[v.AgentID()]
		if !ok {
			m = newMind(v.AgentID(), b)
			minds[v.AgentID()] = m
		}
		return m.decide(v)
	}
}

// moment is one decision: a mind, what it sees and under which rules.
type moment struct {
	*mind
	view  world.View
	o     world.Observation
	rules world.Rules
}

// decide does the first thing on the agent's list of wishes that the world would
// accept.
func (m *mind) decide(v world.View) world.Action {
	now := &moment{m, v, v.Observe(), v.Rules()}
	now.learn()
	for _, wish := range now.wishes() {
		if action, ok := now.possible(wish); ok {
			return action
		}
	}
	return world.Wait{}
}

// possible clamps an action and says whether it is worth trying. How full the
// battery of another agent is can only be found out by a gift.
func (n *moment) possible(a world.Action) (world.Action, bool) {
	clamped, _ := n.view.Clamp(a)
	switch n.view.Check(clamped).Status {
	case world.CheckAccepted:
		return clamped, true
	case world.CheckUnknown:
		_, gift := clamped.(world.Transfer)
		return clamped, gift
	}
	return nil, false
}

// wishes lists what the agent would do, best first.
func (n *moment) wishes() []world.Action {
	switch {
	case n.anchored():
		return n.work(n.wanted())
	case n.helper():
		return n.help()
	}
	list := n.stayPowered()
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

// helper agents do not count and bring help.
func (n *moment) helper() bool { return n.brief.helped() && !n.counts }

// wanted is the resource that the task measures or else the next goal asks for;
// a factory is a wish for something to make in it. It is empty when there is
// nothing to make.
func (n *moment) wanted() string {
	if kind, resource := n.brief.task.Measures(); n.brief.scored() && kind != "uptime" {
		return resource
	}
	for _, g := range n.open {
		switch g.kind {
		case "stock", "product":
			if g.name != world.Electricity { // charging needs no wish
				return g.name
			}
		case "factory":
			return world.ControlChip
		}
	}
	return ""
}
