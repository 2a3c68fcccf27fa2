package stats

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// ClustersMax is the largest number of clusters that [Design.Clusters] plans.
const ClustersMax = 1_000_000

// Design is what the power of a comparison depends on, apart from its size.
type Design struct {
	// Effect is the true difference to find, in units of the score; its sign does not
	// matter.
	Effect float64
	// SD is the standard deviation of the difference over clusters, for example
	// [Sample.SD] of a pilot.
	SD float64
	// Alpha is the two-sided level of the test, [AlphaMin] <= Alpha < 0.5.
	Alpha float64
}

func (d Design) validate(power float64) error {
	switch {
	case !(math.Abs(d.Effect) <= 2*ScoreMax):
		return errors.New("the effect to find must be a number")
	case !(d.SD >= 0 && d.SD <= 4*ScoreMax):
		return errors.New("the standard deviation must be a number of at least 0")
	case !(power >= 0.5 && power < 1):
		return errors.New("the power to plan for must be at least 0.5 and below 1")
	}
	return validAlpha(d.Alpha)
}

// Clusters is the smallest number of clusters with at least the given power, 0.5 <= power
// < 1, by the two-sided paired t test, whose power is close to that of the sign-flip test
// from about 10 clusters on; with few clusters, and with rates of few differing pairs, the
// exact tests find less. With the quantiles z of the normal distribution it is
//
//	(z(1-alpha/2) + z(power))² SD²/Effect² + z(1-alpha/2)²/2
//
// rounded up (W. C. Guenther, "Sample size formulas for normal theory t tests", The American
// Statistician 35, 1981, 243-244). It is at least the number below which no exact test can
// reach Alpha, and [ClustersMax] if no smaller number suffices. It returns an error if power or
// a field is out of range.
func (d Design) Clusters(power float64) (int, error) {
	if err := d.validate(power); err != nil {
		return 0, err
	}
	critical := -mathext.NormalQuantile(d.Alpha / 2)
	ratio := (critical + mathext.NormalQuantile(power)) * d.SD / math.Abs(d.Effect)
	n := math.Ceil(float64(ratio*ratio) + float64(critical*critical)/2)
	if d.Effect == 0 || n >= ClustersMax {
		return ClustersMax, nil
	}
	return max(int(n), clustersMin(d.Alpha)), nil
}

// detectable is the difference that n clusters find with the given power, by the formula of
// [Design.Clusters]; 0 if they are too few to find any.
func (d Design) detectable(n int, power float64) float64 {
	critical := -mathext.NormalQuantile(d.Alpha / 2)
	left := float64(n) - float64(critical*critical)/2
	if n < clustersMin(d.Alpha) || left <= 0 {
		return 0
	}
	return (critical + mathext.NormalQuantile(power)) * d.SD / math.Sqrt(left)
}

// clustersMin is the smallest n with 2/2^n <= alpha: the smallest p-value of an exact
// two-sided test of n clusters is 2/2^n. It is 6 for an alpha of 5%.
func clustersMin(alpha float64) int {
	n := 1
	for math.Ldexp(1, 1-n) > alpha {
		n++
	}
	return n
}
