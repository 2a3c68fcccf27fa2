package batch

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
	"example.com/agentworld/trace"
)

// SummaryVersion is the version of [Summary]'s JSON. It grows when a field changes its meaning or
// goes away. summary.schema.json is the JSON Schema (draft 2020-12) of it.
const SummaryVersion = 2

// Verdict on a batch or a gate.
type Verdict string

// The verdicts on gates and batches.
const (
	// Passed: every gate holds.
	Passed Verdict = "passed"
	// GateFailed: a gate does not hold.
	GateFailed Verdict = "failed"
	// Undecided: a gate has no answer yet, or the results allow none.
	Undecided Verdict = "undecided"
)

// Summary is a batch in numbers: what all outputs show. Lists are never null.
type Summary struct {
	// SummaryVersion is the version of this format.
	SummaryVersion int `json:"summary_version"`
	// Name is the name of the batch.
	Name string `json:"name"`
	// Suite is the suite that the batch plays, with the hash of what was played; null for none.
	Suite *SuiteMark `json:"suite"`
	// Verdict is that of all gates; passed without any.
	Verdict Verdict `json:"verdict"`
	// Scripted says that the embedded model answered in some run: evidence about the wiring and
	// none about a model.
	Scripted bool `json:"scripted"`
	// Cells counts all cells, Scored those with a score, Failed those that ended without one. The
	// others have not been played to their end.
	Cells  int `json:"cells"`
	Scored int `json:"scored"`
	Failed int `json:"failed"`
	// CutShort counts those of the scored that had fewer ticks than their task.
	CutShort int `json:"cut_short"`
	// Calls, Tokens and CostMicros are what the cells with a result took. Currency is empty without
	// prices.
	Calls      int64  `json:"calls"`
	Tokens     int64  `json:"tokens"`
	CostMicros int64  `json:"cost_micros"`
	Currency   string `json:"currency"`
	// InVain is what was asked ahead of their runs and came to nothing, beside these.
	InVain InVain `json:"in_vain"`
	// OwnMetrics are the metrics of somebody's own that are known, without values.
	OwnMetrics []report.OwnMetric `json:"own_metrics"`
	// Unmeasured are those of them that some scored run has no value of since something went wrong.
	Unmeasured []Unmeasured `json:"unmeasured"`
	// Worlds are the scenarios of the cells, in the order of the file.
	Worlds []WorldCount `json:"worlds"`
	// Arms are the means by labels, in the order of the file.
	Arms []ArmSummary `json:"arms"`
	// Comparisons are the verdicts on the arms.
	Comparisons []Comparison `json:"comparisons"`
	// Ranks are the places of the arms by the metric Ranked, the best first, if all pairs of three and more
	// were compared.
	Ranks  []ArmRank `json:"ranks"`
	Ranked string    `json:"ranked"`
	// Methods is how the verdicts were found, and on what; empty without any.
	Methods string `json:"methods"`
	// Gates are the conditions of the file with their verdicts.
	Gates []GateResult `json:"gates"`
	// Failures are the cells that ended without a score.
	Failures []Failure `json:"failures"`
	// Results are all results, in the order of cells.
	Results []Result `json:"results"`
}

// WorldCount is how often a scenario is played by each arm.
type WorldCount struct {
	// Scenario is its name, as in the batch file.
	Scenario string `json:"scenario"`
	// Instances counts its seeds, and Repeats the most runs of one.
	Instances int   `json:"instances"`
	Repeats   int64 `json:"repeats"`
}

// worldsOfCells counts what cells play.
func worldsOfCells(cells []Cell) []WorldCount {
	list := []WorldCount{}
	at := map[string]int{}
	seen := map[string]bool{}
	for _, c := range cells {
		i, known := at[c.Scenario]
		if !known {
			i = len(list)
			at[c.Scenario] = i
			list = append(list, WorldCount{Scenario: c.Scenario})
		}
		if !seen[c.instance()] {
			seen[c.instance()] = true
			list[i].Instances++
		}
		list[i].Repeats = max(list[i].Repeats, c.Repeat)
	}
	return list
}

// ArmSummary is all cells with the same labels.
type ArmSummary struct {
	// Arm is the labels as text.
	Arm string `json:"arm"`
	// Cells, Scored, Failed and CutShort count as in [Summary].
	Cells    int `json:"cells"`
	Scored   int `json:"scored"`
	Failed   int `json:"failed"`
	CutShort int `json:"cut_short"`
	// Metrics are the means over scored cells, in the order of [report.AllMetrics]; those that no
	// cell has are left out.
	Metrics []MetricMean `json:"metrics"`
}

// MetricMean is the mean of a metric over scored cells.
type MetricMean struct {
	Metric string `json:"metric"`
	Unit   string `json:"unit"`
	// Mean and SD are the mean and standard deviation over N cells; SD is 0 of one.
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
	N    int     `json:"n"`
}

// Unmeasured is a metric that could not be computed for some runs.
type Unmeasured struct {
	Metric string `json:"metric"`
	// Runs counts them, Why is what went wrong with the first.
	Runs int    `json:"runs"`
	Why  string `json:"why"`
}

// GateResult is a gate with its verdict.
type GateResult struct {
	// Gate is the condition as text.
	Gate string `json:"gate"`
	// Verdict is passed, failed or undecided, Why what it rests on.
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"`
}

// Failure is a cell that ended without a score.
type Failure struct {
	Cell   ID              `json:"cell"`
	Name   string          `json:"name"`
	Status trace.RunStatus `json:"status"`
	Reason string          `json:"reason"`
}

// Name is the cell for people: scenario, seed, repeat and arm.
func (c Cell) Name() string {
	return fmt.Sprintf("%s, seed %d, repeat %d, %s", c.Scenario, c.Seed, c.Repeat, c.Arm())
}

// Summarize sums up a batch. Results of cells that are not in the batch do not count. The error
// says what the file asks for and cannot be compared.
func Summarize(f File, cells []Cell, results []Result) (Summary, error) {
	s := Summary{
		SummaryVersion: SummaryVersion, Name: f.Name, Suite: f.Suite, Cells: len(cells),
		Worlds:      worldsOfCells(cells),
		Comparisons: []Comparison{}, Ranks: []ArmRank{}, Arms: []ArmSummary{}, Gates: []GateResult{},
		Failures: []Failure{}, Results: []Result{},
		OwnMetrics: append([]report.OwnMetric{}, f.Metrics.Own()...), Unmeasured: []Unmeasured{},
	}
	known := f.known()
	compared, err := f.Compare.completed(cells, known)
	if err != nil {
		return Summary{}, err
	}
	s.Results = ofCells(cells, results)
	byID := indexed(s.Results)
	arms := map[string][]*Result{}
	for _, c := range cells {
		name := c.Arm()
		i := slices.IndexFunc(s.Arms, func(a ArmSummary) bool { return a.Arm == name })
		if i < 0 {
			i, s.Arms = len(s.Arms), append(s.Arms, ArmSummary{Arm: name})
		}
		arm := &s.Arms[i]
		arm.Cells++
		r := byID[c.ID]
		if r == nil {
			continue
		}
		s.Scripted = s.Scripted || r.ModelSource == trace.SourceScripted
		s.Calls += r.Calls
		s.Tokens += r.Tokens
		s.CostMicros += r.CostMicros
		s.InVain.add(r.InVain)
		if r.Currency != "" {
			s.Currency = r.Currency
		}
		if !r.Scored() {
			s.Failed, arm.Failed = s.Failed+1, arm.Failed+1
			s.Failures = append(s.Failures, Failure{c.ID, c.Name(), r.Status, r.Reason})
			continue
		}
		s.Scored, arm.Scored = s.Scored+1, arm.Scored+1
		if r.CutShort {
			s.CutShort, arm.CutShort = s.CutShort+1, arm.CutShort+1
		}
		arms[name] = append(arms[name], r)
		s.countUnmeasured(r)
	}
	for i := range s.Arms {
		s.Arms[i].Metrics = meansOf(known, arms[s.Arms[i].Arm])
	}
	if compared != nil {
		if err := s.compare(compared, known, cells, results); err != nil {
			return Summary{}, err
		}
	}
	s.Verdict = Passed
	for _, g := range f.Gates {
		result, err := g.check(s, f.Compare, known, cells)
		if err != nil {
			return Summary{}, fmt.Errorf("gate %q: %w", g.Text(), err)
		}
		s.Gates = append(s.Gates, result)
		if result.Verdict == GateFailed || result.Verdict == Undecided && s.Verdict == Passed {
			s.Verdict = result.Verdict
		}
	}
	return s, nil
}

// compare adds the comparisons of the arms, and their places.
func (s *Summary) compare(c *Compare, known report.MetricList, cells []Cell, results []Result) error {
	list, err := c.comparisons(known, cells, results)
	if err != nil || len(list) == 0 {
		return err
	}
	var inBatch []*Result
	for i := range s.Results {
		inBatch = append(inBatch, &s.Results[i])
	}
	s.Comparisons = list
	s.Ranks = c.ranksOf(known, valuesOf(cells, c.Axis), list, inBatch)
	if len(s.Ranks) > 0 {
		s.Ranked = c.Primary
	}
	c.sortByRank(s.Comparisons, s.Ranks)
	s.Methods = c.methods(*s, cells)
	return nil
}

// countUnmeasured counts what went wrong with the metrics of a run.
func (s *Summary) countUnmeasured(r *Result) {
	for _, o := range r.Own {
		if o.Error == "" || !slices.ContainsFunc(s.OwnMetrics, o.Same) {
			continue
		}
		i := slices.IndexFunc(s.Unmeasured, func(u Unmeasured) bool { return u.Metric == o.Name })
		if i < 0 {
			i = len(s.Unmeasured)
			s.Unmeasured = append(s.Unmeasured, Unmeasured{Metric: o.Name, Why: o.Error})
		}
		s.Unmeasured[i].Runs++
	}
}

// ofCells are the results of cells in their order: the list itself if it is that.
func ofCells(cells []Cell, results []Result) []Result {
	at := 0
	for _, c := range cells {
		if at < len(results) && results[at].ID == c.ID {
			at++
		}
	}
	if at == len(results) && results != nil {
		return results
	}
	byID := indexed(results)
	list := []Result{}
	for _, c := range cells {
		if r := byID[c.ID]; r != nil {
			list = append(list, *r)
		}
	}
	return list
}

// meansOf are the means of all metrics that some result has.
func meansOf(known report.MetricList, results []*Result) []MetricMean {
	list := []MetricMean{}
	var figures []float64
	for _, m := range known {
		figures = figuresOf(m, results, figures[:0])
		if len(figures) > 0 {
			list = append(list, meanOf(m, figures))
		}
	}
	return list
}

// figuresOf appends a metric of the results that have it to a list. A mean of many is found faster in a list: results
// are far apart in memory.
func figuresOf(m report.Metric, results []*Result, list []float64) []float64 {
	figure := column{name: m.Name}
	counted := strings.HasPrefix(m.Name, report.AcceptedPrefix) // a run without such actions has none of them
	for _, r := range results {
		if v, known := figure.of(r.Metrics); known || counted {
			list = append(list, v)
		}
	}
	return list
}

// meanOf is the mean of a metric over figures.
func meanOf(m report.Metric, values []float64) MetricMean {
	out := MetricMean{Metric: m.Name, Unit: m.Unit}
	if len(values) == 0 {
		return out
	}
	out.N = len(values)
	out.Mean = values[0]
	if slices.Min(values) == slices.Max(values) { // else many of them would seem to differ in the last digits
		return out
	}
	out.Mean = 0
	for _, v := range values {
		out.Mean += v
	}
	out.Mean /= float64(out.N)
	squares := 0.0
	for _, v := range values {
		squares += (v - out.Mean) * (v - out.Mean)
	}
	out.SD = math.Sqrt(squares / float64(out.N-1))
	return out
}

// implied are the verdicts that hold if another does.
var implied = map[stats.Outcome][]string{
	stats.Better:     {string(stats.NotWorse)},
	stats.Equivalent: {string(stats.NotWorse)},
	Identical:        {string(stats.Equivalent), string(stats.NotWorse)},
}

// or is v, or other if it is empty.
func (v Verdict) or(other Verdict) Verdict {
	if v == "" {
		return other
	}
	return v
}

// number is a figure for people, with at most four significant digits after the point.
func number(v float64) string {
	if small := math.Abs(v); small > 0 && small < 1e-4 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	digits := 0
	if v != math.Trunc(v) {
		digits = max(0, min(4, 3-int(math.Floor(math.Log10(math.Abs(v))))))
	}
	return fmt.Sprintf("%.*f", digits, v)
}
