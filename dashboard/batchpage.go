package dashboard

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"example.com/agentworld/batch"
)

// underWay says how far a run is that is played, and how long it takes; empty if nobody knows.
func (s *Server) underWay(id string, now time.Time) string {
	row, err := s.catalog.Row(id)
	if err != nil || row.Asked == 0 {
		return ""
	}
	text := fmt.Sprintf("tick %d of %d", row.Ticks, row.Asked)
	left := s.left(row, now)
	if left < 0 {
		return text
	}
	return text + ", about " + (time.Duration(left) * time.Millisecond).Round(time.Second).String() + " left"
}

// batchAgain is after how many seconds the page of a batch that is played is loaded again.
const batchAgain = 5

// getBatch serves the page of a batch, which links to the runs of its cells. One that is played is loaded again
// from time to time.
func (s *Server) getBatch(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("batch")
	dir, err := s.catalog.Batch(id)
	var p batch.Page
	if err == nil {
		p, err = batch.PageOf(dir, batch.LeaseDefault)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	if name := r.URL.Query().Get("plot"); name != "" {
		s.writePlot(w, p, name)
		return
	}
	p.Problem = s.catalog.Shown(p.Problem)
	p.Back = "/"
	runOf := func(cell batch.ID) string {
		paths, _ := dir.Runs(cell) // a cell may have no directory yet
		if len(paths) == 0 {
			return ""
		}
		return path.Join(id, filepath.ToSlash(paths[len(paths)-1]))
	}
	for i, c := range p.Cells {
		p.Cells[i].Reason = s.catalog.Shown(c.Reason)
		if c.State == "playing" {
			p.Cells[i].Reason = s.underWay(runOf(c.Cell.ID), time.Now())
		}
		if c.State != "done" && c.State != "failed" {
			p.Again = batchAgain
		}
	}
	if p.Summary != nil {
		for i, f := range p.Summary.Failures {
			p.Summary.Failures[i].Reason = s.catalog.Shown(f.Reason)
		}
	}
	p.Link = func(cell batch.ID) string {
		of := runOf(cell)
		if of == "" {
			return ""
		}
		return "/#/run?id=" + url.QueryEscape(of)
	}
	if p.Summary != nil {
		p.Plots = p.Summary.Plots()
	}
	p.PlotLink = func(name string) string {
		return "/api/batch?" + url.Values{"batch": {id}, "plot": {name}}.Encode()
	}
	w.Header().Set("Content-Security-Policy", batch.PagePolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(p.HTML())
}

// notInNames are the characters that no name of a file that is saved has.
var notInNames = regexp.MustCompile(`[^\pL\pN._-]+`)

// writePlot answers with a picture of a batch, to be saved under a name that says both.
func (s *Server) writePlot(w http.ResponseWriter, p batch.Page, name string) {
	if p.Summary == nil {
		s.fail(w, badQuery("the batch has no summary, and so no pictures: "+s.catalog.Shown(p.Problem)))
		return
	}
	svg, err := p.Summary.Plot(name)
	if err != nil {
		s.fail(w, badQuery(err.Error()))
		return
	}
	file := strings.Trim(notInNames.ReplaceAllString(p.Summary.Name+"-"+name, "-"), ".-") + ".svg"
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file}))
	_, _ = w.Write(svg)
}
