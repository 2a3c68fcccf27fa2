package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// Run derives the recorded ticks again, compares each with its record, and continues from
// there: with the recorded answers of the unfinished tick, then with those of o.Source.
// o.Settings and o.RunDir are the run's own and are ignored. Nothing is written before
// every record of the whole ticks is derived again, byte for byte in the canonical form;
// then the run ends as one that [Run] carries out.
//
// If it is interrupted while it derives, it returns an interrupted result and leaves the
// run unchanged. The error is a [*trace.DifferenceError] if the derived records differ,
// else a failure of the outside.
func (s *Resumption) Run(ctx context.Context, o Options) (Result, error) {
	next, progress := o.Source, o.Progress
	if progress != nil {
		o.Progress = func(p Progress) {
			p.Ticks, p.Resuming = s.target, p.Tick <= s.State.Tick && !p.Paused
			progress(p)
		}
	}
	if at := s.State.Header.Latest().BaseURL; o.Observer != nil && at != s.options.BaseURL {
		o.Observer = moved{o.Observer, at, s.options.BaseURL}
	}
	drain := o.Drain
	o.Drain = nil // until there is a call to be awaited, it breaks off
	r, answers, err := derive(s.of, s.State, o)
	if err != nil {
		return Result{}, err
	}
	defer answers.Close()
	answers.strictFrom, answers.reusedFrom = s.State.Tick+1, spoiltFrom(s.State.Header.Settings, s.State.Header.Forks)
	if s.State.End == nil && len(s.State.Open.Exchanges) == 0 && !s.State.Open.Resumed {
		r.past.followed-- // the process may have died before it could say that this tick ended the run
	}
	var result Result
	deriving, stop := context.WithCancel(ctx)
	defer stop()
	if drain != nil {
		defer context.AfterFunc(drain, stop)()
	}
	compared, log, err := verify(deriving, answers.Answers, s.State.Tick, r, func(ctx context.Context) (err error) {
		result, err = r.advance(ctx)
		if err == nil && result.Status == trace.RunInterrupted {
			err = context.Cause(ctx)
		}
		return err
	})
	switch {
	case deriving.Err() != nil && (result.Status == trace.RunInterrupted || errors.Is(err, context.Canceled)):
		// It does not matter whether the ticks or the comparison noticed first.
		result.Status, result.Deriving = trace.RunInterrupted, true
		return result, nil
	case err == nil && !compared.Equal:
		err = compared.Difference
	}
	if err != nil {
		return result, err
	}
	if r.endpoints.left() < len(r.endpoints.all) { // those given up may work again by now
		if s.change == nil {
			s.change = &trace.CapChange{Tick: s.changeTick(), Caps: s.State.CapsAt(s.State.Tick + 2)}
		}
		s.change.AskAgain = true
	}
	// What is left of the recording is read before anything is added to it.
	answers.ReadTo(s.State.Tick + 1)
	if err := s.takeUp(log, r.Options); err != nil {
		return Result{}, errors.Join(err, log.Close())
	}
	r.past.answered = s.State.Open.Keys()
	r.sink, r.plan.changes = appending{log}, s.changesAt
	r.Drain = drain
	r.Ticks = s.target
	r.RunDir = string(s.of.Dir)
	r.Source = resumed{r.past, answers, next, s.options.AbandonTick}
	r.noteWorld()
	ctx, end := r.beginRun(ctx, s.State.Header.RunName())
	if result.Status == trace.RunCompleted {
		result, err = r.ticks(ctx)
	}
	end(runEnding(result, err))
	result, err = r.finish(result, cmp.Or(err, answers.failure()))
	result.Head = log.Head()
	return result, errors.Join(err, log.Close())
}

// spoiltFrom is the tick since which the run's present faults apply: a fork may have
// changed them, or the model they are for.
func spoiltFrom(now trace.Settings, forks []trace.Fork) (tick int64) {
	for _, f := range forks {
		a, b := now, f.Settings
		if a.Faults != b.Faults || a.FaultSeed != b.FaultSeed || a.BaseURL != b.BaseURL ||
			a.ScriptedMode != b.ScriptedMode || a.StubManner != b.StubManner || a.ScriptedSeed != b.ScriptedSeed {
			tick = f.Tick
		}
		now = b
	}
	return tick
}

// takeUp makes the trace end where the run continues, and records that in it.
func (s *Resumption) takeUp(log *run.Log, o Options) error {
	if err := s.claim.Check(); err != nil { // it may have been long since it was claimed
		return err
	}
	if err := s.of.RemoveReport(); err != nil {
		return err
	}
	if err := s.of.Repair(s.State); err != nil {
		return err
	}
	if err := log.Continue(s.of, *s.State); err != nil {
		return err
	}
	log.Under(s.claim)
	if err := log.OnRecord(o.Record); err != nil {
		return err
	}
	record := trace.Resume{
		Tick: s.State.Tick, TicksRequested: s.target, Exchanges: len(s.State.Open.Exchanges),
		CutBytes: s.State.Open.CutBytes(), Caps: s.change,
		Timing: &trace.ResumeTiming{ResumedAt: time.Now().UTC().Format(time.RFC3339), Concurrency: o.Concurrency,
			SegmentBytes: &o.SegmentBytes},
	}
	if s.options.BaseURL != s.State.Header.Latest().BaseURL {
		record.BaseURL = s.options.BaseURL
	}
	if drift := versionDrift(s.State.Header); drift != nil {
		record.Drift = drift.Error()
	}
	return log.Write(record)
}

// resumed gives the answers that a trace holds of its last tick, and asks for others.
type resumed struct {
	past    history
	answers *recording
	next    Source
	// abandon says that nothing more is asked in the tick that the trace holds a part of.
	abandon bool
}

// Respond implements [Source].
func (s resumed) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	switch {
	case s.past.holds(key):
		return s.answers.Respond(ctx, key, r)
	case s.abandon && key.Tick == s.past.derived+1 && len(s.past.answered) > 0:
		return llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrAbandoned,
			Message: "the turns of this tick were ended", Unsent: true}}
	}
	return s.next.Respond(ctx, key, r)
}
