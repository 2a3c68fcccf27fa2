package baseline

import (
	"strings"

	"example.com/agentworld/world"
)

// brief is what everybody may read before the run: the task, the goals and the
// names of the charted places. Nothing else of a scenario reaches a decision.
type brief struct {
	// task is the zero task if there is none, which has no ticks.
	task   world.Task
	goals  []world.Goal
	places []string
}

// newBrief copies the public text out of a scenario.
func newBrief(s world.Scenario) *brief {
	b := &brief{goals: s.Goals}
	if s.Task != nil {
		b.task = *s.Task
	}
	for _, p := range s.Places {
		if p.Charted {
			b.places = append(b.places, p.ID)
		}
	}
	return b
}

// scored says that there is a task.
func (b *brief) scored() bool { return b.task.Ticks > 0 }

// helped says that agents which do not count are to help those that do, at a
// place that the task names.
func (b *brief) helped() bool {
	return b.scored() && b.task.Meet != "" && len(b.task.Agents) > 0
}

// cargo is what helpers bring beside electricity; empty if that is all.
func (b *brief) cargo() string {
	kind, resource := b.task.Measures()
	switch kind {
	case "uptime":
		return ""
	case "produced":
		return world.Hardware
	}
	return resource
}

// goal is a goal's metric, cut in two.
type goal struct {
	id, kind, name string
	atLeast        int64
}

// goalsOf lists the goals of the agent with the given id.
func (b *brief) goalsOf(id string) []goal {
	var list []goal
	for _, g := range b.goals {
		if g.Agent == "*" || g.Agent == id {
			kind, name, _ := strings.Cut(g.Metric, ":")
			list = append(list, goal{g.ID, kind, name, g.AtLeast})
		}
	}
	return list
}
