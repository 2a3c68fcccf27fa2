package batch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// survey is what cells hold, each list in the order of cells.
type survey struct {
	// results are without an ID where there is none. One that is not done is how the latest attempt failed.
	results []Result
	// done says that the cell has its result, begun that it has a directory.
	done, begun []bool
	// wrong is why a cell cannot be read, by its place.
	wrong map[int]error
}

// survey reads what cells hold. A result is written once and never changes, so a line of the file of all results
// that is younger holds for it, and the cell need not be read.
func (d Dir) survey(cells []Cell) (survey, error) {
	s := survey{results: make([]Result, len(cells)), done: make([]bool, len(cells)), begun: make([]bool, len(cells)),
		wrong: map[int]error{}}
	written := d.fromList(cells, s.results)
	err := d.folder().StatEach(cellsDir, len(cells),
		func(i int) (string, string) { return string(cells[i].ID), ResultFile },
		func(i int, dir, file fs.FileInfo) {
			s.begun[i] = dir != nil
			s.done[i] = file != nil && file.Mode().IsRegular() && file.ModTime().Before(written) && s.results[i].ID != ""
		})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("look at the cells of the batch: %w", err)
	}
	for i, c := range cells {
		switch {
		case !s.begun[i]:
			s.results[i] = Result{}
		case s.done[i]:
			s.results[i].Cell = c // scenario and labels may be called otherwise by now
		default:
			s.read(d, i, c)
		}
	}
	return s, nil
}

// read reads the files of the cell at a place.
func (s *survey) read(d Dir, i int, c Cell) {
	r, ok, err := d.result(c.ID, ResultFile)
	s.done[i] = ok
	if !ok && err == nil {
		r, ok, err = d.result(c.ID, failureFile)
	}
	if err != nil {
		s.wrong[i] = err
	}
	r.Cell = c
	if !ok {
		r = Result{}
	}
	s.results[i] = r
}

// fromList reads the results in the file of all results that are final into the places of their cells. It returns
// when the file was written; a time before all others if it cannot be read to its end, since it can be made again.
func (d Dir) fromList(cells []Cell, into []Result) (written time.Time) {
	f, err := d.folder().Open(ResultsFile)
	if err != nil {
		return time.Time{}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Time{}
	}
	places := make(map[ID]int, len(cells))
	for i, c := range cells {
		places[c.ID] = i
	}
	err = eachResult(f, func(r Result) {
		if i, ours := places[r.ID]; ours && Final(r.Status) {
			into[i] = r
		}
	})
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Results are those of cells, in their order, and for cells without one how the latest attempt
// failed, if it did. A file that is damaged counts as such a failure.
func (d Dir) Results(cells []Cell) ([]Result, error) {
	s, err := d.survey(cells)
	if err != nil {
		return nil, err
	}
	return s.list(cells)
}

// Begin is [Dir.Results] for a process that is about to play cells. What is damaged of a cell is put aside, so that
// the cell is played again: see [Dir.SetAside].
func (d Dir) Begin(cells []Cell) ([]Result, error) {
	s, err := d.survey(cells)
	if err != nil {
		return nil, err
	}
	for i, err := range s.wrong {
		if _, damaged := errors.AsType[*damagedError](err); !damaged {
			continue
		}
		if _, err := d.SetAside(cells[i].ID); err != nil {
			return nil, err
		}
		delete(s.wrong, i)
		s.read(d, i, cells[i])
	}
	return s.list(cells)
}

// list are the results of the cells that have one, or failed.
func (s survey) list(cells []Cell) ([]Result, error) {
	list := s.results[:0]
	for i, r := range s.results {
		err := s.wrong[i]
		if damaged, of := errors.AsType[*damagedError](err); of {
			r = Result{Cell: cells[i], Status: trace.RunInternalError, Reason: damaged.Error()}
		} else if err != nil {
			return nil, err
		}
		if r.ID != "" {
			list = append(list, r)
		}
	}
	return list, nil
}

// WriteResults writes the file of all results again.
func (d Dir) WriteResults(results []Result) error {
	err := d.folder().Replace(ResultsFile, func(w io.Writer) error {
		lines := bufio.NewWriterSize(w, 1<<16)
		for _, r := range results {
			_, _ = lines.Write(append(llmclient.Marshal(r), '\n')) // Flush says what failed
		}
		return lines.Flush()
	})
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	return nil
}

// lineMost bounds a line of results.jsonl, in bytes.
const lineMost = 1 << 20

// ReadResults reads the lines of results.jsonl. The error names the line that is no result, or the cell that has
// two: its pairs would count twice.
func ReadResults(r io.Reader) (list []Result, err error) {
	seen := map[ID]bool{}
	err = eachResult(r, func(one Result) { list = append(list, one) })
	for _, one := range list {
		if seen[one.ID] {
			return nil, fmt.Errorf("cell %s has two lines; allowed: each cell once", one.ID)
		}
		seen[one.ID] = true
	}
	return list, err
}

// eachResult calls f with each result of a file of them. What many lines have in common is once in memory.
func eachResult(r io.Reader, f func(Result)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, lineMost)
	same := texts{}
	var metrics metricsReader
	for n := 1; lines.Scan(); n++ {
		var one Result
		rest, figures := metrics.cut(lines.Bytes())
		err := json.Unmarshal(rest, &one)
		if !figures.Empty() {
			one.Metrics = figures
		}
		if err != nil || one.ID == "" || one.Status == "" {
			return fmt.Errorf("line %d is no result of a cell", n)
		}
		same.result(&one)
		f(one)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	return nil
}

// texts are texts that occur often, each once.
type texts map[string]string

// one is the one copy of a text.
func (t texts) one(text string) string {
	if same, known := t[text]; known {
		return same
	}
	t[text] = text
	return text
}

// cell takes the texts of a cell.
func (t texts) cell(c *Cell) {
	c.Scenario = t.one(c.Scenario)
	for i, l := range c.Labels {
		c.Labels[i] = Label{t.one(l.Axis), t.one(l.Value)}
	}
}

// result takes the texts of a result but those that are its own.
func (t texts) result(r *Result) {
	t.cell(&r.Cell)
	r.Status = trace.RunStatus(t.one(string(r.Status)))
	of := r.Versions
	r.Versions = Versions{t.one(of.Engine), t.one(of.Rules), t.one(of.Prompt), t.one(of.Program)}
	r.Model = t.one(r.Model)
	r.ModelSource = trace.ModelSource(t.one(string(r.ModelSource)))
	r.Currency = t.one(r.Currency)
	r.Date = t.one(r.Date)
	for i := range r.Answered {
		r.Answered[i] = t.one(r.Answered[i])
	}
}
