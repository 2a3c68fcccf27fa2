package stats

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestMcNemarAgreesWithBinomialTable: twice the one-sided probabilities of S. Siegel,
// Nonparametric Statistics, 1956, table D, which has three decimals.
func TestMcNemarAgreesWithBinomialTable(t *testing.T) {
	for _, tc := range []struct {
		onlyA, onlyB int
		oneSided     float64
	}{{5, 0, .031}, {10, 0, .001}, {1, 9, .011}, {2, 10, .019}, {3, 12, .018}, {15, 5, .021}, {18, 7, .022}, {3, 4, .500}} {
		if got := McNemar(tc.onlyA, tc.onlyB) / 2; !near(got, tc.oneSided, 3) {
			t.Errorf("McNemar(%d, %d)/2 = %.4f, want %v", tc.onlyA, tc.onlyB, got, tc.oneSided)
		}
	}
	for _, equal := range []int{0, 1, 7} {
		if got := McNemar(equal, equal); got != 1 {
			t.Errorf("McNemar(%d, %d) = %v, want 1", equal, equal, got)
		}
	}
}

// TestMcNemarIsTheSignFlip: on independent passes and failures both are one test.
func TestMcNemarIsTheSignFlip(t *testing.T) {
	for onlyA := range 10 {
		for onlyB := range 10 {
			differences := make([]float64, 12)
			for i := range onlyA {
				differences[i] = 1
			}
			for range onlyB {
				differences = append(differences, -1)
			}
			want := single(t, differences...).SignFlip(1)
			if got := McNemar(onlyA, onlyB); math.Abs(got-want) > 1e-12 {
				t.Errorf("McNemar(%d, %d) = %v, want %v", onlyA, onlyB, got, want)
			}
		}
	}
}

// TestWilsonAgreesWithNewcombe: R. G. Newcombe, Statistics in Medicine 17, 1998,
// 857-872, table I, method 3.
func TestWilsonAgreesWithNewcombe(t *testing.T) {
	for _, tc := range []struct {
		passed, n int
		want      Interval
	}{
		{81, 263, Interval{.2553, .3662}}, {15, 148, Interval{.0624, .1605}},
		{0, 20, Interval{0, .1611}}, {1, 29, Interval{.0061, .1718}},
	} {
		if got := Wilson(tc.passed, tc.n, 0.05); !near(got.Low, tc.want.Low, 4) || !near(got.High, tc.want.High, 4) {
			t.Errorf("Wilson(%d, %d) = %.4f, want %v", tc.passed, tc.n, got, tc.want)
		}
		mirrored := Wilson(tc.n-tc.passed, tc.n, 0.05)
		if !near(mirrored.Low, 1-tc.want.High, 4) || !near(mirrored.High, 1-tc.want.Low, 4) {
			t.Errorf("Wilson(%d, %d) = %.4f, want the mirror image", tc.n-tc.passed, tc.n, mirrored)
		}
	}
}

func TestPassK(t *testing.T) {
	for _, tc := range []struct {
		tasks []Attempts
		k     int
		want  float64
	}{
		{[]Attempts{{3, 4}}, 1, 3. / 4},
		{[]Attempts{{3, 4}}, 2, 3. / 6}, // C(3,2)/C(4,2)
		{[]Attempts{{3, 4}}, 3, 1. / 4}, // C(3,3)/C(4,3)
		{[]Attempts{{3, 4}}, 4, 0},
		{[]Attempts{{6, 8}}, 4, 15. / 70},
		{[]Attempts{{8, 8}, {6, 8}, {2, 8}, {0, 8}}, 4, (1 + 15./70) / 4},
		{[]Attempts{{5, 5}, {0, 3}}, 3, 0.5},
	} {
		if got, err := PassK(tc.tasks, tc.k); err != nil || math.Abs(got-tc.want) > 1e-12 {
			t.Errorf("PassK(%v, %d) = %v, %v, want %v", tc.tasks, tc.k, got, err, tc.want)
		}
	}
	for _, tc := range []struct {
		tasks []Attempts
		k     int
	}{{nil, 1}, {[]Attempts{{1, 2}}, 0}, {[]Attempts{{1, 2}}, 3}, {[]Attempts{{3, 2}}, 1}, {[]Attempts{{-1, 2}}, 1}} {
		if got, err := PassK(tc.tasks, tc.k); err == nil {
			t.Errorf("PassK(%v, %d) = %v, want an error", tc.tasks, tc.k, got)
		}
	}
}

// TestPassKIsUnbiased: over all outcomes of n attempts that pass with probability p, the
// expected estimate is p^k.
func TestPassKIsUnbiased(t *testing.T) {
	const n, p = 7, 0.3
	for k := 1; k <= n; k++ {
		expected := 0.0
		for passed := range n + 1 {
			estimate, _ := PassK([]Attempts{{passed, n}}, k)
			choose := math.Round(math.Gamma(n+1) / math.Gamma(float64(passed+1)) / math.Gamma(float64(n-passed+1)))
			expected += estimate * choose * math.Pow(p, float64(passed)) * math.Pow(1-p, float64(n-passed))
		}
		if math.Abs(expected-math.Pow(p, float64(k))) > 1e-12 {
			t.Errorf("expected pass^%d = %v, want %v", k, expected, math.Pow(p, float64(k)))
		}
	}
}

// TestHalfBinomial: the probabilities of heads are those of a library that brings linear algebra
// with it.
func TestHalfBinomial(t *testing.T) {
	for _, n := range []int{1, 2, 7, 100, 5001} {
		h := halfBinomial(n)
		for _, k := range []int{0, 1, n / 3, n / 2, n - 1} {
			want := distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(k))
			if got := h.atMost(k); math.Abs(got-want) > 1e-11 {
				t.Errorf("at most %d of %d heads: %v, want %v", k, n, got, want)
			}
			if k < n && math.Abs(halfBinomialCDF(k, n)-want) > 1e-11 {
				t.Errorf("at most %d of %d heads: %v, want %v", k, n, halfBinomialCDF(k, n), want)
			}
		}
	}
}

// TestRatesAreTheSignFlip: about any difference both are one test.
func TestRatesAreTheSignFlip(t *testing.T) {
	for _, tc := range [][3]int{{1, 0, 5}, {5, 1, 3}, {4, 4, 2}, {9, 2, 0}, {2, 7, 8}} {
		var differences []float64
		for k, d := range []float64{1, -1, 0} {
			for range tc[k] {
				differences = append(differences, d)
			}
		}
		exact, flips := rates(tc[0], tc[1], tc[2]), single(t, differences...).flips(1)
		for theta := -1.25; theta <= 1.25; theta += 1. / 16 {
			if got, want := exact(theta), flips(theta); math.Abs(got-want) > 1e-12 {
				t.Errorf("p of %v about %v = %v, want %v", tc, theta, got, want)
			}
		}
	}
}

// TestHolm: the adjusted values that the manual of the Python package pingouin prints for
// its function holm, and some by hand.
func TestHolm(t *testing.T) {
	for _, tc := range []struct{ ps, want []float64 }{
		{[]float64{.50, .003, .32, .054, .0003}, []float64{.64, .012, .64, .162, .0015}},
		{[]float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		{[]float64{.02}, []float64{.02}},
		{[]float64{.6, .7}, []float64{1, 1}},
		{[]float64{.02, .02, .02}, []float64{.06, .06, .06}},
		{nil, nil},
	} {
		got := Holm(tc.ps)
		for i, want := range tc.want {
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("Holm(%v) = %v, want %v", tc.ps, got, tc.want)
				break
			}
		}
	}
}
