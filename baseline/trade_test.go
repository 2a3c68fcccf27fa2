package baseline

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/world"
)

// trading lists the built-in tasks with requests and offers.
func trading(t *testing.T) []world.Scenario {
	return slices.DeleteFunc(tasks(t), func(s world.Scenario) bool { return !s.Terms })
}

// TestTradesAreNeeded plays the tasks of trade: with trades the scripted agents meet every
// goal; without the five actions neither they score anything nor one of them alone, nor
// agents that try everything else that the scenario does not forbid.
func TestTradesAreNeeded(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many ticks")
	}
	all := trading(t)
	if len(all) < 3 {
		t.Fatalf("there are %d tasks of trade, want 3", len(all))
	}
	for _, s := range all {
		w, score, err := Play(s, s.Seed, s.Task.Ticks, Scripted)
		if err != nil || score == 0 || unmet(w) > 0 {
			t.Errorf("%s: with trades the score is %d, goals are %+v, %v", s.ID, score, w.Goals(), err)
		}
		for _, start := range s.Survey(s.Seed).Starts {
			if got := play(t, s, solo(start.Agent)); got > 0 {
				t.Errorf("%s: %s alone scores %d", s.ID, start.Agent, got)
			}
		}
		s.Terms = false
		w, score, err = Play(s, s.Seed, s.Task.Ticks, Scripted)
		if err != nil || score > 0 || unmet(w) == 0 {
			t.Errorf("%s: without trades the score is %d, goals are %+v, %v", s.ID, score, w.Goals(), err)
		}
		if found := Lint(s, s.Seed+1); !slices.ContainsFunc(found, func(f Diagnostic) bool { return strings.HasPrefix(f.What, "goal ") }) {
			t.Errorf("%s: without trades lint finds %v", s.ID, found)
		}
		rapid.Check(t, func(t *rapid.T) {
			lawful := func(b Brief) Decider {
				decide := Scripted(b)
				return func(v world.View) world.Action {
					if a := trick(t, v); rapid.Bool().Draw(t, "trick?") && !forbids(s, a) {
						return a
					}
					return decide(v)
				}
			}
			if _, score, err := Play(s, s.Seed, s.Task.Ticks, lawful); err != nil || score > 0 {
				t.Errorf("%s: with anything but trades and gifts the score is %d, %v", s.ID, score, err)
			}
		})
	}
}

// unmet counts the goals not met.
func unmet(w *world.World) (n int) {
	for _, g := range w.Goals() {
		if g.MetAt < 0 {
			n++
		}
	}
	return n
}

// forbids says that no agent of a scenario may do something, alone or repeatedly.
func forbids(s world.Scenario, a world.Action) bool {
	if order, ok := a.(world.ExecuteUntil); ok {
		a = order.Do
	}
	return slices.ContainsFunc(s.Policy, func(c world.PolicyRule) bool {
		return c.Agent == world.Anyone && c.Effect == world.EffectForbid && c.Action == a.ActionName() && c.To == "" && c.What == ""
	})
}

// TestAnExchangeTakesTwoTicks has two agents that lack what the other has: one offers, and
// the other takes it in the next tick.
func TestAnExchangeTakesTwoTicks(t *testing.T) {
	s := embedded(t, "task_cooperation_barter_60")
	w, _, err := Play(s, s.Seed, 2, Scripted)
	if err != nil {
		t.Fatal(err)
	}
	if got := amountOf(w.Stock(1), world.Hardware); got == 0 {
		t.Errorf("after two ticks agent-2 holds no hardware: %+v and %+v", w.Stock(0), w.Stock(1))
	}
}
