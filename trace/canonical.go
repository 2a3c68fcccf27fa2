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
	c := canonicalizer{w: w}
	for record, err := range NewReader(r).All() {
		if err == nil {
			err = c.add(record)
		}
		if errors.Is(err, ErrTorn) {
			return cmp.Or(c.close(), err)
		}
		if err != nil {
			return err
		}
	}
	if !c.begun {
		return ErrNoHeader
	}
	return c.close()
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

// NewCanonicalWriter returns a writer that puts the records it is given into w in
// canonical form, as [Canonical] would the trace they make: a whole tick at a time,
// without a trace in between. finish writes what is withheld. The first record must
// be a header.
func NewCanonicalWriter(w io.Writer) (out *Writer, finish func() error) {
	c := &canonicalizer{w: w}
	out = NewWriter(nil)
	out.direct = c.add
	return out, c.close
}

// CanonicalTicks copies the trace in r to w as [Canonical] would, up to the end of tick
// last and without the end of the run. Unreadable lines after that tick are ignored. It
// does not decode a line that begins as this package writes it, and so does not check
// that the line is a record. Use it to compare with known records, where most lines are
// equal; look at a line that differs with [CanonicalLine].
func CanonicalTicks(r io.Reader, w io.Writer, last int64) error {
	c := ticksCanonicalizer{canonicalizer: canonicalizer{w: w}, last: last}
	whole := false
	for lines := NewReader(r); ; {
		line, err := lines.NextLine()
		if err == nil {
			err = c.addLine(line)
			if err != nil {
				err = lines.Failed(err)
			}
		} else if err == io.EOF || errors.Is(err, ErrTorn) {
			return c.flush()
		}
		if err != nil {
			if _, misplaced := errors.AsType[*OrderError](err); !misplaced && whole {
				err = nil
			}
			return cmp.Or(c.flush(), err)
		}
		whole = whole || last == 0 || c.tick == last && TypeOf(line) == TypeTickEnd
	}
}

// ticksCanonicalizer holds back the records of ticks up to last.
type ticksCanonicalizer struct {
	canonicalizer
	last int64
	// beyond is the first later tick seen. Nothing of a tick up to last may follow.
	beyond int64
}

// addLine adds a line, if it belongs to a tick up to last.
func (c *ticksCanonicalizer) addLine(line []byte) error {
	s, placed := slot{}, false
	if c.begun {
		s, placed = placeOf(line)
	}
	t := TypeOf(line)
	if !placed {
		record, err := Decode(line)
		if err != nil {
			return err
		}
		t = record.RecordType()
		switch t {
		case TypeRunEnd, TypeResume, TypeSegment:
			return nil // they describe the last whole tick, at any place
		}
		s = slot{tick: record.recordTick(), record: record}
	}
	switch {
	case s.tick > c.last:
		c.beyond = cmp.Or(c.beyond, s.tick)
		return nil
	case c.beyond > 0:
		return &OrderError{t, s.tick, c.beyond}
	case placed:
		return c.hold(s)
	}
	return c.add(s.record)
}

// CanonicalLine returns the canonical form of a line, without its line feed. The error
// says why the line is no record.
func CanonicalLine(line []byte) ([]byte, error) {
	record, err := Decode(line)
	if err != nil {
		return nil, err
	}
	return Encode(untimed(record))
}

// canonicalizer holds back the records of one tick until it is complete.
type canonicalizer struct {
	w       io.Writer
	encoder encoder
	// begun says that the header is written.
	begun bool
	tick  int64
	held  []slot
	// order is where the held records are in canonical order.
	order []int32
	// lines holds the lines of slots, each with a line feed.
	lines []byte
	// end is the last run end seen; it counts only if nothing follows.
	end *RunEnd
}

func (c *canonicalizer) add(r Record) error {
	if !c.begun {
		if r.RecordType() != TypeHeader {
			return ErrNoHeader
		}
		c.begun, c.tick = true, r.recordTick()
		return c.write(r)
	}
	c.end = nil
	switch r := r.(type) {
	case RunEnd:
		c.end = &r
		return nil
	case Resume, Segment:
		return nil
	case Fork:
		if len(r.Changes) == 0 {
			return nil
		}
	}
	return c.hold(slotOf(r))
}

// hold keeps a record until its tick is complete.
func (c *canonicalizer) hold(s slot) error {
	if s.tick < c.tick {
		t := TypeOf(s.line)
		if s.record != nil {
			t = s.record.RecordType()
		}
		return &OrderError{t, s.tick, c.tick}
	}
	if s.tick > c.tick {
		if err := c.flush(); err != nil {
			return err
		}
		c.tick = s.tick
	}
	if s.record == nil { // where lines grows, earlier slots keep what it was
		from := len(c.lines)
		c.lines = append(append(c.lines, s.line...), '\n')
		s.line = c.lines[from:]
	}
	c.held = append(c.held, s)
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
	// Places are sorted in their stead, which are much smaller.
	c.order = c.order[:0]
	for i := range c.held {
		c.order = append(c.order, int32(i))
	}
	slices.SortFunc(c.order, func(a, b int32) int {
		if n := c.held[a].compare(&c.held[b]); n != 0 {
			return n
		}
		return int(a - b)
	})
	for _, i := range c.order {
		var err error
		s := &c.held[i]
		if s.record == nil {
			err = c.writeLine(s.line)
		} else {
			err = c.write(s.record)
		}
		if err != nil {
			return err
		}
	}
	clear(c.held)
	c.held, c.lines = c.held[:0], c.lines[:0]
	return nil
}

func (c *canonicalizer) write(r Record) error {
	line, err := c.encoder.encode(untimed(r))
	if err != nil {
		return err
	}
	return c.writeLine(append(line, '\n'))
}

func (c *canonicalizer) writeLine(line []byte) error {
	if _, err := c.w.Write(line); err != nil {
		return fmt.Errorf("write canonical trace: %w", err)
	}
	return nil
}

// slot is a record with its place: tick, then phase, then name, then step, then rank;
// equal places keep the order of the trace. A record that was not decoded is its
// canonical line instead.
type slot struct {
	tick              int64
	name              string
	phase, step, rank int
	record            Record
	line              []byte
}

// The phases of a tick.
const (
	phaseParts = iota
	phaseSwitches
	phaseChanges
	phaseTurns
	phaseEvents
	phaseEnd
)

func (s *slot) compare(t *slot) int {
	if s.phase != t.phase {
		return s.phase - t.phase
	}
	if n := strings.Compare(s.name, t.name); n != 0 {
		return n
	}
	return cmp.Or(cmp.Compare(s.step, t.step), s.rank-t.rank)
}

// slots are the places of the record types in their tick. Records of a turn are also
// placed by agent and step, blobs by their kind.
var slots = map[Type]slot{
	TypeBlob: {phase: phaseParts}, TypeSwitch: {phase: phaseSwitches}, TypeFork: {phase: phaseSwitches},
	TypeCapChange: {phase: phaseChanges},
	TypeControl:   {phase: phaseChanges},
	TypeModelCall: {phase: phaseTurns, rank: rankCall}, TypeRefusal: {phase: phaseTurns, rank: rankCall},
	TypeStep: {phase: phaseTurns, rank: rankStep}, TypeDecision: {phase: phaseTurns, step: stepLast},
	TypeEvent: {phase: phaseEvents}, TypeTickEnd: {phase: phaseEnd},
	// A second header is not written by this version; the others are never held.
	TypeHeader: {phase: phaseSwitches}, TypeRunEnd: {phase: phaseSwitches}, TypeResume: {phase: phaseSwitches},
	TypeSegment: {phase: phaseSwitches},
}

func slotOf(r Record) slot {
	s, known := slots[r.RecordType()]
	s.tick, s.record = r.recordTick(), r
	switch r := r.(type) {
	case Blob:
		s.name = r.Hash + string(r.Kind)
	case ModelCall:
		s.name, s.step = r.AgentID, r.Step
	case Refusal:
		s.name, s.step = r.AgentID, r.Step
	case Step:
		s.name, s.step = r.AgentID, r.Step
	case Decision:
		s.name = r.AgentID
	case Unknown:
		// A record of a later version is placed by the agent and step that it names. A
		// mismatch leaves zero values, which sort first: deterministic all the same.
		var at struct {
			AgentID string `json:"agent_id"`
			Step    int    `json:"step"`
		}
		_ = json.Unmarshal(r.Raw, &at)
		s.phase = phaseTurns
		s.name = at.AgentID
		s.step = at.Step
		s.rank = rankUnknown
	default:
		if !known {
			panic(fmt.Sprintf("trace: a record of type %T has no place in the canonical order", r))
		}
	}
	return s
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
