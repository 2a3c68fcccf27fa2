package state

import (
	"encoding/json"
	"fmt"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// indexVersion grows when what an index holds changes. An index of another version is
// rebuilt.
const indexVersion = 3

// Index knows where each whole tick of a trace begins and what was counted in it, so
// that a question about a tick does not read a gigabyte. Ticks are in rising order;
// all columns have one entry a tick.
type Index struct {
	Version int `json:"version"`
	// Run is the hash of the trace's first line, which tells runs apart.
	Run string `json:"run"`
	// File and Offset are where the last whole tick ends: the number of the trace's
	// file and the byte in it, uncompressed. Digest is that tick's.
	File   int    `json:"file"`
	Offset int64  `json:"offset"`
	Digest string `json:"digest"`
	// Asked is the most ticks that the run was asked for, as far as the index goes.
	Asked int64 `json:"asked"`
	// Resumes counts the processes that went on with the run, as far as it goes.
	Resumes int64 `json:"resumes"`

	// Caps are those that somebody who went on with the run set, nil where the header
	// says which hold.
	Caps *trace.Caps `json:"caps,omitempty"`

	// Ticks are the ticks' numbers, Files and Offsets where they begin.
	Ticks   []int64 `json:"ticks"`
	Files   []int   `json:"files"`
	Offsets []int64 `json:"offsets"`
	// The counts of each tick: model calls that were sent, those of them that failed,
	// requests that a cap refused, decisions by a turn and by a standing order, waits for
	// want of a decision, rejected actions.
	Calls     []int64 `json:"calls"`
	Failed    []int64 `json:"failed"`
	Refused   []int64 `json:"refused"`
	Decided   []int64 `json:"decided"`
	Continued []int64 `json:"continued"`
	Degraded  []int64 `json:"degraded"`
	Rejected  []int64 `json:"rejected"`

	// Usage are the tokens by model asked for, Failures the failed calls by kind, over
	// all whole ticks.
	Usage    map[string]llmclient.Usage `json:"usage"`
	Failures map[string]int64           `json:"failures"`
}

// NewIndex returns an index of no tick, of the run with a hash.
func NewIndex(run string) *Index {
	return &Index{Version: indexVersion, Run: run, File: 1, Usage: map[string]llmclient.Usage{}, Failures: map[string]int64{}}
}

// Of reports whether x is of this version and of the run with a hash.
func (x *Index) Of(run string) bool { return x.Version == indexVersion && x.Run == run }

// At returns the place of a tick in the columns; ok is false when the index does not
// hold it.
func (x *Index) At(tick int64) (at int, ok bool) { return slices.BinarySearch(x.Ticks, tick) }

// Last is the last whole tick, 0 for none.
func (x *Index) Last() int64 {
	if len(x.Ticks) == 0 {
		return 0
	}
	return x.Ticks[len(x.Ticks)-1]
}

// TickCount counts what an index tells about a tick, line by line, and adds it to the
// index when the tick is whole. Totals wait as well: a tick that is not whole may be
// derived again and come out with more.
type TickCount struct {
	x *Index
	// file and offset are the place of the next line.
	file   int
	offset int64
	// begun is where the tick under way begins.
	begunFile   int
	begunOffset int64

	calls, failed, refused, decided, continued, degraded, rejected int64
	// caps are those set in the tick, forked says that the tick began a fork.
	caps   *trace.Caps
	forked bool

	asked, resumes int64
	usage          map[string]llmclient.Usage
	failures       map[string]int64
}

// NewTickCount counts the ticks that follow the end of x.
func NewTickCount(x *Index) *TickCount {
	return &TickCount{
		x: x, file: x.File, offset: x.Offset, begunFile: x.File, begunOffset: x.Offset,
		usage: map[string]llmclient.Usage{}, failures: map[string]int64{},
	}
}

// Add counts a line; whole says that it ended a tick. The error is a malformed record.
func (c *TickCount) Add(line []byte) (whole bool, err error) {
	kind := trace.TypeOf(line)
	if kind == trace.TypeSegment {
		c.segment(line)
	}
	c.offset += int64(len(line)) + 1
	switch kind {
	case trace.TypePart, trace.TypeStep, trace.TypeEvent:
		return false, nil // most of a trace, and nothing to count
	case trace.TypeRefusal:
		c.refused++
		return false, nil
	case trace.TypeModelCall:
		return false, c.call(line)
	case trace.TypeDecision:
		return false, c.decision(line)
	}
	record, err := trace.Decode(line)
	if err != nil {
		return false, err
	}
	switch r := record.(type) {
	case trace.Header:
		c.asked = max(c.asked, r.Settings.Ticks)
	case trace.Resume:
		c.asked = max(c.asked, r.TicksRequested)
		c.resumes++
	case trace.Fork:
		c.forked = true
	case trace.CapChange:
		c.caps = &r.Caps
	case trace.TickEnd:
		c.end(r)
		return true, nil
	}
	return false, nil
}

// segment moves on to the file that the line opens.
func (c *TickCount) segment(line []byte) {
	var s trace.Segment
	if json.Unmarshal(line, &s) == nil && s.Number > c.file {
		c.file, c.offset = s.Number, 0
		c.begunFile, c.begunOffset = s.Number, 0
	}
}

// call counts a [trace.ModelCall], of which it decodes what it counts.
func (c *TickCount) call(line []byte) error {
	var r struct {
		Model  string `json:"model"`
		Answer struct {
			Usage   llmclient.Usage `json:"usage"`
			Failure *struct {
				Kind string `json:"kind"`
			} `json:"failure"`
		} `json:"answer"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("malformed model_call record: %w", err)
	}
	c.calls++
	c.usage[r.Model] = c.usage[r.Model].Add(r.Answer.Usage)
	if f := r.Answer.Failure; f != nil {
		c.failed++
		c.failures[f.Kind]++
	}
	return nil
}

// decision counts a [trace.Decision] in the same way. The outcome is null when the
// world was not asked.
func (c *TickCount) decision(line []byte) error {
	var r struct {
		DecidedBy  trace.DecidedBy `json:"decided_by"`
		WaitReason string          `json:"wait_reason"`
		Outcome    *struct {
			Accepted bool `json:"accepted"`
		} `json:"outcome"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("malformed decision record: %w", err)
	}
	if r.DecidedBy == trace.ByStanding {
		c.continued++
	} else {
		c.decided++
	}
	if r.WaitReason != "" {
		c.degraded++
	}
	if r.Outcome != nil && !r.Outcome.Accepted {
		c.rejected++
	}
	return nil
}

// end adds the tick to the index.
func (c *TickCount) end(r trace.TickEnd) {
	x := c.x
	x.Ticks, x.Files, x.Offsets = append(x.Ticks, r.Tick), append(x.Files, c.begunFile), append(x.Offsets, c.begunOffset)
	x.Calls, x.Failed = append(x.Calls, c.calls), append(x.Failed, c.failed)
	x.Refused = append(x.Refused, c.refused)
	x.Decided, x.Continued = append(x.Decided, c.decided), append(x.Continued, c.continued)
	x.Degraded, x.Rejected = append(x.Degraded, c.degraded), append(x.Rejected, c.rejected)
	for model, usage := range c.usage {
		x.Usage[model] = x.Usage[model].Add(usage)
	}
	for kind, n := range c.failures {
		x.Failures[kind] += n
	}
	if c.caps != nil || c.forked {
		x.Caps = c.caps
	}
	x.Asked, x.Resumes = max(x.Asked, c.asked), x.Resumes+c.resumes
	x.File, x.Offset, x.Digest = c.file, c.offset, r.Digest
	fresh := NewTickCount(x)
	fresh.usage, fresh.failures = c.usage, c.failures
	clear(fresh.usage)
	clear(fresh.failures)
	*c = *fresh
}
