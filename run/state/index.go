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
const indexVersion = 8

// Index knows where each whole tick of a trace begins and what was counted in all of them,
// so that a question about a run or a tick does not read a gigabyte. Ticks are in rising
// order; all columns have one entry a tick.
type Index struct {
	Version int `json:"version"`
	// Run is the hash of the trace's first line, which identifies the run.
	Run string `json:"run"`
	// Facts are those after the last whole tick. File and Offset are where that ends: the
	// number of the trace's file and the byte in it, uncompressed.
	Facts
	File   int   `json:"file"`
	Offset int64 `json:"offset"`
	// Sizes are the sizes of the earlier, closed files on disk, in bytes. If one differs,
	// the index is not used.
	Sizes []int64 `json:"sizes"`

	// Ticks are the ticks' numbers, Files and Offsets where they begin, and Chains the chains
	// of the lines before.
	Ticks   []int64       `json:"ticks"`
	Files   []int         `json:"files"`
	Offsets []int64       `json:"offsets"`
	Chains  []trace.Chain `json:"chains"`
	// Counts are those of all whole ticks.
	Counts
	// Usage are the tokens by model asked for, Failures the failed calls by kind, over
	// all whole ticks.
	Usage    map[string]llmclient.Usage `json:"usage"`
	Failures map[string]int64           `json:"failures"`
}

// Counts are model calls that were sent, those of them that failed, requests that a cap
// refused, decisions by a turn and by a standing order, waits for want of a decision, and
// rejected actions.
type Counts struct {
	Calls     int64 `json:"calls"`
	Failed    int64 `json:"failed"`
	Refused   int64 `json:"refused"`
	Decided   int64 `json:"decisions"`
	Continued int64 `json:"continued"`
	Degraded  int64 `json:"degraded"`
	Rejected  int64 `json:"rejected"`
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

// Count adds the ticks that follow to an index, line by line.
type Count struct {
	// State is the state of the run after the lines so far, also within an incomplete
	// tick.
	State State
	x     *Index
	// next is the place of the next line, begun that where the tick under way begins.
	next, begun place
	// counts includes the current tick, which may be derived again with other counts.
	counts Counts
}

// place is a byte of a file of the trace, and the chain of the line before it.
type place struct {
	file   int
	offset int64
	chain  trace.Chain
}

// NewCount counts the ticks after the end of x, of a run with a header.
func NewCount(x *Index, h trace.Header) *Count {
	end := place{x.File, x.Offset, x.Chain}
	return &Count{State: State{Header: h, Facts: x.Facts}, x: x, next: end, begun: end, counts: x.Counts}
}

// Add counts a line, which takes so many bytes of its file and has a chain; whole says that it ended a tick. The error says that a line of a
// whole tick is no record. failed makes one that names the place of this line.
func (c *Count) Add(line []byte, size int, chain trace.Chain, failed func(error) error) (whole bool, err error) {
	kind := trace.TypeOf(line)
	if kind == trace.TypeSegment {
		var s trace.Segment // it opens the next file
		if json.Unmarshal(line, &s) == nil && s.Number > c.next.file {
			c.next.file, c.next.offset = s.Number, 0
			c.begun = c.next
		}
	}
	c.next.offset += int64(size)
	c.next.chain = chain
	switch kind {
	case trace.TypeBlob, trace.TypeStep, trace.TypeEvent: // most of a trace, and nothing to count
		c.State.End = nil
	case trace.TypeRefusal:
		c.State.End = nil
		c.counts.Refused++
	case trace.TypeDecision:
		c.State.End = nil
		err = c.decision(line)
	default:
		var record trace.Record
		if record, err = trace.Decode(line); err != nil {
			break
		}
		end, ended := record.(trace.TickEnd)
		var calls []trace.ModelCall
		if ended {
			if c.State.Open.Damage != nil {
				return false, c.State.Open.Damage
			}
			calls = c.State.Open.calls()
		}
		if err := c.State.Add(record, Span{Chain: chain}); err != nil {
			return false, failed(err)
		}
		if ended {
			c.end(end, calls)
		}
		return ended, nil
	}
	if err != nil {
		c.State.Open.Lost(failed(err), Span{}) // which matters if the tick turns out whole
	}
	return false, nil
}

// decision counts a [trace.Decision], of which it decodes what it counts. The outcome is
// null when the world was not asked.
func (c *Count) decision(line []byte) error {
	var r struct {
		DecidedBy  trace.DecidedBy `json:"decided_by"`
		WaitReason string          `json:"wait_reason"`
		Tick       int64           `json:"tick"`
		AgentID    string          `json:"agent_id"`
		Authority  trace.Authority `json:"authority"`
		Outcome    *struct {
			Accepted bool `json:"accepted"`
		} `json:"outcome"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("malformed decision record: %w", err)
	}
	if r.DecidedBy == trace.ByStanding {
		c.counts.Continued++
	} else {
		c.counts.Decided++
	}
	c.State.Open.deviated(r.AgentID, Deviation{r.Tick, r.Authority.Deviation})
	if r.WaitReason != "" {
		c.counts.Degraded++
	}
	if r.Outcome != nil && !r.Outcome.Accepted {
		c.counts.Rejected++
	}
	return nil
}

// end adds the tick, which had these calls, to the index.
func (c *Count) end(r trace.TickEnd, calls []trace.ModelCall) {
	x := c.x
	c.counts.Calls += int64(len(calls))
	for _, call := range calls {
		x.Usage[call.Model] = x.Usage[call.Model].Add(call.Answer.Usage)
		if f := call.Answer.Failure; f != nil {
			c.counts.Failed++
			x.Failures[string(f.Kind)]++
		}
	}
	x.Ticks, x.Files, x.Offsets = append(x.Ticks, r.Tick), append(x.Files, c.begun.file), append(x.Offsets, c.begun.offset)
	x.Chains = append(x.Chains, c.begun.chain)
	x.Facts, x.File, x.Offset, x.Counts = c.State.Facts, c.next.file, c.next.offset, c.counts
	c.begun = c.next
}
