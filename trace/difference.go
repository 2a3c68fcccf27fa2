package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
)

// DifferenceError says that a run, derived again from its records, differs from them.
type DifferenceError struct {
	Tick int64
	// What differs: the record, whose it is, and the place in it. Values of the trace
	// are in it as JSON.
	What string
}

// Error names the tick and what differs.
func (e *DifferenceError) Error() string { return fmt.Sprintf("tick %d: %s", e.Tick, e.What) }

// recordHead identifies a record within a tick.
type recordHead struct {
	Type  Type   `json:"type"`
	Tick  int64  `json:"tick"`
	Agent string `json:"agent_id"`
	Step  int    `json:"step"`
}

// headOf reads the head of a line of a canonical trace; false if there is none.
func headOf(line []byte) (h recordHead, ok bool) {
	ok = len(line) > 0 && json.Unmarshal(line, &h) == nil
	return h, ok
}

// String names the record for people.
func (h recordHead) String() string {
	text := string(h.Type)
	if h.Agent != "" {
		text += " of " + strconv.Quote(h.Agent)
	}
	if h.Step > 0 {
		text += fmt.Sprintf(", step %d", h.Step)
	}
	return text
}

// DifferenceOf says what two different lines of canonical traces differ in. An empty
// line is the end of its trace.
func DifferenceOf(recorded, derived []byte) *DifferenceError {
	a, inRecords := headOf(recorded)
	b, isDerived := headOf(derived)
	switch {
	case !isDerived:
		return &DifferenceError{a.Tick, fmt.Sprintf("recorded is a %s, which does not come out", a)}
	case !inRecords:
		return &DifferenceError{b.Tick, fmt.Sprintf("a %s comes out, which is not recorded", b)}
	case a != b:
		return &DifferenceError{min(a.Tick, b.Tick),
			fmt.Sprintf("recorded is a %s of tick %d, and a %s of tick %d comes out", a, a.Tick, b, b.Tick)}
	}
	place, x, y := apartIn("", parsed(recorded), parsed(derived))
	return &DifferenceError{a.Tick, fmt.Sprintf("%s: %s recorded %s, derived %s", a, place, x, y)}
}

// parsed reads a line that was encoded here; what cannot be read differs as a whole.
func parsed(line []byte) any {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return string(line)
	}
	return value
}

// absent marks the place where one of two lists has ended, or one of two objects has no
// member.
type absent struct{}

func member(object map[string]any, name string) any {
	if v, has := object[name]; has {
		return v
	}
	return absent{}
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

// apartIn finds the first place at which two different values differ, members by name,
// and what is there.
func apartIn(place string, a, b any) (at, x, y string) {
	switch a := a.(type) {
	case map[string]any:
		b, same := b.(map[string]any)
		if !same {
			break
		}
		names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
		slices.Sort(names)
		for _, name := range names {
			inA, inB := member(a, name), member(b, name)
			if !reflect.DeepEqual(inA, inB) {
				return apartIn(strings.TrimPrefix(place+"."+name, "."), inA, inB)
			}
		}
	case []any:
		b, same := b.([]any)
		for i := 0; same && i < max(len(a), len(b)); i++ {
			inA, inB := element(a, i), element(b, i)
			if !reflect.DeepEqual(inA, inB) {
				return apartIn(fmt.Sprintf("%s[%d]", place, i), inA, inB)
			}
		}
	case string:
		if b, same := b.(string); same {
			// Long texts are shown from where they part.
			cutA, cutB, n := Apart(a, b)
			if n > beforeCharsMax {
				place += fmt.Sprintf(" from character %d on", n)
			}
			return place, valueShown(cutA), valueShown(cutB)
		}
	}
	return place, valueShown(a), valueShown(b)
}

// valueShown is a value as JSON, cut to what fits a line: it may be a text of a model.
func valueShown(v any) string {
	if v == (absent{}) {
		return "absent"
	}
	return plaintext.Clip(string(llmclient.Marshal(v)), DifferenceCharsMax)
}

// Misplaced reports a record in the wrong tick as a difference: no run writes one.
func Misplaced(err error) (*DifferenceError, bool) {
	order, found := errors.AsType[*OrderError](err)
	if !found {
		return nil, false
	}
	return &DifferenceError{order.After, fmt.Sprintf("behind it stands a %s record of tick %d", order.Type, order.Tick)},
		true
}

const (
	// DifferenceCharsMax bounds each side of a difference that is shown, beforeCharsMax
	// the common text before it.
	DifferenceCharsMax = 60
	beforeCharsMax     = 20
)

// Apart cuts two texts to where they begin to differ and counts the characters
// before that place from 1.
func Apart(a, b string) (string, string, int) {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	from := max(0, n-beforeCharsMax)
	return plaintext.Clip(string(x[from:]), DifferenceCharsMax), plaintext.Clip(string(y[from:]), DifferenceCharsMax),
		n + 1
}
