package baseline

import (
	"fmt"

	"example.com/agentworld/world"
)

// lintTicks is how long the scripted agents have to meet all goals, unless a task
// runs longer.
const lintTicks = 120

// Diagnostic is something about a scenario that is wrong or cannot be done.
type Diagnostic struct {
	// What names the field or thing it is about.
	What string
	// Why says what is wrong with it, with numbers.
	Why string
	// Doubt says that it may be right: the scripted agents did not do it, others may.
	Doubt bool
}

// String is the finding on one line.
func (f Diagnostic) String() string {
	if f.Doubt {
		return "doubt: " + f.What + ": " + f.Why
	}
	return f.What + ": " + f.Why
}

// Lint proves that the instance of a seed can be played. It checks that agents can reach every
// place from their start. It lets the scripted agents play until every goal is met. A task must
// be worth playing: acting scores more than waiting. An empty list is the proof. A finding about
// a goal may also mean that the scripted agents are not clever enough for it.
func Lint(s world.Scenario, seed uint64) []Diagnostic {
	if _, err := world.New(s, seed); err != nil {
		return []Diagnostic{{What: "scenario", Why: err.Error()}}
	}
	s = s.Instance(seed)
	list := lintPlaces(s.Rules, s.Survey(seed))
	ticks := int64(lintTicks)
	if s.Task != nil {
		ticks = max(ticks, s.Task.Ticks)
	}
	w, scripted := mustPlay(s, seed, ticks, Scripted)
	for _, g := range w.Goals() {
		if g.MetAt < 0 {
			list = append(list, Diagnostic{
				fmt.Sprintf("goal %s of %s", g.Goal.ID, g.AgentID),
				fmt.Sprintf("%s is %d, want %d, after %d ticks of the scripted agents", g.Goal.Metric, g.Now, g.Goal.AtLeast,
					w.Tick()),
				true,
			})
		}
	}
	if s.Task != nil {
		list = append(list, lintTask(s, scripted)...)
	}
	return list
}

// mustPlay plays a scenario of which a world could be made.
func mustPlay(s world.Scenario, seed uint64, ticks int64, p Policy) (*world.World, int64) {
	w, score, err := Play(s, seed, ticks, p)
	if err != nil {
		panic("baseline: a world could be made before and now not: " + err.Error())
	}
	return w, score
}

// lintTask checks that a task is worth playing, with the score of the scripted agents.
func lintTask(s world.Scenario, scripted int64) []Diagnostic {
	if b := BoundOf(s); b.Score < 1 {
		return []Diagnostic{{What: "task", Why: "no player can score anything: " + b.Why}}
	}
	if _, nothing := mustPlay(s, s.Seed, s.Task.Ticks, Nothing); scripted <= nothing {
		return []Diagnostic{{"task", fmt.Sprintf("the scripted agents score %d, no more than the %d of doing nothing",
			scripted, nothing), true}}
	}
	return nil
}
