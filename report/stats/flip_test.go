package stats

import (
	"math"
	"testing"
)

// TestSplitMixAgreesWithReference: the first numbers for seed 1234567, as the reference
// implementation of S. Vigna prints them.
func TestSplitMixAgreesWithReference(t *testing.T) {
	random := splitMix(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := random.next(); got != want {
			t.Fatalf("next = %d, want %d", got, want)
		}
	}
}

// TestSignFlipByHand has p-values that can be counted on paper.
func TestSignFlipByHand(t *testing.T) {
	for _, tc := range []struct {
		name        string
		differences []float64
		want        float64
	}{
		{"all of one sign: only the two extremes", []float64{1, 2, 3, 4, 5, 6}, 2. / 64},
		{"the sum 19 is reached by flipping none, or 1", []float64{-1, 2, 3, 4, 5, 6}, 4. / 64},
		{"one of six equal against: (1+6) of 64 each side", []float64{-1, 1, 1, 1, 1, 1}, 14. / 64},
		{"seven powers of two: every sum is another", []float64{1, 2, 4, 8, 16, 32, -64}, 1},
		{"one of seven equal against: (1+7) of 128", []float64{3, 3, 3, 3, 3, 3, -3}, 16. / 128},
		{"two of eight equal against: (1+8+28) of 256", []float64{1, -1, 1, 1, 1, 1, -1, 1}, 74. / 256},
		{"eight, one is 0: as seven", []float64{1, 1, 1, 1, 1, 1, 0, 1}, 2. / 128},
		{"a sum of 0 is the least extreme", []float64{1, -1, 2, -2, 3, -3}, 1},
		{"all 0", make([]float64, 6), 1},
		{"none", nil, 1},
		{"decimals tie as on paper: 0.3 = 0.1 + 0.2", []float64{0.3, 0.1, 0.2, -0.1, -0.2, -0.3}, 1},
	} {
		if got := single(t, tc.differences...).SignFlip(1); got != tc.want {
			t.Errorf("%s: p = %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestSignFlipOfDarwinsMaize: the fifteen pairs of plants, in eighths of an inch, for
// which Fisher counted 863 of 32,768 arrangements in each tail (The Design of
// Experiments, 1935, section 21).
func TestSignFlipOfDarwinsMaize(t *testing.T) {
	maize := single(t, 49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)
	if got, want := maize.SignFlip(1), 2*863./32768; got != want {
		t.Errorf("p = %v, want %v", got, want)
	}
}

// plainFlips enumerates all arrangements one by one.
func plainFlips(differences []float64) float64 {
	observed, magnitude, count := 0.0, 0.0, 0
	for _, d := range differences {
		observed += d
		magnitude += math.Abs(d)
	}
	for flips := range 1 << len(differences) {
		sum := 0.0
		for i, d := range differences {
			if flips>>i&1 == 1 {
				d = -d
			}
			sum += d
		}
		if math.Abs(sum) >= math.Abs(observed)-1e-9*magnitude {
			count++
		}
	}
	return float64(count) / math.Ldexp(1, len(differences))
}

// TestSignFlipAgreesWithEnumeration, on scores with many ties and with none.
func TestSignFlipAgreesWithEnumeration(t *testing.T) {
	random := splitMix(3)
	for round := range 400 {
		differences := make([]float64, 1+round%12)
		for i := range differences {
			differences[i] = random.uniform() - 0.4
			if round%2 == 0 {
				differences[i] = math.Round(10*differences[i]) / 10
			}
		}
		if got, want := single(t, differences...).SignFlip(1), plainFlips(differences); got != want {
			t.Fatalf("SignFlip(%v) = %v, want %v", differences, got, want)
		}
	}
}

// TestSignFlipDraws: the estimate is within five standard errors of the exact share, at
// 20 differences, where both can be computed, and follows its seed.
func TestSignFlipDraws(t *testing.T) {
	random := splitMix(5)
	for range 10 {
		differences := make([]float64, ExactMax)
		observed := 0.0
		for i := range differences {
			differences[i] = random.uniform() - 0.3
			observed += differences[i]
		}
		exact := flipShare(differences, math.Abs(observed))
		count := 0
		for _, a := range single(t, differences...).draw(random.next()) {
			if math.Abs(a.differences) >= math.Abs(observed) {
				count++
			}
		}
		got := float64(1+count) / (1 + FlipDraws)
		if limit := 5*math.Sqrt(exact*(1-exact)/FlipDraws) + 2./FlipDraws; math.Abs(got-exact) > limit {
			t.Errorf("estimate %v of %v, want within %v", got, exact, limit)
		}
	}
	many := make([]float64, 100)
	for i := range many {
		many[i] = random.uniform() - 0.45
	}
	s := single(t, many...)
	if a, b := s.SignFlip(1), s.SignFlip(1); a != b {
		t.Errorf("p = %v and %v of one seed", a, b)
	}
	if a, b := s.SignFlip(1), s.SignFlip(2); a == b {
		t.Errorf("p = %v of two seeds", a)
	}
	for i := range many {
		many[i] = 1
	}
	if got, want := single(t, many...).SignFlip(1), 1./(1+FlipDraws); got != want {
		t.Errorf("p of 100 equal differences = %v, want the smallest, %v", got, want)
	}
	if got, want := len(single(t, make([]float64, FlipClustersMany)...).draw(1)), FlipDrawsFew; got != want {
		t.Errorf("%d arrangements of many clusters, want %d", got, want)
	}
}

// TestSignFlipByStrata: of a task with one instance and one with two each has half of the weight: 2
// against 1 and 1 count 2, 1 and 1 of 4, so that 2 of 8 arrangements reach their sum.
func TestSignFlipByStrata(t *testing.T) {
	s, err := NewSample([]Pair{{Cluster: "x", A: 2, Stratum: "x"}, {Cluster: "y", A: 2, Stratum: "y"},
		{Cluster: "z", A: -1, Stratum: "y"}})
	if err != nil {
		t.Fatal(err)
	}
	// Weighted by 1.5, 0.75, 0.75: 3, 1.5, -0.75. Sums of at least 3.75: +++ 5.25, ++- 3.75.
	if got, want := s.SignFlip(1), 4./8; got != want {
		t.Errorf("p = %v, want %v", got, want)
	}
}
