package batch

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/baseline"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
)

// NoVerdict is the outcome of a comparison whose runs do not allow one.
const NoVerdict stats.Outcome = "no_verdict"

// Comparison is one arm against the baseline: cells that are equal in everything but the value
// of one axis, in pairs.
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
	// Confidence is that of the intervals shown, such as 0.95.
	Confidence float64 `json:"confidence"`
	// Pairs counts the pairs of cells, of which some are Open, with a cell that has no result yet,
	// and some Failed, with one that ended without a score.
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

// pairing is a pair of cells with their results, nil where there is none yet.
type pairing struct {
	cluster, instance string
	arm, base         *Result
}

// scored says that both cells count.
func (p pairing) scored() bool {
	return p.arm != nil && p.base != nil && p.arm.Scored() && p.base.Scored()
}

// open says that a cell has no result yet.
func (p pairing) open() bool { return p.arm == nil || p.base == nil }

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
	case out.Axis == "" && len(axes) == 0 && c == nil:
		return nil, nil
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
	if known := slices.Contains(values, out.Baseline); !known && out.Axis != "" {
		if out.Baseline != "" {
			wrong = append(wrong, misplaced{"baseline",
				fmt.Sprintf("compare: baseline %s: allowed: %s", quoted(out.Baseline), strings.Join(values, ", "))})
		}
		out.Baseline = values[0]
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
	if out.StopWhenDecided && out.Range == 0 && primary {
		wrong = append(wrong, misplaced{"stop_when_decided",
			fmt.Sprintf("compare: stop_when_decided needs the range of %s, the largest difference that two runs can have; "+
				"allowed: range, or a metric that is a share", out.Primary)})
	}
	if out.Alpha == 0 {
		out.Alpha = 0.05
	}
	if out.Axis == "" {
		return nil, wrong
	}
	return &out, wrong
}

// valuesOf are the values of an axis in the order of cells.
func valuesOf(cells []Cell, axis string) (values []string) {
	for _, c := range cells {
		if v := c.Label(axis); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// matched are the cells of a batch by what they have in common but for one axis: two cells with the
// same key are a pair.
type matched struct {
	// several says that the batch spans scenarios.
	several bool
	byArm   map[string][]matchedCell
}

type matchedCell struct {
	Cell
	key string
}

// match groups cells by their value of an axis, each arm in the order of cells.
func match(cells []Cell, axis string) matched {
	m := matched{byArm: map[string][]matchedCell{}}
	for _, c := range cells {
		parts := []string{strconv.Quote(c.Scenario), strconv.FormatUint(c.Seed, 10), strconv.FormatInt(c.Repeat, 10)}
		for _, l := range c.Labels {
			if l.Axis != axis {
				parts = append(parts, strconv.Quote(l.Axis)+"="+strconv.Quote(l.Value))
			}
		}
		m.several = m.several || c.Scenario != cells[0].Scenario
		arm := c.Label(axis)
		m.byArm[arm] = append(m.byArm[arm], matchedCell{c, strings.Join(parts, " ")})
	}
	return m
}

// pairs pairs the cells of an arm with those of the baseline. Repeats of an instance are a cluster,
// and all instances of a scenario if there are several scenarios.
func (m matched) pairs(results map[ID]*Result, arm, baseline string) (list []pairing) {
	partners := map[string]ID{}
	for _, c := range m.byArm[baseline] {
		partners[c.key] = c.ID
	}
	for _, c := range m.byArm[arm] {
		partner, ok := partners[c.key]
		if !ok {
			continue
		}
		p := pairing{cluster: c.Scenario, instance: c.Scenario + " " + strconv.FormatUint(c.Seed, 10), arm: results[c.ID],
			base: results[partner]}
		if !m.several {
			p.cluster = p.instance
		}
		list = append(list, p)
	}
	return list
}

// Comparisons compares every value of the axis with the baseline on some of the metrics that are known. It is
// empty without an axis. The error says what the file asks for and cannot be compared.
func Comparisons(c *Compare, known report.MetricList, cells []Cell, results []Result) ([]Comparison, error) {
	c, err := c.completed(cells, known)
	if err != nil || c == nil {
		return nil, err
	}
	byID, byKey := indexed(results), match(cells, c.Axis)
	unfit := unfitNotes(cells)
	var list []Comparison
	var paired [][]pairing
	for _, arm := range valuesOf(cells, c.Axis) {
		if arm == c.Baseline {
			continue
		}
		pairs := byKey.pairs(byID, arm, c.Baseline)
		one := Comparison{Axis: c.Axis, Arm: arm, Baseline: c.Baseline, Pairs: len(pairs), Notes: []string{},
			Confidence: 1 - c.Alpha, Metrics: []MetricVerdict{}}
		for _, p := range pairs {
			switch {
			case p.open():
				one.Open++
			case !p.scored():
				one.Failed++
			}
		}
		one.Differences = c.differences(pairs)
		one.Why = c.obstacle(pairs)
		if names := one.Undeclared(); len(names) > 0 {
			one.Why = fmt.Sprintf("the runs differ in %s, which is not what is compared", strings.Join(names, ", "))
		}
		one.Notes = append(append(one.Notes, notesOn(one, pairs)...), unfit...)
		alone, baseAlone := len(byKey.byArm[arm])-len(pairs), len(byKey.byArm[c.Baseline])-len(pairs)
		if c.declared != nil && alone+baseAlone > 0 {
			one.Notes = append(one.Notes, fmt.Sprintf("%s of %s and %d of %s have no partner: their worlds, seeds, repeats "+
				"or labels are others", plaintext.Count(alone, "run"), one.Arm, baseAlone, one.Baseline))
		}
		list, paired = append(list, one), append(paired, pairs)
	}
	// The primary metric of several arms is adjusted for their number, the other metrics of an arm
	// for each other.
	if err := c.judge(list, paired, known, []string{c.Primary}); err != nil {
		return nil, err
	}
	for i := range list {
		if err := c.judge(list[i:i+1], paired[i:i+1], known, c.Metrics); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// indexed finds results by cell.
func indexed(results []Result) map[ID]*Result {
	byID := map[ID]*Result{}
	for i := range results {
		byID[results[i].ID] = &results[i]
	}
	return byID
}

// differences are those of pairs, of which the declared ones are compared. All that the axis of a batch changes is
// declared but for versions, which it cannot change, and models that answered although others were not asked.
func (c *Compare) differences(pairs []pairing) []Difference {
	list := differencesOf(pairs)
	declared := c.declared
	if declared == nil {
		for _, d := range list {
			if d.What != whatAnswered && (d.What == whatPrompt || !strings.HasPrefix(d.What, versionPrefix)) {
				declared = append(declared, d.What)
			}
		}
	}
	for i := range list {
		list[i].Declared = declares(declared, list[i].What)
	}
	return list
}

// obstacle is why pairs allow no verdict, empty if they do: scenarios of one world, which would count twice, runs
// that do not say what shaped them, or one arm that fails more often than the other, so that what is left is no fair sample.
func (c *Compare) obstacle(pairs []pairing) string {
	shapeless := 0
	armFailed := 0
	baseFailed := 0
	onlyArm := 0
	onlyBase := 0
	n := 0
	for _, p := range pairs {
		for _, r := range []*Result{p.arm, p.base} {
			if r != nil && r.Scored() && r.Shape == "" {
				shapeless++
			}
		}
		if p.open() {
			continue
		}
		n++
		arm, base := !p.arm.Scored(), !p.base.Scored()
		if arm {
			armFailed++
		}
		if base {
			baseFailed++
		}
		if arm && !base {
			onlyArm++
		}
		if base && !arm {
			onlyBase++
		}
	}
	if twice := twins(pairs); twice != "" {
		return twice
	}
	if c.declared != nil && shapeless > 0 {
		return fmt.Sprintf("%d of the results are of an earlier version: they do not say what shaped their runs", shapeless)
	}
	if p := stats.McNemar(onlyArm, onlyBase); p <= c.Alpha {
		return fmt.Sprintf("one arm fails more often than the other, %d and %d of %d runs, "+
			"so that the rest is no fair sample", armFailed, baseFailed, n)
	}
	return ""
}

// embeddedNote is the note on runs of the embedded model.
const embeddedNote = "runs of the embedded model: evidence about the wiring, none about a model"

// notesOn says what readers of verdicts must know about the runs.
func notesOn(c Comparison, pairs []pairing) (notes []string) {
	scripted := func(r *Result) bool { return r != nil && r.ModelSource == trace.SourceScripted }
	if slices.ContainsFunc(pairs, func(p pairing) bool { return scripted(p.arm) || scripted(p.base) }) {
		notes = append(notes, embeddedNote)
	}
	for _, d := range c.Differences {
		if d.What == whatTicks {
			notes = append(notes, fmt.Sprintf("the runs are not equally long: %s and %s ticks", d.Arm, d.Baseline))
		}
	}
	var arm, base []*Result
	for _, p := range pairs {
		arm, base = append(arm, p.arm), append(base, p.base)
	}
	return append(append(notes, answeredNotes(c.Arm, arm)...), answeredNotes(c.Baseline, base)...)
}

// unfitNotes names the built-in tasks of some cells whose scores hardly depend on how well one plays.
func unfitNotes(cells []Cell) []string {
	notes := []string{}
	seen := map[string]bool{}
	for _, c := range cells {
		if seen[c.Scenario] {
			continue
		}
		seen[c.Scenario] = true
		if s, ok := baseline.SensitivityOf(c.Scenario); ok && s.Unfit() {
			notes = append(notes, fmt.Sprintf("%s is unfit to compare players: %d instances do not tell apart who wastes 30%% "+
				"of the turns", c.Scenario, baseline.SensitivityInstances))
		}
	}
	return notes
}

// lacking says how many pairs that count do not have the metric that decides, and why; nothing if
// all have it.
func lacking(all []pairing, have int, metric string) []string {
	scored, short := 0, 0
	for _, p := range all {
		if p.scored() {
			scored++
			if p.arm.CutShort || p.base.CutShort {
				short++
			}
		}
	}
	switch {
	case scored == have:
		return nil
	case short > 0:
		return []string{fmt.Sprintf("%d of %s without a %s: the runs of %d were cut short, with fewer ticks than their task",
			scored-have, plaintext.Count(scored, "pair"), metric, short)}
	}
	return []string{fmt.Sprintf("%d of %s without a %s", scored-have, plaintext.Count(scored, "pair"), metric)}
}

// judge adds the verdicts on some metrics to comparisons, adjusted for all of them together. A
// metric that no pair has is left out, unless it is the primary one.
func (c *Compare) judge(list []Comparison, paired [][]pairing, known report.MetricList, names []string) error {
	var tested []stats.Metric
	type place struct{ comparison, metric int }
	var places []place
	for i := range list {
		for _, name := range names {
			m, _ := known.Named(name)
			primary := name == c.Primary
			v := MetricVerdict{Metric: name, Unit: m.Unit, Primary: primary}
			pairs, arm, base := valuesIn(paired[i], name)
			if len(pairs) == 0 && !primary {
				continue
			}
			if primary {
				list[i].Notes = append(list[i].Notes, lacking(paired[i], len(pairs), name)...)
			}
			v.ArmMean, v.BaselineMean = arm, base
			if primary && c.PassAt != nil {
				v.ArmPass = c.passes(paired[i], m, func(p pairing) *Result { return p.arm })
				v.BaselinePass = c.passes(paired[i], m, func(p pairing) *Result { return p.base })
			}
			o := stats.Options{Alpha: c.Alpha, LowerIsBetter: m.Better == report.Lower,
				Undirected: m.Better == report.Neither, Range: m.Range}
			if primary {
				o.Margin = c.Margin
				o.Effect = c.Effect
				o.Range = c.Range
			}
			for _, p := range pairs {
				if d := math.Abs(p.A - p.B); o.Range > 0 && d > o.Range {
					list[i].Why = fmt.Sprintf("a difference of %s in %s is outside of the range of %s", number(d), name,
						number(o.Range))
					o.Range = 0
				}
			}
			list[i].Metrics = append(list[i].Metrics, v)
			tested, places = append(tested, stats.Metric{Pairs: pairs, Options: o}),
				append(places, place{i, len(list[i].Metrics) - 1})
		}
	}
	verdicts, err := stats.CompareAll(tested)
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	for k, at := range places {
		one := &list[at.comparison]
		v := &one.Metrics[at.metric]
		v.Verdict = verdicts[k]
		if c.StopWhenDecided {
			if err := c.sequential(v, paired[at.comparison], len(list), tested[k].Options); err != nil && one.Why == "" {
				return err
			}
		}
		if one.Why != "" {
			v.Outcome, v.FurtherPairs = NoVerdict, 0
		}
	}
	return nil
}

// valuesIn are the pairs in which both runs have a metric, and the means of both sides over clusters,
// whose difference is that of the verdict.
func valuesIn(all []pairing, name string) (pairs []stats.Pair, arm, base float64) {
	type sum struct{ arm, base, n float64 }
	var order []string
	clusters := map[string]*sum{}
	for _, p := range all {
		if !p.scored() {
			continue
		}
		a, knownA := p.arm.Metrics.Get(name)
		b, knownB := p.base.Metrics.Get(name)
		if strings.HasPrefix(name, report.AcceptedPrefix) {
			knownA, knownB = true, true // a run without such actions has none of them
		}
		if knownA && knownB {
			pairs = append(pairs, stats.Pair{Cluster: p.cluster, A: a, B: b})
			if clusters[p.cluster] == nil {
				order, clusters[p.cluster] = append(order, p.cluster), &sum{}
			}
			s := clusters[p.cluster]
			s.arm += a
			s.base += b
			s.n += 1
		}
	}
	for _, name := range order {
		s := clusters[name]
		arm, base = arm+s.arm/s.n/float64(len(order)), base+s.base/s.n/float64(len(order))
	}
	return pairs, arm, base
}

// sequential replaces a verdict by that of an e-process, since a batch that ends when it is
// decided has no number of pairs known beforehand. The other metrics get none: the primary one
// chose when to stop. The level is split between the arms.
func (c *Compare) sequential(v *MetricVerdict, pairs []pairing, arms int, o stats.Options) error {
	v.Sequential = true
	if !v.Primary {
		v.Outcome, v.FurtherPairs = NoVerdict, 0
		return nil
	}
	e, err := c.process(pairs)
	if err != nil {
		return err
	}
	o.Alpha /= float64(arms)
	outcome, err := e.Outcome(o)
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	v.Outcome = outcome
	v.P = e.P()
	v.AdjustedP = min(1, e.P()*float64(arms))
	return nil
}

// process observes clusters in the order of cells, up to the first that is not complete.
func (c *Compare) process(pairs []pairing) (stats.EProcess, error) {
	e, err := stats.NewEProcess(c.Range)
	if err != nil {
		return e, fmt.Errorf("compare: %w", err)
	}
	var order []string
	clusters := map[string][]pairing{}
	for _, p := range pairs {
		if clusters[p.cluster] == nil {
			order = append(order, p.cluster)
		}
		clusters[p.cluster] = append(clusters[p.cluster], p)
	}
	for _, name := range order {
		if slices.ContainsFunc(clusters[name], pairing.open) {
			break
		}
		values, _, _ := valuesIn(clusters[name], c.Primary)
		if len(values) == 0 {
			continue
		}
		e, err = e.Observe(values...)
		if err != nil {
			return e, fmt.Errorf("compare: %w", err)
		}
	}
	return e, nil
}

// passes is how reliably an arm passes; nil without a scored run.
func (c *Compare) passes(pairs []pairing, m report.Metric, side func(pairing) *Result) *Passes {
	byInstance := map[string]*stats.Attempts{}
	out := Passes{}
	for _, p := range pairs {
		r := side(p)
		if r == nil || !r.Scored() {
			continue
		}
		value, known := r.Metrics.Get(c.Primary)
		if !known {
			continue
		}
		a := byInstance[p.instance]
		if a == nil {
			a = &stats.Attempts{}
			byInstance[p.instance] = a
		}
		a.Tried++
		out.Runs++
		lower := m.Better == report.Lower
		if value >= *c.PassAt && !lower || value <= *c.PassAt && lower {
			a.Passed++
			out.Passed++
		}
	}
	if out.Runs == 0 {
		return nil
	}
	out.Rate, out.K = stats.Wilson(out.Passed, out.Runs, 0.05), out.Runs
	var attempts []stats.Attempts
	for _, instance := range slices.Sorted(maps.Keys(byInstance)) {
		attempts = append(attempts, *byInstance[instance])
		out.K = min(out.K, byInstance[instance].Tried)
	}
	out.PassK, _ = stats.PassK(attempts, out.K) // every instance has that many
	return &out
}

// decided says that the primary metric of every arm is decided. The error is that of [Comparisons].
func decided(c *Compare, known report.MetricList, cells []Cell, results []Result) (bool, error) {
	list, err := Comparisons(c, known, cells, results)
	if err != nil || len(list) == 0 {
		return false, err
	}
	return !slices.ContainsFunc(list, func(one Comparison) bool {
		return !one.Metrics[0].Outcome.Differs()
	}), nil
}
