package batch

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"
)

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
	var b bytes.Buffer
	if err := p.document().Render(&b); err != nil {
		panic("batch: a page cannot be made: " + err.Error())
	}
	return b.Bytes()
}

// intervalLines are the lines of the chart: the primary metric of each comparison that has an interval.
func (s *Summary) intervalLines() (lines []pageInterval) {
	for _, c := range s.Comparisons {
		for _, v := range c.Metrics {
			if !v.Primary || v.Interval == nil {
				continue
			}
			label := fmt.Sprintf("%s against %s, %s", one(c.Arm), one(c.Baseline), v.Metric)
			lines = append(lines, intervalOf(label, c.words(v), v))
		}
	}
	return lines
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
