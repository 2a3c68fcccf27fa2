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
