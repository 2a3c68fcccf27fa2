package stats

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestDistributions: the distributions are those of a library that brings linear algebra with it.
func TestDistributions(t *testing.T) {
	near := func(name string, got, want float64, arguments ...float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) {
			t.Errorf("%s%v = %v, want %v", name, arguments, got, want)
		}
	}
	for _, x := range []float64{-40, -8, -1.96, -1e-9, 0, 0.3, 2, 7, 40} {
		near("normalCDF", normalCDF(x), distuv.UnitNormal.CDF(x), x)
	}
	for _, degrees := range []float64{1, 2, 3, 9, 29, 1000, 999_999} {
		student := distuv.StudentsT{Sigma: 1, Nu: degrees}
		for _, p := range []float64{1e-9, 1e-4, 0.005, 0.025, 0.05, 0.25, 0.499} {
			near("studentQuantile", studentQuantile(p, degrees), student.Quantile(p), p, degrees)
		}
		for _, at := range []float64{-1e6, -3, -0.1, 0, 1e-12, 0.5, 2, 50} {
			near("studentSurvival", studentSurvival(at, degrees), student.Survival(at), at, degrees)
			for _, shift := range []float64{0, 0.01, 1, 2.8, 10, 30, 36} {
				want := distuv.NoncentralT{Nu: degrees, Mu: shift}.CDF(at)
				near("noncentralCDF", noncentralCDF(at, degrees, shift), want, at, degrees, shift)
			}
		}
	}
	for _, shift := range []float64{25, 36} { // both ways serve there, and only one beyond
		for _, degrees := range []float64{1, 2, 9, 1000, 999_999} {
			for _, share := range []float64{0.1, 0.8, 0.97, 1, 1.03, 1.5, 100} {
				at := shift * share
				want := distuv.NoncentralT{Nu: degrees, Mu: shift}.CDF(at)
				near("noncentralIntegral", noncentralIntegral(at, degrees, shift), want, at, degrees, shift)
			}
		}
	}
	for _, n := range []int{1, 2, 7, 100, 5001} {
		for _, k := range []int{0, 1, n / 3, n / 2, n - 1} {
			if k < n {
				near("halfBinomialCDF", halfBinomialCDF(k, n), distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(k)),
					float64(k), float64(n))
			}
		}
	}
}
