package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// Canonical copies the trace in r to w in the form that is compared byte by byte: equal
// runs have equal canonical traces, whatever the machine, the clock and the number of
// concurrent turns.
//
//  1. Every "timing" object is gone; keys are in the order of the structs.
//  2. The header stays first.
//  3. Within a tick come its new blobs by (hash, kind), prompt switches and forks,
//     changes of caps and what an operator did in the order of the trace, then
//     each agent's records by (agent id, step, model call or refusal before step, order in
//     r) with its decision last, then the world's events in their own order, the
//     tick's end, the run's end. Agent ids compare as bytes. A blob belongs to
//     the tick that first used it, which does not depend on concurrency.
//     A fork that changed nothing is left out, of the header too.
//  4. What only tells how the run came about is left out: the number of ticks
//     asked for, resumes, the bounds of files, and a run end that more records follow, which was
//     overtaken by a resume.
//
// Memory is bounded by the records of one tick. The error is ErrNoHeader, a
// [*LineError], an [*OrderError], or a failed write; w then
// holds the ticks before it. With a torn last line (ErrTorn) w holds everything
// before the tear.
func Canonical(r io.Reader, w io.Writer) error {
	for record, err := range CanonicalRecords(r) {
		if err != nil {
			return err
		}
		line, err := Encode(record)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("write canonical trace: %w", err)
		}
	}
	return nil
}

// CanonicalRecords iterates over the records of [Canonical]. An error, which is one of reading there, comes
// last.
func CanonicalRecords(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		c := canonicalizer{take: func(record Record) bool { return yield(record, nil) }}
		if err := c.read(NewReader(r)); err != nil && !c.stopped {
			yield(nil, err)
		}
	}
}

// OrderError marks a record that follows those of a later tick.
type OrderError struct {
	Type Type
	// Tick is the tick of the record, After that of those before it.
	Tick, After int64
}

// Error names the record and both ticks.
func (e *OrderError) Error() string {
	return fmt.Sprintf("canonical trace: a %s record of tick %d follows tick %d", e.Type, e.Tick, e.After)
}

// CanonicalTick returns the records of one tick as the canonical form has them, in its order and
// without their timing. What it leaves out is left out, and so is the end of a run. The error is an
// [*OrderError] where a record follows one of a later tick.
func CanonicalTick(records []Record) ([]Record, error) {
	var placed []slot
	reached := int64(0)
	for _, r := range records {
		if !isCanonical(r) {
			continue
		}
		if r.recordTick() < reached {
			return nil, &OrderError{r.RecordType(), r.recordTick(), reached}
		}
		reached = r.recordTick()
		placed = append(placed, slotOf(r))
	}
	slices.SortStableFunc(placed, slot.compare)
	canonical := make([]Record, len(placed))
	for i, s := range placed {
		canonical[i] = untimed(s.record)
	}
	return canonical, nil
}

// isCanonical reports whether the canonical form has a record within its tick.
func isCanonical(r Record) bool {
	switch r := r.(type) {
	case RunEnd, Resume, Segment:
		return false
	case Fork:
		return len(r.Changes) > 0
	}
	return true
}

// canonicalizer holds back the records of one tick until it is complete.
type canonicalizer struct {
	// take gets each record in order, and says whether it wants more; stopped says that it does not.
	take    func(Record) bool
	stopped bool

	tick int64
	held []Record
	// end is the last run end seen; it counts only if nothing follows.
	end *RunEnd
}

// read takes all records of a trace.
func (c *canonicalizer) read(reader *Reader) error {
	h, err := reader.Header()
	if err == io.EOF {
		return ErrNoHeader
	}
	if err != nil {
		return err
	}
	c.tick = h.Tick
	c.give(untimed(h))
	for record, err := range reader.All() {
		if errors.Is(err, ErrTorn) {
			return cmp.Or(c.close(), err)
		}
		if err == nil {
			err = c.add(record)
		}
		if err != nil || c.stopped {
			return err
		}
	}
	return c.close()
}

func (c *canonicalizer) add(r Record) error {
	end, ended := r.(RunEnd)
	if ended {
		c.end = &end
		return nil
	}
	c.end = nil
	if !isCanonical(r) {
		return nil
	}
	if r.recordTick() > c.tick {
		if err := c.flush(); err != nil {
			return err
		}
		c.tick = r.recordTick()
	}
	c.held = append(c.held, r)
	return nil
}

func (c *canonicalizer) close() error {
	err := c.flush()
	if err == nil && c.end != nil {
		c.give(untimed(*c.end))
	}
	return err
}

// flush gives the held records in canonical order.
func (c *canonicalizer) flush() error {
	records, err := CanonicalTick(c.held)
	if err != nil {
		return err
	}
	for _, r := range records {
		c.give(r)
	}
	c.held = c.held[:0]
	return nil
}

// give passes a record on, unless nobody wants more.
func (c *canonicalizer) give(r Record) {
	if !c.stopped {
		c.stopped = !c.take(r)
	}
}

// slot is a record with its place in its tick: phase, then name, then step, then rank;
// equal places keep the order of the trace.
type slot struct {
	name              string
	phase, step, rank int
	record            Record
}

// The phases of a tick.
const (
	phaseBlobs = iota
	phaseSwitches
	phaseChanges
	phaseTurns
	phaseEvents
	phaseEnd
)

func (s slot) compare(t slot) int {
	return cmp.Or(cmp.Compare(s.phase, t.phase), strings.Compare(s.name, t.name), cmp.Compare(s.step, t.step),
		cmp.Compare(s.rank, t.rank))
}

// slotOf places a record: those of a turn by agent and step, blobs by hash and kind.
func slotOf(r Record) slot {
	switch r := r.(type) {
	case Blob:
		return slot{phase: phaseBlobs, name: r.Hash + string(r.Kind), record: r}
	case Switch, Fork, Header: // a second header is not written by this version
		return slot{phase: phaseSwitches, record: r}
	case CapChange, Control:
		return slot{phase: phaseChanges, record: r}
	case ModelCall:
		return slot{phase: phaseTurns, name: r.AgentID, step: r.Step, rank: rankCall, record: r}
	case Refusal:
		return slot{phase: phaseTurns, name: r.AgentID, step: r.Step, rank: rankCall, record: r}
	case Step:
		return slot{phase: phaseTurns, name: r.AgentID, step: r.Step, rank: rankStep, record: r}
	case Decision:
		return slot{phase: phaseTurns, name: r.AgentID, step: stepLast, record: r}
	case Event:
		return slot{phase: phaseEvents, record: r}
	case TickEnd:
		return slot{phase: phaseEnd, record: r}
	case Unknown:
		// A record of a later version is placed by the agent and step that it names. A
		// mismatch leaves zero values, which sort first: deterministic all the same.
		var at struct {
			AgentID string `json:"agent_id"`
			Step    int    `json:"step"`
		}
		_ = json.Unmarshal(r.Raw, &at)
		return slot{phase: phaseTurns, name: at.AgentID, step: at.Step, rank: rankUnknown, record: r}
	}
	panic(fmt.Sprintf("trace: a record of type %T has no place in the canonical order", r))
}

// Records of one turn: those of a step in this order, the decision after all steps.
const (
	rankCall = iota
	rankStep
	rankUnknown
	stepLast = math.MaxInt
)

// withoutMember returns the object without the top-level member key, compact and
// otherwise in its own order. object must be a valid JSON object.
func withoutMember(object json.RawMessage, key string) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		panic("trace: an unknown record is not a JSON object: " + err.Error())
	}
	kept := [][]byte{}
	for dec.More() {
		var value json.RawMessage
		name, err := dec.Token()
		err = cmp.Or(err, dec.Decode(&value))
		if err != nil {
			panic("trace: an unknown record is not valid JSON: " + err.Error())
		}
		if name != key {
			kept = append(kept, slices.Concat(llmclient.Marshal(name), []byte(":"), llmclient.Marshal(value)))
		}
	}
	return slices.Concat([]byte("{"), bytes.Join(kept, []byte(",")), []byte("}"))
}
