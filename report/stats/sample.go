package stats

import (
	"fmt"
	"math"
	"slices"
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
	// instance, or of a task if the question is about tasks like these.
	Cluster string
	// A and B are the scores of the two arms: finite, at most [ScoreMax] in magnitude.
	A, B float64
	// Stratum names the task of the cluster if the question is about these tasks; empty for a
	// single one. All strata count alike, whatever their numbers of clusters.
	Stratum string
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

// Sample is the mean difference A - B of every cluster. Each cluster of a stratum counts
// once, whatever its number of pairs. The zero value is the sample of no pairs.
//
// Invariants: the differences are finite and in the order in which their clusters first
// appeared; the weights are positive and their mean is 1.
type Sample struct {
	differences, weights []float64
	// strata is the number of the stratum of each cluster, from 0.
	strata []int
	pairs  int
	// means are those of A and B, counted as the differences are.
	meanA, meanB float64
}

// NewSample groups pairs by cluster. It returns an error if a score is not finite or
// exceeds [ScoreMax] in magnitude, or if the pairs of a cluster are of several strata.
func NewSample(pairs []Pair) (Sample, error) {
	s := Sample{pairs: len(pairs)}
	grouped, err := byCluster(pairs)
	if err != nil {
		return Sample{}, err
	}
	strata := map[string]int{}
	var sizes []int
	means := make([][2]float64, len(grouped))
	s.strata = make([]int, 0, len(grouped))
	s.differences = make([]float64, 0, len(grouped))
	s.weights = make([]float64, 0, len(grouped))
	for i, group := range grouped {
		stratum := group[0].Stratum
		if slices.ContainsFunc(group, func(p Pair) bool { return p.Stratum != stratum }) {
			return Sample{}, fmt.Errorf("cluster %q is of several strata", group[0].Cluster)
		}
		at, known := strata[stratum]
		if !known {
			at = len(sizes)
			strata[stratum] = at
			sizes = append(sizes, 0)
		}
		sizes[at]++
		s.strata = append(s.strata, at)
		a, b := meansOf(group)
		means[i] = [2]float64{a, b}
		s.differences = append(s.differences, a-b)
	}
	for i, at := range s.strata {
		weight := float64(len(grouped)) / float64(len(sizes)*sizes[at])
		s.weights = append(s.weights, weight)
		s.meanA += float64(weight * means[i][0])
		s.meanB += float64(weight * means[i][1])
	}
	s.meanA /= max(1, float64(len(grouped)))
	s.meanB /= max(1, float64(len(grouped)))
	return s, nil
}

// byCluster are pairs by their clusters, which are in the order in which they first appear. The error says which
// score is none.
func byCluster(pairs []Pair) ([][]Pair, error) {
	clusters := make(map[string]int, len(pairs))
	numbers := make([]int, len(pairs))
	var sizes []int
	for i, p := range pairs {
		if err := p.validate(); err != nil {
			return nil, err
		}
		at, known := clusters[p.Cluster]
		if !known {
			at = len(sizes)
			clusters[p.Cluster] = at
			sizes = append(sizes, 0)
		}
		sizes[at]++
		numbers[i] = at
	}
	// All groups share one array: most of many clusters have one pair.
	rest := make([]Pair, len(pairs))
	grouped := make([][]Pair, len(sizes))
	for at, size := range sizes {
		grouped[at] = rest[:0:size]
		rest = rest[size:]
	}
	for i, p := range pairs {
		grouped[numbers[i]] = append(grouped[numbers[i]], p)
	}
	return grouped, nil
}

// meansOf are the means of A and of B over at least one pair. Each arm is summed in ascending order: the result
// depends neither on the order of the pairs nor, but for the sign, on which arm is A.
func meansOf(pairs []Pair) (meanA, meanB float64) {
	if len(pairs) == 1 {
		return pairs[0].A, pairs[0].B
	}
	var a, b []float64
	for _, p := range pairs {
		a, b = append(a, p.A), append(b, p.B)
	}
	slices.Sort(a)
	slices.Sort(b)
	return mean(a), mean(b)
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

// Means are the means of A and of B, whose difference is [Sample.Mean]; 0 without pairs.
func (s Sample) Means() (meanA, meanB float64) { return s.meanA, s.meanB }

// Mean is the mean difference A - B: the mean over strata of that over their clusters, 0
// without any.
func (s Sample) Mean() float64 {
	sum := 0.0
	for i, d := range s.differences {
		sum += float64(s.weights[i] * d)
	}
	return sum / max(1, float64(len(s.differences)))
}

// SD is the standard deviation of the differences over clusters, with n-1 in the
// denominator. Of several strata it is the one that as many clusters of a single stratum
// would have for the same error of the mean; a stratum of one cluster adds nothing. It is 0
// for fewer than two clusters, and if the differences of every stratum are equal but for
// rounding.
func (s Sample) SD() float64 {
	if len(s.differences) < 2 {
		return 0
	}
	var of [][]float64
	for i, at := range s.strata {
		for len(of) <= at {
			of = append(of, nil)
		}
		of[at] = append(of[at], s.differences[i])
	}
	n, strata := float64(len(s.differences)), float64(len(of))
	variance := 0.0
	for _, ds := range of {
		sd := deviation(ds)
		variance += float64(sd*sd) * n / (strata * strata * float64(len(ds)))
	}
	return math.Sqrt(variance)
}

// deviation is the standard deviation of numbers, 0 of fewer than two and if they are equal but
// for rounding.
func deviation(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	m := mean(xs)
	squares := 0.0
	largest := 0.0
	for _, x := range xs {
		squares += float64((x - m) * (x - m))
		largest = max(largest, math.Abs(x))
	}
	sd := math.Sqrt(squares / float64(len(xs)-1))
	if sd <= roundingMax*largest {
		return 0
	}
	return sd
}

// Residuals are the differences less the means of their strata: what a plan takes for the
// spread of further clusters.
func (s Sample) Residuals() []float64 {
	sums, sizes := map[int]float64{}, map[int]float64{}
	for i, at := range s.strata {
		sums[at] += s.differences[i]
		sizes[at]++
	}
	var rest []float64
	for i, at := range s.strata {
		rest = append(rest, s.differences[i]-sums[at]/sizes[at])
	}
	return rest
}

// magnitude is the largest difference, whatever its sign.
func (s Sample) magnitude() float64 {
	largest := 0.0
	for _, d := range s.differences {
		largest = max(largest, math.Abs(d))
	}
	return largest
}
