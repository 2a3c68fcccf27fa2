package baseline

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// public is the part of a scenario that every agent may read, and nothing else.
func public(s world.Scenario) world.Scenario {
	told := world.Scenario{Task: s.Task, Goals: s.Goals}
	for _, p := range s.Places {
		if p.Charted {
			told.Places = append(told.Places, world.Place{ID: p.ID, Charted: true})
		}
	}
	return told
}

// TestScriptedReadsOnlyViewsAndPublicText lets the scripted agents play with the
// public text alone: they must not do any better with the whole file.
func TestScriptedReadsOnlyViewsAndPublicText(t *testing.T) {
	for _, name := range scenario.Names() {
		s := embedded(t, name)
		blind := func(Brief) Decider { return Scripted(BriefOf(public(s))) }
		knowing, _, err := Play(s, s.Seed, 60, Scripted)
		if err != nil {
			t.Fatal(err)
		}
		told, _, err := Play(s, s.Seed, 60, blind)
		if err != nil {
			t.Fatal(err)
		}
		if knowing.Digest() != told.Digest() {
			t.Errorf("%s: the scripted agents know more than the public text", name)
		}
	}
}

// TestScriptedIsSound demands that the scripted agents are hardly ever refused:
// what they wish for was checked before.
func TestScriptedIsSound(t *testing.T) {
	for _, s := range tasks(t) {
		w, err := world.New(s, s.Seed)
		if err != nil {
			t.Fatal(err)
		}
		decide := Scripted(BriefOf(s))
		for w.Tick() < s.Task.Ticks {
			w.Advance()
			var intents []world.Intent
			for _, n := range w.Due() {
				intents = append(intents, world.Intent{Agent: n, Action: decide(w.View(n))})
			}
			for _, e := range w.Apply(intents) {
				// Others may be quicker, and a battery may be fuller than could be known.
				if e.Rejection != nil && e.Rejection.Code != world.RejectContended && e.Rejection.Code != world.RejectStorageFull {
					t.Errorf("%s tick %d: %s is refused %v: %+v", s.ID, e.Tick, e.Agent, e.Action, *e.Rejection)
				}
			}
		}
	}
}

// TestChargeMost compares with hand-made cases.
func TestChargeMost(t *testing.T) {
	r := world.DefaultRules()
	cool := r
	cool.HeatFactor = 0
	for _, tc := range []struct {
		name             string
		rules            world.Rules
		radiation, ticks int64
		want             int64
	}{
		{"no time", r, 30, 0, 0},
		{"one harvest less the idle draw", r, 30, 1, 29},
		{"without heat every harvest is full", cool, 30, 10, 290},
		{"more than one harvest can take", cool, 80, 2, 98},
		{"in the dark only the ambient floor", r, 0, 7, 7},
		// Heat 50, 47 + 50, 92 + 50: the third is still full. The fourth finds 134 and
		// yields 50 * 100 / 134.
		{"heat begins to tell", r, 50, 4, 50 + 50 + 50 + 37 - 4},
	} {
		if got := chargeMost(tc.rules, tc.radiation, tc.ticks, 0); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

// TestChargeMostIsABound lets an agent harvest at random: it never gains more.
func TestChargeMostIsABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := embeddedMinimal(t)
		s.Rules.PowerCapacity = 1_000_000
		s.Rules.HeatCapacity = rapid.Int64Range(10, 120).Draw(t, "capacity")
		s.Rules.Dissipation = rapid.Int64Range(1, 9).Draw(t, "dissipation")
		s.Places[0].Emission = rapid.Int64Range(0, 70).Draw(t, "emission")
		s.Agents.Stock = [][]world.Amount{{{Resource: world.Electricity, Amount: 100}}}
		ticks := rapid.Int64Range(1, 40).Draw(t, "ticks")
		idle := func(Brief) Decider {
			return func(v world.View) world.Action {
				if rapid.IntRange(0, 3).Draw(t, "wait") == 0 {
					return world.Wait{}
				}
				return world.Harvest{MaxAmount: rapid.Int64Range(1, 50).Draw(t, "amount")}
			}
		}
		w, _, err := Play(s, 1, ticks, idle)
		if err != nil {
			t.Fatal(err)
		}
		most := 100 + chargeMost(s.Rules, s.Survey(1).Radiation[0], ticks, 0)
		if got := amountOf(w.Stock(0), world.Electricity); got > most {
			t.Errorf("an agent holds %d after %d ticks, bound %d", got, ticks, most)
		}
	})
}

func embeddedMinimal(t *rapid.T) world.Scenario {
	s, _, ok := scenario.Embedded("minimal")
	if !ok {
		t.Fatal("minimal is missing")
	}
	s.Places = slices.Clone(s.Places)
	return s
}
