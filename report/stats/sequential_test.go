package stats

import (
	"math"
	"testing"
)

// TestSignsExpectNothing: given all magnitudes, over all their signs the mean wealth is 1 after
// every cluster.
func TestSignsExpectNothing(t *testing.T) {
	magnitudes := []float64{3, 0, 0.5, 40, 2, 2, 0.1, 7, 1, 1}
	sums := make([]float64, len(magnitudes))
	for sequence := range 1 << len(magnitudes) {
		var all signs
		for i, d := range magnitudes {
			if sequence>>i&1 == 1 {
				d = -d
			}
			all.next(d)
			sums[i] += math.Exp(logMean(logMean(all.above[:]...), logMean(all.below[:]...)))
		}
	}
	for i, sum := range sums {
		if mean := math.Ldexp(sum, -len(magnitudes)); math.Abs(mean-1) > 1e-9 {
			t.Errorf("mean wealth after %d = %v, want 1", i+1, mean)
		}
	}
}

// TestSignsByHand: with equal differences every bet has 1 + tanh of its strength a pair.
func TestSignsByHand(t *testing.T) {
	for n := range 12 {
		want := 0.0
		for _, strength := range strengths {
			for _, side := range []float64{1, -1} {
				want += math.Pow(1+math.Tanh(side*strength), float64(n)) / float64(2*len(strengths))
			}
		}
		p := single(t, repeated(n, 3)...).symmetric(0)
		if got := math.Exp(p.peak); math.Abs(got-max(want, 1)) > 1e-9*want {
			t.Errorf("wealth after %d equal differences = %v, want %v", n, got, want)
		}
	}
}

// TestStoppingPays: equal signs decide after seven pairs, where six are the least of the fixed
// test; what was decided remains so, whatever follows.
func TestStoppingPays(t *testing.T) {
	o := Options{Sequential: true}
	for n, want := range map[int]Outcome{0: TooFew, 6: Undecided, 7: Better, 12: Better} {
		if v, err := compare(pairsOf(repeated(n, 3)...), o); err != nil || v.Outcome != want {
			t.Errorf("after %d equal differences: %s, %v, want %s", n, v.Outcome, err, want)
		}
	}
	later := append(repeated(12, 3), repeated(40, -3)...)
	if v, _ := compare(pairsOf(later...), o); v.Outcome != Better {
		t.Errorf("after 40 losses: %s, want better as before", v.Outcome)
	}
	// Magnitudes of any scale are taken; a first difference of 0 is no scale.
	if v, _ := compare(pairsOf(append([]float64{0}, repeated(9, 3e99)...)...), o); v.Outcome != Better {
		t.Errorf("of large differences: %s", v.Outcome)
	}
	// The betting test of the mean counts on both sides of a process, too.
	mean := Options{Sequential: true, Claim: ClaimMean, Range: 1, LowerIsBetter: true}
	if v, _ := compare(pairsOf(repeated(10, 1)...), mean); v.Outcome != Worse {
		t.Errorf("ten wins where lower is better: %s, p %v", v.Outcome, v.P)
	}
	equal := Options{Sequential: true, Margin: 0.1, Range: 1}
	if v, _ := compare(pairsOf(append(make([]float64, 60), repeated(30, 0.3)...)...), equal); v.Outcome != Equivalent {
		t.Errorf("after 60 equal pairs: %s, p %v", v.Outcome, v.EquivalenceP)
	}
}
