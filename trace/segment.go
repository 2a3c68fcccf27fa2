package trace

// Segment opens every file of a trace but the first. A long trace is several files,
// each beginning where the one before ended, at the end of a tick; read one after
// the other they are the trace. The canonical form leaves it out.
type Segment struct {
	// Tick is the last tick of the files before.
	Tick int64 `json:"tick"`
	// Number is the number of this file; the first one, which has no such record, is 1.
	Number int `json:"number"`
}

// RecordType implements [Record].
func (Segment) RecordType() Type { return TypeSegment }

// RecordTick implements [Record].
func (s Segment) RecordTick() int64 { return s.Tick }

func (s Segment) untimed() Record { return s }
