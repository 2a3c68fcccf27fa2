package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// playCell plays a cell of a batch as it was planned. What a run would print goes to the log of
// the attempt; waits for an endpoint are noted where the batch prints.
func (m *Main) playCell(ctx context.Context, a batch.Attempt, p plan, shared *limiters,
	note func(string)) (batch.Result, error) {
	cell := *m
	log := terminal.NewScreen(a.Log, programName)
	cell.Stdout = io.Discard
	cell.Stderr = log
	cell.screen = log
	cell.Terminal = false
	defer log.Flush()
	p.RunDir = a.Dir
	p.folding = report.NewFolding()
	p.endpoints = newEndpoints(p.config)
	p.endpoints.shared, p.endpoints.drain = shared, a.Drain
	defer m.collectLess()()
	scripted := stub.Options{Seed: p.ScriptedSeed, Mode: stub.Mode(p.ScriptedMode), Manners: p.manners,
		Faults: stub.NewInjector(p.faults, p.FaultSeed)}
	source, stop, err := cell.openAnswers(ctx, p, scripted, p.calls(0))
	if err != nil {
		return batch.Result{}, err
	}
	defer stop()
	p.endpoints.say = note
	p.endpoints.now = m.Now
	p.endpoints.dir = run.Dir(a.Dir)
	defer p.endpoints.dir.ForgetWaits()
	defer shared.plays(p.endpoints)()
	o := engine.Options{
		Settings: p.Settings, RunDir: a.Dir, Leased: true, Source: a.Around(source),
		Concurrency: int(p.Concurrency), SegmentBytes: p.SegmentMB << 20,
		Progress: a.Progress, Drain: a.Drain, FaultCounts: scripted.Faults.Counts, Record: p.folding.Add,
		LLMIO: func(x engine.Exchange) {
			if f := x.Answer.Failure; f != nil && f.Kind != llmclient.ErrInterrupted {
				plaintext.Fprintf(log, "tick %d, %s: %s\n", x.Key.Tick, x.Key.Agent, f.Text())
			}
		},
	}
	if !p.faults.Empty() {
		o.Reused = func(r llmclient.Request, attempts int) { scripted.Recount(r.Body(), attempts) }
	}
	result, r, err := carryOutCell(ctx, a, p, o, m.foldTrace)
	if err != nil {
		return batch.Result{}, err
	}
	if r != nil {
		return batch.ResultOf(a.Cell, a.Number, *r, trace.Chain(r.Timing.TraceHead)), nil
	}
	if result.Deriving { // nothing new was recorded
		return batch.Result{Status: trace.RunInterrupted, Metrics: map[string]float64{}}, nil
	}
	folded, err := p.folding.Report(result.Head)
	if err != nil {
		return batch.Result{}, fmt.Errorf("report on cell %s: %w", a.Cell.ID, err)
	}
	if err := run.Dir(a.Dir).KeepReport(folded.JSON()); err != nil {
		return batch.Result{}, err
	}
	return batch.ResultOf(a.Cell, a.Number, folded, result.Head), nil
}

// carryOutCell plays the run of a cell, or continues it. The report is set if that run had ended
// already and only its result was missing; fold reads it.
func carryOutCell(ctx context.Context, a batch.Attempt, p plan, o engine.Options,
	fold func(dir string) (report.Report, error)) (engine.Result, *report.Report, error) {
	if !a.Resume {
		if err := run.Dir(a.Dir).Create(); err != nil {
			return engine.Result{}, nil, err
		}
		result, err := engine.Run(ctx, o)
		return result, nil, err
	}
	s, err := prepareCell(a, p)
	if err != nil {
		return engine.Result{}, nil, err
	}
	defer s.Close()
	if s.Complete() {
		r, err := fold(a.Dir)
		return engine.Result{}, &r, err
	}
	result, err := s.Run(ctx, o)
	return result, nil, err
}

// prepareCell continues the run of a cell, if it is the run that was planned: the directory
// may have come from elsewhere, and its settings say which endpoint gets a key.
func prepareCell(a batch.Attempt, p plan) (*engine.Resumption, error) {
	s, err := engine.PrepareResume(a.Dir, engine.ResumeOptions{
		Leased: true,
		Caps:   func(trace.Caps) trace.Caps { return p.Caps },
		Model:  p.Model, ModelSource: p.ModelSource, BaseURL: p.BaseURL, Recording: p.Recording,
	})
	if err != nil {
		return nil, err
	}
	recorded := s.Settings()
	recorded.Estimate = p.Estimate
	if string(llmclient.Marshal(recorded)) != string(llmclient.Marshal(p.Settings)) {
		return nil, errors.Join(errCellSettings, s.Close())
	}
	return s, nil
}

// errCellSettings says that a run directory is not that of its cell.
var errCellSettings = errors.New("the run in the directory has other settings than its cell")
