package stats

import (
	"math"
	"testing"
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
		at, _ := design.Power(tc.want)
		if below, _ := design.Power(tc.want - 1); at < tc.power || below >= tc.power {
			t.Errorf("%+v: power %v at %d and %v below, want %v between", design, at, tc.want, below, tc.power)
		}
	}
}

func TestPowerAtTheEnds(t *testing.T) {
	for _, tc := range []struct {
		design Design
		n      int
		want   float64
	}{
		{Design{Effect: 1, SD: 1, Alpha: 0.05}, 1, 0},
		{Design{Effect: 0, SD: 1, Alpha: 0.05}, 50, 0.05},
		{Design{Effect: 1e-9, SD: 1, Alpha: 0.05}, 50, 0.05},
		{Design{Effect: 1, SD: 0, Alpha: 0.05}, 2, 1},
		{Design{Effect: -1, SD: 1e-9, Alpha: 0.05}, 9, 1},
		{Design{Effect: -10, SD: 1, Alpha: 0.05}, 9, 1},
	} {
		if got, err := tc.design.Power(tc.n); err != nil || math.Abs(got-tc.want) > 1e-6 {
			t.Errorf("%+v: power of %d = %v, %v, want %v", tc.design, tc.n, got, err, tc.want)
		}
	}
	if n, err := (Design{Effect: 1e-9, SD: 1, Alpha: 0.05}).Clusters(0.8); n != ClustersMax || err != nil {
		t.Errorf("an effect that cannot be found needs %d clusters, %v, want %d", n, err, ClustersMax)
	}
	if n, err := (Design{Effect: 9, SD: 1, Alpha: 0.05}).Clusters(0.8); n != 6 || err != nil {
		t.Errorf("a large effect needs %d clusters, %v, want 6", n, err)
	}
	for _, bad := range []Design{{math.NaN(), 1, .05}, {1, -1, .05}, {1, math.Inf(1), .05}, {1, 1, 0}, {1, 1, AlphaMin / 2}, {1, 1, 1}} {
		if _, err := bad.Power(10); err == nil {
			t.Errorf("%+v has a power", bad)
		}
		if _, err := bad.Clusters(0.8); err == nil {
			t.Errorf("%+v has a size", bad)
		}
	}
	if _, err := (Design{1, 1, .05}).Clusters(1); err == nil {
		t.Error("a power of 1 has a size")
	}
}

// TestPowerRises with the number of clusters, over all magnitudes of effects.
func TestPowerRises(t *testing.T) {
	for _, alpha := range []float64{AlphaMin, 0.01, 0.05, 0.4} {
		for effect := 1e-4; effect < 1e5; effect *= 3.7 {
			last := 0.0
			for _, n := range []int{2, 3, 5, 8, 13, 30, 100, 1000, 30_000, 999_999} {
				got, err := Design{Effect: effect, SD: 1, Alpha: alpha}.Power(n)
				if err != nil || !(got >= last-1e-5) || got > 1 {
					t.Errorf("alpha %v, effect %v: power of %d = %v, %v, below %v", alpha, effect, n, got, err, last)
				}
				last = got
			}
		}
	}
}

// Power is the power of a design that is valid.
func (d Design) Power(n int) (float64, error) {
	if err := d.validate(); err != nil {
		return 0, err
	}
	return d.power(n), nil
}
