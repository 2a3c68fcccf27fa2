package baseline

import (
	"example.com/agentworld/world"
)

// Situation is what the policy decides from: an observation and what else is known. It may
// be made from a [world.View] or from a source that knows less, such as a prompt. An unknown
// number of the rules is 0, except for the grams in a unit of hardware.
type Situation struct {
	world.Observation
	Rules world.Rules
	// Recipes are the known recipes, the one to prefer first. Kinds are the known kinds of factory; one
	// that is not among them costs what Rules say of an assembler.
	Recipes []world.Recipe
	Kinds   []world.FactoryKind
	// Counted is what goals that count events have counted, by metric.
	Counted map[string]int64
	// Last is the outcome of the agent's last action, if it has acted.
	Last world.Outcome
	// Remembered are places as they were found on earlier visits.
	Remembered []world.Here
	// Journey tells what a journey to a place costs and how long it takes, affordable
	// now or not; ok is false where no way is known.
	Journey func(to string) (cost, ticks int64, ok bool)
}

// situationOf is all that an agent's view tells.
func situationOf(v world.View) Situation {
	s := Situation{Observation: v.Observe(), Rules: v.Rules(), Recipes: v.Industry().Recipes,
		Kinds: v.Industry().Kinds}
	for _, g := range v.Goals() {
		if s.Counted == nil {
			s.Counted = map[string]int64{}
		}
		s.Counted[g.Goal.Metric] = g.Now
	}
	s.Last, _ = v.Last()
	s.Journey = func(to string) (cost, ticks int64, ok bool) {
		check := v.Check(world.Move{To: to})
		switch {
		case check.Status == world.CheckAccepted:
			return -amountOf(check.Changes, world.Electricity), check.Ticks, true
		case check.Rejection != nil && check.Rejection.Code == world.RejectInsufficient:
			cost = *check.Rejection.Requested
			return cost, cost/(s.Rules.MoveCostPerKM*s.Rules.MoveRangeKM) + 1, true
		}
		return 0, 0, false
	}
	return s
}

// Brief is what an agent may read before the run: the task, the goals and the ids of
// the charted places. Nothing else of a scenario reaches a decision.
type Brief struct {
	// Seed is that of all draws of players, so that a run can be played again: the seed of the world, or of a repeat
	// of a run another one.
	Seed uint64
	// Task is the zero task if there is none, which has no ticks.
	Task   world.Task
	Goals  []world.Goal
	Places []string
}

// BriefOf copies the public text out of a scenario.
func BriefOf(s world.Scenario) Brief {
	b := Brief{Seed: s.Seed, Goals: s.Goals}
	if s.Task != nil {
		b.Task = *s.Task
	}
	for _, p := range s.Places {
		if p.Charted {
			b.Places = append(b.Places, p.ID)
		}
	}
	return b
}

// Wishes lists what the policy would do in a situation, best first, for an agent that
// has no memory but what the situation says. Not all that it lists may be possible, and
// an amount may be more than is.
func (b Brief) Wishes(s Situation) []world.Action {
	return newPlayer(s.Self.ID, b, scriptedTastes).wishes(s)
}

// scored says that there is a task.
func (b Brief) scored() bool { return b.Task.Ticks > 0 }

// helped says that agents which do not count are to help those that do, at a
// place that the task names.
func (b Brief) helped() bool {
	return b.scored() && b.Task.Meet != "" && len(b.Task.Agents) > 0
}

// cargo is what helpers bring besides electricity; empty if they bring nothing else.
func (b Brief) cargo() string {
	kind, resource := b.Task.Measures()
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
	kind, name string
	atLeast    int64
}
