package batch

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"example.com/agentworld/baseline"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
)

// obstacle is why pairs allow no verdict, empty if they do: scenarios of one world, which would count twice, or runs
// that do not say what shaped them.
func (c *Compare) obstacle(pairs []pairing) string {
	shapeless := 0
	for _, p := range pairs {
		for _, r := range []*Result{p.arm, p.base} {
			if r != nil && r.Scored() && r.Shape == "" {
				shapeless++
			}
		}
	}
	if twice := twins(pairs); twice != "" {
		return twice
	}
	if c.declared != nil && shapeless > 0 {
		return fmt.Sprintf("%d of the results are of an earlier version: they do not say what shaped their runs", shapeless)
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
		if d.What == whatCaps && (d.Arm == "" || d.Baseline == "") {
			capped, caps := c.Arm, d.Arm
			if caps == "" {
				capped = c.Baseline
				caps = d.Baseline
			}
			notes = append(notes, fmt.Sprintf("only %s has caps (%s): where they end its runs, these are scored as if nobody "+
				"had acted on", one(capped), one(caps)))
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
func (c *Compare) lacking(all []pairing, metric string) []string {
	has := func(r *Result) bool {
		_, known := r.Metrics.Get(metric)
		for _, ofSeat := range c.Seats {
			_, one := r.Metrics.Get(ofSeat)
			known = known && one
		}
		return known || strings.HasPrefix(metric, report.AcceptedPrefix)
	}
	scored, without := 0, 0
	short := 0
	taskless, boundless := map[string]bool{}, map[string]bool{}
	for _, p := range all {
		if !p.scored() {
			continue
		}
		scored++
		if has(p.arm) && has(p.base) {
			continue
		}
		without++
		_, score := p.base.Metrics.Get(report.MetricScore)
		switch {
		case p.arm.CutShort || p.base.CutShort:
			short++
		case metric != report.MetricScore && metric != report.MetricScoreShare: // a word for each would be a guess
		case score:
			boundless[one(p.base.Scenario)] = true
		default:
			taskless[one(p.base.Scenario)] = true
		}
	}
	if without == 0 {
		return nil
	}
	var why []string
	if short > 0 {
		why = append(why, fmt.Sprintf("the runs of %d were cut short, with fewer ticks than their task", short))
	}
	if len(taskless) > 0 {
		why = append(why, "there is no task in "+enumerated(taskless, ", "))
	}
	if len(boundless) > 0 {
		why = append(why, "nothing bounds the score of "+enumerated(boundless, ", "))
	}
	text := fmt.Sprintf("%d of %s without a %s", without, plaintext.Count(scored, "pair"), metric)
	if len(why) > 0 {
		text += ": " + strings.Join(why, "; ")
	}
	return []string{text}
}

// worldMetrics are the metrics that two worlds of the same bytes cannot differ in.
var worldMetrics = []string{"score", "score_share", "goals_met", "goals_share"}

// judge adds the verdicts on some metrics to comparisons, adjusted for all of them together. A
// metric that no pair has is left out, unless it is the primary one.
func (c *Compare) judge(list []Comparison, paired [][]pairing, known report.MetricList, names []string) error {
	var tested []stats.Metric
	type place struct{ comparison, metric int }
	var places []place
	for i := range list {
		for _, name := range names {
			m, _ := known.Named(name)
			pairs := c.values(paired[i], name)
			if len(pairs) == 0 && name != c.Primary {
				continue
			}
			v := MetricVerdict{Metric: name, Unit: m.Unit, Primary: name == c.Primary, Sequential: c.StopWhenDecided}
			v.ArmMean, v.BaselineMean = means(pairs)
			if v.Primary && c.PassAt != nil {
				v.ArmPass = c.passes(paired[i], m, func(p pairing) *Result { return p.arm })
				v.BaselinePass = c.passes(paired[i], m, func(p pairing) *Result { return p.base })
			}
			o := c.options(m)
			if v.Primary {
				list[i].Notes = append(list[i].Notes, c.lacking(paired[i], name)...)
				if o.Range == 0 && name == "score" {
					o.Range = scoreRange(paired[i])
				}
				list[i].unanswered(c, pairs, &o)
				if c.StopWhenDecided {
					pairs = c.values(inOrder(paired[i]), name)
				}
			}
			row := stats.Metric{Pairs: pairs, Options: o}
			if slices.Contains(worldMetrics, name) && sameWorlds(paired[i]) && list[i].Why == "" {
				// It is not tested, and costs the others nothing.
				alone, err := stats.CompareAll([]stats.Metric{row})
				if err != nil {
					return fmt.Errorf("compare: %w", err)
				}
				v.Verdict = alone[0]
				v.withhold(Identical)
				v.Interval = nil // there is nothing to estimate
				list[i].Metrics = append(list[i].Metrics, v)
				continue
			}
			list[i].Metrics = append(list[i].Metrics, v)
			tested = append(tested, row)
			places = append(places, place{i, len(list[i].Metrics) - 1})
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
		if one.Why != "" || c.StopWhenDecided && !v.Primary { // the primary one chose when to stop
			v.withhold(NoVerdict)
		}
	}
	return nil
}

// withhold gives a verdict an outcome in place of that of its test.
func (v *MetricVerdict) withhold(outcome stats.Outcome) {
	v.Outcome = outcome
	v.FurtherPairs = 0
	v.Detectable = 0
}

// options says how a metric is judged.
func (c *Compare) options(m report.Metric) stats.Options {
	o := stats.Options{Alpha: c.Alpha, LowerIsBetter: m.Better == report.Lower, Undirected: m.Better == report.Neither,
		Range: m.Range}
	if m.Name == c.Primary {
		o.Claim = stats.Claim(c.Claim)
		o.Sequential = c.StopWhenDecided
		o.Margin = c.Margin
		o.Effect = c.Effect
		o.Range = c.Range
	}
	return o
}

// scoreRange is how much scores of the instances of some pairs can differ at most, by their bounds; 0 if that
// is not known. No score is below 0.
func scoreRange(pairs []pairing) float64 {
	most := int64(0)
	for _, p := range pairs {
		if !p.scored() {
			continue
		}
		bound := max(p.arm.ScoreBound, p.base.ScoreBound)
		if bound == 0 {
			return 0
		}
		most = max(most, bound)
	}
	return float64(most)
}

// unanswered says which questions of a comparison about its primary metric have no answer, and takes them out of
// the options.
func (one *Comparison) unanswered(c *Compare, pairs []stats.Pair, o *stats.Options) {
	for _, p := range pairs {
		if d := math.Abs(p.A - p.B); o.Range > 0 && d > o.Range {
			one.Why = fmt.Sprintf("a difference of %s in %s is outside of the range of %s", number(d), c.Primary,
				number(o.Range))
			o.Range = 0
		}
	}
	if o.Range > 0 || len(pairs) == 0 {
		return
	}
	if o.Claim == stats.ClaimMean && one.Why == "" {
		one.Why = "a claim about the mean needs the range of " + c.Primary + ": range under compare, or scores with a bound"
	}
	o.Claim = stats.ClaimArms
	if c.Margin > 0 {
		one.Notes = append(one.Notes, notOffered(c.Primary))
	}
}

// inOrder are the pairs of the clusters before the first that is not complete: an e-process takes them in their
// order, whichever ended first.
func inOrder(pairs []pairing) []pairing {
	open := map[string]bool{}
	for _, p := range pairs {
		open[p.cluster] = open[p.cluster] || p.open()
	}
	// The pairs of a cluster need not be neighbours.
	seen := map[string]bool{}
	for _, p := range pairs {
		if open[p.cluster] {
			break
		}
		seen[p.cluster] = true
	}
	return slices.DeleteFunc(slices.Clone(pairs), func(p pairing) bool { return !seen[p.cluster] })
}

// sameWorlds says that all worlds of pairs that count are the same bytes.
func sameWorlds(pairs []pairing) bool {
	scored := slices.ContainsFunc(pairs, pairing.scored)
	return scored && !slices.ContainsFunc(pairs, func(p pairing) bool { return p.scored() && !p.identical() })
}

// values are the pairs of values that are compared: of a metric in both runs, or of players that shared them.
func (c *Compare) values(all []pairing, name string) []stats.Pair {
	if c.Seats != nil {
		return c.seatValues(all)
	}
	return valuesIn(all, name)
}

// valuesIn are the pairs in which both runs have a metric.
func valuesIn(all []pairing, name string) (pairs []stats.Pair) {
	pairs = make([]stats.Pair, 0, len(all))
	arm, base := column{name: name}, column{name: name}
	counted := strings.HasPrefix(name, report.AcceptedPrefix) // a run without such actions has none of them
	for _, p := range all {
		if !p.scored() {
			continue
		}
		a, knownA := arm.of(p.arm.Metrics)
		b, knownB := base.of(p.base.Metrics)
		if counted || knownA && knownB {
			pairs = append(pairs, stats.Pair{Cluster: p.cluster, A: a, B: b, Stratum: p.stratum})
		}
	}
	return pairs
}

// means are those of both sides over clusters, whose difference is that of the verdict. They are 0 if a score
// is none, which [stats.CompareAll] says.
func means(pairs []stats.Pair) (arm, base float64) {
	s, err := stats.NewSample(pairs)
	if err != nil {
		return 0, 0
	}
	return s.Means()
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
