package cli

import (
	"fmt"
	"io"
	"path/filepath"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// foldReport reads a run's trace into a report. A trace that was cut short gives
// a report that says so: its run_status is "unfinished". The error is bad input:
// no trace there, or one that is damaged before its end. A fork is compared with its
// parent if that run is next to it and can be read.
func foldReport(m *Main, runDir string) (report.Report, error) {
	r, err := m.foldTrace(runDir)
	if err == nil {
		compareWithParent(m, runDir, "", &r)
	}
	return r, err
}

// compareWithParent adds to the report of a fork the comparison with its parent, a run directory
// that is looked for beside the fork if it is not given.
func compareWithParent(m *Main, runDir, parent string, r *report.Report) {
	if r.Fork == nil {
		return
	}
	if parent == "" {
		parent = m.parentOf(runDir, trace.ForkParent{Name: r.Fork.Parent, Run: r.Fork.ParentRun})
	}
	if parent == "" {
		return
	}
	before, err := m.foldTrace(parent)
	var c report.Comparison
	if err == nil {
		c, err = report.Compare(before, *r, m.source(parent), m.source(runDir), r.Fork.AtTick)
	}
	if err != nil {
		// The fork needs its parent only for the comparison, and must still get its report.
		plaintext.Fprintf(m.Stderr, "note: the fork is not compared with its parent: %s\n", errorText(err))
		return
	}
	r.Fork.Comparison = &c
}

// foldTrace is foldReport without the comparison of a fork with its parent. It has the metrics of the user's
// own.
func (m *Main) foldTrace(runDir string) (report.Report, error) {
	dir, err := m.openRun(runDir)
	if err != nil {
		return report.Report{}, err
	}
	ctx := m.measuring()
	r, err := m.metrics.list.Report(ctx, dir)
	if ctx.Err() != nil {
		return r, failWith(exitInterrupted, fmt.Errorf("interrupted before %s was measured", shown(runDir)))
	}
	if err != nil {
		return report.Report{}, m.unread(runDir, err)
	}
	return r, nil
}

// keptTrace is a run's trace, which no other output may replace.
func (fl *files) keptTrace(runDir string) keptPath {
	return keptPath{what: "the run's trace", path: filepath.Join(fl.path(runDir), run.TraceFile)}
}

// keptAsks is the file of a run's questions, whose answers were paid for.
func (fl *files) keptAsks(runDir string) keptPath {
	return keptPath{what: "the questions of the run", path: filepath.Join(fl.path(runDir), run.AsksFile)}
}

// writeFromTrace writes a file that is made from a run's trace, parents included. It
// appears complete or not at all, and nothing is made for a directory without a run.
func (m *Main) writeFromTrace(runDir, name string, fill func(io.Writer) error, owned ...keptPath) error {
	if err := m.checkRun(runDir); err != nil {
		return err
	}
	return m.writeTo("", name, fill, append(owned, m.keptTrace(runDir), m.keptAsks(runDir))...)
}
