package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"example.com/agentworld/batch"
	"example.com/agentworld/explain/export"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// exporting is an export of some runs.
type exporting struct {
	*Main
	// ctx ends when the user interrupts.
	ctx        context.Context
	unverified bool
	agent      string
	runs       []exportedRun
	// kept are the files that no output may replace.
	kept []keptPath
	// writers are those of the tables under way.
	writers []*export.Writer
	// failed is why something could not be written.
	failed error
}

// exportedRun is a run of an export.
type exportedRun struct {
	// name is how the user finds it, dir is its directory.
	name, dir string
	of        export.Of
	repeat    int64
	// readPast collects what was wrong and read past.
	readPast *[]string
}

// note says something about a run on stderr.
func (e *exporting) note(format string, args ...any) {
	plaintext.Fprintf(e.Stderr, "note: "+format+"\n", args...)
}

// newExporting finds the runs that an argument names: a run, a cell of a batch, a batch, or a directory of runs.
func newExporting(m *Main, arg, agent string) (*exporting, error) {
	e := &exporting{Main: m, ctx: m.interrupt.ctx, agent: agent}
	if r := m.readings[m.path(arg)]; r != nil {
		e.unverified = r.Unverified
	}
	root := m.path(arg)
	if within, is := batch.RunOfCell(root); is {
		cell := batch.ID(filepath.Base(root))
		err := e.addCells(batch.Dir(filepath.Dir(filepath.Dir(root))), func(c batch.Cell) bool { return c.ID == cell })
		if err != nil { // the run is whole all the same
			e.note("the arm of the run is not known: %s", errorText(err))
		}
		if len(e.runs) == 0 {
			e.add(filepath.Join(arg, within), export.Of{Run: string(cell)}, 0)
		}
		return e, nil
	}
	if batch.IsRun(m.path(arg)) {
		e.add(arg, export.Of{Run: filepath.Base(root)}, 0)
		return e, m.checkRun(arg)
	}
	if _, cells, err := batch.Dir(root).Cells(); err == nil {
		for _, name := range []string{batch.CellsKey, batch.ResultsFile} {
			e.kept = append(e.kept, keptPath{what: "the batch", path: filepath.Join(root, name)})
		}
		err := e.addCells(batch.Dir(root), func(batch.Cell) bool { return true })
		if err == nil && len(e.runs) == 0 {
			err = badInput("none of the %d cells of %s has a run here; allowed: a batch whose runs are kept", len(cells),
				shown(arg))
		}
		return e, err
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, badInput("%s cannot be read: %w; allowed: a run, a directory of runs, or a batch", shown(arg), cause(err))
	}
	for _, entry := range entries {
		dir := filepath.Join(arg, entry.Name())
		if !batch.IsRun(m.path(dir)) {
			continue
		}
		if _, err := run.Dir(m.path(dir)).Header(); errors.Is(err, run.ErrNothingRecorded) {
			e.note("%s: %s", dir, err)
			continue
		}
		e.add(dir, export.Of{Run: entry.Name()}, 0)
	}
	if len(e.runs) == 0 {
		return nil, m.noRun(arg)
	}
	return e, nil
}

// add adds a run.
func (e *exporting) add(dir string, of export.Of, repeat int64) {
	path := e.path(dir)
	one := exportedRun{name: dir, dir: path, of: of, repeat: repeat, readPast: &[]string{}}
	e.runs = append(e.runs, one)
	e.kept = append(e.kept, e.keptTrace(dir), e.keptAsks(dir))
	e.readings[path] = &run.Reading{Unverified: e.unverified, Note: func(err error) {
		e.note("%s: %s", dir, err)
		*one.readPast = append(*one.readPast, plaintext.Line(err.Error()))
	}}
}

// addCells adds the runs of some cells of a batch, and says how many have none.
func (e *exporting) addCells(dir batch.Dir, wanted func(batch.Cell) bool) error {
	_, cells, err := dir.Cells()
	if err != nil {
		return badInput("%s: %w", shown(string(dir)), cause(err))
	}
	results, err := dir.Results(cells)
	if err != nil {
		return badInput("%s: %w", shown(string(dir)), cause(err))
	}
	found, asked := 0, 0
	for _, c := range cells {
		if wanted(c) {
			asked++
		}
	}
	for _, r := range results {
		if !wanted(r.Cell) {
			continue
		}
		path := dir.Run(r.ID, r.Attempt)
		if !batch.IsRun(e.path(path)) {
			continue
		}
		found++
		e.add(path, export.Of{Run: string(r.ID), Arm: r.Arm()}, r.Repeat)
	}
	if found < asked {
		why := "they were not played to an end here"
		if dir.Thinned() {
			why = "runs were removed"
		}
		e.note("%d of %s of the batch have no run to export: %s", asked-found, plaintext.Count(asked, "cell"), why)
	}
	return nil
}

// recording is a run to export.
func (e *exporting) recording(one exportedRun) export.Recording {
	return export.Recording{Trace: run.Dir(one.dir).As(e.readings[one.dir]).Until(e.ctx), Of: one.of, Repeat: one.repeat,
		Agent: e.agent}
}

// resources are those of all worlds, in the order of the first that has each.
func (e *exporting) resources() (all []string) {
	known := map[string]bool{}
	for _, one := range e.runs {
		h, err := run.Dir(one.dir).Header()
		if err != nil {
			h = trace.Header{} // the export will say it
		}
		for _, name := range export.Resources(h) {
			if !known[name] {
				known[name] = true
				all = append(all, name)
			}
		}
	}
	return all
}
