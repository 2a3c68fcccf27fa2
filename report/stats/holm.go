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
	adjusted, _ := holm(ps, 1)
	return adjusted
}

// holm is [Holm] with the number by which alpha was divided for each hypothesis: m-i+1 for the
// i-th that is rejected, and what is left after them for the others. Equal p-values share the
// larger number. A p-value times its number is at most alpha exactly if the adjusted one is.
func holm(ps []float64, alpha float64) (adjusted, shares []float64) {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	adjusted, shares = make([]float64, len(ps)), make([]float64, len(ps))
	largest := 0.0
	share := 0.0
	for rank, i := range order {
		open := rank == 0 || largest <= alpha
		if open && (rank == 0 || ps[i] != ps[order[rank-1]]) {
			share = float64(len(ps) - rank)
		}
		shares[i] = share
		largest = max(largest, min(float64(len(ps)-rank)*ps[i], 1))
		adjusted[i] = largest
	}
	return adjusted, shares
}
