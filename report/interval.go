package report

import "math"

// Estimate is a share, or a difference of shares, in thousandths, with its 95%
// confidence interval. Numbers are rounded to the nearest thousandth.
type Estimate struct {
	// The share, or the difference of two shares, in thousandths.
	Value int64 `json:"value_milli"`
	// Lower end of the 95% interval, in thousandths.
	Low int64 `json:"low_milli"`
	// Upper end of the 95% interval, in thousandths.
	High int64 `json:"high_milli"`
}

// z is the 97.5% quantile of the standard normal distribution.
const z = 1.959963984540054

// proportion is n of total, with the ends of its interval.
type proportion struct{ value, low, high float64 }

// wilson is the score interval of a proportion (E. B. Wilson, "Probable Inference,
// the Law of Succession, and Statistical Inference", JASA 22, 1927, 209-212):
//
//	(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)
//
// Unlike the textbook interval it stays within 0..1 and holds for few cases. total
// must be at least 1. Each product is rounded by a conversion of its own, so that no
// processor fuses it with a sum and every machine gives the same bits.
func wilson(n, total int64) proportion {
	if total < 1 || n < 0 || n > total {
		panic("report: a share must be of at least one and at most all")
	}
	t, p := float64(total), float64(n)/float64(total)
	z2 := float64(z * z)
	centre := p + z2/float64(2*t)
	spread := float64(z * math.Sqrt(float64(p*(1-p))/t+z2/float64(4*float64(t*t))))
	scale := 1 + z2/t
	low, high := (centre-spread)/scale, (centre+spread)/scale
	// At the ends the formula gives 0 and 1 up to rounding.
	return proportion{p, max(low, 0), min(high, 1)}
}

// estimate rounds p.
func (p proportion) estimate() *Estimate {
	return &Estimate{thousandths(p.value), thousandths(p.low), thousandths(p.high)}
}

// minus is the difference of two independent proportions with Newcombe's hybrid
// score interval (R. G. Newcombe, "Interval estimation for the difference between
// independent proportions: comparison of eleven methods", Statistics in Medicine 17,
// 1998, 873-890, method 10):
//
//	d - sqrt((p1-l1)² + (u2-p2)²) .. d + sqrt((u1-p1)² + (p2-l2)²)
func (p proportion) minus(q proportion) *Estimate {
	d := p.value - q.value
	below := math.Sqrt(square(p.value-p.low) + square(q.high-q.value))
	above := math.Sqrt(square(p.high-p.value) + square(q.value-q.low))
	return &Estimate{thousandths(d), thousandths(d - below), thousandths(d + above)}
}

func square(x float64) float64 { return float64(x * x) }

// thousandths rounds x to the nearest thousandth, halves away from zero.
func thousandths(x float64) int64 { return int64(math.Round(float64(1000 * x))) }
