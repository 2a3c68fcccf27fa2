package run

import "example.com/agentworld/trace"

// tickReader reads the ticks of a recording. Ticks of an answers file have no ends: the first record
// of another tick distinguishes them.
type tickReader struct {
	// path is that of the recording, empty once a blob was not found in it.
	path    string
	how     *Reading
	extract bool
	lines   *trace.Reader
	// tick is the last one read; pushedBack is a record that was read too early, nil for none.
	tick       int64
	pushedBack trace.Record
	// blobs are those that answers of the epoch hold.
	blobs trace.Blobs
	epoch int64
}

// recordedTick is what a trace holds of a tick.
type recordedTick struct {
	tick    int64
	records []trace.Record
	// blobs are those among the records.
	blobs trace.Blobs
	calls map[trace.CallKey][]Answered
	// tools are the calls of tools.
	tools []trace.ToolCall
	// end is zero in an answers file, and where the tick is not whole.
	end trace.TickEnd
	// err is why nothing follows, such as [io.EOF].
	err error
}

// next reads the next tick.
func (r *tickReader) next() recordedTick {
	r.tick++
	t := recordedTick{tick: r.tick, calls: map[trace.CallKey][]Answered{}}
	for t.end.Tick == 0 {
		record := r.pushedBack
		r.pushedBack = nil
		if record == nil {
			record, t.err = r.lines.Next()
		}
		if t.err != nil {
			return t
		}
		if r.extract && len(t.records) == 0 {
			r.tick = trace.TickOf(record)
			t.tick = r.tick
		}
		if r.extract && trace.TickOf(record) > t.tick {
			r.pushedBack = record
			return t
		}
		t.records = append(t.records, record)
		switch record := record.(type) {
		case trace.Blob:
			t.blobs.Add(record)
		case trace.ModelCall:
			t.calls[record.Key()] = append(t.calls[record.Key()], r.answered(record, &t.blobs))
		case trace.ToolCall:
			t.tools = append(t.tools, record)
		case trace.TickEnd:
			t.end = record
			r.tick = record.Tick
			t.tick = r.tick
		}
	}
	return t
}

// answered restores the answer of a call from the blobs that it needs, which are among those of its
// tick or of the answers before.
func (r *tickReader) answered(call trace.ModelCall, inTick *trace.Blobs) Answered {
	if epoch := call.Tick / trace.EpochTicks; epoch != r.epoch {
		r.epoch = epoch
		r.blobs = trace.Blobs{} // an epoch stores its own
	}
	for _, hash := range call.Answer.Output {
		if blob, ok := inTick.Blob(hash); ok {
			r.blobs.Add(blob)
			continue
		}
		if _, known := r.blobs.Blob(hash); known || r.path == "" {
			continue
		}
		// It was part of a request in an earlier tick, which was not kept in memory.
		blob, err := findBlob(r.path, r.how, hash)
		if err != nil {
			r.path = ""
			continue
		}
		r.blobs.Add(blob)
	}
	restored := Answered{RequestHash: call.RequestHash, prompt: call.Prompt(), lasting: call.Answer.Lasting()}
	if call.Timing != nil {
		restored.Attempts = call.Timing.Attempts
		restored.LatencyMS = call.Timing.LatencyMS
	}
	restored.Answer, restored.err = call.Answer.Restore(&r.blobs)
	return restored
}
