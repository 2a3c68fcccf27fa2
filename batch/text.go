package batch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report/stats"
)

// ShownMetrics are the columns of the table of arms, and what is compared by default. The
// other outputs have every metric.
var ShownMetrics = []string{"score", "score_share", "goals_met", "degraded_share", "parse_errors", "calls", "tokens",
	"cost"}

// shown are [ShownMetrics] and after them those of somebody's own.
func (s Summary) shown() []string {
	names := slices.Clone(ShownMetrics)
	for _, o := range s.OwnMetrics {
		names = append(names, o.Name)
	}
	return names
}

// listedMost bounds the failures that are listed for people.
const listedMost = 20

// one is a text of others on one line.
func one(text string) string { return plaintext.Line(plaintext.Clip(text, 300)) }

// head is the first line for people.
func (s Summary) head() string {
	short := ""
	if s.CutShort > 0 {
		short = fmt.Sprintf(" (%d cut short)", s.CutShort)
	}
	text := fmt.Sprintf("%s, %d scored%s, %d failed, %d to play", plaintext.Count(s.Cells, "cell"), s.Scored, short,
		s.Failed, s.Cells-s.Scored-s.Failed)
	text += fmt.Sprintf("; %s, %s", plaintext.Count(s.Calls, "call"), plaintext.Count(s.Tokens, "token"))
	if s.Currency != "" {
		text += fmt.Sprintf(", %s %s", price.FromMicros(s.CostMicros), one(s.Currency))
	}
	if v := s.InVain; v.Used+v.Calls+v.Open > 0 {
		text += "; " + v.text(s.Currency)
	}
	if s.Suite != nil {
		text += "; " + s.Suite.String()
	}
	return text
}

// text says what became of all calls asked ahead. currency is that of costs, empty without prices.
func (v InVain) text(currency string) string {
	took := plaintext.Count(v.Tokens, "token")
	if currency != "" {
		took += fmt.Sprintf(", %s %s", price.FromMicros(v.CostMicros), one(currency))
	}
	return fmt.Sprintf("%s asked ahead: %d used, and beside those above %d in vain (%s) and %d open",
		plaintext.Count(v.Used+v.Calls+v.Open, "call"), v.Used, v.Calls, took, v.Open)
}

// scriptedNote is what has to be said about the embedded model.
const scriptedNote = "the embedded model answered: evidence about the wiring, none about a model"

// armTable is the means by arm.
func (s Summary) armTable() plaintext.Table {
	t := plaintext.Table{Header: []string{"arm", "cells", "scored", "failed"}}
	if s.CutShort > 0 {
		t.Header = append(t.Header, "cut short")
	}
	var columns []string
	for _, name := range s.shown() {
		for _, a := range s.Arms {
			if _, ok := a.mean(name); ok {
				columns = append(columns, name)
				break
			}
		}
	}
	t.Header = append(t.Header, columns...)
	for _, name := range slices.Backward(columns[min(1, len(columns)):]) {
		t.Least = append(t.Least, name)
	}
	t.Least = append(t.Least, "cells")
	for _, a := range s.Arms {
		row := []string{one(a.Arm), fmt.Sprint(a.Cells), fmt.Sprint(a.Scored), fmt.Sprint(a.Failed)}
		if s.CutShort > 0 {
			row = append(row, fmt.Sprint(a.CutShort))
		}
		for _, name := range columns {
			cell := "-"
			if m, ok := a.mean(name); ok {
				cell = number(m.Mean)
				if m.N > 1 {
					cell += " ± " + number(m.SD)
				}
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// mean is that of a metric; false if no cell has it.
func (a ArmSummary) mean(name string) (MetricMean, bool) {
	for _, m := range a.Metrics {
		if m.Metric == name {
			return m, true
		}
	}
	return MetricMean{}, false
}

// rankTable is the arms by place, if several are ranked.
func (s Summary) rankTable() plaintext.Table {
	t := plaintext.Table{Header: []string{"place", "arm", s.Ranked, "not told apart"}, Names: []string{"arm"}}
	for _, r := range s.Ranks {
		place := strconv.Itoa(r.Low)
		if r.High > r.Low {
			place += " to " + strconv.Itoa(r.High)
		}
		var groups []string
		for _, group := range r.Groups {
			groups = append(groups, "group "+strconv.Itoa(group))
		}
		t.Rows = append(t.Rows, []string{place, one(r.Arm), number(r.Mean), strings.Join(groups, ", ")})
	}
	return t
}

// comparisonTable is the verdicts: those on the primary metric first if several arms are ranked.
func (s Summary) comparisonTable() plaintext.Table {
	t := plaintext.Table{Header: []string{"arm", "against", "metric", "means", "difference", s.intervalHeader(), "p",
		"pairs", "verdict"}, Least: []string{"means", "pairs", "difference"}, Names: []string{"arm", "against", "metric"}}
	var rest [][]string
	for _, c := range s.Comparisons {
		for _, v := range c.Metrics {
			if row := c.row(v); v.Primary || len(s.Ranks) == 0 {
				t.Rows = append(t.Rows, row)
			} else {
				rest = append(rest, row)
			}
		}
	}
	t.Rows = append(t.Rows, rest...)
	return t
}

// intervalHeader names the confidence of all intervals, if it is the same.
func (s Summary) intervalHeader() string {
	low, high := s.levels()
	if low != high || high == 0 {
		return "interval"
	}
	return fmt.Sprintf("%s%% interval", number(100*(1-high)))
}

// levels are the smallest and largest level of all verdicts with an interval, 0 without any.
func (s Summary) levels() (low, high float64) {
	for _, c := range s.Comparisons {
		for _, v := range c.Metrics {
			switch {
			case v.Interval == nil:
			case high == 0:
				low = v.Level
				high = v.Level
			default:
				low = min(low, v.Level)
				high = max(high, v.Level)
			}
		}
	}
	return low, high
}

// primaryMark is on the metric that decides.
const primaryMark = "*"

// row is the verdict on a metric.
func (c Comparison) row(v MetricVerdict) []string {
	name := v.Metric
	if v.PerTick {
		name += " per active tick"
	}
	if v.Primary {
		name += primaryMark
	}
	interval, p := "-", pText(v.AdjustedP)
	// Numbers of a test beside "no verdict" are read as one.
	if v.Outcome == NoVerdict {
		p = "-"
	} else if v.Interval != nil {
		interval = number(v.Interval.Low) + " to " + number(v.Interval.High)
	}
	row := []string{
		one(c.Arm), one(c.Baseline), name, number(v.ArmMean) + ", " + number(v.BaselineMean), number(v.Difference), interval,
		p, fmt.Sprint(v.Pairs), c.words(v),
	}
	if v.Pairs == 0 {
		row[3] = "-"
		row[4] = "-"
		row[6] = "-"
	}
	return row
}

// pText is a p-value for people.
func pText(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// words is a verdict for people, which says if pairs are still to play. One of an e-process holds.
func (c Comparison) words(v MetricVerdict) string {
	text := v.words()
	if c.Open == 0 || v.Outcome == NoVerdict || v.Sequential && v.Outcome != stats.Undecided {
		return text
	}
	verdict, rest, _ := strings.Cut(text, ";")
	if rest != "" {
		rest = ";" + rest
	}
	return verdict + " so far" + rest
}

// words is the verdict for people.
func (v MetricVerdict) words() string {
	switch v.Outcome {
	case NoVerdict:
		return "no verdict"
	case Identical:
		return "identical in the world"
	case stats.NotWorse:
		return "not worse"
	case stats.TooFew:
		return fmt.Sprintf("too few; at least %s", plaintext.Count(v.FurtherPairs, "pair more"))
	case stats.Undecided:
		return v.prospects()
	}
	return string(v.Outcome)
}

// prospects is an undecided verdict, with what could have been found.
func (v MetricVerdict) prospects() string {
	found := fmt.Sprintf("; 80%% power for a difference of %s", number(v.Detectable))
	switch {
	case v.Interval != nil && v.Interval.Low == 0 && v.Interval.High == 0:
		return "undecided; equal in every pair"
	case v.FurtherPairs >= stats.ClustersMax:
		return "undecided; no number of pairs would tell" + found
	case v.FurtherPairs > 0 && v.Detectable == 0:
		return fmt.Sprintf("undecided; at least %s", plaintext.Count(v.FurtherPairs, "pair more"))
	case v.FurtherPairs > 0:
		return fmt.Sprintf("undecided; %s for the effect that was asked for", plaintext.Count(v.FurtherPairs, "pair more"))
	case v.Detectable == 0:
		return "undecided"
	}
	return "undecided" + found
}

// remarks are the lines below the verdicts: why there is none, and what they rest on.
func (s Summary) remarks() (lines []string) {
	for _, u := range s.Unmeasured {
		lines = append(lines, fmt.Sprintf("%s of %s has no value: %s", one(u.Metric), plaintext.Count(u.Runs, "run"),
			one(u.Why)))
	}
	for _, c := range s.Comparisons {
		who := fmt.Sprintf("%s against %s: ", one(c.Arm), one(c.Baseline))
		if c.Why != "" {
			lines = append(lines, who+"no verdict: "+one(c.Why))
		}
		for _, note := range c.Notes {
			if note != embeddedNote { // which is at the top
				lines = append(lines, who+note)
			}
		}
		if c.Open+c.Failed > 0 {
			lines = append(lines, fmt.Sprintf("%sof %d pairs %d are to play and %d ended without a score", who, c.Pairs, c.Open,
				c.Failed))
		}
		for i, v := range c.Metrics {
			same := func(before MetricVerdict) bool { return before.Why == v.Why }
			if v.Why != "" && !slices.ContainsFunc(c.Metrics[:i], same) {
				lines = append(lines, who+"no verdict on "+c.unjudged(v.Why)+": "+one(v.Why))
			}
			if v.ArmPass != nil && v.BaselinePass != nil {
				lines = append(lines, fmt.Sprintf("%spassed %s, and %s", who, v.ArmPass.words(), v.BaselinePass.words()))
			}
		}
	}
	return lines
}

// unjudged are the metrics that have no verdict for a reason.
func (c Comparison) unjudged(why string) string {
	var names []string
	for _, v := range c.Metrics {
		if v.Why == why {
			names = append(names, v.Metric)
		}
	}
	return strings.Join(names, ", ")
}

// words is how reliably an arm passes, for people.
func (p Passes) words() string {
	text := fmt.Sprintf("%d of %d (%.0f%% to %.0f%%)", p.Passed, p.Runs, 100*p.Rate.Low, 100*p.Rate.High)
	if p.K > 1 {
		text += fmt.Sprintf(", all of %d repeats %.0f%%", p.K, 100*p.PassK)
	}
	return text
}

// gateTable is the gates.
func (s Summary) gateTable() plaintext.Table {
	t := plaintext.Table{Header: []string{"gate", "verdict", "why"}}
	for _, g := range s.Gates {
		t.Rows = append(t.Rows, []string{one(g.Gate), string(g.Verdict), one(g.Why)})
	}
	return t
}

// failureTable is the cells that ended without a score, up to listedMost.
func (s Summary) failureTable() (t plaintext.Table, omitted int) {
	t.Header = []string{"failed cell", "status", "reason"}
	for _, f := range s.Failures[:min(len(s.Failures), listedMost)] {
		t.Rows = append(t.Rows, []string{one(f.Name), string(f.Status), one(f.Reason)})
	}
	return t, len(s.Failures) - len(t.Rows)
}

// writeTable writes a table with aligned columns and an empty line after it; nothing without rows.
func writeTable(b *strings.Builder, t plaintext.Table, columns int) {
	for _, names := range []*[]string{&t.Header, &t.Least, &t.Names} {
		*names = slices.Clone(*names)
		for i, name := range *names {
			(*names)[i] = strings.ToUpper(name)
		}
	}
	if text := t.Text(columns); text != "" {
		b.WriteString(text + "\n")
	}
}

// Text is the summary for people. Its tables fit a terminal of so many columns, where columns is not 0.
func (s Summary) Text(columns int) string {
	var b strings.Builder
	plaintext.Fprintf(&b, "batch    %s\ncells    %s\n", one(s.Name), s.head())
	if s.Scripted {
		plaintext.Fprintf(&b, "note     %s\n", scriptedNote)
	}
	for _, line := range s.opening() {
		plaintext.Fprintf(&b, "%-8s %s\n", line.about, line.text)
	}
	b.WriteString("\n")
	writeTable(&b, s.armTable(), columns)
	writeTable(&b, s.rankTable(), columns)
	writeTable(&b, s.comparisonTable(), columns)
	prose := func(lines ...string) {
		for _, line := range lines {
			for _, part := range plaintext.Broken(line, columns) {
				plaintext.Fprintf(&b, "%s\n", part)
			}
		}
		if len(lines) > 0 {
			b.WriteString("\n")
		}
	}
	if s.Methods != "" {
		prose("methods  " + s.Methods)
	}
	prose(s.remarks()...)
	writeTable(&b, s.gateTable(), columns)
	failures, omitted := s.failureTable()
	writeTable(&b, failures, columns)
	if omitted > 0 {
		plaintext.Fprintf(&b, "and %d failed cells more\n\n", omitted)
	}
	if len(s.Gates) > 0 {
		plaintext.Fprintf(&b, "gates    %s\n", s.Verdict)
	}
	return b.String()
}
