package stats

import "slices"

// Rank is between which places an arm is among several, from 1 for the best.
type Rank struct {
	Low  int `json:"low"`
	High int `json:"high"`
}

// Ranks are those of k arms: 1 + the number of arms that beat it, to k - the number of arms that
// it beats. If none of the verdicts of a table is false, every arm's true place is among them
// (M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, "Inference for ranks with applications to
// mobility across neighbourhoods and academic achievement across countries", Review of Economic
// Studies 91, 2024, 476-518).
func Ranks(k int, beats func(i, j int) bool) []Rank {
	ranks := make([]Rank, k)
	for i := range ranks {
		ranks[i] = Rank{1, k}
		for j := range k {
			if i != j && beats(j, i) {
				ranks[i].Low++
			}
			if i != j && beats(i, j) {
				ranks[i].High--
			}
		}
	}
	return ranks
}

// Ties groups k arms: two of them are in a common group exactly if they were not told apart, and
// no group is a part of another (H.-P. Piepho, "An algorithm for a letter-based representation of
// all-pairwise comparisons", J. Computational and Graphical Statistics 13, 2004, 456-466). Groups
// and their members are in the order of arms.
func Ties(k int, differ func(i, j int) bool) [][]int {
	all := make([]int, k)
	for i := range all {
		all[i] = i
	}
	groups := [][]int{all}
	for j := range k {
		for i := range j {
			if differ(i, j) || differ(j, i) {
				groups = split(groups, i, j)
			}
		}
	}
	slices.SortFunc(groups, slices.Compare)
	return groups
}

// split replaces every group with both i and j by one without i and one without j, and leaves out
// those that are a part of another.
func split(groups [][]int, i, j int) (kept [][]int) {
	var next [][]int
	for _, group := range groups {
		if !slices.Contains(group, i) || !slices.Contains(group, j) {
			next = append(next, group)
			continue
		}
		for _, out := range []int{i, j} {
			next = append(next, slices.DeleteFunc(slices.Clone(group), func(arm int) bool { return arm == out }))
		}
	}
	for n, group := range next {
		within := func(other []int) bool {
			return !slices.ContainsFunc(group, func(arm int) bool { return !slices.Contains(other, arm) })
		}
		part := slices.ContainsFunc(next[:n], within)
		for _, other := range next[n+1:] {
			part = part || len(other) > len(group) && within(other)
		}
		if !part {
			kept = append(kept, group)
		}
	}
	return kept
}
