package state

import (
	"fmt"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// indexVersion grows when what an index holds changes. An index of another version is
// rebuilt.
const indexVersion = 9

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
	// ReadOn says that whoever made the index reads on past a broken chain, and does so again where it begins.
	ReadOn bool `json:"-"`
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
	return &Index{Version: indexVersion, Run: run, File: 1, Usage: map[string]llmclient.Usage{},
		Failures: map[string]int64{}}
}

// Of reports whether x is of this version and of the run with a hash, and has whole columns: it
// may come from a file that somebody changed.
func (x *Index) Of(run string) bool {
	n := len(x.Ticks)
	return x.Version == indexVersion && x.Run == run && len(x.Files) == n && len(x.Offsets) == n && len(x.Chains) == n
}

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
	next, begun Place
	// counts includes the current tick, which may be derived again with other counts.
	counts Counts
}

// Place is a byte of a file of the trace at which a line begins, and the chain of the line before it.
type Place struct {
	// File is the number of the file, Offset the byte in it, uncompressed.
	File   int
	Offset int64
	Chain  trace.Chain
}

// Next is the place of the line that [Count.Add] takes next.
func (c *Count) Next() Place { return c.next }

// NewCount counts the ticks after the end of x, of a run with a header.
func NewCount(x *Index, h trace.Header) *Count {
	end := Place{x.File, x.Offset, x.Chain}
	return &Count{State: State{Header: h, Facts: x.Facts}, x: x, next: end, begun: end, counts: x.Counts}
}

// Line is a line of a trace as a [Count] takes it.
type Line struct {
	// Record is what the line holds. It may be nil for a blob, a step or an event, of which nothing
	// is counted. Err says why the line is no record.
	Record trace.Record
	Err    error
	// Size is how many bytes of its file the line takes, Chain is its chain.
	Size  int
	Chain trace.Chain
	// Failed is an error about the line, with its place.
	Failed func(error) error
}

// Decode decodes as much of a line as [Count.Add] needs.
func Decode(line []byte) (trace.Record, error) {
	switch trace.TypeOf(line) {
	case trace.TypeBlob, trace.TypeStep, trace.TypeEvent: // most of a trace, and nothing to count
		return nil, nil
	}
	return trace.Decode(line)
}

// Add counts a line; whole says that it ended a tick. The error says that a line of a whole tick
// is no record.
func (c *Count) Add(line Line) (whole bool, err error) {
	if s, opens := line.Record.(trace.Segment); opens && s.Number != c.next.File { // the next file
		if s.Number != c.next.File+1 {
			return false, line.Failed(fmt.Errorf("file %d of the trace does not follow file %d", s.Number, c.next.File))
		}
		c.next.File, c.next.Offset = s.Number, 0
		c.begun = c.next
	}
	c.next.Offset += int64(line.Size)
	c.next.Chain = line.Chain
	if line.Err != nil {
		c.State.Open.Lost(line.Failed(line.Err), Span{}) // which matters if the tick turns out whole
		return false, nil
	}
	switch r := line.Record.(type) {
	case nil, trace.Blob, trace.Step, trace.Event:
		c.State.End = nil
	case trace.Refusal:
		c.State.End = nil
		c.counts.Refused++
	case trace.Decision:
		c.State.End = nil
		c.decision(r)
	case trace.TickEnd:
		if c.State.Open.Damage != nil {
			return false, c.State.Open.Damage
		}
		calls := c.State.Open.calls()
		if err := c.State.Add(r, Span{Chain: line.Chain}); err != nil {
			return false, line.Failed(err)
		}
		c.end(r, calls)
		return true, nil
	default:
		if err := c.State.Add(r, Span{Chain: line.Chain}); err != nil {
			return false, line.Failed(err)
		}
	}
	return false, nil
}

// Decide counts a decision.
func (n *Counts) Decide(d trace.Decision) {
	if d.DecidedBy == trace.ByStanding {
		n.Continued++
	} else {
		n.Decided++
	}
	if d.WaitReason != "" {
		n.Degraded++
	}
	if ruling, _ := d.Ruling(); ruling.Refused() { // what cannot be read was not refused
		n.Rejected++
	}
}

// decision takes in a decision.
func (c *Count) decision(r trace.Decision) {
	c.counts.Decide(r)
	made := Deviation{Tick: r.Tick}
	if r.Authority != nil {
		made.Ticks = r.Authority.Deviation
	}
	c.State.Open.deviated(r.AgentID, made)
}

// end adds the tick, which had these calls, to the index.
func (c *Count) end(r trace.TickEnd, calls []trace.ModelCall) {
	x := c.x
	for _, call := range calls {
		if call.Stage == trace.StageSeat {
			continue
		}
		c.counts.Calls++
		x.Usage[call.Model] = x.Usage[call.Model].Add(call.Answer.Usage)
		if f := call.Answer.Failure; f != nil {
			c.counts.Failed++
			x.Failures[string(f.Kind)]++
		}
	}
	x.Ticks = append(x.Ticks, r.Tick)
	x.Files = append(x.Files, c.begun.File)
	x.Offsets = append(x.Offsets, c.begun.Offset)
	x.Chains = append(x.Chains, c.begun.Chain)
	x.Facts = c.State.Facts
	x.File = c.next.File
	x.Offset = c.next.Offset
	x.Counts = c.counts
	c.begun = c.next
}
