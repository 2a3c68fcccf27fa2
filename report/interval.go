package report

import (
	"math"

	"example.com/agentworld/report/stats"
)

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

// proportion is a share with its 95% interval.
type proportion struct {
	value float64
	stats.Interval
}

// wilson is n of total, which is at least 1, with its score interval.
func wilson(n, total int64) proportion {
	return proportion{float64(n) / float64(total), stats.Wilson(int(n), int(total), 0.05)}
}

// estimate rounds p.
func (p proportion) estimate() *Estimate {
	return &Estimate{thousandths(p.value), thousandths(p.Low), thousandths(p.High)}
}

// minus is the difference of two independent proportions with Newcombe's hybrid
// score interval (R. G. Newcombe, "Interval estimation for the difference between
// independent proportions: comparison of eleven methods", Statistics in Medicine 17,
// 1998, 873-890, method 10):
//
//	d - sqrt((p1-l1)² + (u2-p2)²) .. d + sqrt((u1-p1)² + (p2-l2)²)
func (p proportion) minus(q proportion) *Estimate {
	d := p.value - q.value
	below := math.Sqrt(square(p.value-p.Low) + square(q.High-q.value))
	above := math.Sqrt(square(p.High-p.value) + square(q.value-q.Low))
	return &Estimate{thousandths(d), thousandths(d - below), thousandths(d + above)}
}

func square(x float64) float64 { return float64(x * x) }

// thousandths rounds x to the nearest thousandth, halves away from zero.
func thousandths(x float64) int64 { return int64(math.Round(float64(1000 * x))) }
