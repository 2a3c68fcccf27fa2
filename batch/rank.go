package batch

import (
	"cmp"
	"slices"

	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
)

// ArmRank is the place of an arm among all that were compared in pairs.
type ArmRank struct {
	// Arm is the value of the compared axis, Mean the mean of the primary metric over scored cells.
	Arm  string  `json:"arm"`
	Mean float64 `json:"mean"`
	// Rank is between which places the arm is, from 1 for the best.
	stats.Rank
	// Groups are the numbers of the groups of arms of which no two were told apart that the arm is in.
	Groups []int `json:"groups"`
}

// ranksOf are the places of all arms that have a mean, the best first; empty unless all pairs of them are compared, on
// a metric with a better direction.
func (c *Compare) ranksOf(known report.MetricList, arms []string, list []Comparison, results []*Result) []ArmRank {
	m, _ := known.Named(c.Primary)
	ranks := []ArmRank{}
	if c.Pairs != pairsAll || m.Better == report.Neither {
		return ranks
	}
	for _, arm := range arms {
		scored := slices.DeleteFunc(slices.Clone(results), func(r *Result) bool {
			return r.Label(c.Axis) != arm || !r.Scored()
		})
		if mean := meanOf(m, figuresOf(m, scored, nil)); mean.N > 0 {
			ranks = append(ranks, ArmRank{Arm: arm, Mean: mean.Mean, Groups: []int{}})
		}
	}
	slices.SortStableFunc(ranks, func(a, b ArmRank) int {
		if m.Better == report.Lower {
			return cmp.Compare(a.Mean, b.Mean)
		}
		return cmp.Compare(b.Mean, a.Mean)
	})
	beats := func(i, j int) bool {
		return slices.ContainsFunc(list, func(one Comparison) bool {
			outcome := one.Metrics[0].Outcome
			return one.Arm == ranks[i].Arm && one.Baseline == ranks[j].Arm && outcome == stats.Better ||
				one.Arm == ranks[j].Arm && one.Baseline == ranks[i].Arm && outcome == stats.Worse
		})
	}
	for i, rank := range stats.Ranks(len(ranks), beats) {
		ranks[i].Rank = rank
	}
	for n, group := range stats.Ties(len(ranks), beats) {
		for _, i := range group {
			ranks[i].Groups = append(ranks[i].Groups, n+1)
		}
	}
	return ranks
}

// sortByRank puts comparisons with the baseline first, and each of both parts in the order of the places of
// their arms, those without a place last.
func (c *Compare) sortByRank(list []Comparison, ranks []ArmRank) {
	if len(ranks) == 0 {
		return
	}
	place := func(arm string) int {
		if at := slices.IndexFunc(ranks, func(r ArmRank) bool { return r.Arm == arm }); at >= 0 {
			return at
		}
		return len(ranks)
	}
	other := func(one Comparison) int {
		if one.Baseline == c.Baseline {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b Comparison) int {
		return cmp.Or(cmp.Compare(other(a), other(b)), cmp.Compare(place(a.Arm), place(b.Arm)),
			cmp.Compare(place(a.Baseline), place(b.Baseline)))
	})
}
