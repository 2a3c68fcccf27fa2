package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// StudentQuantile is what the absolute value of Student's t passes with a probability of alpha, between 0 and 1, at
// one degree of freedom or more.
func StudentQuantile(freedom int, alpha float64) float64 {
	if freedom < 1 || alpha <= 0 || alpha >= 1 {
		panic(fmt.Sprintf("stats: no quantile of t at %d degrees of freedom and %v", freedom, alpha))
	}
	x := mathext.InvRegIncBeta(float64(freedom)/2, 0.5, alpha)
	return math.Sqrt(float64(freedom) * (1 - x) / x)
}

// Noise is what the difference of two values passes by chance with a probability of alpha, as far as repeats show: each
// group has values of the same settings, whose spread around their mean is taken to be that of all. known is false
// unless a group has two values or more.
func Noise(groups [][]float64, alpha float64) (noise float64, known bool) {
	squares := 0.0
	freedom := 0
	for _, values := range groups {
		if len(values) < 2 {
			continue
		}
		middle := mean(values)
		for _, v := range values {
			squares += float64((v - middle) * (v - middle)) // or some machines multiply and add in one step
		}
		freedom += len(values) - 1
	}
	if freedom == 0 {
		return 0, false
	}
	return StudentQuantile(freedom, alpha) * math.Sqrt(2*squares/float64(freedom)), true
}
