package batch

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
)

// Formats are the names of the forms in which a summary can be written.
var Formats = []string{"text", "json", "csv", "junit", "markdown", "html"}

// Write returns the summary in a format. It panics on one that is not in [Formats].
func (s Summary) Write(format string) []byte {
	switch format {
	case "text":
		return []byte(s.Text(0))
	case "json":
		return s.JSON()
	case "csv":
		return s.CSV()
	case "junit":
		return s.JUnit()
	case "markdown":
		return []byte(s.Markdown())
	case "html":
		return s.HTML()
	}
	panic("batch: unknown format " + format)
}

// JSON is the whole summary, indented, with a line feed at its end.
func (s Summary) JSON() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		panic("batch: a summary cannot be encoded: " + err.Error())
	}
	return b.Bytes()
}

// CSV is one row for each result, with a header; metrics that a run does not have are empty. A text
// that a spreadsheet would take for a formula begins with an apostrophe.
func (s Summary) CSV() []byte {
	var axes, names []string
	for _, r := range s.Results {
		for _, l := range r.Labels {
			if !slices.Contains(axes, l.Axis) {
				axes = append(axes, l.Axis)
			}
		}
	}
	for _, m := range report.AllMetrics(s.OwnMetrics...) {
		if slices.ContainsFunc(s.Results, func(r Result) bool { _, ok := r.Metrics.Get(m.Name); return ok }) {
			names = append(names, m.Name)
		}
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := []string{"cell", "scenario", "seed", "repeat"}
	for _, axis := range axes {
		header = append(header, plaintext.Cell(axis))
	}
	header = append(header, "status", "reason", "model", "answered", "model_source", "digest", "run_calls", "run_tokens",
		"run_cost_micros", "currency", "cut_short")
	_ = w.Write(append(header, names...)) // into a buffer, as below
	for _, r := range s.Results {
		row := []string{plaintext.Cell(string(r.ID)), plaintext.Cell(r.Scenario), strconv.FormatUint(r.Seed, 10),
			strconv.FormatInt(r.Repeat, 10)}
		for _, axis := range axes {
			row = append(row, plaintext.Cell(r.Label(axis)))
		}
		row = append(row, string(r.Status), plaintext.Cell(r.Reason), plaintext.Cell(r.Model),
			plaintext.Cell(strings.Join(r.Answered, " ")), string(r.ModelSource),
			r.Digest,
			strconv.FormatInt(r.Calls, 10), strconv.FormatInt(r.Tokens, 10), strconv.FormatInt(r.CostMicros, 10),
			plaintext.Cell(r.Currency), strconv.FormatBool(r.CutShort))
		for _, name := range names {
			cell := ""
			if v, ok := r.Metrics.Get(name); ok {
				cell = strconv.FormatFloat(v, 'g', -1, 64)
			}
			row = append(row, cell)
		}
		_ = w.Write(row)
	}
	w.Flush()
	return b.Bytes()
}

// The elements of a JUnit file, as CI systems read it.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
		Out      string      `xml:"system-out,omitempty"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr,omitempty"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"`
		Skipped *junitMessage `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
	}
)

// slowestMost bounds the cells with a score that a JUnit file has.
const slowestMost = 100

// JUnit has a test case for each gate, each comparison, each cell that ended without a score, and the slowest
// others with their seconds. What is undecided is skipped with a message, a failed cell is an error, and so is a
// side that is worse than another one where no gate says what holds.
func (s Summary) JUnit() []byte {
	suite := junitSuite{Name: "batch " + one(s.Name)}
	if s.Suite != nil {
		suite.Name += ", " + s.Suite.String()
	}
	if s.Scripted {
		suite.Out = scriptedNote
	}
	for _, g := range s.Gates {
		c := junitCase{Class: "gates", Name: one(g.Gate), Out: one(g.Why)}
		switch g.Verdict {
		case GateFailed:
			c.Failure = &junitMessage{one(g.Why)}
		case Undecided:
			c.Skipped = &junitMessage{"undecided: " + one(g.Why)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, compared := range s.Comparisons {
		for _, v := range compared.Metrics {
			c := junitCase{Class: "comparisons",
				Name: fmt.Sprintf("%s of %s against %s", v.Metric, one(compared.Arm), one(compared.Baseline)),
				Out: fmt.Sprintf("%s: difference %s over %d pairs, p %s", compared.words(v), number(v.Difference), v.Pairs,
					pText(v.AdjustedP))}
			switch v.Outcome {
			case stats.Worse:
				ofBaseline := compared.Axis == SideAxis && compared.Baseline == s.Comparisons[0].Baseline
				if ofBaseline && v.Primary && len(s.Gates) == 0 {
					c.Failure = &junitMessage{v.words()}
				}
			case NoVerdict, stats.TooFew, stats.Undecided:
				why := compared.words(v)
				for _, reason := range []string{compared.Why, v.Why} {
					if reason != "" {
						why += ": " + one(reason)
					}
				}
				c.Skipped = &junitMessage{why}
			}
			suite.Cases = append(suite.Cases, c)
		}
	}
	suite.Cases = append(suite.Cases, s.junitCells()...)
	for _, c := range suite.Cases {
		suite.Tests++
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		panic("batch: a JUnit file cannot be encoded: " + err.Error())
	}
	return slices.Concat([]byte(xml.Header), text, []byte("\n"))
}

// junitCells are the cells that ended without a score, and the slowest of the others.
func (s Summary) junitCells() (list []junitCase) {
	var scored []*Result
	for i := range s.Results {
		r := &s.Results[i]
		if r.Scored() {
			scored = append(scored, r)
			continue
		}
		list = append(list, junitCase{Class: "cells", Name: one(r.Name()), Time: seconds(r.WallMS),
			Error: &junitMessage{one(string(r.Status) + ": " + r.Reason)}})
	}
	slices.SortStableFunc(scored, func(a, b *Result) int { return cmp.Compare(b.WallMS, a.WallMS) })
	for _, r := range scored[:min(len(scored), slowestMost)] {
		list = append(list, junitCase{Class: "cells", Name: one(r.Name()), Time: seconds(r.WallMS)})
	}
	return list
}

// seconds are some milliseconds as JUnit has them.
func seconds(ms int64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', 3, 64) }

// markdownMost is the most that is written, in bytes: a job summary takes 1,024 KiB.
const markdownMost = 1000 << 10

// Markdown is the summary for a pull request or a job summary, at most markdownMost bytes. Texts of
// others are escaped, so that they make no markup and no links.
func (s Summary) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Batch %s\n\n", marked(s.Name))
	if len(s.Gates) > 0 {
		fmt.Fprintf(&b, "Gates: **%s**\n\n", s.Verdict)
	}
	fmt.Fprintf(&b, "%s\n\n", marked(s.head()))
	if s.Scripted {
		fmt.Fprintf(&b, "Note: %s.\n\n", scriptedNote)
	}
	for _, line := range s.opening() {
		fmt.Fprintf(&b, "%s\n\n", marked(line.String()))
	}
	failures, omitted := s.failureTable()
	for _, t := range []plaintext.Table{s.gateTable(), s.rankTable(), s.comparisonTable(), s.armTable(), failures} {
		if b.Len() < markdownMost/2 {
			writeMarkdown(&b, t)
		}
	}
	if omitted > 0 {
		fmt.Fprintf(&b, "And %d failed cells more.\n\n", omitted)
	}
	for _, line := range s.remarks() {
		fmt.Fprintf(&b, "- %s\n", marked(line))
	}
	if s.Methods != "" {
		fmt.Fprintf(&b, "- methods: %s\n", marked(s.Methods))
	}
	if b.Len() <= markdownMost {
		return b.String()
	}
	const cut = "\n\nCut: the rest is in the other formats.\n"
	return strings.ToValidUTF8(b.String()[:markdownMost-len(cut)], "") + cut
}

// writeMarkdown writes a table; nothing without rows.
func writeMarkdown(b *strings.Builder, t plaintext.Table) {
	if len(t.Rows) == 0 {
		return
	}
	row := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + marked(cell) + " ")
		}
		b.WriteString("|\n")
	}
	row(t.Header)
	b.WriteString(strings.Repeat("| --- ", len(t.Header)) + "|\n")
	most := markdownMost / 4
	for i, cells := range t.Rows {
		if b.Len() > most {
			fmt.Fprintf(b, "\n%d rows more.\n", len(t.Rows)-i)
			break
		}
		row(cells)
	}
	b.WriteString("\n")
}

// marked is a text of others on one line that is no markup: every character that begins some is
// written as a reference.
func marked(text string) string {
	var b strings.Builder
	for _, r := range one(text) {
		if strings.ContainsRune("\\`*_{}[]<>()#+!|~&@:/", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
