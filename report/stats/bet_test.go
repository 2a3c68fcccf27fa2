package stats

import (
	"math"
	"testing"
)

// TestBetsByHand computes the mean wealth from its definition.
func TestBetsByHand(t *testing.T) {
	differences := []float64{0.3, -0.1, 0.9, 0.5, -1, 0.2}
	for _, theta := range []float64{-0.9, -0.2, 0, 0.4} {
		want := 0.0
		for _, share := range bets {
			product := 1 / float64(len(bets))
			for _, d := range differences {
				product *= 1 + share/(theta+1)*(d-theta)
			}
			want += product
		}
		for _, span := range []float64{1, 250} {
			var scaled []float64
			for _, d := range differences {
				scaled = append(scaled, d*span)
			}
			if got := math.Exp(single(t, scaled...).above(theta*span, span)); math.Abs(got-want) > 1e-12*want {
				t.Errorf("wealth above %v at range %v = %v, want %v", theta, span, got, want)
			}
		}
	}
}

// TestBetsBeyondAFloat: wealths whose products a float64 does not hold are those of their logarithms.
func TestBetsBeyondAFloat(t *testing.T) {
	var w wealth
	want := [len(bets)]float64{}
	for i := range 4000 {
		d := 1 - 2*float64(i/2000)
		w.bet(d, 0, 1, 1)
		for k, share := range bets {
			want[k] += math.Log1p(share * d)
		}
	}
	if got := w.log(); math.Abs(got-logMean(want[:]...)) > 1e-9*math.Abs(got) || math.IsNaN(got) {
		t.Errorf("logarithm of the wealth = %v, want %v", got, logMean(want[:]...))
	}
}

// TestBetsAreTheArcsineMixture, whose integral is computed here by many steps: for 100 equal arms
// and a margin of a twentieth of the range.
func TestBetsAreTheArcsineMixture(t *testing.T) {
	const n, margin, steps = 100, 0.05, 100_000
	want := 0.0
	for i := range steps {
		share := math.Pow(math.Sin(math.Pi/2*(float64(i)+0.5)/steps), 2)
		want += math.Pow(1+share*margin/(1-margin), n) / steps
	}
	got := 1 / single(t, make([]float64, n)...).NotBelow(margin, 1)
	if math.Abs(got/want-1) > 1e-3 {
		t.Errorf("wealth = %v, want %v", got, want)
	}
}

// TestBetsExpectNothing: over all sequences of wins and losses of a coin whose mean is theta the
// mean wealth is 1, so that by Markov's inequality no test is wrong more often than alpha. Two
// strata of different size are played, and their mean is theta.
func TestBetsExpectNothing(t *testing.T) {
	for _, of := range []struct {
		name    string
		strata  [2]int
		chances [2]float64
		most    float64
	}{
		{"one coin", [2]int{8, 0}, [2]float64{0.6, 0}, 1},
		{"equal coins", [2]int{2, 6}, [2]float64{0.6, 0.6}, 1},
		{"coins of another mean", [2]int{2, 6}, [2]float64{0.9, 0.3}, 1 - 1e-9},
	} {
		n := of.strata[0] + of.strata[1]
		chance := func(i int) float64 {
			if i < of.strata[0] {
				return of.chances[0]
			}
			return of.chances[1]
		}
		sum := 0.0
		for sequence := range 1 << n {
			var pairs []Pair
			probability := 1.0
			for i := range n {
				p := Pair{Cluster: string(rune('a' + i)), A: 1, Stratum: "x"}
				if i >= of.strata[0] {
					p.Stratum = "y"
				}
				q := chance(i)
				if sequence>>i&1 == 0 {
					p.A, q = -1, 1-q
				}
				pairs, probability = append(pairs, p), probability*q
			}
			s, err := NewSample(pairs)
			if err != nil {
				t.Fatal(err)
			}
			sum += probability * math.Exp(s.above(0.2, 1)) // 0.2 is the mean of a coin that wins 60%
		}
		if sum > of.most+1e-9 || of.most == 1 && sum < 1-1e-9 {
			t.Errorf("%s: mean wealth = %v, want %v", of.name, sum, of.most)
		}
	}
}

func TestEquivalence(t *testing.T) {
	equal := single(t, make([]float64, 90)...)
	for _, tc := range []struct {
		name        string
		got, lo, hi float64
	}{
		{"90 equal pairs, a twentieth", equal.Equivalence(0.05, 1), 0.01, 0.05},
		{"and of a range that is wider", equal.Equivalence(0.05, 5), 0.3, 1},
		{"half as much is found below one margin", single(t, repeated(90, 0.025)...).Equivalence(0.05, 1), 0.05, 1},
		{"a difference of the margin", single(t, repeated(200, 0.1, 0)...).Equivalence(0.05, 1), 0.5, 1},
		{"a margin that cannot be exceeded", single(t, 0.5, -1).Equivalence(1, 1), 0, 0},
		{"one full derailment", single(t, append(make([]float64, 89), -1)...).Equivalence(0.05, 1), 0.05, 0.5},
	} {
		if tc.got < tc.lo || tc.got > tc.hi {
			t.Errorf("%s: p = %v, want %v to %v", tc.name, tc.got, tc.lo, tc.hi)
		}
	}
	// A lead of one margin and more is not worse, and no equivalence.
	ahead := single(t, repeated(80, 0.1, 0.2)...)
	if notBelow, equivalent := ahead.NotBelow(0.1, 1), ahead.Equivalence(0.1, 1); notBelow > 0.001 || equivalent < 0.9 {
		t.Errorf("p %v against being worse, %v against a difference", notBelow, equivalent)
	}
}
