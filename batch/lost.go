package batch

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
)

// lost says that a run of the pair was lost: it ended without a score.
func (p pairing) lost() bool { return !p.open() && !p.scored() }

// judgeWithLost adds the verdicts on all metrics. Where runs were lost, a metric with a range gets the verdict that
// holds whatever they would have had, and none if the worst and the best case disagree. Any other metric gets none
// if one arm lost more runs than the other, since what is left is no fair sample.
func (c *Compare) judgeWithLost(list []Comparison, paired [][]pairing, known report.MetricList, names []string) error {
	if err := c.judgeAll(list, paired, known); err != nil {
		return err
	}
	anyLost := func(pairs []pairing) bool { return slices.ContainsFunc(pairs, pairing.lost) }
	if !slices.ContainsFunc(paired, anyLost) {
		return nil
	}
	var cases [2][]Comparison // those with all lost runs of an arm at the least, and at the most
	for at := range cases {
		filled := make([][]pairing, len(paired))
		for i, one := range list {
			filled[i] = c.filled(paired[i], known, names, at == 1)
			cases[at] = append(cases[at], Comparison{Arm: one.Arm, Baseline: one.Baseline, Why: one.Why})
		}
		if err := c.judgeAll(cases[at], filled, known); err != nil {
			return err
		}
	}
	for i := range list {
		if anyLost(paired[i]) {
			c.settle(&list[i], cases[0][i], cases[1][i], paired[i])
		}
	}
	return nil
}

// settle gives each metric the verdict in which the least and the most that an arm could have had agree.
func (c *Compare) settle(seen *Comparison, least, most Comparison, pairs []pairing) {
	unfair := c.unfair(pairs)
	var settled []MetricVerdict
	var hold []string
	for _, low := range least.Metrics {
		named := func(v MetricVerdict) bool { return v.Metric == low.Metric }
		high := most.Metrics[slices.IndexFunc(most.Metrics, named)]
		rest := MetricVerdict{} // without the lost runs
		if at := slices.IndexFunc(seen.Metrics, named); at >= 0 {
			rest = seen.Metrics[at]
		}
		// Where the cases agree, the one is shown that is harder to tell from chance.
		v := low
		if high.P > low.P {
			v = high
		}
		v.ArmPass, v.BaselinePass = rest.ArmPass, rest.BaselinePass
		claims := low.Outcome != stats.Undecided && low.Outcome != stats.TooFew
		switch {
		case seen.Why != "" || !c.ranged(low, rest, pairs):
			v = rest
			if seen.Why == "" {
				v.Why = unfair
			}
		case low.Outcome == NoVerdict && high.Outcome == NoVerdict: // another metric decides when to stop
			v = rest
		case low.Outcome != high.Outcome:
			v.Why = fmt.Sprintf("it depends on the runs that failed: %s if all went against %s, %s if all went for it",
				spaced(low.Outcome), one(seen.Arm), spaced(high.Outcome))
		case claims:
			hold = append(hold, v.Metric)
		case rest.Outcome == low.Outcome:
			v = rest
		}
		if v.Why != "" {
			v.withhold(NoVerdict)
		}
		if v.Metric != "" {
			settled = append(settled, v)
		}
	}
	seen.Metrics = settled
	if len(hold) > 0 {
		seen.Notes = append(seen.Notes, fmt.Sprintf("the verdict on %s holds whatever the runs that failed would have had; "+
			"shown is the case that is hardest to tell from chance", strings.Join(hold, ", ")))
	}
}

// ranged says that all lost runs have a least and a most value of a metric: low is its verdict with them, rest the
// one without them.
func (c *Compare) ranged(low, rest MetricVerdict, pairs []pairing) bool {
	if low.Primary && c.StopWhenDecided {
		pairs = inOrder(pairs)
	}
	lost := 0
	for _, p := range pairs {
		if p.lost() {
			lost++
		}
	}
	return low.Pairs == rest.Pairs+lost
}

// unfair says that one arm lost more runs than the other, so that what is left is no fair sample; empty if not.
func (c *Compare) unfair(pairs []pairing) string {
	lost := [2]int{}
	alone := [2]int{}
	n := 0
	for _, p := range pairs {
		if p.open() {
			continue
		}
		n++
		failed := [2]bool{!p.arm.Scored(), !p.base.Scored()}
		for side := range failed {
			if failed[side] {
				lost[side]++
			}
			if failed[side] && !failed[1-side] {
				alone[side]++
			}
		}
	}
	if stats.McNemar(alone[0], alone[1]) > c.Alpha {
		return ""
	}
	return fmt.Sprintf("one arm fails more often than the other, %d and %d of %d runs, so that the rest is no fair sample",
		lost[0], lost[1], n)
}

// filled are the pairs with values in place of those that were lost: the least that the arm and the most that the
// baseline could have had, or for the arm the other way round. Pairs without a lost run stay as they are.
func (c *Compare) filled(pairs []pairing, known report.MetricList, names []string, forArm bool) []pairing {
	scores := boundsOf(pairs)
	out := slices.Clone(pairs)
	for i, p := range pairs {
		if !p.lost() {
			continue
		}
		arm, base := substitute(p.arm), substitute(p.base)
		for _, name := range names {
			m, _ := known.Named(name)
			low, high, ok := c.between(m, scores[p.instance], arm, base)
			if !ok {
				continue
			}
			mine, theirs := low, high
			if forArm {
				mine, theirs = high, low
			}
			if !p.arm.Scored() {
				arm.Metrics = arm.Metrics.With(name, mine)
			}
			if !p.base.Scored() {
				base.Metrics = base.Metrics.With(name, theirs)
			}
		}
		out[i].arm, out[i].base = arm, base
	}
	return out
}

// substitute is a result that counts, in place of one that may not.
func substitute(r *Result) *Result {
	s := *r
	if !r.Scored() {
		s.Metrics = Metrics{}
		s.Digest = "" // its world is not the one that it would have had
	}
	s.Status = trace.RunCompleted
	return &s
}

// scoreBounds are the least and the greatest score of an instance.
type scoreBounds struct{ least, most int64 }

// boundsOf are those of some pairs by instance, as far as they are known: every run of an instance has the same.
func boundsOf(pairs []pairing) map[string]scoreBounds {
	known := map[string]scoreBounds{}
	for _, p := range pairs {
		for _, r := range []*Result{p.arm, p.base} {
			if r != nil && r.ScoreBound > 0 {
				known[p.instance] = scoreBounds{r.ScoreNothing, r.ScoreBound}
			}
		}
	}
	return known
}

// between says which values of a metric a lost run of a pair could have had at least and at most; ok is false if
// that is not known. A share has its range, and a score that of its instance, unless the file says how much two
// scores can differ. Of any other metric only that may be known: it is the difference to the other run of the pair.
func (c *Compare) between(m report.Metric, scores scoreBounds, arm, base *Result) (low, high float64, ok bool) {
	most := m.Range
	if m.Name == c.Primary {
		most = c.Range
	}
	switch {
	case m.Share():
		return 0, m.Range, true
	case m.Name == report.MetricScore && most == 0 && scores.most > scores.least:
		return float64(scores.least), float64(scores.most), true
	}
	if most == 0 {
		return 0, 0, false
	}
	for _, r := range []*Result{arm, base} {
		if v, there := r.Metrics.Get(m.Name); there {
			return v - most, v + most, true
		}
	}
	return 0, most, true
}

// spaced is an outcome for people.
func spaced(o stats.Outcome) string { return strings.ReplaceAll(string(o), "_", " ") }
