package state

import (
	"cmp"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Span is a range of bytes of a file, of whole lines.
type Span struct {
	From, To int64
	// Chain is that of the last line.
	Chain trace.Chain
}

// Open is what a trace holds after its last whole tick. A resume keeps the exchanges and
// the records of processes that started and ended. The world's results were not recorded
// completely and are derived again.
type Open struct {
	// Exchanges are the calls whose answers can be used again.
	Exchanges []trace.ModelCall
	// Tools are the calls of tools, whose results can be used again.
	Tools []trace.ToolCall
	// broken are the other calls, which are asked again; brokenAt is where they are.
	broken   []trace.ModelCall
	brokenAt []Span
	// reflected says that an agent has begun to reflect.
	reflected bool
	// Leading counts the prompt switches, forks, changes of caps and controls, which a tick
	// begins with.
	Leading int
	// left is the last of the forks, nil for none.
	left *trace.Fork
	// deviations are those of agents from their plans.
	deviations map[string]Deviation
	// Resumed says that a process went on with the run here.
	Resumed bool
	// Begin is where the last whole tick ends in the open file. Kept and Cut are what
	// stays and what is cut of the rest, in rising order after [Open.Close].
	Begin     int64
	Kept, Cut []Span
	// Damage is the first line that is no record, nil without any.
	Damage error
	// FileLost says that the open file of the trace is gone or lost its first line: the
	// run continues after the closed files, in a new file.
	FileLost bool

	// Stored are the blobs among what stays, by kind and hash alone. Blobs without a complete exchange
	// are dropped: the retried request may get another answer.
	Stored []trace.Blob
	// blobs are all of them by place.
	blobs map[Span]trace.Blob
}

// deviated adds the deviation of an agent, if it is one. A tick that is derived again
// decides again.
func (o *Open) deviated(agent string, d Deviation) {
	if o.deviations == nil {
		o.deviations = map[string]Deviation{}
	}
	if delete(o.deviations, agent); d.Ticks > 0 {
		o.deviations[agent] = d
	}
}

// calls returns all calls.
func (o *Open) calls() []trace.ModelCall { return slices.Concat(o.Exchanges, o.broken) }

// Keys returns the keys of the exchanges.
func (o *Open) Keys() map[trace.CallKey]bool {
	keys := make(map[trace.CallKey]bool, len(o.Exchanges))
	for _, c := range o.Exchanges {
		keys[c.Key()] = true
	}
	return keys
}

// Lost records that the bytes at a place are no record. They are cut, and so is
// everything after them.
func (o *Open) Lost(err error, at Span) {
	o.Damage = cmp.Or(o.Damage, err)
	o.Cut = append(o.Cut, at)
}

// Close ends the reading: blobs that no kept call names are cut.
func (o *Open) Close() {
	named := map[trace.Blob]bool{}
	for _, c := range o.Exchanges {
		named[trace.Blob{Kind: trace.BlobInstructions, Hash: c.Instructions}] = true
		named[trace.Blob{Kind: trace.BlobTools, Hash: c.Tools}] = true
		for _, hash := range slices.Concat(c.Input, c.Answer.Output) {
			named[trace.Blob{Kind: trace.BlobItem, Hash: hash}] = true
		}
	}
	o.Stored = nil
	o.Kept = slices.DeleteFunc(o.Kept, func(at Span) bool {
		blob, isBlob := o.blobs[at]
		switch {
		case !isBlob:
			return false
		case named[blob]:
			o.Stored = append(o.Stored, blob)
			return false
		}
		o.Cut = append(o.Cut, at)
		return true
	})
	rising := func(a, b Span) int { return cmp.Compare(a.From, b.From) }
	slices.SortFunc(o.Kept, rising)
	slices.SortFunc(o.Cut, rising)
}

// CutBytes is the number of bytes to cut.
func (o *Open) CutBytes() (n int64) {
	for _, s := range o.Cut {
		n += s.To - s.From
	}
	return n
}

// add decides what becomes of a record.
func (o *Open) add(record trace.Record, at Span) {
	stays := false
	if o.Damage == nil {
		switch r := record.(type) {
		case trace.Header, trace.RunEnd:
			stays = true
		case trace.Resume:
			o.Resumed, stays = true, true
		case trace.Blob:
			if o.blobs == nil {
				o.blobs = map[Span]trace.Blob{}
			}
			o.blobs[at] = trace.Blob{Kind: r.Kind, Hash: r.Hash}
			stays = true
		case trace.Switch, trace.Fork, trace.CapChange, trace.Control:
			o.Leading++
			stays = true
		case trace.ToolCall:
			o.Tools = append(o.Tools, r)
			stays = true
		case trace.ModelCall:
			if !o.reflected && (r.Stage == trace.StageReflect || r.Stage == trace.StageConsolidate) {
				// Agents reflect once all have decided, about the outcome: however a
				// decision's call ended, it did not end the run, and it counts.
				o.Exchanges, o.Kept = append(o.Exchanges, o.broken...), append(o.Kept, o.brokenAt...)
				o.Cut = slices.DeleteFunc(o.Cut, func(at Span) bool { return slices.Contains(o.brokenAt, at) })
				o.broken = nil
				o.brokenAt = nil
				o.reflected = true
			}
			stays = usable(r.Answer.Failure)
			if stays {
				o.Exchanges = append(o.Exchanges, r)
			} else {
				o.broken, o.brokenAt = append(o.broken, r), append(o.brokenAt, at)
			}
		}
	}
	if stays {
		o.Kept = append(o.Kept, at)
	} else {
		o.Cut = append(o.Cut, at)
	}
}

// usable reports whether an answer counts when its tick is resumed, whatever followed it.
// Answers that the end of the run may have caused do not count and are asked again: a
// call that was interrupted, a refusal that ends a run and may be fixed by now, or a call
// without a recorded answer.
func usable(f *llmclient.Failure) bool {
	return f == nil || f.Kind != llmclient.ErrInterrupted && f.Kind != llmclient.ErrNotRecorded &&
		f.Kind != llmclient.ErrRecordingDamaged && !f.Kind.Fatal()
}
