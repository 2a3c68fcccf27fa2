package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// ScoreMax is the largest magnitude of a score. The bound keeps sums and squares of
// scores finite.
const ScoreMax = 1e100

// roundingMax is the relative error up to which two results of floating-point sums are
// taken for equal. Sums of n numbers in different orders differ by at most n/2^53 of
// the sum of their magnitudes, which stays below this bound for a hundred thousand
// numbers. Differences of real scores are far larger.
const roundingMax = 1e-11

// Pair is the scores of both arms on the same instance and repeat.
type Pair struct {
	// Cluster names a group of pairs that are not independent of each other: those of an
	// instance, or of a task if a batch spans tasks.
	Cluster string
	// A and B are the scores of the two arms: finite, at most [ScoreMax] in magnitude.
	A, B float64
}

// validate returns an error if a score is not finite or too large.
func (p Pair) validate() error {
	for _, score := range []float64{p.A, p.B} {
		if !(math.Abs(score) <= ScoreMax) {
			return fmt.Errorf("score in cluster %q is %v: must be a number of magnitude at most %g", p.Cluster, score, ScoreMax)
		}
	}
	return nil
}

// within returns an error if the scores differ by more than span.
func (p Pair) within(span float64) error {
	if math.Abs(p.A-p.B) > span*(1+roundingMax) {
		return fmt.Errorf("scores %v and %v in cluster %q differ by more than %v", p.A, p.B, p.Cluster, span)
	}
	return nil
}

// Sample is the mean difference A - B of every cluster. Each cluster counts once,
// whatever its number of pairs. The zero value is the sample of no pairs.
//
// Invariants: the differences are finite and ordered by the name of the cluster, so
// the order of the pairs does not matter.
type Sample struct {
	differences []float64
	pairs       int
}

// NewSample groups pairs by cluster. It returns an error if a score is not finite or
// exceeds [ScoreMax] in magnitude.
func NewSample(pairs []Pair) (Sample, error) {
	for _, p := range pairs {
		if err := p.validate(); err != nil {
			return Sample{}, err
		}
	}
	s := Sample{pairs: len(pairs)}
	sorted := slices.SortedStableFunc(slices.Values(pairs),
		func(p, q Pair) int { return strings.Compare(p.Cluster, q.Cluster) })
	for len(sorted) > 0 {
		n := slices.IndexFunc(sorted, func(p Pair) bool { return p.Cluster != sorted[0].Cluster })
		if n < 0 {
			n = len(sorted)
		}
		s.differences = append(s.differences, meanDifference(sorted[:n]))
		sorted = sorted[n:]
	}
	return s, nil
}

// meanDifference is the mean of A less the mean of B over at least one pair. Each arm is
// summed in ascending order: the result depends neither on the order of the pairs nor,
// but for the sign, on which arm is A.
func meanDifference(pairs []Pair) float64 {
	var a, b []float64
	for _, p := range pairs {
		a, b = append(a, p.A), append(b, p.B)
	}
	slices.Sort(a)
	slices.Sort(b)
	return mean(a) - mean(b)
}

// mean is the arithmetic mean of xs, 0 of none.
func mean(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// Clusters is the number of clusters.
func (s Sample) Clusters() int { return len(s.differences) }

// Pairs is the number of pairs.
func (s Sample) Pairs() int { return s.pairs }

// Mean is the mean difference A - B over clusters, 0 without any.
func (s Sample) Mean() float64 { return mean(s.differences) }

// SD is the standard deviation of the differences over clusters, with n-1 in the
// denominator. It is 0 for fewer than two clusters, and if the differences are equal but
// for rounding.
func (s Sample) SD() float64 {
	if len(s.differences) < 2 {
		return 0
	}
	m := s.Mean()
	squares := 0.0
	largest := 0.0
	for _, d := range s.differences {
		squares += float64((d - m) * (d - m))
		largest = max(largest, math.Abs(d))
	}
	sd := math.Sqrt(squares / float64(len(s.differences)-1))
	if sd <= roundingMax*largest {
		return 0
	}
	return sd
}

// Interval is a confidence interval, ends included.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Interval is the studentized interval of the mean difference with confidence 1 - alpha,
// where 0 < alpha < 1:
//
//	mean ± t(1-alpha/2, n-1) sd/sqrt(n)
//
// It is false for fewer than two clusters. The interval supposes that the mean over
// clusters is about normal. With few clusters of skewed scores it can miss more often
// than alpha says.
func (s Sample) Interval(alpha float64) (Interval, bool) {
	n := float64(s.Clusters())
	if n < 2 {
		return Interval{}, false
	}
	half := -studentQuantile(alpha/2, n-1) * s.SD() / math.Sqrt(n)
	return Interval{s.Mean() - half, s.Mean() + half}, true
}

// TOST is the p-value of the equivalence test by two one-sided paired t tests (D. J.
// Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987, 657-680). The null
// hypothesis is that the mean difference is at least margin in magnitude. TOST is at
// most alpha if and only if the interval of confidence 1 - 2 alpha lies within
// ±margin. It is 1 if the standard deviation is 0: no spread was observed, so none
// can be estimated. A margin of 0 gives at least 0.5. With skewed differences p is too
// small: 30 clusters of lognormal scores are found equivalent at 5% in 8% of the cases
// in which they differ by the margin.
func (s Sample) TOST(margin float64) float64 {
	sd, n := s.SD(), float64(s.Clusters())
	if sd == 0 {
		return 1
	}
	return studentSurvival((margin-math.Abs(s.Mean()))/(sd/math.Sqrt(n)), n-1)
}
