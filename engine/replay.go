package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// ReplayOptions tune a replay.
type ReplayOptions struct {
	// AllowVersionDrift replays a run of another engine, rules or prompt version
	// instead of refusing; differences are then to be expected.
	AllowVersionDrift bool
	// Reading is how the run is read; nil is strictly.
	Reading *run.Reading
}

// ReplayResult is what a replay found.
type ReplayResult struct {
	// Ticks were compared; an unfinished last tick is not.
	Ticks int64
	// Exchanges counts the recorded answers that were given again.
	Exchanges int64
	// Equal says that every record agrees. Otherwise Recorded and Derived are the first
	// lines that differ, Line is their number in the canonical trace, and Difference says
	// where and in what. If a record is in the wrong tick, there are no lines.
	Equal             bool
	Line              int64
	Recorded, Derived string
	Difference        *trace.DifferenceError
}

// ErrVersionDrift marks a run of another version of what shaped it.
var ErrVersionDrift = errors.New("the run was recorded by another version")

// Replay runs the world of a recorded run again with the recorded answers and
// compares every record: requests, decisions, events, digests. It opens no
// connection. The error is a failure to read the run, ErrVersionDrift, or an
// interruption.
func Replay(ctx context.Context, dir string, o ReplayOptions) (ReplayResult, error) {
	of := run.Dir(dir).As(o.Reading)
	recorded, err := readRun(of, o.AllowVersionDrift)
	if difference, found := trace.Misplaced(err); found {
		return ReplayResult{Ticks: recorded.Tick, Difference: difference}, nil
	}
	if err != nil {
		return ReplayResult{}, err
	}
	r, answers, err := derive(of, recorded, Options{})
	if err != nil {
		return ReplayResult{}, err
	}
	defer answers.Close()
	var ended Result
	result, _, err := playCompared(ctx, answers.Answers, recorded.Tick, r, func(ctx context.Context) (err error) {
		ended, err = r.ticks(ctx)
		if err == nil && ended.Status == trace.RunInterrupted {
			err = context.Cause(ctx)
		}
		return err
	})
	if err == nil && result.Equal && recorded.End != nil {
		r.noteWorld()
		result, err = compareEnds(*recorded.End, trace.RunEnd{
			Tick: ended.TicksDone, TicksDone: ended.TicksDone, FinalDigest: ended.FinalDigest, Agents: r.reached.agents,
			Goals: r.reached.goals,
		})
	}
	result.Ticks, result.Exchanges = recorded.Tick, answers.given.Load()
	return result, err
}

// versionDrift looks at what held at the start and after each fork.
func versionDrift(h trace.Header) error {
	type version struct{ what, recorded, present string }
	versions := []version{
		{"engine", h.EngineVersion, Version}, {"rules", h.RulesVersion, world.RulesVersion},
		{"prompt", h.PromptVersion, promptVersion(h.Settings)},
	}
	for _, f := range h.Forks {
		versions = append(versions, version{"prompt", f.PromptVersion, promptVersion(f.Settings)})
	}
	for _, v := range versions {
		if v.recorded != v.present {
			return fmt.Errorf("%w: %s version %q, this program has %q", ErrVersionDrift, v.what, v.recorded, v.present)
		}
	}
	return nil
}

// compareEnds compares the world at the recorded end of a run with the derived one; how
// the run ended is not derived.
func compareEnds(recorded, derived trace.RunEnd) (ReplayResult, error) {
	derived.RunStatus = recorded.RunStatus
	derived.Reason = recorded.Reason
	derived.FaultsInjected = recorded.FaultsInjected
	recorded.Timing = nil
	a, err := trace.Encode(recorded)
	if err != nil {
		return ReplayResult{}, err
	}
	b, err := trace.Encode(derived)
	if err != nil || bytes.Equal(a, b) {
		return ReplayResult{Equal: true}, err
	}
	return ReplayResult{Recorded: string(a), Derived: string(b), Difference: trace.DifferenceOf(a, b)}, nil
}
