package batch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
)

// NoVerdict is the outcome of a comparison whose runs do not allow one.
const NoVerdict stats.Outcome = "no_verdict"

// Identical is the outcome of a metric of the world if all worlds of all pairs are the same bytes.
const Identical stats.Outcome = "identical"

// Comparison is one arm against the baseline, or against another arm in its place: cells that are
// equal in everything but the value of one axis, in pairs.
type Comparison struct {
	// Axis is the axis that is compared, Arm and Baseline are its values.
	Axis     string `json:"axis"`
	Arm      string `json:"arm"`
	Baseline string `json:"baseline"`
	// Differences are what shaped the runs of both and is not the same, by name.
	Differences []Difference `json:"differences"`
	// Why says why there is no verdict; empty if there is one.
	Why string `json:"why"`
	// Notes are remarks on what the verdicts rest on.
	Notes []string `json:"notes"`
	// Confidence is 1 - alpha, such as 0.95; that of an interval is 1 less the level of its metric.
	Confidence float64 `json:"confidence"`
	// Pairs counts the pairs of cells, of which some are Open, with a cell that has no result yet,
	// and some Failed, with one that ended without a score. Where a metric has a range, a verdict on it holds
	// for whatever the failed ones might have had.
	Pairs  int `json:"pairs"`
	Open   int `json:"open"`
	Failed int `json:"failed"`
	// Metrics are the verdicts, the primary metric first.
	Metrics []MetricVerdict `json:"metrics"`
}

// MetricVerdict is what a comparison concludes about one metric.
type MetricVerdict struct {
	// Metric is its name, Unit what it counts.
	Metric string `json:"metric"`
	Unit   string `json:"unit"`
	// Primary says that this metric decides.
	Primary bool `json:"primary"`
	// ArmMean and BaselineMean are the means over clusters of those over their pairs.
	ArmMean      float64 `json:"arm_mean"`
	BaselineMean float64 `json:"baseline_mean"`
	// Verdict is about the arm: better or worse than the baseline.
	stats.Verdict
	// Why says why there is no verdict on this metric, where there is one on others; empty otherwise.
	Why string `json:"why"`
	// PerTick says that values are per tick in which an agent decided or followed an order, since agents died or
	// runs ended early, which alone makes sums smaller.
	PerTick bool `json:"per_tick"`
	// Sequential says that the verdict is by an e-process, which may be looked at at any time.
	Sequential bool `json:"sequential"`
	// ArmPass and BaselinePass are pass^k; null unless the batch says when a run passes.
	ArmPass      *Passes `json:"arm_pass"`
	BaselinePass *Passes `json:"baseline_pass"`
}

// Passes is how reliably an arm passes.
type Passes struct {
	// Passed of Runs runs passed; Rate is the interval of that share with 95% confidence.
	Passed int            `json:"passed"`
	Runs   int            `json:"runs"`
	Rate   stats.Interval `json:"rate"`
	// K is the largest number of repeats that every instance has, and PassK the share of instances
	// of which K repeats would all pass.
	K     int     `json:"k"`
	PassK float64 `json:"pass_k"`
}

// completed returns what is compared in a batch with these cells, with defaults. It is nil
// without an axis. The error is the first of what [Compare.completing] finds.
func (c *Compare) completed(cells []Cell, known report.MetricList) (*Compare, error) {
	out, wrong := c.completing(cells, known)
	if len(wrong) > 0 {
		return nil, errors.New(wrong[0].text)
	}
	return out, nil
}

// misplaced is a problem with a key of the table [compare].
type misplaced struct{ key, text string }

// completing is completed with all that the file asks for and cannot be compared, each with its key.
// What is wrong has its default in the result, so that the rest can be checked; an axis that is
// wrong has none, and the result is nil.
func (c *Compare) completing(cells []Cell, metrics report.MetricList) (_ *Compare, wrong []misplaced) {
	out := Compare{}
	if c != nil {
		out = *c
	}
	var axes []string
	scenarios := map[string]bool{}
	for _, cell := range cells {
		scenarios[cell.Scenario] = true
		for _, l := range cell.Labels {
			if !slices.Contains(axes, l.Axis) {
				axes = append(axes, l.Axis)
			}
		}
	}
	switch {
	case len(axes) == 0:
		wrong = out.needingAxis()
		out.Axis = ""
	case out.Axis == "" && len(axes) == 1:
		out.Axis = axes[0]
	case out.Axis == "" && c == nil:
		return nil, nil
	case !slices.Contains(axes, out.Axis):
		wrong = append(wrong, misplaced{"axis",
			fmt.Sprintf("compare: axis %s: allowed: %s", quoted(out.Axis), strings.Join(axes, ", "))})
		out.Axis = ""
	}
	values := valuesOf(cells, out.Axis)
	if len(axes) == 0 {
		out.Baseline = ""
	}
	if known := slices.Contains(values, out.Baseline); !known && out.Axis != "" {
		if out.Baseline != "" {
			wrong = append(wrong, misplaced{"baseline",
				fmt.Sprintf("compare: baseline %s: allowed: %s", quoted(out.Baseline), strings.Join(values, ", "))})
		}
		out.Baseline = values[0]
	}
	if out.Seats != nil && out.Axis != "" {
		wrong = append(wrong, out.completeSeats(values, metrics)...)
	}
	if out.Primary == "" {
		out.Primary = "score"
		if len(scenarios) > 1 {
			out.Primary = "score_share"
		}
	}
	known := func(key, name string) bool {
		_, ok := metrics.Named(name)
		if !ok {
			wrong = append(wrong, misplaced{key, "compare: " + metrics.Unknown(name).Error()})
		}
		return ok
	}
	primary := known("primary", out.Primary)
	var further []string
	for _, name := range out.Metrics {
		if name != out.Primary && !slices.Contains(further, name) && known("metrics", name) {
			further = append(further, name)
		}
	}
	out.Metrics = further
	if m, _ := metrics.Named(out.Primary); out.Range == 0 {
		out.Range = m.Range
	}
	if out.Claim == claimMean && out.Range == 0 && primary && out.Primary != "score" {
		wrong = append(wrong, misplaced{"claim",
			fmt.Sprintf("compare: claim = \"mean\" needs the range of %s, the largest difference that two runs can have; "+
				"allowed: range, a metric that is a share, or score", out.Primary)})
	}
	for _, of := range []struct {
		key     string
		value   *string
		allowed []string
	}{{"claim", &out.Claim, []string{claimArms, claimMean}}, {"tasks", &out.Tasks, []string{theseTasks, tasksLikeThese}},
		{"pairs", &out.Pairs, []string{pairsAll, pairsBaseline}}} {
		if *of.value != "" && !slices.Contains(of.allowed, *of.value) {
			wrong = append(wrong, misplaced{of.key, fmt.Sprintf("compare: %s = %s; allowed: %s", of.key, quoted(*of.value),
				strings.Join(of.allowed, ", "))})
			*of.value = ""
		}
	}
	out.Claim = cmp.Or(out.Claim, claimArms)
	if out.Tasks == "" {
		out.Tasks = theseTasks
		if len(scenarios) >= tasksLeast {
			out.Tasks = tasksLikeThese
		}
	}
	// A batch that stops when it is decided asks about the arms that were named alone.
	if arms := len(values); out.Seats != nil || out.StopWhenDecided || arms < 3 || arms > armsRankedMost {
		out.Pairs = pairsBaseline
	}
	out.Pairs = cmp.Or(out.Pairs, pairsAll)
	if out.Alpha == 0 {
		out.Alpha = 0.05
	}
	if out.Axis == "" {
		return nil, wrong
	}
	return &out, wrong
}

// needingAxis is what the file asks for that nothing can be compared by, since it has no axis.
func (c *Compare) needingAxis() (wrong []misplaced) {
	for _, of := range []struct {
		key  string
		says bool
	}{{"axis", c.Axis != ""}, {"baseline", c.Baseline != ""}, {"pairs", c.Pairs != ""}, {"seats", c.Seats != nil},
		{"stop_when_decided", c.StopWhenDecided}} {
		if of.says {
			wrong = append(wrong, misplaced{of.key, fmt.Sprintf("compare: %s is about the values of an axis, and the batch has "+
				"none; allowed: a table such as [axes.protocol.lean.run], or without it", of.key)})
		}
	}
	return wrong
}

// Comparisons compares values of the axis on some of the metrics that are known: every value with the baseline,
// and on the primary metric, if all pairs of values are compared, every two others. It is
// empty without an axis. The error says what the file asks for and cannot be compared.
func Comparisons(c *Compare, known report.MetricList, cells []Cell, results []Result) ([]Comparison, error) {
	c, err := c.completed(cells, known)
	if err != nil || c == nil {
		return nil, err
	}
	return c.comparisons(known, cells, results)
}

// comparisons is [Comparisons] of what is completed.
func (c *Compare) comparisons(known report.MetricList, cells []Cell, results []Result) ([]Comparison, error) {
	byID, byKey := indexed(results), c.match(cells)
	unfit := unfitNotes(cells)
	var list []Comparison
	var paired [][]pairing
	for _, of := range c.contests(valuesOf(cells, c.Axis)) {
		pairs := byKey.pairs(byID, of.arm, of.baseline)
		one := Comparison{Axis: c.Axis, Arm: of.armName, Baseline: of.baseName, Pairs: len(pairs), Notes: []string{},
			Confidence: 1 - c.Alpha, Metrics: []MetricVerdict{}}
		for _, p := range pairs {
			switch {
			case p.open():
				one.Open++
			case !p.scored():
				one.Failed++
			}
		}
		if c.Seats != nil {
			one.Notes = append(one.Notes, c.seatNote(one))
		}
		one.Differences = c.differences(pairs)
		one.Why = c.obstacle(pairs)
		if names := one.Undeclared(); len(names) > 0 {
			one.Why = fmt.Sprintf("the runs differ in %s, which is not what is compared", strings.Join(names, ", "))
		}
		if one.Why == "" {
			one.Why = c.unequal(pairs, known)
		}
		one.Notes = slices.Concat(one.Notes, notesOn(one, pairs), earlyNotes(pairs), unfit)
		alone, baseAlone := len(byKey.byArm[of.arm])-len(pairs), len(byKey.byArm[of.baseline])-len(pairs)
		if c.declared != nil && alone+baseAlone > 0 {
			one.Notes = append(one.Notes, fmt.Sprintf("%s of %s and %d of %s have no partner: their worlds, seeds, repeats "+
				"or labels are others", plaintext.Count(alone, "run"), one.Arm, baseAlone, one.Baseline))
		}
		list, paired = append(list, one), append(paired, pairs)
	}
	if c.Seats != nil {
		return list, c.judgeAll(list, paired, known)
	}
	names := append([]string{c.Primary}, c.Metrics...)
	lived, perTick := c.lived(paired, known, names)
	if err := lived.judgeWithLost(list, paired, known, names); err != nil {
		return nil, err
	}
	if perTick {
		markPerTick(list, paired, known)
	}
	return list, nil
}

// judgeAll adds the verdicts on all metrics. The primary metric of several arms is adjusted for their number, the
// other metrics of an arm for each other.
func (c *Compare) judgeAll(list []Comparison, paired [][]pairing, known report.MetricList) error {
	if err := c.judge(list, paired, known, []string{c.Primary}); err != nil {
		return err
	}
	for i := range list {
		if c.Seats != nil || list[i].Baseline != c.Baseline {
			continue
		}
		if err := c.judge(list[i:i+1], paired[i:i+1], known, c.Metrics); err != nil {
			return err
		}
	}
	return nil
}

// indexed finds results by cell.
func indexed(results []Result) map[ID]*Result {
	byID := map[ID]*Result{}
	for i := range results {
		byID[results[i].ID] = &results[i]
	}
	return byID
}

// decided says that the primary metric of every arm is decided: a difference, or equivalence. The error is that
// of [Comparisons].
func decided(c *Compare, known report.MetricList, cells []Cell, results []Result) (bool, error) {
	c, err := c.completed(cells, known)
	if err != nil || c == nil {
		return false, err
	}
	c.Metrics = nil
	list, err := c.comparisons(known, cells, results)
	if err != nil || len(list) == 0 {
		return false, err
	}
	return !slices.ContainsFunc(list, func(one Comparison) bool {
		outcome := one.Metrics[0].Outcome
		return !outcome.Differs() && outcome != stats.Equivalent
	}), nil
}
