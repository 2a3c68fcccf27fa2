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

// halfBinomialCDF is the probability of at most k heads in n throws of a coin, 0 <= k < n.
func halfBinomialCDF(k, n int) float64 {
	return mathext.RegIncBeta(float64(n-k), float64(k+1), 0.5)
}

// rates is the sign-flip test of passes and failures, exact for any number of pairs: at 0 it is
// McNemar's. onlyA and onlyB pairs differ, and equal ones do not.
func rates(onlyA, onlyB, equal int) test {
	mean := float64(onlyA-onlyB) / float64(onlyA+onlyB+equal)
	a := halfBinomial(onlyA)
	b := halfBinomial(onlyB)
	e := halfBinomial(equal)
	return func(theta float64) float64 {
		switch {
		case theta == 0:
			return McNemar(onlyA, onlyB)
		case theta < mean:
			return min(1, 2*shareBelow(a, b, e, theta))
		case theta > mean:
			return min(1, 2*shareBelow(b, a, e, -theta))
		}
		return 1
	}
}

// shareBelow is the share of random subsets of pairs, each pair in it or not, whose mean difference
// is at most theta < 1; the empty one counts as well. The subsets have so many of the pairs with
// differences 1, -1 and 0.
func shareBelow(up, down, equal heads, theta float64) float64 {
	sum := 0.0
	for i, p := range down.probability {
		for k, q := range equal.probability {
			bound := (float64(down.from+i)*(1+theta) + float64(equal.from+k)*theta) / (1 - theta)
			sum += float64(p * q * up.atMost(int(math.Floor(bound+1e-9))))
		}
	}
	return sum
}

// heads is the distribution of the heads of n throws of a coin, without numbers of a probability
// below 1e-20: the first is from, and sums are those up to each.
type heads struct {
	from              int
	probability, sums []float64
}

// halfBinomial is the distribution for n throws.
func halfBinomial(n int) (h heads) {
	sum := 0.0
	all, _ := math.Lgamma(float64(n + 1))
	for k := range n + 1 {
		in, _ := math.Lgamma(float64(k + 1))
		out, _ := math.Lgamma(float64(n - k + 1))
		p := math.Exp(all - in - out - float64(float64(n)*math.Ln2))
		if p < 1e-20 {
			if sum == 0 {
				h.from = k + 1
			}
			continue
		}
		sum += p
		h.probability, h.sums = append(h.probability, p), append(h.sums, sum)
	}
	return h
}

// atMost is the probability of at most k heads.
func (h heads) atMost(k int) float64 {
	switch i := k - h.from; {
	case i < 0:
		return 0
	case i < len(h.sums):
		return h.sums[i]
	}
	return 1
}
