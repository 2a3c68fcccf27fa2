package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// Result is how a run ended.
type Result struct {
	engine.Result
	// Report is the run in numbers. It has none if a resume was interrupted while it derived what is
	// recorded.
	Report report.Report
	// Playbook is the file that holds what was learned, empty if nothing was: that of [Config], or one
	// in the run directory if that file was changed meanwhile.
	Playbook string
}

// KeepError says that a run ended and that what came of it could not be kept. The trace has it all.
type KeepError struct {
	// Report is why the report is not kept, Lessons why what was learned is not, nil if it is.
	Report, Lessons error
}

// Error implements error.
func (e *KeepError) Error() string { return errors.Join(e.Report, e.Lessons).Error() }

// Unwrap returns what failed.
func (e *KeepError) Unwrap() []error { return []error{e.Report, e.Lessons} }

// Run plays the run to its end and keeps its report in the run directory. A session is run once. How
// it ends, also early, is in the Result; the error is a failure of the outside or a run that does not
// come out as recorded, after which the trace holds what was played. With a [*KeepError] the
// result is whole.
func (s *Session) Run(ctx context.Context) (Result, error) {
	if s.Complete() {
		return s.ended(ctx)
	}
	if err := s.Create(); err != nil {
		return Result{}, err
	}
	if err := s.Open(ctx); err != nil {
		return Result{}, err
	}
	s.access.Begin()
	folding := report.NewFolding()
	o := s.options()
	o.Record = func(r trace.Record) {
		folding.Add(r)
		if s.config.Record != nil {
			s.config.Record(r)
		}
	}
	result, err := s.play(ctx, o)
	r := Result{Result: result}
	if err != nil || result.Deriving {
		return r, err
	}
	r.Report, err = folding.Report(result.Head)
	if err == nil {
		err = r.Report.Advance(s.config.source(s.config.Dir))
	}
	if err != nil {
		return r, fmt.Errorf("report on the run: %w", err)
	}
	// A run that is broken off is not measured; a later reader can measure it.
	if rows, err := s.config.Metrics.Measure(ctx, s.config.source(s.config.Dir)); err == nil {
		r.Report = r.Report.Measured(rows...)
	}
	failed := &KeepError{Report: run.Dir(s.config.Dir).KeepReport(r.Report.JSON())}
	r.Playbook, failed.Lessons = s.keepLearned(result)
	if failed.Report != nil || failed.Lessons != nil {
		return r, failed
	}
	return r, nil
}

// play has the engine play the run.
func (s *Session) play(ctx context.Context, o engine.Options) (engine.Result, error) {
	switch {
	case s.resumed != nil:
		return s.resumed.Run(ctx, o)
	case s.left != nil:
		return engine.Fork(ctx, s.fork(o))
	}
	return engine.Run(ctx, o)
}

// options are how the engine carries the run out.
func (s *Session) options() engine.Options {
	c := s.config
	o := engine.Options{
		Settings: c.Settings, Prepared: s.prepared, RunDir: c.Dir, Leased: c.Leased, Source: s.source,
		Tools: s.toolSource(), Blind: c.Blind,
		Concurrency: c.Concurrency, SegmentBytes: c.SegmentBytes, Drain: c.Drain, Controls: c.Controls,
		Observer: c.Observer, LLMIO: c.Exchange, FaultCounts: s.scripted.Faults.Counts, EndpointTiming: s.access.Timing,
		RecordingPath: c.Recording.Path, Reused: s.reused(), Extensions: c.Extensions,
		Metrics: c.Metrics.Versions(), Seats: s.players,
	}
	if c.Listener != nil {
		o.Progress = c.Listener.Progress
	}
	if c.Ahead.Depth > 0 {
		s.askAhead(&o)
	}
	return o
}

// askAhead lets the run ask ahead. The server then spoils answers that the run never uses, so what it spoilt
// is counted by the answers that the run used.
func (s *Session) askAhead(o *engine.Options) {
	o.Ahead = engine.Ahead{Depth: s.config.Ahead.Depth, WastePermille: s.config.Ahead.WastePermille,
		Lost: func(lines int) {
			s.remark(fmt.Sprintf("lines of %s that are damaged, or of another run or an older version, are not used: %d",
				run.AheadFile, lines))
		}}
	if s.faults.Empty() {
		return
	}
	counted := s.scripted
	counted.Faults = stub.NewInjector(s.faults, s.config.Settings.FaultSeed)
	recount := func(r llmclient.Request, attempts int) { counted.Recount(r.Body(), attempts) }
	o.Ahead.Sent, o.Reused = recount, recount
	o.FaultCounts = counted.Faults.Counts
}

// fork adds to the options of the engine where the run leaves another.
func (s *Session) fork(o engine.Options) engine.ForkOptions {
	return engine.ForkOptions{Options: o, Parent: s.left.Parent, AtTick: s.left.AtTick,
		AllowVersionDrift: s.left.AllowVersionDrift, Reading: s.config.how(s.left.Parent)}
}

// learnedName is the file of what a run learned that could not go where it belongs.
const learnedName = "learned.toml"

// keepLearned writes what the run learned into the file that it began with. If that was changed
// meanwhile, it stays, and what was learned goes into the run directory.
func (s *Session) keepLearned(r engine.Result) (file string, err error) {
	if r.Learned == nil || s.config.PlaybookFile == "" {
		return "", nil
	}
	file = s.config.PlaybookFile
	replaced, err := engine.ReplacePlaybook(file, []byte(s.config.Settings.Playbook), r.Learned)
	if err == nil && !replaced {
		file = filepath.Join(s.config.Dir, run.PlaybookDir, learnedName)
		err = run.Dir(s.config.Dir).KeepBook(learnedName, r.Learned.Encode())
	}
	if err != nil {
		return "", fmt.Errorf("keep what was learned: %w", err)
	}
	return file, nil
}
