package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// normalCDF is the probability that a standard normal number is at most x.
func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// studentQuantile is the number that Student's t with so many degrees of freedom is at most with
// probability p, 0 < p < 0.5.
func studentQuantile(p, degrees float64) float64 {
	// The tail below -t is half of I_x(degrees/2, 1/2) at x = degrees/(t²+degrees).
	x := mathext.InvRegIncBeta(degrees/2, 0.5, 2*p)
	return -math.Sqrt(degrees * (1 - x) / x)
}

// studentSurvival is the probability that Student's t with so many degrees of freedom is above t.
func studentSurvival(t, degrees float64) float64 {
	tail := mathext.RegIncBeta(degrees/2, 0.5, degrees/(t*t+degrees)) / 2
	if t < 0 {
		return 1 - tail
	}
	return tail
}

// halfBinomialCDF is the probability of at most k heads in n throws of a coin, 0 <= k < n.
func halfBinomialCDF(k, n int) float64 {
	return mathext.RegIncBeta(float64(n-k), float64(k+1), 0.5)
}

// noncentralSeriesMax is the largest shift of the series of [noncentralSeries], whose weights would
// be too small for a float64 beyond.
const noncentralSeriesMax = 36

// noncentralCDF is the probability that a noncentral t with so many degrees of freedom and a shift is
// at most t. The shift is at least 0.
func noncentralCDF(t, degrees, shift float64) float64 {
	switch {
	case shift > noncentralSeriesMax && t < 0:
		return 0 // the normal numerator would have to be this many deviations from its mean
	case shift > noncentralSeriesMax:
		return noncentralIntegral(t, degrees, shift)
	case t < 0:
		return 1 - noncentralSeries(-t, degrees, -shift)
	}
	return noncentralSeries(t, degrees, shift)
}

// noncentralSeries is the distribution function at t >= 0 as a mixture of beta distributions
// (R. V. Lenth, "Cumulative distribution function of the non-central t distribution", Applied
// Statistics 38, 1989, 185-189):
//
//	Φ(-shift) + Σ (P_j I_x(j+1/2, degrees/2) + Q_j I_x(j+1, degrees/2)) / 2, x = t²/(t²+degrees)
func noncentralSeries(t, degrees, shift float64) float64 {
	half := shift * shift / 2
	even := math.Exp(-half) / 2                // P_j / 2
	odd := shift * even * math.Sqrt(2/math.Pi) // Q_j / 2
	x := t * t / (t*t + degrees)
	sum := normalCDF(-shift)
	for j := 0.0; j <= half || even > 1e-18; j++ {
		sum += even*mathext.RegIncBeta(j+0.5, degrees/2, x) + odd*mathext.RegIncBeta(j+1, degrees/2, x)
		even *= half / (j + 1)
		odd *= half / (j + 1.5)
	}
	return sum
}

// noncentralIntegral is the distribution function at t >= 0 of a large shift: the mean, over the
// normal numerator z + shift, of the probability that the root of the mean of squares below is
// large enough. All of it is smooth, so that equal steps are exact.
func noncentralIntegral(t, degrees, shift float64) float64 {
	if t == 0 {
		return 0
	}
	const step, end = 1. / 128, 9.
	sum := 0.0
	for z := -end; z <= end; z += step {
		root := (z + shift) / t
		sum += math.Exp(-z*z/2) * mathext.GammaIncRegComp(degrees/2, degrees*root*root/2)
	}
	return sum * step / math.Sqrt(2*math.Pi)
}
