package trace

import "encoding/json"

// FormatVersion is the version of the records that this package writes. It grows when a field changes its
// name or meaning. A reader refuses a header of another version.
const FormatVersion = 2

// Type is the "type" of a record, the first key of its line.
type Type string

// The record types, in an order that says nothing.
const (
	// TypeHeader opens a trace: [Header].
	TypeHeader Type = "header"
	// TypeBlob is a piece of a request or answer that records refer to by hash: [Blob].
	TypeBlob Type = "part"
	// TypeSwitch is a change of prompts: [Switch].
	TypeSwitch Type = "switch"
	// TypeFork is where a fork left its parent: [Fork].
	TypeFork Type = "fork"
	// TypeModelCall is one request and its answer: [ModelCall].
	TypeModelCall Type = "model_call"
	// TypeToolCall is one call of a tool and its result: [ToolCall].
	TypeToolCall Type = "tool_call"
	// TypeRefusal is one request that a cap refused: [Refusal].
	TypeRefusal Type = "refusal"
	// TypeStep is one thing that a turn did: [Step].
	TypeStep Type = "step"
	// TypeDecision ends a turn: [Decision].
	TypeDecision Type = "decision"
	// TypeEvent is something that happened in the world: [Event].
	TypeEvent Type = "event"
	// TypeTickEnd ends a tick: [TickEnd].
	TypeTickEnd Type = "tick_end"
	// TypeRunEnd closes a trace: [RunEnd].
	TypeRunEnd Type = "run_end"
	// TypeResume says that another process continued the run: [Resume].
	TypeResume Type = "resume"
	// TypeSegment opens a further file of a long trace: [Segment].
	TypeSegment Type = "segment"
	// TypeCapChange is a change of caps by a resume: [CapChange].
	TypeCapChange Type = "caps"
	// TypeControl is an action of an operator during the run: [Control].
	TypeControl Type = "control"
)

// Record is one line of a trace. It is a closed set of small values: Header,
// Blob, Switch, Fork, ModelCall, ToolCall, Refusal, Step, Decision, Event, TickEnd, RunEnd, Resume,
// Segment, CapChange, Control and, for a type this version does not know, Unknown.
type Record interface {
	// RecordType is the "type" of the line.
	RecordType() Type
	// recordTick is the "tick" of the line. It closes the set.
	recordTick() int64
}

// TickOf returns the "tick" of a record's line.
func TickOf(r Record) int64 { return r.recordTick() }

// Unknown is a well-formed record of a type that this version does not know. It is kept unchanged, so
// that an older program can copy a newer trace.
type Unknown struct {
	// Type and Tick are read from Raw.
	Type Type
	Tick int64
	// Raw is the whole line, a JSON object without its line feed.
	Raw json.RawMessage
}

// RecordType implements [Record], for every record.
func (Header) RecordType() Type    { return TypeHeader }
func (Blob) RecordType() Type      { return TypeBlob }
func (Switch) RecordType() Type    { return TypeSwitch }
func (Fork) RecordType() Type      { return TypeFork }
func (ModelCall) RecordType() Type { return TypeModelCall }
func (ToolCall) RecordType() Type  { return TypeToolCall }
func (Refusal) RecordType() Type   { return TypeRefusal }
func (Step) RecordType() Type      { return TypeStep }
func (Decision) RecordType() Type  { return TypeDecision }
func (Event) RecordType() Type     { return TypeEvent }
func (TickEnd) RecordType() Type   { return TypeTickEnd }
func (RunEnd) RecordType() Type    { return TypeRunEnd }
func (Resume) RecordType() Type    { return TypeResume }
func (Segment) RecordType() Type   { return TypeSegment }
func (CapChange) RecordType() Type { return TypeCapChange }
func (Control) RecordType() Type   { return TypeControl }
func (u Unknown) RecordType() Type { return u.Type }

// recordTick implements [Record], for every record.
func (h Header) recordTick() int64    { return h.Tick }
func (b Blob) recordTick() int64      { return b.Tick }
func (s Switch) recordTick() int64    { return s.Tick }
func (f Fork) recordTick() int64      { return f.Tick }
func (c ModelCall) recordTick() int64 { return c.Tick }
func (c ToolCall) recordTick() int64  { return c.Tick }
func (r Refusal) recordTick() int64   { return r.Tick }
func (s Step) recordTick() int64      { return s.Tick }
func (d Decision) recordTick() int64  { return d.Tick }
func (e Event) recordTick() int64     { return e.Tick }
func (t TickEnd) recordTick() int64   { return t.Tick }
func (r RunEnd) recordTick() int64    { return r.Tick }
func (r Resume) recordTick() int64    { return r.Tick }
func (s Segment) recordTick() int64   { return s.Tick }
func (c CapChange) recordTick() int64 { return c.Tick }
func (c Control) recordTick() int64   { return c.Tick }
func (u Unknown) recordTick() int64   { return u.Tick }

// untimed returns the record as it is compared: without its timing, and without the number of ticks asked
// for and the forks that changed nothing.
func untimed(r Record) Record {
	switch r := r.(type) {
	case ModelCall:
		r.Timing = nil
		return r
	case ToolCall:
		r.Timing = nil
		return r
	case Decision:
		r.Timing = nil
		return r
	case RunEnd:
		r.Timing = nil
		return r
	case Resume:
		r.Timing = nil
		return r
	case Control:
		r.Timing = nil
		return r
	case Fork:
		r.Settings.Ticks = 0
		return r
	case Header:
		r.Timing, r.Settings.Ticks = nil, 0
		var forks []Fork
		for _, f := range r.Forks {
			if len(f.Changes) > 0 {
				f.Settings.Ticks = 0
				forks = append(forks, f)
			}
		}
		r.Forks = forks
		return r
	case Unknown:
		r.Raw = withoutMember(r.Raw, "timing")
		return r
	}
	return r
}
