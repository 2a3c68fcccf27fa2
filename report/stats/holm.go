package stats

import (
	"cmp"
	"slices"
)

// Holm adjusts p-values for testing several hypotheses at once, by the step-down
// procedure of S. Holm (Scandinavian Journal of Statistics 6, 1979, 65-70). Rejecting
// where the adjusted p-value is at most alpha makes the probability of any false
// rejection at most alpha. The i-th smallest of m p-values becomes the largest of
// (m-j+1) p(j) over j <= i, at most 1. The result is in the order of ps.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	adjusted := make([]float64, len(ps))
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(float64(len(ps)-rank)*ps[i], 1))
		adjusted[i] = largest
	}
	return adjusted
}
