package world_test

import (
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

const crowdedTOML = `
id = "crowded"
name = "n"
text = "t"
[[places]]
id = "rock"
name = "rock"
material = "metal"
offset_pct = { x = 0, y = 0, z = 0 }
radius_cm = 100
emission = 40
compound_g = 4000
[agents]
count = 2
spawn = ["rock"]
stock = [{ electricity = 50 }]
`

// crowded is a world in which two agents are at compound that is enough for one of them.
func crowded(t *testing.T) *world.World {
	t.Helper()
	s, err := scenario.Parse("crowded", []byte(crowdedTOML))
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	return w
}

// TestRefusedActionsGiveWayToAlternatives: the second agent is refused what the first took.
// In the same tick it does the first alternative that the world accepts.
func TestRefusedActionsGiveWayToAlternatives(t *testing.T) {
	w := crowded(t)
	others := []world.Action{world.Mine{MassG: 2000}, world.Harvest{MaxAmount: 3}, world.Wait{}}
	events := w.Apply([]world.Intent{
		{Agent: 0, Action: world.Mine{MassG: 3000}, Otherwise: others},
		{Agent: 1, Action: world.Mine{MassG: 3000}, Otherwise: others},
	})
	first, second := 0, 1
	if o, _ := w.LastOutcome(first); o.RefusedBefore > 0 {
		first, second = second, first
	}
	if o, _ := w.LastOutcome(first); !o.Accepted || o.Action != (world.Mine{MassG: 3000}) || o.RefusedBefore != 0 {
		t.Errorf("the first to act: %+v", o)
	}
	if o, _ := w.LastOutcome(second); !o.Accepted || o.Action != (world.Harvest{MaxAmount: 3}) || o.RefusedBefore != 2 {
		t.Errorf("the second to act: %+v", o)
	}
	refused := 0
	for _, e := range events {
		if e.Kind == world.EventActionRejected {
			refused++
			if e.Agent != w.AgentID(second) || e.Rejection == nil || e.Rejection.Code != world.RejectContended {
				t.Errorf("%+v", e)
			}
		}
	}
	if refused != 2 {
		t.Errorf("%d refusals among the events, want 2", refused)
	}
}

// TestAllAlternativesRefused: nothing happens but refusals, of which the last is the
// outcome.
func TestAllAlternativesRefused(t *testing.T) {
	w := crowded(t)
	w.Apply([]world.Intent{{Agent: 0, Action: world.Mine{MassG: 5000}, Otherwise: []world.Action{world.Move{To: "nowhere"}}}})
	o, _ := w.LastOutcome(0)
	if o.Accepted || o.Action != (world.Move{To: "nowhere"}) || o.RefusedBefore != 1 || len(o.Changes) != 0 {
		t.Errorf("%+v", o)
	}
}

// TestANewOrderGivesWay: an order whose first attempt is refused does not begin where an
// alternative is done in its place, and nothing of it is left for the next tick.
func TestANewOrderGivesWay(t *testing.T) {
	w := crowded(t)
	order := world.ExecuteUntil{Do: world.Mine{MassG: 5000}, Until: []world.Condition{{Event: "action_rejected"}}, MaxTicks: 3}
	w.Apply([]world.Intent{{Agent: 0, Action: order, Otherwise: []world.Action{world.Harvest{MaxAmount: 3}}}})
	if o, _ := w.LastOutcome(0); !o.Accepted || o.Action != (world.Harvest{MaxAmount: 3}) || o.RefusedBefore != 1 {
		t.Errorf("%+v", o)
	}
	w.Advance()
	if _, goesOn := w.Standing(0); goesOn || w.View(0).Observe().OrderEnded != nil || w.Digest() != w.RecomputeDigest() {
		t.Errorf("the order is there: %+v", w.View(0).Observe().OrderEnded)
	}
	w.Apply([]world.Intent{{Agent: 0, Action: world.ExecuteUntil{Do: world.Mine{MassG: 1000}, Until: order.Until, MaxTicks: 3}, Otherwise: []world.Action{world.Wait{}}}})
	if _, goesOn := w.Standing(0); !goesOn {
		t.Error("an order that is accepted does not begin")
	}
}

// TestOrdersAreNoAlternatives: an order remembers what it began with.
func TestOrdersAreNoAlternatives(t *testing.T) {
	order := world.ExecuteUntil{Do: world.Wait{}, Until: []world.Condition{{Event: "action_rejected"}}, MaxTicks: 3}
	for name, in := range map[string]world.Intent{
		"order later": {Action: world.Wait{}, Otherwise: []world.Action{order}},
		"nothing":     {Action: world.Wait{}, Otherwise: []world.Action{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			w := crowded(t)
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			w.Apply([]world.Intent{in})
		})
	}
}
