package world

import "testing"

// TestSurveyAgreesWithTheWorld compares the survey with what agents then see, in a
// generated belt and in listed places.
func TestSurveyAgreesWithTheWorld(t *testing.T) {
	for _, name := range []string{"asteroid_fragment_bootstrap", "llm_bootstrap"} {
		s := mustScenario(t, name)
		survey := s.Survey(5)
		w, err := New(s, 5)
		if err != nil {
			t.Fatal(err)
		}
		if len(survey.Starts) != w.Agents() || len(survey.Places) != len(w.sites) {
			t.Errorf("%s: the survey has %d agents and %d places", name, len(survey.Starts), len(survey.Places))
		}
		w.Advance()
		number := map[string]int{}
		for i, p := range survey.Places {
			number[p.ID] = i
		}
		for n, start := range survey.Starts {
			o := w.View(n).Observe()
			at := survey.Places[start.Place]
			if start.Agent != o.Self.ID || at.ID != o.Here.ID || at.CompoundG != o.Here.CompoundG ||
				survey.Radiation[start.Place] != o.Here.Radiation {
				t.Errorf("%s: %s starts at %s with radiation %d, sees %+v", name, start.Agent, at.ID, survey.Radiation[start.Place], o.Here)
			}
			for _, sight := range o.Places {
				cost, ticks := s.Rules.Journey(at.Position, survey.Places[number[sight.ID]].Position)
				if cost != sight.MoveCost || ticks != sight.MoveTicks {
					t.Errorf("%s: the way to %s takes %d and %d ticks, seen are %d and %d", name, sight.ID, cost, ticks, sight.MoveCost, sight.MoveTicks)
				}
			}
			for _, can := range o.Can {
				// With room in the battery the place and the heat alone decide.
				if most := s.Rules.HarvestMost(o.Here.Radiation, o.Self.Heat); can.Action == "harvest_radiation" && can.Max != most {
					t.Errorf("%s: a harvest yields at most %d, offered are %d", name, most, can.Max)
				}
			}
		}
	}
}
