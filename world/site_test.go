package world

import (
	"testing"

	"pgregory.net/rapid"
)

// TestReserveClosedFormAgreesWithTicks mines a place now and then and compares it with a
// twin that is computed tick by tick, however often the place is settled.
func TestReserveClosedFormAgreesWithTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Place{
			CompoundG: rapid.Int64Range(0, 5000).Draw(t, "full"),
			RegenG:    rapid.OneOf(rapid.Int64Range(0, 3000), rapid.Int64Range(0, regenMax)).Draw(t, "regen"),
		}
		stored, from, twin := p.CompoundG, int64(0), p.CompoundG
		for tick := int64(1); tick < 400; tick++ {
			// A whole gram appears in the ticks in which the running total passes one.
			twin = min(p.CompoundG, twin+p.RegenG*tick/RegenTicks-p.RegenG*(tick-1)/RegenTicks)
			if got := p.reserveAt(stored, from, tick); got != twin {
				t.Fatalf("tick %d: reserve %d, step by step %d", tick, got, twin)
			}
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				twin -= rapid.Int64Range(0, twin).Draw(t, "mined")
				stored, from = twin, tick
			case 1:
				stored, from = twin, tick
			}
		}
	})
}

// TestPlacesRegrow pins what a visitor sees of a place that regrows, and that the
// books close while nothing is settled.
func TestPlacesRegrow(t *testing.T) {
	s := mustScenario(t, "minimal")
	s.Places[0].CompoundG, s.Places[0].RegenG = 5000, 250
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	w.Apply([]Intent{{Agent: 0, Action: Mine{5000}}})
	for _, tc := range []struct{ tick, want int64 }{{2, 3}, {3, 5}, {50, 123}, {101, 250}, {2001, 5000}, {9000, 5000}} {
		for w.Tick() < tc.tick {
			w.Advance()
		}
		if got := w.View(0).Observe().Here.CompoundG; got != tc.want {
			t.Errorf("tick %d: %d g, want %d", tc.tick, got, tc.want)
		}
		if sum := sumsOf(w)[Compound]; sum != 0 {
			t.Errorf("tick %d: compound sums to %d", tc.tick, sum)
		}
		if w.Digest() != w.RecomputeDigest() {
			t.Errorf("tick %d: digests differ", tc.tick)
		}
	}
	if w.sites[0].settledAt != 1 {
		t.Errorf("looking settled the place at tick %d", w.sites[0].settledAt)
	}
}
