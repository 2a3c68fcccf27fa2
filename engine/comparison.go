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

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

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
	kept := j.log
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
	j.log, j.later = kept, nil
	if errors.Is(err, errDiffers) {
		err = nil
	}
	if err == nil && result.Equal || run.Damaged(err) || outer.Err() != nil {
		return result, err
	}
	return differs(dir, last, result, err)
}

// differs tells a difference from its cause. An answer that cannot be read makes what
// follows from it another, which is noticed before the reason is.
func differs(dir string, last int64, result ReplayResult, err error) (ReplayResult, error) {
	if damaged := readable(dir, last); damaged != nil {
		return ReplayResult{}, damaged
	}
	if difference, found := trace.Misplaced(err); found {
		return ReplayResult{Difference: difference}, nil
	}
	return result, err
}

// readable reads the trace in dir up to the end of a tick, 0 for none, and says what of it
// is damaged; nil when nothing is.
func readable(dir string, last int64) error {
	f, err := run.Dir(dir).Open()
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
	f, err := run.Dir(dir).Open()
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
	j.log = run.NewLog(out)
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

// compareBytes is how much of two traces is compared at a time.
const compareBytes = 64 << 10

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
			if again := rewritten(lineA); !bytes.Equal(again, lineB) {
				return ReplayResult{Line: n, Recorded: string(again), Derived: string(lineB), Difference: trace.DifferenceOf(again, lineB)}, nil
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

// rewritten returns the canonical form of a recorded line. What is no record, such as
// the empty line behind the last, stays as it is and differs: [readable] says why.
func rewritten(line []byte) []byte {
	again, err := trace.CanonicalLine(bytes.TrimSuffix(line, []byte{'\n'}))
	if err != nil {
		return line
	}
	return append(again, '\n')
}
