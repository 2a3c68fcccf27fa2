package batch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
)

// Gate is a condition on the results.
type Gate struct {
	// Arm restricts the gate to a value of the compared axis; empty means all.
	Arm string `toml:"arm"`
	// Metric is what is bounded or compared.
	Metric string `toml:"metric"`
	// AtLeast and AtMost bound the mean of the metric.
	AtLeast *float64 `toml:"at_least"`
	AtMost  *float64 `toml:"at_most"`
	// Verdict lists the verdicts that pass, such as better and equivalent.
	Verdict []string `toml:"verdict"`
	// Undecided says what an undecided verdict is: "undecided" (the default), "pass" or "fail".
	Undecided string `toml:"undecided"`
}

// faults are what is wrong with a gate by itself, nil for nothing.
func (g Gate) faults() (list []string) {
	wrong := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, bound := range []*float64{g.AtLeast, g.AtMost} {
		if bound != nil && !finite(*bound) {
			wrong("the bound %v is out of range; allowed: a finite number", *bound)
		}
	}
	if g.AtLeast != nil && g.AtMost != nil && *g.AtLeast > *g.AtMost {
		wrong("no mean is at least %v and at most %v; allowed: at_least up to at_most", *g.AtLeast, *g.AtMost)
	}
	for _, v := range g.Verdict {
		if !slices.Contains(gateVerdicts, v) {
			wrong("unknown verdict %s; allowed: %s", quoted(v), strings.Join(gateVerdicts, ", "))
		}
	}
	if g.Undecided != "" && !slices.Contains(gateUndecided, g.Undecided) {
		wrong("undecided = %s; allowed: %s", quoted(g.Undecided), strings.Join(gateUndecided, ", "))
	}
	if g.AtLeast == nil && g.AtMost == nil && len(g.Verdict) == 0 {
		wrong("it has no condition; allowed: at_least, at_most, verdict")
	}
	return list
}

// misfits are what a gate names and is not there, given what is compared. A gate on a metric that no
// run has yet is undecided; only what can never be judged is an error.
func (g Gate) misfits(c *Compare, cells []Cell, known report.MetricList) (list []string) {
	wrong := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	list = g.unknown(c, cells, known)
	if len(list) > 0 || len(g.Verdict) == 0 {
		return list
	}
	m, _ := known.Named(g.Metric)
	for _, v := range g.Verdict {
		sided := v == string(stats.Better) || v == string(stats.Worse)
		if o := stats.Outcome(v); o.Differs() && sided == (m.Better == report.Neither) {
			wrong("%s is no verdict on %s; allowed: better and worse of a metric with a direction, higher and lower of one "+
				"without", v, g.Metric)
		}
	}
	if m.Better == report.Neither && slices.Contains(g.Verdict, string(stats.NotWorse)) {
		wrong("not_worse is no verdict on %s; allowed: a metric with a direction", g.Metric)
	}
	if c == nil || len(valuesOf(cells, c.Axis)) < 2 {
		return []string{"nothing is compared; allowed: an axis with a baseline and another value"}
	}
	if arms := c.armsIn(cells); g.Arm != "" && !slices.Contains(arms, g.Arm) {
		wrong("%s is not compared with %s; allowed: %s", quoted(g.Arm), c.Baseline, strings.Join(arms, ", "))
	}
	if g.Metric != c.Primary && !slices.Contains(c.Metrics, g.Metric) {
		wrong("%s is not compared; allowed: %s, or a metric under compare", g.Metric, c.Primary)
	}
	return list
}

// Text is the gate as a line, such as "score of small at least 20".
func (g Gate) Text() string {
	of := ""
	if g.Arm != "" {
		of = " of " + g.Arm
	}
	var parts []string
	if g.AtLeast != nil {
		parts = append(parts, fmt.Sprintf("mean %s%s at least %s", g.Metric, of, number(*g.AtLeast)))
	}
	if g.AtMost != nil {
		parts = append(parts, fmt.Sprintf("mean %s%s at most %s", g.Metric, of, number(*g.AtMost)))
	}
	if len(g.Verdict) > 0 {
		parts = append(parts, fmt.Sprintf("%s%s %s", g.Metric, of, strings.Join(g.Verdict, " or ")))
	}
	if len(parts) == 0 {
		return g.Metric + of
	}
	return strings.Join(parts, ", ")
}

// check is the verdict on a gate: on a mean, or on comparisons. A gate on cells that have not been
// played to their end is undecided. One on cells that failed, and one on an undecided verdict, is what
// the file says of undecided.
func (g Gate) check(s Summary, c *Compare, known report.MetricList, cells []Cell) (GateResult, error) {
	c, err := c.completed(cells, known)
	if err != nil {
		return GateResult{}, err
	}
	if wrong := g.unknown(c, cells, known); len(wrong) > 0 {
		return GateResult{}, errors.New(wrong[0])
	}
	m, _ := known.Named(g.Metric)
	if g.Arm != "" {
		cells = slices.DeleteFunc(slices.Clone(cells), func(cell Cell) bool { return cell.Label(c.Axis) != g.Arm })
	}
	on := grounds{verdict: Passed}
	if g.AtLeast != nil || g.AtMost != nil {
		g.checkMean(&on, m, cells, s.Results)
	}
	if len(g.Verdict) > 0 {
		g.checkComparisons(&on, c, s.Comparisons)
	}
	return GateResult{Gate: g.Text(), Verdict: on.verdict, Why: strings.Join(on.why, "; ")}, nil
}

// unknown is what a gate names that is not in the batch: its metric, or its arm.
func (g Gate) unknown(c *Compare, cells []Cell, known report.MetricList) (wrong []string) {
	if _, ok := known.Named(g.Metric); !ok {
		wrong = append(wrong, known.Unknown(g.Metric).Error())
	}
	var arms []string
	if c != nil {
		arms = valuesOf(cells, c.Axis)
		if c.Seats != nil && len(g.Verdict) > 0 {
			arms = c.armsIn(cells)
		}
	}
	if g.Arm != "" && !slices.Contains(arms, g.Arm) {
		wrong = append(wrong, fmt.Sprintf("no value %s of the compared axis; allowed: %s", quoted(g.Arm),
			strings.Join(arms, ", ")))
	}
	return wrong
}

// grounds are a verdict on a gate and the reasons for it.
type grounds struct {
	verdict Verdict
	why     []string
}

// add gives a reason for a verdict. The worst of all verdicts counts.
func (on *grounds) add(v Verdict, format string, args ...any) {
	on.why = append(on.why, fmt.Sprintf(format, args...))
	if v == GateFailed || v == Undecided && on.verdict == Passed {
		on.verdict = v
	}
}

// undecided is the verdict where the gate cannot be decided.
func (g Gate) undecided() Verdict {
	return map[string]Verdict{"pass": Passed, "fail": GateFailed}[g.Undecided].or(Undecided)
}

// checkMean compares the mean of a metric over the cells with the bounds.
func (g Gate) checkMean(on *grounds, m report.Metric, cells []Cell, results []Result) {
	open := 0
	failed := 0
	all := len(cells)
	var scored []*Result
	byID := indexed(results)
	for _, cell := range cells {
		switch r := byID[cell.ID]; {
		case r == nil:
			open++
		case !r.Scored():
			failed++
		default:
			scored = append(scored, r)
		}
	}
	mean := meanOf(m, figuresOf(m, scored, nil))
	switch {
	case open > 0:
		on.add(Undecided, "%d of %d cells have not been played to their end", open, all)
	case failed > 0:
		on.add(g.undecided(), "%d of %d cells ended without a score", failed, all)
	case mean.N < all:
		on.add(g.undecided(), "%d of %d cells have no %s", all-mean.N, all, g.Metric)
	case g.AtLeast != nil && mean.Mean < *g.AtLeast, g.AtMost != nil && mean.Mean > *g.AtMost:
		on.add(GateFailed, "the mean over %d cells is %s", mean.N, number(mean.Mean))
	default:
		on.add(Passed, "the mean over %d cells is %s", mean.N, number(mean.Mean))
	}
}

// checkComparisons looks for the gate's verdicts in the comparisons of its arm, or of all arms, with the baseline.
func (g Gate) checkComparisons(on *grounds, c *Compare, list []Comparison) {
	compared := 0
	for _, one := range list {
		between := c.Seats == nil && one.Baseline != c.Baseline // two arms beside the baseline
		if g.Arm != "" && one.Arm != g.Arm || between {
			continue
		}
		compared++
		i := slices.IndexFunc(one.Metrics, func(v MetricVerdict) bool { return v.Metric == g.Metric })
		if i < 0 {
			on.add(g.undecided(), "%s has no %s yet", one.Arm, g.Metric)
			continue
		}
		v := one.Metrics[i]
		said := strings.ReplaceAll(string(v.Outcome), "_", " ")
		decided := v.Outcome.Differs() || v.Outcome == stats.Equivalent || v.Outcome == Identical
		passes := func(verdict string) bool { return slices.Contains(g.Verdict, verdict) }
		switch {
		case one.Open > 0 && !(v.Sequential && decided): // only a sequential verdict may come early
			on.add(Undecided, "%d of %d pairs of %s are to play", one.Open, one.Pairs, one.Arm)
		case passes(string(v.Outcome)), slices.ContainsFunc(implied[v.Outcome], passes):
			on.add(Passed, "%s is %s", one.Arm, said)
		case decided:
			on.add(GateFailed, "%s is %s", one.Arm, said)
		default:
			on.add(g.undecided(), "%s is %s", one.Arm, said)
		}
	}
	if compared == 0 {
		on.add(Undecided, "nothing is compared yet")
	}
}
