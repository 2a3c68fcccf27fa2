package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// McNemar is the exact two-sided p-value of McNemar's test: onlyA pairs that only A
// passed against onlyB pairs that only B passed, under a binomial distribution with
// probability 1/2. Pairs that both or neither passed say nothing about the difference.
// The pairs must be independent; [Sample.SignFlip] serves clusters. It is 1 without
// such pairs and panics if a count is negative.
func McNemar(onlyA, onlyB int) float64 {
	if onlyA < 0 || onlyB < 0 {
		panic("stats: a count of pairs is negative")
	}
	if onlyA == onlyB {
		return 1
	}
	return min(2*halfBinomialCDF(min(onlyA, onlyB), onlyA+onlyB), 1)
}

// Wilson is the score interval of a rate with confidence 1 - alpha, where 0 < alpha < 1
// (E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
// JASA 22, 1927, 209-212):
//
//	(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)
//
// It lies within 0..1. It panics unless 0 <= passed <= n and n > 0. Each product is rounded by a conversion
// of its own, so that no processor fuses it with a sum and every machine gives the same bits.
func Wilson(passed, n int, alpha float64) Interval {
	if passed < 0 || passed > n || n == 0 {
		panic("stats: a rate must be of at least one and at most all")
	}
	z := -mathext.NormalQuantile(alpha / 2)
	total, p := float64(n), float64(passed)/float64(n)
	z2 := float64(z * z)
	centre := p + z2/float64(2*total)
	spread := float64(z * math.Sqrt(float64(p*(1-p))/total+z2/float64(4*float64(total*total))))
	scale := 1 + z2/total
	return Interval{max((centre-spread)/scale, 0), min((centre+spread)/scale, 1)}
}

// Attempts is how often a task was attempted and passed; 0 <= Passed <= Tried.
type Attempts struct {
	Passed, Tried int
}

// PassK is the unbiased estimate of pass^k, the probability that k of k attempts at a
// task pass, averaged over tasks. A task with c of n attempts passed contributes
// C(c,k)/C(n,k) (S. Yao et al., "τ-bench", arXiv 2406.12045). It returns an
// error if there are no tasks, k < 1, or a task has fewer than k attempts.
func PassK(tasks []Attempts, k int) (float64, error) {
	if k < 1 {
		return 0, fmt.Errorf("pass^k of %d attempts: k must be at least 1", k)
	}
	if len(tasks) == 0 {
		return 0, errors.New("pass^k of no tasks")
	}
	sum := 0.0
	for i, task := range tasks {
		if task.Passed < 0 || task.Passed > task.Tried || task.Tried < k {
			return 0, fmt.Errorf("pass^%d: task %d passed %d of %d attempts: needs at least %d, of which at most all pass", k,
				i, task.Passed, task.Tried, k)
		}
		p := 1.0
		for j := range k {
			// The factor for j = Passed is 0 and ends the product before it turns negative.
			p *= max(float64(task.Passed-j), 0) / float64(task.Tried-j)
		}
		sum += p
	}
	return sum / float64(len(tasks)), nil
}

// equivalentRates is the p-value of the equivalence of two rates over n independent
// pairs within a margin > 0, by the score test for paired proportions (T. Tango,
// Statistics in Medicine 17, 1998, 891-908). The t test claims too much for rates: if 1
// pair of 30 differs and the margin is 0.1, p is 0.027 by t, 0.11 by the score test and
// 0.18 by the binomial distribution.
func equivalentRates(onlyA, onlyB, n int, margin float64) float64 {
	// A rate cannot differ by more than 1; at 1 the statistic would be 0/0.
	margin = min(margin, 1-1e-9)
	more, less := float64(max(onlyA, onlyB)), float64(min(onlyA, onlyB))
	total := float64(n)
	// The larger root of 2n q² + b q + c = 0 is the likeliest share of the rarer kind if
	// the rates differ by the margin.
	b := (2*total-more+less)*margin - more - less
	c := -less * margin * (1 - margin)
	q := (math.Sqrt(max(b*b-8*total*c, 0)) - b) / (4 * total)
	variance := total * (2*q + margin*(1-margin))
	return normalCDF((more - less - total*margin) / math.Sqrt(variance))
}
