package stats

import (
	"errors"
	"fmt"
	"math"
)

// bets are the shares of the wealth put on a difference of the full range. Small bets
// gain most on small differences, large ones on large. Together they cover the range to
// within a factor of two of the best bet. None reaches 1, so no wealth is ever lost
// whole.
var bets = [...]float64{1. / 32, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 3. / 4, 15. / 16}

// EProcess tests while a batch runs whether the mean difference is 0. It may be looked
// at after every cluster, and the batch may stop or go on for any reason: if the mean
// difference is 0, P is ever at most alpha with probability at most alpha (Ville's
// inequality). The price is more clusters than [CompareAll] needs.
//
// The process bets against the null hypothesis (I. Waudby-Smith and A. Ramdas,
// "Estimating means of bounded random variables by betting", JRSS B 86, 2024, 1-27,
// published online in 2023). For each side and each fixed bet λ the wealth is the
// product of 1 ± λd/Range over the differences d. Its expectation is 1 if every
// difference has mean 0 given those before it, and at most 1 if the true difference
// is on the other side. E is the mean of all wealths.
//
// An EProcess is a plain value: a copy is a snapshot, and its JSON continues it.
type EProcess struct {
	// Range bounds the magnitude of the difference of a pair, in units of the score. It
	// must be known beforehand, for example from a task's bound. The closer it is, the
	// fewer clusters are needed.
	Range float64 `json:"range"`
	// Clusters counts those observed.
	Clusters int `json:"clusters"`
	// LogWealth is the natural logarithm of the wealth by bet, first of those on A being
	// higher, then of those on B.
	LogWealth [2][len(bets)]float64 `json:"log_wealth"`
	// PeakLogE is the largest logarithm of E so far, at least 0.
	PeakLogE float64 `json:"peak_log_e"`
	// PeakSide is the arm that was ahead at the peak: 1 for A, -1 for B, 0 at the start.
	PeakSide int `json:"peak_side"`
}

// NewEProcess starts a process for differences of at most span in magnitude. It returns
// an error unless 0 < span <= 2 [ScoreMax].
func NewEProcess(span float64) (EProcess, error) {
	if !(span > 0 && span <= 2*ScoreMax) {
		return EProcess{}, fmt.Errorf("range of differences is %v: must be a positive number", span)
	}
	return EProcess{Range: span}, nil
}

// Observe returns the process after one more cluster, of which it takes all pairs at
// once; if every cluster is one pair, it takes one pair at a time. A cluster must not
// be observed twice: its pairs are not independent, and a look between them would not
// be covered. It returns an error, and the process as it was, if there is no pair, the
// pairs are of several clusters, or a difference is not finite or exceeds Range.
func (e EProcess) Observe(cluster ...Pair) (EProcess, error) {
	if len(cluster) == 0 {
		return e, errors.New("a cluster has no pairs")
	}
	if !(e.Range > 0) {
		return e, errors.New("an e-process needs a positive range of differences")
	}
	for _, p := range cluster {
		if err := p.validate(); err != nil {
			return e, err
		}
		if p.Cluster != cluster[0].Cluster {
			return e, fmt.Errorf("clusters %q and %q were observed as one", cluster[0].Cluster, p.Cluster)
		}
		if err := p.within(e.Range); err != nil {
			return e, err
		}
	}
	d := min(max(meanDifference(cluster)/e.Range, -1), 1)
	for i, bet := range bets {
		e.LogWealth[0][i] += math.Log1p(bet * d)
		e.LogWealth[1][i] += math.Log1p(-bet * d)
	}
	e.Clusters++
	if log := e.logE(); log > e.PeakLogE {
		e.PeakLogE, e.PeakSide = log, 1
		if logMean(e.LogWealth[1]) > logMean(e.LogWealth[0]) {
			e.PeakSide = -1
		}
	}
	return e, nil
}

// E is the e-value now: the evidence against a mean difference of 0. It is 1 at the
// start and capped at the largest float64.
func (e EProcess) E() float64 { return min(math.Exp(e.logE()), math.MaxFloat64) }

// P is the p-value, valid at any time: 1 over the largest E so far. It never rises.
func (e EProcess) P() float64 { return math.Exp(-e.PeakLogE) }

// Outcome is [Better] or [Worse] once P is at most the alpha of o, else [Undecided]. A
// wrong side, too, is named with probability at most alpha. It returns an error if o is
// out of range.
func (e EProcess) Outcome(o Options) (Outcome, error) {
	o, err := o.complete()
	if err != nil {
		return "", err
	}
	if e.P() > o.Alpha {
		return Undecided, nil
	}
	return o.direction(float64(e.PeakSide)), nil
}

// logE is the logarithm of the mean wealth over both sides.
func (e EProcess) logE() float64 {
	a, b := logMean(e.LogWealth[0]), logMean(e.LogWealth[1])
	high, low := max(a, b), min(a, b)
	return high + math.Log1p(math.Exp(low-high)) - math.Ln2
}

// logMean is the logarithm of the mean of numbers given by their logarithms.
func logMean(logs [len(bets)]float64) float64 {
	high := math.Inf(-1)
	for _, log := range logs {
		high = max(high, log)
	}
	sum := 0.0
	for _, log := range logs {
		sum += math.Exp(log - high)
	}
	return high + math.Log(sum/float64(len(logs)))
}
