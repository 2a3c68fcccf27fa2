package baseline

import (
	"fmt"
	"slices"
	"strings"

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
	list = append(list, lintIndustry(s, w)...)
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

// lintIndustry names what a scenario adds to the industry and nobody can ever use.
func lintIndustry(s world.Scenario, w *world.World) (list []Diagnostic) {
	needless := w.Needless(s.Rules, w.Forbidden()...)
	doubt := func(what, name, why string) { list = append(list, Diagnostic{what + " " + name, why, true}) }
	for _, k := range s.FactoryKinds {
		if slices.Contains(needless, k.Name) {
			doubt("factory kind", k.Name, "nobody can ever build it or has a recipe for it")
		}
	}
	used := map[string]bool{}
	for _, r := range s.Recipes {
		if slices.Contains(needless, r.ID) {
			doubt("recipe", r.ID, "nobody can ever run it: no such factory can be built or something that it takes cannot be "+
				"had")
		}
		for _, a := range slices.Concat(r.Inputs, r.Outputs) {
			used[a.Resource] = true
		}
	}
	for _, name := range s.Products {
		if !used[name] {
			doubt("product", name, "no recipe makes or takes it")
		}
	}
	return list
}

// MetByOthers says which goals other agents can meet though the goals' own agents do nothing, one line for
// each way. What waits for such a goal ends at their will.
func MetByOthers(s world.Scenario) (lines []string) {
	for _, way := range []struct{ by, instead string }{
		{"gifts", "made: counts what an agent made itself"}, {"messages", "event:message_sent counts its own"},
	} {
		var met []string
		for _, g := range s.Goals {
			if s.ByOthers(g) == way.by {
				met = append(met, g.ID+" ("+g.Metric+")")
			}
		}
		if len(met) > 0 {
			lines = append(lines, fmt.Sprintf("goals: others alone can meet by %s: %s; %s", way.by, strings.Join(met, ", "),
				way.instead))
		}
	}
	return lines
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
