package batch

import (
	"bytes"
	_ "embed"
	"html/template"
	"strconv"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// pageTable is a table of the page.
type pageTable struct {
	Caption string
	Header  []string
	Rows    [][]string
}

// pageInterval is a line of the chart of intervals: positions in percent of its width.
type pageInterval struct {
	Label, Words          string
	Left, Right, At, Zero float64
}

// HTML is the summary as one file without scripts that loads nothing.
func (s Summary) HTML() []byte {
	failures, omitted := s.failureTable()
	data := struct {
		Name, Head, Verdict, Note string
		Gates                     bool
		Omitted                   int
		Remarks                   []string
		Tables                    []pageTable
		Intervals                 []pageInterval
	}{Name: one(s.Name), Head: s.head(), Verdict: string(s.Verdict), Gates: len(s.Gates) > 0, Remarks: s.remarks(),
		Omitted: omitted}
	if s.Scripted {
		data.Note = scriptedNote
	}
	for _, t := range []struct {
		caption string
		table
	}{{"Gates", s.gateTable()}, {"Comparisons", s.comparisonTable()}, {"Arms, means over cells", s.armTable()},
		{"Failed cells", failures}, {"Cells", s.cellTable()}} {
		if len(t.rows) > 0 {
			data.Tables = append(data.Tables, pageTable{t.caption, t.header, t.rows})
		}
	}
	for _, c := range s.Comparisons {
		for _, v := range c.Metrics {
			if !v.Primary || v.Interval == nil {
				continue
			}
			data.Intervals = append(data.Intervals, intervalOf(one(c.Arm)+" against "+one(c.Baseline)+", "+v.Metric, v))
		}
	}
	var b bytes.Buffer
	if err := page.Execute(&b, data); err != nil {
		panic("batch: a page cannot be made: " + err.Error())
	}
	return b.Bytes()
}

// intervalOf scales an interval so that it and zero fit with a tenth to spare on both sides.
func intervalOf(label string, v MetricVerdict) pageInterval {
	low, high := min(v.Interval.Low, 0, v.Difference), max(v.Interval.High, 0, v.Difference)
	span := high - low
	if span == 0 {
		span = 1
	}
	at := func(x float64) float64 { return 10 + 80*(x-low)/span }
	return pageInterval{label, number(v.Difference) + " (" + number(v.Interval.Low) + " to " + number(v.Interval.High) +
		"), " + v.words(),
		at(v.Interval.Low), at(v.Interval.High), at(v.Difference), at(0)}
}

// cellTable is one row for each result.
func (s Summary) cellTable() table {
	t := table{header: []string{"cell", "scenario", "seed", "repeat", "arm", "status", "score", "calls", "digest"}}
	for _, r := range s.Results {
		score := "-"
		if v, ok := r.Metrics["score"]; ok {
			score = number(v)
		}
		t.rows = append(t.rows, []string{one(string(r.ID)), one(r.Scenario), strconv.FormatUint(r.Seed, 10),
			strconv.FormatInt(r.Repeat, 10), one(r.Arm()), string(r.Status), score, strconv.FormatInt(r.Calls, 10),
			r.Digest[:min(16, len(r.Digest))]})
	}
	return t
}
