package world

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// sightLog records, tick by tick, where every agent is and what is left to mine when
// the agents decide: what others see later.
type sightLog struct {
	w *World
	// places and reserves are by tick and then by agent and place.
	places   [][]int32
	reserves [][]int64
}

// newSightLog begins with the start of a world; after each Advance comes look.
func newSightLog(w *World) *sightLog {
	log := &sightLog{w: w}
	log.look()
	return log
}

func (log *sightLog) look() {
	var places []int32
	for n := range log.w.agents {
		places = append(places, log.w.agents[n].place)
	}
	var reserves []int64
	for p := range log.w.sites {
		reserves = append(reserves, log.w.reserveOf(int32(p)))
	}
	log.places, log.reserves = append(log.places, places), append(log.reserves, reserves)
}

// then is the tick whose look of other places is seen now.
func (log *sightLog) then() int64 { return max(0, log.w.tick-log.w.law.SightAgeTicks) }

// at is the place at which agent n sees agent m, whatever the distance.
func (log *sightLog) at(n, m int) int32 {
	if here := log.w.agents[n].place; log.w.agents[m].place == here {
		return here
	}
	if p := log.places[log.then()][m]; p != log.w.agents[n].place && n != m {
		return p
	}
	return noPlace
}

// TestSightOfOtherPlacesIsAged compares what views show with the log: compound and agents
// elsewhere as they were, at the own place as they are. No view shows an agent twice or its
// own agent.
func TestSightOfOtherPlacesIsAged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newHostileWorld(t)
		log := newSightLog(w)
		for range rapid.IntRange(1, 40).Draw(t, "ticks") {
			w.Advance()
			log.look()
			for n := range w.agents {
				if w.agents[n].travelling() {
					continue
				}
				o := w.View(n).Observe()
				for _, s := range o.Places {
					if p, _ := w.geo.number(s.ID); s.Visible && *s.CompoundG != log.reserves[log.then()][p] {
						t.Fatalf("tick %d: agent %d sees %d g at %s, there were %d", w.tick, n, *s.CompoundG, s.ID, log.reserves[log.then()][p])
					}
				}
				if p := w.agents[n].place; o.Here.CompoundG != log.reserves[w.tick][p] {
					t.Fatalf("tick %d: agent %d is shown %d g at its own place, there are %d", w.tick, n, o.Here.CompoundG, log.reserves[w.tick][p])
				}
				var seen []string
				for _, c := range o.Agents {
					m, _ := w.AgentNumber(c.ID)
					if m == n || slices.Contains(seen, c.ID) || w.placeID(log.at(n, m)) != c.Place {
						t.Fatalf("tick %d: agent %d sees %s at %s, after %v; it was at %q", w.tick, n, c.ID, c.Place, seen, w.placeID(log.at(n, m)))
					}
					seen = append(seen, c.ID)
				}
			}
			w.Apply(intentsOf(t, w))
		}
	})
}

// TestSightsAreFew: a place keeps no more looks than can still be seen.
func TestSightsAreFew(t *testing.T) {
	run := swarmRun{mustWorld(t, "llm_bootstrap", 1), 1}
	for range 200 {
		run.w.Advance()
		run.w.Apply(run.intents())
		for p := range run.w.sites {
			if n := int64(len(run.w.sites[p].past)); n > run.w.law.SightAgeTicks+2 {
				t.Fatalf("tick %d: a place keeps %d looks", run.w.tick, n)
			}
		}
	}
}

// TestDepartureShowsLater has an agent leave. An agent that stays sees it gone at once. An
// agent at the other place sees it at its old place two ticks more.
func TestDepartureShowsLater(t *testing.T) {
	s := mustScenario(t, "two_bases")
	s.Places[0].Position, s.Places[1].Position, s.VisibilityKM = Position{}, Position{X: 30 * CMPerKM}, 40
	s.Agents.Count, s.Agents.Spawn = 3, []string{s.Places[0].ID, s.Places[0].ID, s.Places[1].ID}
	s.Agents.Stock = [][]Amount{{{Electricity, 100}}}
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	act(w, map[int]Action{0: Move{s.Places[1].ID}, 1: Wait{}, 2: Wait{}})
	var told []string
	for range 4 {
		w.Advance()
		sees := func(n int) (at string) {
			for _, c := range w.View(n).Observe().Agents {
				if c.ID == "agent-1" {
					at = c.Place
				}
			}
			return at
		}
		told = append(told, fmt.Sprintf("%q %q", sees(1), sees(2)))
	}
	a, b := s.Places[0].ID, s.Places[1].ID
	want := []string{fmt.Sprintf("\"\" %q", a), fmt.Sprintf("\"\" %q", a), "\"\" " + fmt.Sprintf("%q", b), fmt.Sprintf("\"\" %q", b)}
	if !slices.Equal(told, want) {
		t.Errorf("agent-1 is seen at %v, want %v", told, want)
	}
}
