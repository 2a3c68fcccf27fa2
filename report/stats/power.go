package stats

import (
	"errors"
	"math"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// ClustersMax is the largest number of clusters that [Design.Clusters] plans.
const ClustersMax = 1_000_000

// Design is what the power of a comparison depends on, apart from its size. The power is
// that of the two-sided paired t test, by the noncentral t distribution. That of the
// sign-flip test is close to it from about 10 clusters and lower below. With rates of
// few differing pairs McNemar's test finds less.
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

func (d Design) validate() error {
	switch {
	case !(math.Abs(d.Effect) <= 2*ScoreMax):
		return errors.New("the effect to find must be a number")
	case !(d.SD >= 0 && d.SD <= 4*ScoreMax):
		return errors.New("the standard deviation must be a number of at least 0")
	}
	return validAlpha(d.Alpha)
}

// power is the probability, 0..1, that a comparison of n clusters finds the effect. It is 0 for fewer
// than two clusters.
func (d Design) power(n int) float64 {
	switch {
	case n < 2:
		return 0
	case d.Effect == 0:
		return d.Alpha
	case d.SD == 0:
		return 1
	}
	shift := math.Abs(d.Effect) / d.SD * math.Sqrt(float64(n))
	degrees := float64(n - 1)
	critical := -studentQuantile(d.Alpha/2, degrees)
	if shift > 1e3*(1+critical) {
		return 1 // beyond the range of the series below
	}
	above := 1 - noncentralCDF(critical, degrees, shift)
	return min(max(above+noncentralCDF(-critical, degrees, shift), 0), 1)
}

// Clusters is the smallest number of clusters with at least the given power, 0.5 <= power
// < 1. It is at least the number below which no exact test can reach Alpha, and
// [ClustersMax] if no smaller number suffices. It returns an error if power or a field
// is out of range.
func (d Design) Clusters(power float64) (int, error) {
	if err := d.validate(); err != nil {
		return 0, err
	}
	if !(power >= 0.5 && power < 1) {
		return 0, errors.New("the power to plan for must be at least 0.5 and below 1")
	}
	// The normal distribution with the same SD needs a few clusters less.
	quantiles := mathext.NormalQuantile(power) - mathext.NormalQuantile(d.Alpha/2)
	normal := math.Pow(quantiles*d.SD/d.Effect, 2)
	if d.Effect == 0 || normal >= ClustersMax {
		return ClustersMax, nil
	}
	least := clustersMin(d.Alpha)
	low, high := least, max(int(normal), least)
	for step := 1; high < ClustersMax && d.power(high) < power; step *= 2 {
		low, high = high+1, min(high+step, ClustersMax)
	}
	return low + sort.Search(high-low, func(i int) bool { return d.power(low+i) >= power }), nil
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
