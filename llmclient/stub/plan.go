package stub

import "maps"

// planGoal is all that a plan says in words: little, because it is in every later
// request of its turn.
const planGoal = "Meet the goals."

// plannedMax is how many ideas a plan lists. They are those that a draft offers.
const plannedMax = 2

// reasons reports whether the agent thinks in a step of its own.
func (s stage) reasons() bool {
	return len(s.modulesWanted()) < 2 && s.chance.oneIn("reason step", 8)
}

// plan says how many modules will be asked and what the agent may do. One plan in
// eight has a step for reasoning alone, so that a client's handling of such steps is
// exercised in every longer run. A plan with two questions has no such step.
func (s stage) plan() object { return s.planOf(s.ideas[:min(plannedMax, len(s.ideas))]) }

// planOf is the plan to do some of the ideas.
func (s stage) planOf(ideas []proposal) object {
	steps := []any{}
	wanted := s.modulesWanted()
	for range wanted {
		steps = append(steps, "call")
	}
	if s.reasons() {
		steps = append(steps, "reason")
	}
	steps = append(steps, "respond")
	// The best ideas, with how many ticks they last. Waiting needs no plan.
	actions := []any{}
	for i, p := range ideas {
		if name(p.action) == actionWait {
			continue
		}
		action := maps.Clone(p.action)
		if p.until != nil {
			action["max_ticks"] = p.until["max_ticks"]
		}
		actions = append(actions, action)
		if i == 0 {
			actions = append(actions, s.chained(p)...)
		}
	}
	return object{"goal": planGoal, "steps": steps, "actions": actions}
}
