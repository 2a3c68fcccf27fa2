package trace

// Resume says that a process went on with a run that another one had left. It
// stands where the first record of that process is, so what comes before it was
// written by earlier ones. The canonical form leaves it out: a run that was resumed
// equals one that never stopped.
type Resume struct {
	// Tick is the last whole tick found in the trace.
	Tick int64 `json:"tick"`
	// TicksRequested is how many ticks the run is to have from now on.
	TicksRequested int64 `json:"ticks_requested"`
	// Exchanges counts the recorded answers of the tick after Tick, which are used
	// again rather than asked for.
	Exchanges int `json:"exchanges"`
	// CutBytes counts the bytes that were cut off: a torn line, records of a tick
	// that did not complete, calls that an interruption ended.
	CutBytes int64 `json:"cut_bytes"`
	// BaseURL is the endpoint from now on, without credentials, where it differs from
	// the header's.
	BaseURL string `json:"base_url,omitempty"`
	// Caps are other caps that somebody who went on wants, and the tick that they begin to
	// hold in, with its own [CapChange]; nil for none.
	Caps *CapChange `json:"caps,omitempty"`
	// Drift tells which version differs from the header's, empty when none does.
	Drift string `json:"drift,omitempty"`
	// Timing is nil in the canonical form.
	Timing *ResumeTiming `json:"timing,omitempty"`
}

// ResumeTiming is what of a resume depends on the clock or the machine.
type ResumeTiming struct {
	// ResumedAt is in RFC 3339.
	ResumedAt string `json:"resumed_at"`
	// Concurrency is how many turns can run at once from now on.
	Concurrency int `json:"concurrency"`
	// SegmentBytes is that of a [HeaderTiming] from now on.
	SegmentBytes *int64 `json:"segment_bytes,omitempty"`
}

// Segment opens every file of a trace but the first. A long trace is several files,
// each beginning where the one before ended, at the end of a tick; read one after
// the other they are the trace. The canonical form leaves it out.
type Segment struct {
	// Tick is the last tick of the files before.
	Tick int64 `json:"tick"`
	// Number is the number of this file; the first one, which has no such record, is 1.
	Number int `json:"number"`
}
