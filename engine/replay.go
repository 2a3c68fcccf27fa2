package engine

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"agentworld/trace"
	"agentworld/world"
)

// ReplayOptions tune a replay.
type ReplayOptions struct {
	// AllowVersionDrift replays a run of another engine, rules or prompt version
	// instead of refusing; differences are then to be expected.
	AllowVersionDrift bool
	// Concurrency bounds the turns that run at once; default 8.
	Concurrency int
	Progress    func(Progress)
}

// ReplayResult is what a replay found.
type ReplayResult struct {
	// Ticks were compared; an unfinished last tick is not.
	Ticks int64
	// Exchanges counts the recorded answers that were given again.
	Exchanges int64
	// Equal says that every record agrees. Otherwise Recorded and Derived are the
	// first lines that differ, the number of which is Line in the canonical trace, and
	// Difference says where and in what. Where a record stands in a tick of its own
	// making there are no lines.
	Equal             bool
	Line              int64
	Recorded, Derived string
	Difference        *DifferenceError
}

// ErrVersionDrift marks a run of another version of what shaped it.
var ErrVersionDrift = errors.New("the run was recorded by another version")

// Replay runs the world of a recorded run again with the recorded answers and
// compares every record: requests, decisions, events, digests. It opens no
// connection. The error is a failure to read the run, ErrVersionDrift, or an
// interruption.
func Replay(ctx context.Context, dir string, o ReplayOptions) (ReplayResult, error) {
	h, err := ReadHeader(dir)
	if err != nil {
		return ReplayResult{}, err
	}
	if err := versionDrift(h); err != nil && !o.AllowVersionDrift {
		return ReplayResult{}, err
	}
	settings, err := settingsOf(h)
	if err != nil {
		return ReplayResult{}, err
	}
	settings.Ticks, err = ticksDone(dir)
	if err != nil {
		return ReplayResult{}, err
	}
	source, err := openRecording(dir)
	if err != nil {
		return ReplayResult{}, err
	}
	defer source.close()
	options := Options{Settings: settings, Source: source, Concurrency: o.Concurrency, Progress: o.Progress}
	result, err := compareTicks(ctx, dir, settings.Ticks, func(ctx context.Context, out *trace.Writer) error {
		return derive(ctx, h, options, out)
	})
	result.Ticks, result.Exchanges = settings.Ticks, source.given.Load()
	return result, err
}

// versionDrift looks at what held at the start and after each fork.
func versionDrift(h trace.Header) error {
	for _, f := range h.Forks {
		after := h.Fork(f)
		after.Forks = nil
		if err := versionDrift(after); err != nil {
			return err
		}
	}
	for _, v := range []struct{ what, recorded, present string }{
		{"client library", h.SDKVersion, sdkVersion()}, {"engine", h.EngineVersion, Version}, {"rules", h.RulesVersion, world.RulesVersion}, {"prompt", h.PromptVersion, promptVersion(h.Protocol, h.Settings.Language, h.Settings.LearnEvery > 0 && !h.Settings.FreezePlaybook)},
	} {
		if v.recorded != v.present {
			return fmt.Errorf("%w: %s version %q, this program has %q; --allow-version-drift ignores that", ErrVersionDrift, v.what, v.recorded, v.present)
		}
	}
	return nil
}

// ticksDone returns the last tick that the trace in dir holds whole.
func ticksDone(dir string) (int64, error) {
	f, err := OpenTrace(dir)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var last int64
	for reader := trace.NewReader(f); ; {
		record, err := reader.NextOf(trace.TypeTickEnd)
		if err == io.EOF || errors.Is(err, trace.ErrTorn) {
			return last, nil
		}
		if err != nil {
			return 0, fmt.Errorf("read trace of %s: %w", dir, err)
		}
		last = record.RecordTick()
	}
}

// errDiffers ends both sides of a comparison at the first difference.
var errDiffers = errors.New("the traces differ")

// compareTicks compares what is recorded of a run, up to its tick last, with what derive
// writes, both in canonical form as they come, tick by tick, so that memory does not
// grow with the run. The error is one of derive, or a failure to read the run.
func compareTicks(ctx context.Context, dir string, last int64, derive func(ctx context.Context, out *trace.Writer) error) (ReplayResult, error) {
	recorded, recordedIn := io.Pipe()
	derived, derivedIn := io.Pipe()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return canonically(recordedIn, func(out *trace.Writer) error { return copyTicks(dir, last, out) })
	})
	group.Go(func() error {
		return canonically(derivedIn, func(out *trace.Writer) error { return derive(ctx, out) })
	})
	var result ReplayResult
	group.Go(func() error {
		var err error
		result, err = compareCanonical(recorded, derived)
		if err == nil && !result.Equal {
			err = errDiffers
		}
		recorded.CloseWithError(errDiffers)
		derived.CloseWithError(errDiffers)
		return err
	})
	err := group.Wait()
	if errors.Is(err, errDiffers) {
		err = nil
	}
	if difference, found := misplaced(err); found {
		return ReplayResult{Difference: difference}, nil
	}
	return result, err
}

// canonically lets fill write records that go into the pipe in canonical form, and
// closes it with what came of that.
func canonically(pipe *io.PipeWriter, fill func(*trace.Writer) error) error {
	buffer := bufio.NewWriterSize(pipe, 64<<10)
	out, finish := trace.NewCanonicalWriter(buffer)
	err := fill(out)
	// After a failure the records before it are still worth comparing.
	err = cmp.Or(err, finish(), buffer.Flush())
	pipe.CloseWithError(err)
	return err
}

// copyTicks writes the recorded run up to its last whole tick. What cannot be read
// behind that tick's end is no part of it.
func copyTicks(dir string, last int64, out *trace.Writer) error {
	f, err := OpenTrace(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	whole := false
	for record, err := range trace.NewReader(f).All() {
		if _, damaged := errors.AsType[*trace.LineError](err); damaged && whole || errors.Is(err, trace.ErrTorn) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read trace of %s: %w", dir, err)
		}
		whole = whole || last == 0 || record.RecordType() == trace.TypeTickEnd && record.RecordTick() == last
		if record.RecordType() == trace.TypeRunEnd || record.RecordTick() > last {
			continue
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	return nil
}

// derive runs o and writes its trace to out, under the recorded header.
func derive(ctx context.Context, h trace.Header, o Options, out *trace.Writer) error {
	j := newJournal(io.Discard)
	j.w = out
	r, err := newRunner(o, j)
	if err != nil {
		return err
	}
	if err := r.journal.write(h); err != nil {
		return err
	}
	r.prepareLearning(h)
	r.passed = o.Ticks
	result, err := r.ticks(ctx)
	if err != nil {
		return err
	}
	if result.Status == trace.RunInterrupted {
		return context.Cause(ctx)
	}
	return nil
}

// compareCanonical reads both traces in canonical form, line by line.
func compareCanonical(recorded, derived io.Reader) (ReplayResult, error) {
	a, b := bufio.NewReaderSize(recorded, 64<<10), bufio.NewReaderSize(derived, 64<<10)
	for n := int64(1); ; n++ {
		lineA, errA := a.ReadBytes('\n')
		lineB, errB := b.ReadBytes('\n')
		for _, err := range []error{errA, errB} {
			if err != nil && err != io.EOF {
				return ReplayResult{}, err
			}
		}
		if !bytes.Equal(lineA, lineB) {
			return ReplayResult{Line: n, Recorded: string(lineA), Derived: string(lineB), Difference: differenceOf(lineA, lineB)}, nil
		}
		if errA == io.EOF {
			return ReplayResult{Equal: true}, nil
		}
	}
}
