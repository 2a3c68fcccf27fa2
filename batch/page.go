package batch

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strconv"
	"time"

	"example.com/agentworld/plaintext"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// styleHash is that of the style of a page.
var styleHash = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return base64.StdEncoding.EncodeToString(sum[:])
}()

// PagePolicy is the content security policy of a page, for a server: it may load nothing, and has a style.
var PagePolicy = "default-src 'none'; style-src 'sha256-" + styleHash + "'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'"

var page = template.Must(template.New("page").Parse(pageText))

// pageTable is a table of the page.
type pageTable struct {
	Caption string
	plaintext.Table
}

// pageInterval is a line of the chart of intervals: positions in percent of its width.
type pageInterval struct {
	Label, Words          string
	Left, Right, At, Zero float64
}

// pageCell is a row of the table of cells.
type pageCell struct {
	Link string
	Row  []string
}

// pagePlot is a picture with its address.
type pagePlot struct{ Name, Link string }

// HTML is the summary as one file without scripts that loads nothing.
func (s Summary) HTML() []byte { return Page{Name: s.Name, Summary: &s}.HTML() }

// Page is the page of a batch: a file without scripts that loads nothing.
type Page struct {
	// Name is that of the batch. Summary is nil if there is none, and Problem says why.
	Name    string
	Summary *Summary
	Problem string
	// Cells are how all cells stand, also those without a result; nil lists results alone. Link is the address of
	// the run of a cell, Back that of the page which led here, and Again after how many seconds a reader loads
	// the page again; without them nothing is linked or loaded.
	Cells []CellStatus
	Link  func(ID) string
	Back  string
	Again int
	// Plots are the pictures that PlotLink has an address of.
	Plots    []string
	PlotLink func(name string) string
}

// PageOf is the page of a batch as it is now, with all of its cells. It computes no metric, since the batch may
// be a stranger's. The error is that of [Dir.Status].
func PageOf(d Dir, lease time.Duration) (Page, error) {
	status, err := d.Status(lease)
	if err != nil {
		return Page{}, err
	}
	p := Page{Name: status.Name, Cells: status.Cells}
	file, cells, results, err := d.File(nil)
	var sum Summary
	if err == nil {
		d.Recall(file.Metrics, results)
		sum, err = Summarize(file, cells, results)
	}
	if err != nil {
		p.Problem = err.Error()
		return p, nil
	}
	p.Summary = &sum
	return p, nil
}

// HTML is the page.
func (p Page) HTML() []byte {
	data := struct {
		Style                              template.CSS
		Name, Head, Verdict, Note, Problem string
		StyleHash, Back                    string
		Gates                              bool
		Again, Omitted                     int
		Remarks                            []string
		Tables                             []pageTable
		Intervals                          []pageInterval
		CellHeader                         []string
		Cells                              []pageCell
		Plots                              []pagePlot
	}{Style: template.CSS(pageStyle), StyleHash: styleHash, Name: one(p.Name), Problem: one(p.Problem), Back: p.Back,
		Again: p.Again, CellHeader: []string{"cell", "scenario", "seed", "repeat", "arm", "status", "score", "calls",
			"digest", "reason"}}
	for _, name := range p.Plots {
		data.Plots = append(data.Plots, pagePlot{name, p.PlotLink(name)})
	}
	if s := p.Summary; s != nil {
		data.Head = s.head()
		data.Verdict = string(s.Verdict)
		data.Gates = len(s.Gates) > 0
		for _, line := range s.opening() {
			data.Remarks = append(data.Remarks, line.String())
		}
		data.Remarks = append(data.Remarks, s.remarks()...)
		if s.Methods != "" {
			data.Remarks = append(data.Remarks, "Methods: "+s.Methods)
		}
		if s.Scripted {
			data.Note = scriptedNote
		}
		failures, omitted := s.failureTable()
		data.Omitted = omitted
		for _, t := range []pageTable{{"Gates", s.gateTable()}, {"Places", s.rankTable()},
			{"Comparisons", s.comparisonTable()}, {"Arms, means over cells", s.armTable()}, {"Failed cells", failures}} {
			if len(t.Rows) > 0 {
				data.Tables = append(data.Tables, t)
			}
		}
		for _, c := range s.Comparisons {
			for _, v := range c.Metrics {
				if v.Primary && v.Interval != nil {
					data.Intervals = append(data.Intervals,
						intervalOf(fmt.Sprintf("%s against %s, %s", one(c.Arm), one(c.Baseline), v.Metric), c.words(v), v))
				}
			}
		}
	}
	data.Cells = p.cellRows()
	var b bytes.Buffer
	if err := page.Execute(&b, data); err != nil {
		panic("batch: a page cannot be made: " + err.Error())
	}
	return b.Bytes()
}

// intervalOf scales an interval so that it and zero fit with a tenth to spare on both sides.
func intervalOf(label, words string, v MetricVerdict) pageInterval {
	low, high := min(v.Interval.Low, 0, v.Difference), max(v.Interval.High, 0, v.Difference)
	span := high - low
	if span == 0 {
		span = 1
	}
	at := func(x float64) float64 { return 10 + 80*(x-low)/span }
	return pageInterval{label, number(v.Difference) + " (" + number(v.Interval.Low) + " to " + number(v.Interval.High) +
		"), " + words,
		at(v.Interval.Low), at(v.Interval.High), at(v.Difference), at(0)}
}

// cellRows is one row for each cell, or for each result.
func (p Page) cellRows() (rows []pageCell) {
	results := map[ID]Result{}
	cells := p.Cells
	if p.Summary != nil {
		for _, r := range p.Summary.Results {
			results[r.ID] = r
			if p.Cells == nil {
				cells = append(cells, CellStatus{Cell: r.Cell, State: string(r.Status)})
			}
		}
	}
	for _, c := range cells {
		r, state := results[c.Cell.ID], c.State
		score, calls := "-", "-"
		if v, ok := r.Metrics.Get("score"); ok {
			score = number(v)
		}
		if r.Status != "" {
			calls = strconv.FormatInt(r.Calls, 10)
		}
		if r.Status != "" && (state == "done" || state == "failed") {
			state = string(r.Status)
		}
		row := pageCell{Row: []string{one(string(c.Cell.ID)), one(c.Cell.Scenario), strconv.FormatUint(c.Cell.Seed, 10),
			strconv.FormatInt(c.Cell.Repeat, 10), one(c.Cell.Arm()), one(state), score, calls, r.Digest[:min(16, len(r.Digest))],
			one(c.Reason)}}
		if p.Link != nil {
			row.Link = p.Link(c.Cell.ID)
		}
		rows = append(rows, row)
	}
	return rows
}
