package engine

import (
	"encoding/json"
	"fmt"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// tickCount counts what an index tells about a tick, line by line, and adds it to the
// index when the tick is whole. Totals wait as well: a tick that is not whole may be
// derived again and come out with more.
type tickCount struct {
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

func newTickCount(x *Index) *tickCount {
	return &tickCount{
		x: x, file: x.File, offset: x.Offset, begunFile: x.File, begunOffset: x.Offset,
		usage: map[string]llmclient.Usage{}, failures: map[string]int64{},
	}
}

// add counts a line; whole says that it ended a tick. The error is a malformed record.
func (c *tickCount) add(line []byte) (whole bool, err error) {
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
func (c *tickCount) segment(line []byte) {
	var s trace.Segment
	if json.Unmarshal(line, &s) == nil && s.Number > c.file {
		c.file, c.offset = s.Number, 0
		c.begunFile, c.begunOffset = s.Number, 0
	}
}

// call counts a [trace.ModelCall], of which it decodes what it counts.
func (c *tickCount) call(line []byte) error {
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
func (c *tickCount) decision(line []byte) error {
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
func (c *tickCount) end(r trace.TickEnd) {
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
	fresh := newTickCount(x)
	fresh.usage, fresh.failures = c.usage, c.failures
	clear(fresh.usage)
	clear(fresh.failures)
	*c = *fresh
}
