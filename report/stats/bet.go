package stats

import (
	"math"
	"slices"
)

// bets are the shares of the largest possible bet in a mixture. They divide the arcsine
// distribution evenly, whose mixture of bets is nearly as good as the best of them after the
// fact, small or large (T. M. Cover and E. Ordentlich, "Universal portfolios with side
// information", IEEE Trans. Information Theory 42, 1996, 348-363). None is 1, so that no wealth
// is ever lost whole.
var bets = func() (shares [32]float64) {
	for i := range shares {
		c := math.Cos(math.Pi * float64(2*i+1) / float64(4*len(shares)))
		shares[i] = c * c
	}
	return shares
}()

// wealth is what each bet of a mixture has made of 1: the logarithms of the products of its earlier
// factors, and the products of the last ones, less 1. The zero value has made nothing.
type wealth struct{ logs, gains [len(bets)]float64 }

// gainMost and lossMost bound a product less 1 before its logarithm is taken.
const (
	gainMost = 1e100
	lossMost = 0.999
)

// bet puts all bets, times a weight of at most 1, on a mean of more than theta, and takes the
// next difference. No difference is below -span.
//
// The wealth is a product of 1 + λ(d-theta) with λ = bet/(theta+span). If no difference has a
// mean above theta given those before it, it is expected to be at most 1, so that it is ever
// 1/alpha with probability at most alpha (I. Waudby-Smith and A. Ramdas, "Estimating means of
// bounded random variables by betting", JRSS B 86, 2024, 1-27).
func (w *wealth) bet(d, theta, span, weight float64) {
	lead := weight * min(max((d-theta)/(theta+span), -1), gainMost)
	for i, share := range bets {
		gain := float64(share * lead)
		product := w.gains[i] + gain + float64(w.gains[i]*gain)
		if product > gainMost || product < -lossMost {
			w.logs[i] += math.Log1p(w.gains[i])
			product = gain
		}
		w.gains[i] = product
	}
}

// log is the logarithm of the mean wealth.
func (w *wealth) log() float64 {
	logs := w.logs
	for i, gain := range w.gains {
		logs[i] += math.Log1p(gain)
	}
	return logMean(logs[:]...)
}

// logMean is the logarithm of the mean of finite numbers, given by their logarithms.
func logMean(logs ...float64) float64 {
	high := slices.Max(logs)
	sum := 0.0
	for _, log := range logs {
		sum += math.Exp(log - high)
	}
	return high + math.Log(sum/float64(len(logs)))
}

// above is the logarithm of the wealth of bets on a mean difference of more than theta, when all
// differences are seen. It does not depend on their order. Clusters that count less bet less, so
// that the claim is about the mean over strata; the mean of a product of factors is at most that
// of equal ones.
func (s Sample) above(theta, span float64) float64 {
	largest := 0.0
	for _, w := range s.weights {
		largest = max(largest, w)
	}
	var w wealth
	for i, d := range s.differences {
		w.bet(d, theta, span, s.weights[i]/largest)
	}
	return w.log()
}

// mirrored is the sample with the arms exchanged.
func (s Sample) mirrored() Sample {
	differences := make([]float64, len(s.differences))
	for i, d := range s.differences {
		differences[i] = -d
	}
	s.differences = differences
	return s
}

// pOf is the p-value of an e-value, given by its logarithm: at most alpha with probability at
// most alpha, by Markov's inequality.
func pOf(logE float64) float64 { return min(1, math.Exp(-logE)) }

// NotBelow is the p-value of the hypothesis that the mean difference is at most -margin, given
// that no difference of a pair exceeds span in magnitude. It is exact for any number of clusters
// and any distribution within the span, rare ones included.
func (s Sample) NotBelow(margin, span float64) float64 {
	if margin >= span {
		return 0
	}
	return pOf(s.above(-margin, span))
}

// Equivalence is the p-value of the hypothesis that the mean difference is at least margin in
// magnitude. See [Sample.NotBelow].
func (s Sample) Equivalence(margin, span float64) float64 {
	return max(s.NotBelow(margin, span), s.mirrored().NotBelow(margin, span))
}

// means is the betting test of the mean difference, which need not be symmetric: see
// [ClaimMean].
func (s Sample) means(span float64) test {
	other := s.mirrored()
	return func(theta float64) float64 {
		if math.Abs(theta) >= span {
			return 0
		}
		return pOf(logMean(s.above(theta, span), other.above(-theta, span)))
	}
}
