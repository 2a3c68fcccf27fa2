package engine

import (
	"bytes"
	"context"
	"errors"
	"reflect"

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// errDiffers ends a run at its first difference from the recorded one.
var errDiffers = errors.New("the traces differ")

// playCompared lets play carry out ticks of r, which takes its answers from a recording. Every record
// that r makes is compared with the recorded one, up to the tick last and in canonical form. The log
// that it returns has taken the records; it may continue in a file. The error is one of play, or a
// failure to read the recording.
func playCompared(ctx context.Context, recorded *run.Answers, last int64, r *runner,
	play func(ctx context.Context) error) (ReplayResult, *run.Log, error) {
	c := &comparison{recorded: recorded, line: 2} // the header comes first
	log := run.NewLog(trace.NewRecordWriter(c.take))
	r.sink = appending{log}
	err := play(ctx)
	if err == nil && r.reached.Tick < last { // it ended before the recorded run did
		err = c.compare(r.reached.Tick + 1)
	}
	difference, misplaced := trace.Misplaced(err)
	switch {
	case misplaced:
		return ReplayResult{Difference: difference}, log, nil
	case errors.Is(err, errDiffers):
		return c.difference, log, nil
	}
	return ReplayResult{Equal: err == nil}, log, err
}

// comparison is what a replay compares: every record that a run makes with the recorded one, tick by
// tick. Wall-clock times and what else [trace.CanonicalTick] drops are left out, and it puts the records of
// concurrent turns in a fixed order. A tick is read before its first answer is given, so damage is noticed before
// the differences that it makes.
type comparison struct {
	recorded *run.Answers
	// derived are the records of the tick under way.
	derived []trace.Record
	// line is the number of the next line of the canonical trace.
	line int64
	// difference is the first one found.
	difference ReplayResult
}

// take takes the next record of the run.
func (c *comparison) take(r trace.Record) error {
	c.derived = append(c.derived, r)
	if r.RecordType() != trace.TypeTickEnd {
		return nil
	}
	return c.compare(trace.TickOf(r))
}

// compare compares a tick. The error is errDiffers, a [*trace.OrderError] about the recorded tick, or
// a failure to read it.
func (c *comparison) compare(tick int64) error {
	records, err := c.recorded.Tick(tick)
	if err != nil {
		return err
	}
	recorded, err := trace.CanonicalTick(records)
	if err != nil {
		return err
	}
	derived, err := trace.CanonicalTick(c.derived)
	if err != nil {
		return err
	}
	c.derived = c.derived[:0]
	for i := range max(len(recorded), len(derived)) {
		var a, b trace.Record // nil where a tick has no further one
		if i < len(recorded) {
			a = recorded[i]
		}
		if i < len(derived) {
			b = derived[i]
		}
		if err := c.compareRecords(a, b); err != nil {
			return err
		}
		c.line++
	}
	return nil
}

// compareRecords compares a recorded and a derived record, nil for a missing one. Values that differ,
// such as no list and an empty one, may be written as the same line. The lines decide.
func (c *comparison) compareRecords(recorded, derived trace.Record) error {
	if reflect.DeepEqual(recorded, derived) {
		return nil
	}
	a, err := lineOf(recorded)
	if err != nil {
		return err
	}
	b, err := lineOf(derived)
	if err != nil || bytes.Equal(a, b) {
		return err
	}
	c.difference = ReplayResult{Line: c.line, Recorded: string(a), Derived: string(b),
		Difference: trace.DifferenceOf(a, b)}
	return errDiffers
}

// lineOf encodes a record, nil as no line.
func lineOf(r trace.Record) ([]byte, error) {
	if r == nil {
		return nil, nil
	}
	return trace.Encode(r)
}
