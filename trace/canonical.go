package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"agentworld/llmclient"
)

// Canonical copies the trace in r to w in the form that is compared byte by
// byte: equal runs have equal canonical traces, whatever the machine, the clock
// and the number of turns that ran at once.
//
//  1. Every "timing" object is gone; keys are in the order of the structs.
//  2. The header stays first.
//  3. Within a tick come its new parts by (hash, kind), prompt switches, then
//     each agent's records by (agent id, step, model call before step, order in
//     r) with its decision last, then the world's events in their own order, the
//     tick's end, the run's end. Agent ids compare as bytes. A part belongs to
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
	reader := NewReader(r)
	first, err := reader.Next()
	if err == io.EOF {
		return ErrNoHeader
	}
	if err != nil {
		return err
	}
	if first.RecordType() != TypeHeader {
		return ErrNoHeader
	}
	c := canonicalizer{w: w}
	if err := c.add(first); err != nil {
		return err
	}
	for record, err := range reader.All() {
		if errors.Is(err, ErrTorn) {
			return cmp.Or(c.close(), err)
		}
		if err != nil {
			return err
		}
		if err := c.add(record); err != nil {
			return err
		}
	}
	return c.close()
}

// OrderError marks a record that stands behind those of a later tick.
type OrderError struct {
	Type Type
	// Tick is the tick of the record, After that of those before it.
	Tick, After int64
}

// Error names the record and both ticks.
func (e *OrderError) Error() string {
	return fmt.Sprintf("canonical trace: a %s record of tick %d follows tick %d", e.Type, e.Tick, e.After)
}

// NewCanonicalWriter returns a writer that puts the records it is given into w in
// canonical form, as [Canonical] would the trace they make: a whole tick at a time,
// without a trace in between. finish writes what is held back. The first record must
// be a header.
func NewCanonicalWriter(w io.Writer) (out *Writer, finish func() error) {
	c := &canonicalizer{w: w}
	out = NewWriter(nil)
	out.direct = c.add
	return out, c.close
}

// canonicalizer holds back the records of one tick until it is complete.
type canonicalizer struct {
	w io.Writer
	// begun says that the header is written.
	begun bool
	tick  int64
	held  []Record
	// end is the last run end seen; it counts only if nothing follows.
	end *RunEnd
}

func (c *canonicalizer) add(r Record) error {
	if !c.begun {
		if r.RecordType() != TypeHeader {
			return ErrNoHeader
		}
		c.begun, c.tick = true, r.RecordTick()
		return c.write(r)
	}
	c.end = nil
	switch r := r.(type) {
	case RunEnd:
		c.end = &r
		return nil
	case Resume, Segment:
		return nil
	}
	if f, ok := r.(Fork); ok && len(f.Changes) == 0 {
		return nil
	}
	if r.RecordTick() < c.tick {
		return &OrderError{r.RecordType(), r.RecordTick(), c.tick}
	}
	if r.RecordTick() > c.tick {
		if err := c.flush(); err != nil {
			return err
		}
		c.tick = r.RecordTick()
	}
	c.held = append(c.held, r)
	return nil
}

func (c *canonicalizer) close() error {
	if err := c.flush(); err != nil {
		return err
	}
	if c.end == nil {
		return nil
	}
	return c.write(*c.end)
}

// flush writes the held records in canonical order.
func (c *canonicalizer) flush() error {
	slots := make([]slot, len(c.held))
	for i, r := range c.held {
		slots[i] = slotOf(r)
	}
	slices.SortStableFunc(slots, slot.compare)
	for _, s := range slots {
		if err := c.write(s.record); err != nil {
			return err
		}
	}
	c.held = c.held[:0]
	return nil
}

func (c *canonicalizer) write(r Record) error {
	line, err := Encode(r.untimed())
	if err != nil {
		return err
	}
	if _, err := c.w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write canonical trace: %w", err)
	}
	return nil
}

// slot is a record with its place within a tick: phase, then name, then step,
// then rank; equal places keep the order of the trace.
type slot struct {
	phase  int
	name   string
	step   int
	rank   int
	record Record
}

// The phases of a tick.
const (
	phaseParts = iota
	phaseSwitches
	phaseTurns
	phaseEvents
	phaseEnd
)

func (s slot) compare(t slot) int {
	return cmp.Or(
		cmp.Compare(s.phase, t.phase),
		cmp.Compare(s.name, t.name),
		cmp.Compare(s.step, t.step),
		cmp.Compare(s.rank, t.rank),
	)
}

func slotOf(r Record) slot {
	switch r := r.(type) {
	case Header, RunEnd, Resume, Segment:
		// A second header is not written by this version; the others are never held.
		return slot{phase: phaseSwitches, record: r}
	case Part:
		return slot{phase: phaseParts, name: r.Hash + string(r.Kind), record: r}
	case Switch, Fork:
		return slot{phase: phaseSwitches, record: r}
	case ModelCall:
		return slot{phase: phaseTurns, name: r.AgentID, step: r.Step, rank: 0, record: r}
	case Step:
		return slot{phase: phaseTurns, name: r.AgentID, step: r.Step, rank: 1, record: r}
	case Decision:
		return slot{phase: phaseTurns, name: r.AgentID, step: math.MaxInt, record: r}
	case Event:
		return slot{phase: phaseEvents, record: r}
	case TickEnd:
		return slot{phase: phaseEnd, record: r}
	case Unknown:
		return unknownSlot(r)
	}
	panic(fmt.Sprintf("trace: a record of type %T has no place in the canonical order", r))
}

// unknownSlot places a record of a later version with the agent and step it
// names, if it does.
func unknownSlot(u Unknown) slot {
	var at struct {
		AgentID string `json:"agent_id"`
		Step    int    `json:"step"`
	}
	// A mismatch leaves zero values, which sort first: deterministic all the same.
	_ = json.Unmarshal(u.Raw, &at)
	return slot{phase: phaseTurns, name: at.AgentID, step: at.Step, rank: 2, record: u}
}

// withoutMember returns the object without the top-level member key, compact and
// otherwise in its own order. object must be a valid JSON object.
func withoutMember(object json.RawMessage, key string) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		panic("trace: an unknown record is not a JSON object: " + err.Error())
	}
	kept := [][]byte{}
	for dec.More() {
		name, value, err := nextMember(dec)
		if err != nil {
			panic("trace: an unknown record is not valid JSON: " + err.Error())
		}
		if name != key {
			kept = append(kept, slices.Concat(llmclient.Marshal(name), []byte(":"), llmclient.Marshal(value)))
		}
	}
	return slices.Concat([]byte("{"), bytes.Join(kept, []byte(",")), []byte("}"))
}

func nextMember(dec *json.Decoder) (name string, value json.RawMessage, err error) {
	token, err := dec.Token()
	if err != nil {
		return "", nil, err
	}
	name, ok := token.(string)
	if !ok {
		return "", nil, errors.New("a member has no name")
	}
	return name, value, dec.Decode(&value)
}
