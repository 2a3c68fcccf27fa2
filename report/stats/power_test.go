package stats

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestClustersAgreeWithPublishedSizes: sample sizes of the two-sided paired t test at 5%
// for Cohen's small, medium and large effects, as the program G*Power prints them (F. Faul
// et al., Behavior Research Methods 39, 2007).
func TestClustersAgreeWithPublishedSizes(t *testing.T) {
	for _, tc := range []struct {
		effect, power float64
		want          int
	}{{0.2, 0.80, 199}, {0.5, 0.80, 34}, {0.8, 0.80, 15}, {0.5, 0.90, 44}, {0.5, 0.95, 54}} {
		design := Design{Effect: tc.effect, SD: 1, Alpha: 0.05}
		if got, err := design.Clusters(tc.power); got != tc.want || err != nil {
			t.Errorf("%+v: %d clusters for power %v, %v, want %d", design, got, tc.power, err, tc.want)
		}
		// What so many find is less than the effect, and what one less finds is more.
		if at, below := design.detectable(tc.want, tc.power), design.detectable(tc.want-1, tc.power); at > tc.effect || below <= tc.effect {
			t.Errorf("%+v: %d find %v and one less %v, want %v between", design, tc.want, at, below, tc.effect)
		}
	}
}

// TestSizesAgreeWithTheNoncentralT: the formula is within one cluster of the power of Student's
// test, by the noncentral t distribution.
func TestSizesAgreeWithTheNoncentralT(t *testing.T) {
	for _, alpha := range []float64{0.05, 0.005} {
		for _, effect := range []float64{0.15, 0.3, 0.6, 0.9} {
			n, err := Design{Effect: effect, SD: 1, Alpha: alpha}.Clusters(0.8)
			if err != nil {
				t.Fatal(err)
			}
			power := func(n int) float64 {
				critical := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - alpha/2)
				shifted := distuv.NoncentralT{Nu: float64(n - 1), Mu: effect * math.Sqrt(float64(n))}
				return 1 - shifted.CDF(critical) + shifted.CDF(-critical)
			}
			if power(n+1) < 0.8 || power(n-2) > 0.8 {
				t.Errorf("alpha %v, effect %v: %d clusters, powers %v and %v around", alpha, effect, n, power(n-2), power(n+1))
			}
		}
	}
}

func TestSizesAtTheEnds(t *testing.T) {
	for _, tc := range []struct {
		design Design
		want   int
	}{
		{Design{Effect: 1e-9, SD: 1, Alpha: 0.05}, ClustersMax},
		{Design{Effect: 0, SD: 1, Alpha: 0.05}, ClustersMax},
		{Design{Effect: 9, SD: 1, Alpha: 0.05}, 6},
		{Design{Effect: -9, SD: 0, Alpha: 0.01}, 8},
	} {
		if n, err := tc.design.Clusters(0.8); n != tc.want || err != nil {
			t.Errorf("%+v: %d clusters, %v, want %d", tc.design, n, err, tc.want)
		}
	}
	if got := (Design{SD: 1, Alpha: 0.05}).detectable(5, 0.8); got != 0 {
		t.Errorf("five clusters find %v", got)
	}
	for _, bad := range []Design{{math.NaN(), 1, .05}, {1, -1, .05}, {1, math.Inf(1), .05}, {1, 1, 0}, {1, 1, AlphaMin / 2}, {1, 1, 1}} {
		if _, err := bad.Clusters(0.8); err == nil {
			t.Errorf("%+v has a size", bad)
		}
	}
	if _, err := (Design{1, 1, .05}).Clusters(1); err == nil {
		t.Error("a power of 1 has a size")
	}
}
