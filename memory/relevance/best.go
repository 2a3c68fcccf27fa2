package relevance

import "slices"

// Best keeps the best of what it is offered. Sorting all of ten thousand for the sake of
// five would cost more than everything else in a search.
type Best[T any] struct {
	// Limit is how many are kept, none for a negative number.
	Limit int
	// Compare is negative when a is better than b. Among equals the one that was offered
	// first stays ahead.
	Compare func(a, b T) int
	// Kept are the best so far, best first.
	Kept []T
}

// Offer puts x into its place among the best, if it has one.
func (b *Best[T]) Offer(x T) {
	if len(b.Kept) >= b.Limit && (b.Limit <= 0 || b.Compare(b.Kept[b.Limit-1], x) <= 0) {
		return
	}
	if b.Kept == nil {
		b.Kept = make([]T, 0, min(b.Limit, 16)+1) // one more than are kept is in it for a moment
	}
	at, _ := slices.BinarySearchFunc(b.Kept, x, func(held, x T) int {
		if b.Compare(held, x) <= 0 {
			return -1
		}
		return 1
	})
	b.Kept = slices.Insert(b.Kept, at, x)
	b.Kept = b.Kept[:min(len(b.Kept), b.Limit)]
}
