package world

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// glimpse is everything a view says: the observation, and clamps and checks of
// many actions.
func glimpse(v View) string {
	b, err := json.Marshal(v.Observe())
	if err != nil {
		panic(err)
	}
	text := string(b)
	for _, a := range probes {
		clamped, adjusted := v.Clamp(a)
		c, _ := json.Marshal([]any{adjusted, v.Check(a), v.Check(clamped)})
		text += fmt.Sprintf("\n%s %s", EncodeAction(a), c)
	}
	last, ok := v.Last()
	b, _ = json.Marshal([]any{last, v.Goals()})
	return fmt.Sprintf("%s\n%s %v", text, b, ok)
}

// probes ask about everything in isolated_five, hidden things included.
var probes = []Action{
	Wait{}, WaitTicks{99}, Harvest{50}, Mine{5000}, Mine{1}, Refine{1000}, BuildFactory{AssemblerMk1},
	Move{"rock-north"}, Move{"rock-south"}, Move{"rock-east"}, Move{"rock-west"}, Move{"rock-middle"}, Move{"nowhere"},
	ScheduleRecipe{"agent-1-f1", "recipe.assembler.control_chip", 3}, ScheduleRecipe{"agent-2-f1", "recipe.assembler.control_chip", 3},
	SendMessage{"agent-1", "a"}, SendMessage{"agent-2", "a"}, SendMessage{"agent-9", "a"}, PostNote{"a"}, PostNote{" "},
	BuyPower{10, 5}, SellPower{10, 1}, PlaceOrder{SideBuy, 20, 3}, PlaceOrder{SideSell, 10, 9},
	CancelOrder{"agent-1-o1"}, CancelOrder{"agent-2-o1"}, BuildFactory{RadiationPlantMk1},
	Transfer{"agent-1", Data, 1}, Transfer{"agent-2", Data, 1}, Transfer{"agent-9", Data, 1},
	Request{"agent-1", Data, 1, 5}, Request{"agent-2", Data, 1, 5}, Request{"agent-9", Data, 1, 5}, Request{ToAnyone, Data, 1, 5},
	Offer{"agent-1", Data, 1, Hardware, 1, 5, ""}, Offer{"agent-2", Data, 1, Hardware, 1, 5, "req-1-agent-2-1"},
	Offer{ToAnyone, Electricity, 90, Hardware, 1, 5, ""}, Offer{"agent-9", Data, 1, Hardware, 1, 99, ""},
	AcceptOffer{"offer-1-agent-1-1"}, AcceptOffer{"offer-1-agent-2-1"}, AcceptOffer{"offer-2-agent-2-1"}, AcceptOffer{"offer-1-agent-9-1"},
	Decline{"req-1-agent-1-1"}, Decline{"req-1-agent-2-1"}, Decline{"offer-1-agent-2-1"}, CancelOffer{"offer-1-agent-1-1"}, CancelOffer{"offer-1-agent-2-1"},
}

// TestUnseenStateDoesNotShow runs two worlds in which agent-1 does the same while
// all other agents, which are out of sight, act differently. Its views must be equal.
func TestUnseenStateDoesNotShow(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many worlds")
	}
	rapid.Check(t, func(t *rapid.T) {
		s, _, _ := EmbeddedScenario("isolated_five")
		s.Terms = rapid.Bool().Draw(t, "terms")
		one, err := New(s, rapid.Uint64().Draw(t, "seed one"))
		if err != nil {
			t.Fatal(err)
		}
		two, err := New(s, rapid.Uint64().Draw(t, "seed two"))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 12).Draw(t, "ticks") {
			one.Advance()
			two.Advance()
			if a, b := glimpse(one.View(0)), glimpse(two.View(0)); a != b {
				t.Fatalf("agent-1 sees a difference in tick %d:\n%s\n%s", one.Tick(), a, b)
			}
			own := drawAction(t)
			own, _ = one.View(0).Clamp(own)
			one.Apply(withOwn(withoutMailTo(intentsOf(t, one), "agent-1"), own))
			two.Apply(withOwn(withoutMailTo(intentsOf(t, two), "agent-1"), own))
		}
	})
}

// withOwn replaces what agent 0 was to do, unless it continues an order, which is
// the same in both worlds.
func withOwn(intents []Intent, own Action) []Intent {
	for i := range intents {
		if intents[i].Agent == 0 {
			intents[i].Action = own
		}
	}
	return intents
}

// withoutMailTo replaces the receiver of messages to an agent by an unknown one: the
// agent would see them when they arrive.
func withoutMailTo(intents []Intent, id string) []Intent {
	elsewhere := func(a Action) Action {
		switch a := a.(type) {
		case SendMessage:
			if a.To == id {
				a.To = "nobody"
			}
			return a
		case Request:
			if a.To == id {
				a.To = "nobody"
			}
			return a
		case Offer:
			if a.To == id {
				a.To, a.Re = "nobody", ""
			}
			return a
		case Decline: // its message could go to id
			return Wait{}
		}
		return a
	}
	for i, in := range intents {
		if order, ok := in.Action.(ExecuteUntil); ok {
			order.Do = elsewhere(order.Do)
			in.Action = order
		}
		intents[i].Action = elsewhere(in.Action)
	}
	return intents
}

// TestHiddenPlacesDoNotShow compares worlds of which one has a further, uncharted
// and distant place with another agent on it.
func TestHiddenPlacesDoNotShow(t *testing.T) {
	s := mustScenario(t, "two_bases")
	s.Goals = nil
	more := s
	more.Places = append(append([]Place{}, s.Places...), Place{
		ID: "secret", Material: "ice", RadiusCM: 500, Emission: 500, CompoundG: 5,
		Position: Position{0, 0, 0},
	})
	more.Agents.Count, more.Agents.Spawn = 3, []string{"base-a", "base-a", "secret"}
	plain, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	rich, err := New(more, 1)
	if err != nil {
		t.Fatal(err)
	}
	plain.Advance()
	rich.Advance()
	if a, b := glimpse(plain.View(0)), glimpse(rich.View(0)); a != b {
		t.Errorf("the hidden place shows:\n%s\n%s", a, b)
	}
	for _, id := range []string{"secret", "nowhere"} {
		if got := rich.View(0).Check(Move{id}).Status; got != CheckUnknown {
			t.Errorf("check of a move to %s = %s, want %s", id, got, CheckUnknown)
		}
	}
	rich.Apply([]Intent{{Agent: 0, Action: Move{"secret"}}, {Agent: 1, Action: Move{"nowhere"}}})
	for n, id := range []string{"secret", "nowhere"} {
		got, _ := rich.LastOutcome(n)
		want := Rejection{Code: RejectUnreachable, Field: "to"}
		if got.Accepted || *got.Rejection != want {
			t.Errorf("the move to %s gives %+v, want %+v", id, got.Rejection, want)
		}
	}
}

// TestHiddenPlaceCanBeReached: what is unknown until tried works when it is there
// and affordable.
func TestHiddenPlaceCanBeReached(t *testing.T) {
	s := mustScenario(t, "two_bases")
	s.Places = append(s.Places, Place{
		ID: "secret", Material: "ice", RadiusCM: 500,
		Position: Position{s.Places[0].Position.X, s.Places[0].Position.Y + 2_000_000, s.Places[0].Position.Z},
	})
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	w.Apply([]Intent{{Agent: 0, Action: Move{"secret"}}})
	w.Advance()
	w.Advance()
	if got := w.View(0).Observe().Self.Place; got != "secret" {
		t.Errorf("after two ticks the agent is at %q, want secret", got)
	}
}

// TestCrowdedViewsAreBounded checks counts where there is more to see than a view
// holds, and that what a bounded view cannot tell is unknown and not denied.
func TestCrowdedViewsAreBounded(t *testing.T) {
	s := mustScenario(t, "minimal").WithAgents(100)
	for i := range 100 {
		s.Places = append(s.Places, Place{
			ID: fmt.Sprintf("rock-%d", i), Material: "ice", RadiusCM: 1,
			Position: Position{5_000_000 + int64(i+1)*5000, 5_000_000, 500_000},
		})
	}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	o := w.View(0).Observe()
	if len(o.Places) != 8 || o.PlacesOmitted != 92 || len(o.Agents) != 8 || o.AgentsOmitted != 91 {
		t.Errorf("shown %d places and %d agents, omitted %d and %d", len(o.Places), len(o.Agents), o.PlacesOmitted, o.AgentsOmitted)
	}
	for _, tc := range []struct {
		action Action
		want   CheckStatus
	}{
		{Move{"rock-3"}, CheckAccepted}, {Move{"rock-99"}, CheckAccepted}, {Move{"rock-100"}, CheckUnknown},
		{Transfer{"agent-65", Data, 1}, CheckAccepted}, {Transfer{"agent-66", Data, 1}, CheckUnknown},
	} {
		if got := w.View(0).Check(tc.action).Status; got != tc.want {
			t.Errorf("check of %s = %s, want %s", EncodeAction(tc.action), got, tc.want)
		}
	}
}

// TestObservationListsTheNearest compares what an agent sees with a look at all
// places and agents of the world.
func TestObservationListsTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newHostileWorld(t)
		log := newSightLog(w)
		for range rapid.IntRange(1, 40).Draw(t, "ticks") {
			w.Apply(intentsOf(t, w))
			w.Advance()
			log.look()
		}
		n := rapid.IntRange(0, w.Agents()-1).Draw(t, "agent")
		if w.agents[n].travelling() {
			return
		}
		here, sees := w.agents[n].place, w.scenario.VisibilityKM*CMPerKM
		var places, agents []string
		for _, k := range naiveOrder(w, here) {
			visible := k.distanceCM <= sees
			if p := &w.geo.places[k.place]; k.place != here && (visible || p.Charted) {
				places = append(places, fmt.Sprint(p.ID, k.distanceCM, visible))
			}
			for m := range w.agents {
				if visible && m != n && log.at(n, m) == k.place {
					agents = append(agents, fmt.Sprint(w.agents[m].id, k.distanceCM))
				}
			}
		}
		o := w.View(n).Observe()
		var gotPlaces, gotAgents []string
		for _, p := range o.Places {
			gotPlaces = append(gotPlaces, fmt.Sprint(p.ID, p.DistanceCM, p.Visible))
		}
		for _, a := range o.Agents {
			gotAgents = append(gotAgents, fmt.Sprint(a.ID, a.DistanceCM))
		}
		compareShown(t, "places", gotPlaces, o.PlacesOmitted, places, int(w.scenario.PlacesShown))
		compareShown(t, "agents", gotAgents, o.AgentsOmitted, agents, int(w.scenario.AgentsShown))
	})
}

// naiveOrder lists all places by distance from here, its own place first.
func naiveOrder(w *World, here int32) []near {
	var list []near
	for q := range w.geo.places {
		list = append(list, near{int32(q), w.geo.distanceCM(here, int32(q))})
	}
	slices.SortFunc(list, func(k, l near) int {
		own := func(k near) int {
			if k.place == here {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(own(k), own(l)), cmp.Compare(k.distanceCM, l.distanceCM), cmp.Compare(k.place, l.place))
	})
	return list
}

func compareShown(t *rapid.T, what string, got []string, omitted int, all []string, most int) {
	want := all[:min(len(all), most)]
	if !slices.Equal(got, want) || omitted != len(all)-len(want) {
		t.Fatalf("%s shown are %v and %d omitted, want %v and %d", what, got, omitted, want, len(all)-len(want))
	}
}

// TestChartedPlacesBeyondSight: the chart gives names and distances, not what a
// visitor would see; a widening search finds the nearest ones in order.
func TestChartedPlacesBeyondSight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		s.VisibilityKM, s.Belt = rapid.Int64Range(0, 5).Draw(t, "short"), nil
		s.Agents.Spawn, s.Agents.SpawnStride = []string{"pa"}, 0
		w, err := New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		v := w.View(0)
		known, last := 0, int64(0)
		for _, p := range s.Places {
			d := w.geo.places[v.place].Position.distanceCM(p.Position)
			if p.ID != v.seen.Self.Place && (p.Charted || d <= s.VisibilityKM*CMPerKM) {
				known++
			}
		}
		o := v.Observe()
		if got := len(o.Places) + o.PlacesOmitted; got != known || len(o.Places) != min(known, int(s.PlacesShown)) {
			t.Fatalf("the view knows %d places and shows %d, want %d", got, len(o.Places), known)
		}
		for _, k := range o.Places {
			visible := k.DistanceCM <= s.VisibilityKM*CMPerKM
			if k.Visible != visible || (k.Emission != nil) != visible || k.DistanceCM < last {
				t.Fatalf("%+v after distance %d", k, last)
			}
			last = k.DistanceCM
		}
	})
}
