package batch

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// What a comparison can ask, beside its metric.
const (
	// claimArms and claimMean are values of [Compare.Claim].
	claimArms = "arms"
	claimMean = "mean"
	// theseTasks and tasksLikeThese are values of [Compare.Tasks].
	theseTasks     = "these"
	tasksLikeThese = "like_these"
	// pairsAll and pairsBaseline are values of [Compare.Pairs].
	pairsAll      = "all"
	pairsBaseline = "baseline"
)

const (
	// tasksLeast is the number of tasks from which on a comparison is about tasks like these.
	tasksLeast = 6
	// armsRankedMost is the number of arms up to which all pairs are compared.
	armsRankedMost = 30
)

// pairing is a pair of cells with their results, nil where there is none yet.
type pairing struct {
	cluster, stratum, instance string
	arm, base                  *Result
}

// scored says that both cells count.
func (p pairing) scored() bool {
	return p.arm != nil && p.base != nil && p.arm.Scored() && p.base.Scored()
}

// identical says that both worlds are the same bytes at the end.
func (p pairing) identical() bool {
	return p.scored() && p.arm.Digest != "" && p.arm.Digest == p.base.Digest && p.arm.Ticks == p.base.Ticks
}

// open says that a cell has no result yet.
func (p pairing) open() bool { return p.arm == nil || p.base == nil }

// valuesOf are the values of an axis in the order of cells.
func valuesOf(cells []Cell, axis string) (values []string) {
	for _, c := range cells {
		if v := c.Label(axis); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// contest is two values of the axis that are compared, and how the sides are called: as their values, but for
// players that share a world.
type contest struct{ arm, baseline, armName, baseName string }

// contests are those of some arms: all with the baseline in their order, then all others with those before
// them.
func (c *Compare) contests(arms []string) (list []contest) {
	if c.Seats != nil {
		return c.swaps(arms)
	}
	for _, arm := range arms {
		if arm != c.Baseline {
			list = append(list, contest{arm, c.Baseline, arm, c.Baseline})
		}
	}
	if c.Pairs != pairsAll {
		return list
	}
	for i, arm := range arms {
		for _, other := range arms[:i] {
			if arm != c.Baseline && other != c.Baseline {
				list = append(list, contest{arm, other, arm, other})
			}
		}
	}
	return list
}

// armsIn are the sides that are compared with the baseline.
func (c *Compare) armsIn(cells []Cell) (arms []string) {
	for _, of := range c.contests(valuesOf(cells, c.Axis)) {
		if !slices.Contains(arms, of.armName) && (c.Seats != nil || of.baseline == c.Baseline) {
			arms = append(arms, of.armName)
		}
	}
	return arms
}

// matched are the cells of a batch by what they have in common but for one axis: two cells with the
// same key are a pair.
type matched struct {
	// clusterOf names the cluster of a cell, and stratumOf its stratum.
	clusterOf, stratumOf func(Cell) string
	byArm                map[string][]matchedCell
}

type matchedCell struct {
	*Cell
	key string
}

// match groups cells by their value of the axis, each arm by seed and then in the order of scenarios, which
// is the order in which an e-process takes them.
func (c *Compare) match(cells []Cell) matched {
	m := matched{byArm: map[string][]matchedCell{}, clusterOf: Cell.instance, stratumOf: func(Cell) string { return "" }}
	scenarios := map[string]int{}
	for i := range cells {
		cell := &cells[i]
		if _, known := scenarios[cell.Scenario]; !known {
			scenarios[cell.Scenario] = len(scenarios)
		}
		parts := []string{strconv.Quote(cell.Scenario), strconv.FormatUint(cell.Seed, 10),
			strconv.FormatInt(cell.Repeat, 10)}
		for _, l := range cell.Labels {
			if l.Axis != c.Axis {
				parts = append(parts, strconv.Quote(l.Axis)+"="+strconv.Quote(l.Value))
			}
		}
		arm := cell.Label(c.Axis)
		m.byArm[arm] = append(m.byArm[arm], matchedCell{cell, strings.Join(parts, " ")})
	}
	scenarioOf := func(cell Cell) string { return cell.Scenario }
	switch {
	case c.Tasks == tasksLikeThese && len(scenarios) > 1:
		m.clusterOf = scenarioOf
	case len(scenarios) > 1 && c.watchesMeans():
		m.clusterOf = func(cell Cell) string { return strconv.FormatUint(cell.Seed, 10) }
	case len(scenarios) > 1:
		m.stratumOf = scenarioOf
	}
	for _, arm := range m.byArm {
		slices.SortStableFunc(arm, func(a, b matchedCell) int {
			return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(scenarios[a.Scenario], scenarios[b.Scenario]))
		})
	}
	return m
}

// watchesMeans says that bets on a mean are looked at while the batch plays. Those on a mean over several tasks are
// fair only after all of them, so that each seed counts once.
func (c *Compare) watchesMeans() bool {
	return c.StopWhenDecided && (c.Claim == claimMean || c.Margin > 0)
}

// instance is the world of a cell: its scenario and seed.
func (c Cell) instance() string { return c.Scenario + " " + strconv.FormatUint(c.Seed, 10) }

// pairs pairs the cells of an arm with those of the baseline.
func (m matched) pairs(results map[ID]*Result, arm, baseline string) (list []pairing) {
	partners := make(map[string]ID, len(m.byArm[baseline]))
	list = make([]pairing, 0, len(m.byArm[arm]))
	for _, c := range m.byArm[baseline] {
		partners[c.key] = c.ID
	}
	for _, c := range m.byArm[arm] {
		partner, ok := partners[c.key]
		if !ok {
			continue
		}
		list = append(list, pairing{cluster: m.clusterOf(*c.Cell), stratum: m.stratumOf(*c.Cell), instance: c.instance(),
			arm: results[c.ID], base: results[partner]})
	}
	return list
}
