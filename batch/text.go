package batch

import (
	"fmt"
	"slices"
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
	if s.Suite != nil {
		text += "; " + s.Suite.String()
	}
	return text
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

// comparisonTable is the verdicts.
func (s Summary) comparisonTable() plaintext.Table {
	t := plaintext.Table{
		Header: []string{"compared", "metric", "means", "difference", "interval", "p", "pairs", "verdict"}}
	for _, c := range s.Comparisons {
		t.Header[4] = fmt.Sprintf("%s%% interval", number(100*c.Confidence)) // one level for all
		t.Least = []string{"means", "pairs", "p", t.Header[4]}
		for _, v := range c.Metrics {
			name := v.Metric
			if v.Primary {
				name += " (primary)"
			}
			interval := "-"
			if v.Interval != nil {
				interval = number(v.Interval.Low) + " to " + number(v.Interval.High)
			}
			row := []string{
				fmt.Sprintf("%s against %s", one(c.Arm), one(c.Baseline)), name, number(v.ArmMean) + ", " + number(v.BaselineMean),
				number(v.Difference), interval, fmt.Sprintf("%.3f", v.AdjustedP), fmt.Sprint(v.Pairs), v.words(),
			}
			if v.Pairs == 0 {
				row[2] = "-"
				row[3] = "-"
				row[5] = "-"
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// words is the verdict for people.
func (v MetricVerdict) words() string {
	switch v.Outcome {
	case NoVerdict:
		return "no verdict"
	case stats.TooFew:
		return fmt.Sprintf("too few; at least %s", plaintext.Count(v.FurtherPairs, "pair more"))
	case stats.Undecided:
		if v.Interval != nil && v.Interval.Low == 0 && v.Interval.High == 0 {
			return "undecided; equal in every pair"
		}
		if v.Sequential {
			return "undecided so far"
		}
		if v.FurtherPairs >= stats.ClustersMax {
			return "undecided; no number of pairs would tell"
		}
		if v.FurtherPairs == 0 {
			return "undecided; enough pairs for the effect that was asked for"
		}
		return fmt.Sprintf("undecided; %s for 80%% power", plaintext.Count(v.FurtherPairs, "pair more"))
	}
	return string(v.Outcome)
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
			if note != embeddedNote { // it stands at the top
				lines = append(lines, who+note)
			}
		}
		if c.Open+c.Failed > 0 {
			lines = append(lines, fmt.Sprintf("%sof %d pairs %d are to play and %d ended without a score", who, c.Pairs, c.Open,
				c.Failed))
		}
		for _, v := range c.Metrics {
			if v.ArmPass != nil && v.BaselinePass != nil {
				lines = append(lines, fmt.Sprintf("%spassed %s, and %s", who, v.ArmPass.words(), v.BaselinePass.words()))
			}
			if v.Sequential && v.Primary {
				lines = append(lines, who+"judged by an e-process, which may be looked at at any time; the other metrics are "+
					"shown without a verdict")
			}
		}
	}
	return lines
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
	for _, names := range []*[]string{&t.Header, &t.Least} {
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
	b.WriteString("\n")
	writeTable(&b, s.armTable(), columns)
	writeTable(&b, s.comparisonTable(), columns)
	for _, line := range s.remarks() {
		plaintext.Fprintf(&b, "%s\n", line)
	}
	if len(s.remarks()) > 0 {
		b.WriteString("\n")
	}
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
