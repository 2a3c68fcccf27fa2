package world_test

import (
	"math/bits"
	"slices"
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TestSituation: agents who stand together and hold about the same are in one situation, and each thing that bears on
// what they can do ends that.
func TestSituation(t *testing.T) {
	s, _, _ := scenario.Embedded("llm_bootstrap")
	s.Agents.Count = 12
	begin := func() *world.World {
		w, err := world.New(s, s.Seed)
		if err != nil {
			t.Fatal(err)
		}
		w.Advance()
		return w
	}
	w := begin()
	var mates []int
	alike := func(a, b world.Amount) bool {
		return a.Resource == b.Resource && bits.Len64(uint64(a.Amount)) == bits.Len64(uint64(b.Amount))
	}
	for n := range w.Agents() {
		together := w.PlaceOf(n) == w.PlaceOf(0) && slices.EqualFunc(w.Stock(n), w.Stock(0), alike)
		if together {
			mates = append(mates, n)
		}
		if same := w.Situation(n) == w.Situation(0); same != together {
			t.Errorf("agent %d at %s with %v, agent 0 at %s with %v: in the same situation: %v", n, w.PlaceOf(n), w.Stock(n),
				w.PlaceOf(0), w.Stock(0), same)
		}
	}
	for name, action := range map[string]world.Action{
		"has mined": world.Mine{MassG: 3000}, "has gone": world.Move{To: "llm-outpost"}, "has done nothing": world.Wait{},
	} {
		w := begin()
		if name == "has gone" && w.PlaceOf(0) == "llm-outpost" {
			action = world.Move{To: "llm-hub"}
		}
		w.Apply([]world.Intent{{Agent: mates[1], Action: action}})
		w.Advance()
		if same := w.Situation(mates[1]) == w.Situation(mates[2]); same != (name == "has done nothing") {
			t.Errorf("who %s is in the situation of another one: %v", name, same)
		}
		if w.Fork().Situation(mates[1]) != w.Situation(mates[1]) {
			t.Errorf("who %s is in another situation in a fork", name)
		}
	}
}
