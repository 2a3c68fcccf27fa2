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
	ticks, end, err := ticksDone(dir)
	if difference, found := misplaced(err); found {
		return ReplayResult{Ticks: ticks, Difference: difference}, nil
	}
	if err != nil {
		return ReplayResult{}, err
	}
	settings.Ticks = ticks
	source, err := openRecording(dir)
	if err != nil {
		return ReplayResult{}, err
	}
	defer source.close()
	options := Options{Settings: settings, Source: source, Concurrency: o.Concurrency, Progress: o.Progress}
	j := newJournal(io.Discard)
	var derived trace.RunEnd
	result, err := compareTicks(ctx, dir, settings.Ticks, j, func(ctx context.Context) (err error) {
		derived, err = derive(ctx, h, options, source.capChanges, j)
		return err
	})
	if err == nil && result.Equal && end != nil {
		result, err = compareEnds(*end, derived)
	}
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

// ticksDone returns the last tick that the trace in dir holds whole, and the end of the
// run where it ends with one. A tick that ends behind a later one is a
// [*trace.OrderError].
func ticksDone(dir string) (last int64, end *trace.RunEnd, err error) {
	f, err := OpenTrace(dir)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	for reader := trace.NewReader(f); ; {
		record, err := reader.NextOf(trace.TypeTickEnd, trace.TypeResume, trace.TypeRunEnd)
		if err == io.EOF || errors.Is(err, trace.ErrTorn) {
			return last, end, nil
		}
		if err != nil {
			return last, nil, fmt.Errorf("read trace of %s: %w", dir, err)
		}
		end = nil
		switch record := record.(type) {
		case trace.RunEnd:
			end = &record
		case trace.TickEnd:
			if record.Tick <= last {
				return last, nil, fmt.Errorf("read trace of %s: %w", dir, &trace.OrderError{Type: trace.TypeTickEnd, Tick: record.Tick, After: last})
			}
			last = record.Tick
		}
	}
}

// compareEnds holds what the end of a run says of the world against what came out; how
// the run ended is not derived.
func compareEnds(recorded, derived trace.RunEnd) (ReplayResult, error) {
	derived.RunStatus, derived.Reason, derived.FaultsInjected = recorded.RunStatus, recorded.Reason, recorded.FaultsInjected
	recorded.Timing = nil
	a, err := trace.Encode(recorded)
	if err != nil {
		return ReplayResult{}, err
	}
	b, err := trace.Encode(derived)
	if err != nil || bytes.Equal(a, b) {
		return ReplayResult{Equal: true}, err
	}
	return ReplayResult{Recorded: string(a), Derived: string(b), Difference: differenceOf(a, b)}, nil
}

// errDiffers ends both sides of a comparison at the first difference.
var errDiffers = errors.New("the traces differ")

// compareTicks compares what is recorded of a run, up to its tick last, with what derive
// writes, both in canonical form as they come, tick by tick, so that memory does not
// grow with the run. Deriving, encoding what was derived, and reading what was recorded
// go on beside each other. What derive writes goes into j, which is as before
// afterwards. The error is one of derive, or a failure to read the run.
func compareTicks(ctx context.Context, dir string, last int64, j *journal, derive func(ctx context.Context) error) (ReplayResult, error) {
	recorded, recordedIn := io.Pipe()
	derived, derivedIn := io.Pipe()
	outer := ctx
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return fillPipe(recordedIn, func(w io.Writer) error { return copyTicks(dir, last, w) })
	})
	ticks := make(derivedTicks, 1)
	kept := j.w
	later, finish := ticks.collect(ctx)
	j.later = later
	group.Go(func() error {
		defer close(ticks)
		return cmp.Or(derive(ctx), finish())
	})
	group.Go(func() error { return fillPipe(derivedIn, func(w io.Writer) error { return ticks.writeTo(j, w) }) })
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
	j.w, j.later = kept, nil
	if damaged := (*damagedLineError)(nil); errors.As(err, &damaged) {
		return result, damaged.locate(dir)
	}
	if errors.Is(err, errDiffers) {
		err = nil
	}
	if err == nil && result.Equal || Damaged(err) || outer.Err() != nil {
		return result, err
	}
	// An answer that cannot be read makes what follows from it another, which is noticed
	// before the reason is.
	if damaged := readable(dir, last); damaged != nil {
		return ReplayResult{}, damaged
	}
	if difference, found := misplaced(err); found {
		return ReplayResult{Difference: difference}, nil
	}
	return result, err
}

// readable reads the trace in dir up to the end of a tick, 0 for none, and says what of it
// is damaged; nil when nothing is.
func readable(dir string, last int64) error {
	f, err := OpenTrace(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	for reader, tick := trace.NewReader(f), int64(0); tick < last; {
		record, err := reader.Next()
		if err != nil {
			return fmt.Errorf("read trace of %s: %w", dir, err)
		}
		if end, ok := record.(trace.TickEnd); ok {
			tick = end.Tick
		}
	}
	return nil
}

// fillPipe lets fill write into the pipe, and closes it with what came of that.
func fillPipe(pipe *io.PipeWriter, fill func(io.Writer) error) error {
	buffer := bufio.NewWriterSize(pipe, compareBytes)
	err := fill(buffer)
	// After a failure the records before it are still worth comparing.
	err = cmp.Or(err, buffer.Flush())
	pipe.CloseWithError(err)
	return err
}

// copyTicks writes the recorded run up to its last whole tick. What cannot be read
// behind that tick's end is no part of it.
func copyTicks(dir string, last int64, w io.Writer) error {
	f, err := OpenTrace(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := trace.CanonicalTicks(f, w, last); err != nil {
		return fmt.Errorf("read trace of %s: %w", dir, err)
	}
	return nil
}

// derivedTicks carries what a run would write, that of a tick at a time, from where it
// is derived to where it is encoded.
type derivedTicks chan []func() error

// writeTo encodes all of it into w, through the journal's writer.
func (t derivedTicks) writeTo(j *journal, w io.Writer) error {
	out, finish := trace.NewCanonicalWriter(w)
	j.w = out
	for writes := range t {
		for _, write := range writes {
			if err := write(); err != nil {
				return err
			}
		}
	}
	return finish()
}

// collect returns what takes the writes of a run and sends those of a whole tick at a
// time. finish sends those of a tick that did not end.
func (t derivedTicks) collect(ctx context.Context) (later func(write func() error, ended bool) error, finish func() error) {
	var held []func() error
	send := func() error {
		select {
		case t <- held:
			held = make([]func() error, 0, len(held))
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return func(write func() error, ended bool) error {
		held = append(held, write)
		if !ended {
			return nil
		}
		return send()
	}, send
}

// derive runs o, with the recorded changes of caps, and writes its trace into j, under
// the recorded header. It returns what the end of the run has to say of the world.
func derive(ctx context.Context, h trace.Header, o Options, capChanges func(int64) []trace.CapChange, j *journal) (trace.RunEnd, error) {
	r, err := newRunner(o, j)
	if err != nil {
		return trace.RunEnd{}, err
	}
	if err := r.journal.write(h); err != nil {
		return trace.RunEnd{}, err
	}
	r.prepareLearning(h)
	r.passed, r.capChanges = o.Ticks, capChanges
	result, err := r.ticks(ctx)
	if err != nil {
		return trace.RunEnd{}, err
	}
	if result.Status == trace.RunInterrupted {
		return trace.RunEnd{}, context.Cause(ctx)
	}
	final := snapshotOf(r.world)
	return trace.RunEnd{
		Tick: result.TicksDone, TicksDone: result.TicksDone, FinalDigest: result.FinalDigest, Agents: final.agents, Goals: final.goals,
	}, nil
}

// compareBytes is how much of two traces is compared at a time.
const compareBytes = 64 << 10

// damagedLineError says that a recorded line is no record.
type damagedLineError struct{ err error }

// Error implements error.
func (e *damagedLineError) Error() string { return e.err.Error() }

// locate reads the trace in dir with care and returns the error with the place of the
// line.
func (e *damagedLineError) locate(dir string) error {
	f, err := OpenTrace(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := trace.Canonical(f, io.Discard); err != nil {
		return fmt.Errorf("read trace of %s: %w", dir, err)
	}
	return fmt.Errorf("read trace of %s: %w", dir, e.err)
}

// compareCanonical reads both traces in canonical form, as many bytes at a time as
// there are of both, and line by line where they differ. A recorded line that is not
// equal may only be written otherwise.
func compareCanonical(recorded, derived io.Reader) (ReplayResult, error) {
	a, b := bufio.NewReaderSize(recorded, compareBytes), bufio.NewReaderSize(derived, compareBytes)
	for n := int64(1); ; n++ {
		n += skipEqual(a, b)
		lineA, errA := a.ReadBytes('\n')
		lineB, errB := b.ReadBytes('\n')
		for _, err := range []error{errA, errB} {
			if err != nil && err != io.EOF {
				return ReplayResult{}, err
			}
		}
		if !bytes.Equal(lineA, lineB) {
			if again, err := rewritten(lineA); err != nil {
				return ReplayResult{}, err
			} else if !bytes.Equal(again, lineB) {
				return ReplayResult{Line: n, Recorded: string(again), Derived: string(lineB), Difference: differenceOf(again, lineB)}, nil
			}
		}
		if errA == io.EOF {
			return ReplayResult{Equal: true}, nil
		}
	}
}

// skipEqual passes over the lines that are whole and equal in what is buffered of both
// traces, and counts them.
func skipEqual(a, b *bufio.Reader) (lines int64) {
	for {
		a.Peek(1) // what goes wrong shows when the line is read
		b.Peek(1)
		n := min(a.Buffered(), b.Buffered())
		textA, _ := a.Peek(n)
		textB, _ := b.Peek(n)
		if !bytes.Equal(textA, textB) {
			for n = 0; textA[n] == textB[n]; n++ {
			}
		}
		whole := bytes.LastIndexByte(textA[:n], '\n') + 1
		if whole == 0 {
			return lines
		}
		lines += int64(bytes.Count(textA[:whole], []byte{'\n'}))
		a.Discard(whole)
		b.Discard(whole)
	}
}

// rewritten returns the canonical form of a recorded line; the empty one behind the
// last stays as it is.
func rewritten(line []byte) ([]byte, error) {
	if len(line) == 0 {
		return line, nil
	}
	again, err := trace.CanonicalLine(bytes.TrimSuffix(line, []byte{'\n'}))
	if err != nil {
		return nil, &damagedLineError{err}
	}
	return append(again, '\n'), nil
}
