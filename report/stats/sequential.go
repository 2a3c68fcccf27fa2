package stats

import "math"

// strengths are those of the bets on a sign: small ones gain most on small differences beside the
// spread, large ones where nearly all signs are the same.
var strengths = [...]float64{1. / 8, 1. / 4, 1. / 2, 1, 2, 4}

// process is evidence that may be looked at after every cluster: if the null hypothesis is true,
// the peak of its wealth is ever 1/alpha with probability at most alpha (J. Ville, 1939).
type process struct {
	// peak is the logarithm of the largest wealth so far, at least 0.
	peak float64
	// side is the arm that was ahead at the peak: 1 for A, -1 for B, 0 at the start.
	side float64
}

// look takes the logarithms of the wealths of the bets on both sides after a cluster.
func (p *process) look(a, b float64) {
	log := logMean(a, b)
	if !(log > p.peak) {
		return
	}
	p.peak = log
	p.side = 1
	if b > a {
		p.side = -1
	}
}

// signs are bets on the sign of the next difference. A difference is measured in the root mean
// square of those so far, its own included, and a bet of strength λ takes the factor
// 1 + tanh(λu). If the arms are exchangeable, the signs are tossed given all magnitudes, and tanh
// is odd: the factor is expected to be 1, whatever the distribution.
type signs struct {
	seen, squares float64
	// above and below are the logarithms of the wealth of the bets on both sides.
	above, below [len(strengths)]float64
}

// next takes a difference.
func (s *signs) next(d float64) {
	s.seen++
	s.squares += float64(d * d)
	if s.squares == 0 {
		return // too small to be measured
	}
	u := d / math.Sqrt(s.squares/s.seen)
	for k, strength := range strengths {
		s.above[k] += logFactor(strength * u)
		s.below[k] += logFactor(-strength * u)
	}
}

// symmetric watches the claim that the differences are symmetric about theta, as they are about 0
// if the arms are exchangeable. The wealth is the mean over all bets of [signs].
func (s Sample) symmetric(theta float64) (p process) {
	var all signs
	for _, d := range s.differences {
		all.next(d - theta)
		p.look(logMean(all.above[:]...), logMean(all.below[:]...))
	}
	return p
}

// logFactor is the logarithm of 1 + tanh(x), also where that is near 0.
func logFactor(x float64) float64 {
	if x < 0 {
		return math.Ln2 + 2*x - math.Log1p(math.Exp(2*x))
	}
	return math.Ln2 - math.Log1p(math.Exp(-2*x))
}

// bounded watches the claim that the mean difference is theta, by bets on both sides of it.
func (s Sample) bounded(theta, span float64) (p process) {
	if math.Abs(theta) >= span {
		return process{peak: math.Inf(1)}
	}
	var a, b wealth
	for _, d := range s.differences {
		a.bet(d, theta, span, 1)
		b.bet(-d, -theta, span, 1)
		p.look(a.log(), b.log())
	}
	return p
}

// notBelow is [Sample.NotBelow] after every cluster: the smallest p-value so far.
func (s Sample) notBelow(margin, span float64) float64 {
	if margin >= span {
		return 0
	}
	peak := 0.0
	var w wealth
	for _, d := range s.differences {
		w.bet(d, -margin, span, 1)
		peak = max(peak, w.log())
	}
	return pOf(peak)
}
