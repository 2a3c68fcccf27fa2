package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
)

// DifferenceError says that a run, derived again from its records, came out other
// than they say.
type DifferenceError struct {
	Tick int64
	// What differs: the record, whose it is, and the place in it. Values of the trace
	// stand in it as JSON.
	What string
}

// Error names the tick and what differs.
func (e *DifferenceError) Error() string { return fmt.Sprintf("tick %d: %s", e.Tick, e.What) }

// recordHead is what tells one record of a tick from another.
type recordHead struct {
	Type  Type   `json:"type"`
	Tick  int64  `json:"tick"`
	Agent string `json:"agent_id"`
	Step  int    `json:"step"`
}

// headOf reads the head of a line of a canonical trace; false where there is none.
func headOf(line []byte) (h recordHead, ok bool) {
	return h, len(line) > 0 && json.Unmarshal(line, &h) == nil
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
// line is the end of its
func DifferenceOf(recorded, derived []byte) *DifferenceError {
	a, inRecords := headOf(recorded)
	b, isDerived := headOf(derived)
	switch {
	case !isDerived:
		return &DifferenceError{a.Tick, fmt.Sprintf("recorded is a %s, which does not come out", a)}
	case !inRecords:
		return &DifferenceError{b.Tick, fmt.Sprintf("a %s comes out, which is not recorded", b)}
	case a != b:
		return &DifferenceError{min(a.Tick, b.Tick), fmt.Sprintf("recorded is a %s of tick %d, and a %s of tick %d comes out", a, a.Tick, b, b.Tick)}
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

// apartIn finds the first place at which two different values differ, members by name,
// and what stands there; "absent" stands for nothing.
func apartIn(place string, a, b any) (at, x, y string) {
	switch a := a.(type) {
	case map[string]any:
		if b, same := b.(map[string]any); same {
			return membersApart(place, a, b)
		}
	case []any:
		if b, same := b.([]any); same {
			return elementsApart(place, a, b)
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

func membersApart(place string, a, b map[string]any) (at, x, y string) {
	names := slices.Collect(maps.Keys(a))
	for name := range b {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		inA, hasA := a[name]
		inB, hasB := b[name]
		if hasA && hasB && same(inA, inB) {
			continue
		}
		path := strings.TrimPrefix(place+"."+name, ".")
		if !hasA || !hasB {
			return path, shownIf(hasA, inA), shownIf(hasB, inB)
		}
		return apartIn(path, inA, inB)
	}
	return place, valueShown(a), valueShown(b)
}

func elementsApart(place string, a, b []any) (at, x, y string) {
	for i := range max(len(a), len(b)) {
		path := fmt.Sprintf("%s[%d]", place, i)
		if i >= len(a) || i >= len(b) {
			return path, shownIf(i < len(a), elementOf(a, i)), shownIf(i < len(b), elementOf(b, i))
		}
		if !same(a[i], b[i]) {
			return apartIn(path, a[i], b[i])
		}
	}
	return place, valueShown(a), valueShown(b)
}

// elementOf returns the i-th element, nil behind the last.
func elementOf(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// same compares two parsed values.
func same(a, b any) bool { return bytes.Equal(llmclient.Marshal(a), llmclient.Marshal(b)) }

func shownIf(there bool, v any) string {
	if !there {
		return "absent"
	}
	return valueShown(v)
}

// valueShown is a value as JSON, cut to what fits a line: it may be a text of a model.
func valueShown(v any) string {
	return plaintext.Clip(string(llmclient.Marshal(v)), DifferenceCharsMax)
}

// Misplaced tells a record that stands in the wrong tick as a difference, which it is:
// no run writes one.
func Misplaced(err error) (*DifferenceError, bool) {
	order, found := errors.AsType[*OrderError](err)
	if !found {
		return nil, false
	}
	return &DifferenceError{order.After, fmt.Sprintf("behind it stands a %s record of tick %d", order.Type, order.Tick)}, true
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
	return plaintext.Clip(string(x[from:]), DifferenceCharsMax), plaintext.Clip(string(y[from:]), DifferenceCharsMax), n + 1
}
