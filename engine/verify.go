package engine

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// errDiffers ends both sides of a comparison at the first difference.
var errDiffers = errors.New("the traces differ")

// verify lets play carry out ticks of r, and compares what it records with a run
// up to the tick last. It compares in canonical form and as a stream, so memory does not
// grow with the run. The trace was read just before, chains and all. Playing, encoding the derived
// records and reading the recorded ones
// run concurrently. The error is one of play, or a failure to read the run.
func verify(ctx context.Context, of run.Source, last int64, r *runner,
	play func(ctx context.Context) error) (ReplayResult, error) {
	recorded, recordedIn := io.Pipe()
	derived, derivedIn := io.Pipe()
	outer := ctx
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return fillPipe(recordedIn, func(w io.Writer) error {
			f, err := of.OpenChecked()
			if err != nil {
				return err
			}
			defer f.Close()
			// Lines that cannot be read after the last whole tick are no part of the run.
			if err := trace.CanonicalTicks(f, w, last); err != nil {
				return fmt.Errorf("read trace of %s: %w", of.Dir, err)
			}
			return nil
		})
	})
	v := &verifying{ctx: ctx, ticks: make(chan []func(appending) error, 1)}
	r.sink = v
	group.Go(func() error {
		defer close(v.ticks)
		return cmp.Or(play(ctx), v.send())
	})
	group.Go(func() error { return fillPipe(derivedIn, v.encode) })
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
	if err == nil && result.Equal || run.Damaged(err) || outer.Err() != nil {
		return result, err
	}
	// Damage causes differences: after an unreadable answer everything derived is
	// different, and the difference is noticed first. So the damage is checked here and
	// reported instead.
	if damaged := of.ReadThrough(last); damaged != nil {
		return ReplayResult{}, damaged
	}
	if difference, found := trace.Misplaced(err); found {
		return ReplayResult{Difference: difference}, nil
	}
	return result, err
}

// verifying sends what a run records on to where it is encoded, many records at a time: what
// is only compared need not be on disk before it is used, and hashing and encoding it go on
// beside the turns. At most three times heldMax writes wait, however many agents a tick has.
type verifying struct {
	ctx   context.Context
	ticks chan []func(appending) error
	mu    sync.Mutex
	held  []func(appending) error
}

func (v *verifying) write(records ...trace.Record) error {
	return v.hold(func(to appending) error { return to.write(records...) })
}

func (v *verifying) exchange(key trace.CallKey, ask behavior.Ask, a llmclient.Answer, m metered) error {
	return v.hold(func(to appending) error { return to.exchange(key, ask, a, m) })
}

// heldMax is how many writes are sent on at a time.
const heldMax = 64

// hold takes a write, and sends on what is held once it is enough.
func (v *verifying) hold(write func(appending) error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.held = append(v.held, write)
	if len(v.held) < heldMax {
		return nil
	}
	return v.send()
}

// send passes on what was withheld.
func (v *verifying) send() error {
	select {
	case v.ticks <- v.held:
		v.held = make([]func(appending) error, 0, heldMax)
		return nil
	case <-v.ctx.Done():
		return context.Cause(v.ctx)
	}
}

// encode writes all of it to w in canonical form.
func (v *verifying) encode(w io.Writer) error {
	out, finish := trace.NewCanonicalWriter(w)
	to := appending{run.NewLog(out)}
	for writes := range v.ticks {
		for _, write := range writes {
			if err := write(to); err != nil {
				return err
			}
		}
	}
	return finish()
}

// fillPipe lets fill write into the pipe, and closes it with the error of fill.
func fillPipe(pipe *io.PipeWriter, fill func(io.Writer) error) error {
	buffer := bufio.NewWriterSize(pipe, compareBytes)
	err := fill(buffer)
	// After a failure the records before it are still worth comparing.
	err = cmp.Or(err, buffer.Flush())
	pipe.CloseWithError(err)
	return err
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
			// What is no record, such as the empty line after the last, stays as it is and
			// differs: [run.Source.ReadThrough] says why.
			again, err := trace.CanonicalLine(bytes.TrimSuffix(lineA, []byte{'\n'}))
			if err == nil {
				again = append(again, '\n')
			} else {
				again = lineA
			}
			if !bytes.Equal(again, lineB) {
				return ReplayResult{Line: n, Recorded: string(again), Derived: string(lineB),
					Difference: trace.DifferenceOf(again, lineB)}, nil
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
