package scripted

import (
	"fmt"
	"slices"
	"strings"
)

// experience is what the request tells about actions that failed, so that the
// policy does not try the same thing again with the same arguments.
type experience struct {
	// refused holds signatures: actions refused in this turn, and the last action
	// when the world rejected it.
	refused map[string]bool
	// latest is the last line of the history.
	latest string
}

// readExperience collects the failures of a request.
func readExperience(p prompt, t transcript) experience {
	e := experience{refused: t.refused(), latest: p.latest}
	var last object
	if p.outcome != nil && decode(p.outcome, &last) == nil && last["accepted"] == false {
		e.refused[signature(last["action"])] = true
	}
	return e
}

// failed reports whether an action is known to fail.
func (e experience) failed(action any) bool {
	fields, _ := action.(object)
	return e.refused[signature(action)] || e.lately(fields)
}

// lately reports whether the history ends with a refusal of the action: a line
// that says "refused" and has the action's name and every argument among its
// words. Only the last line counts; what failed earlier may work by now.
func (e experience) lately(action object) bool {
	said := strings.FieldsFunc(e.latest, func(r rune) bool { return r == ' ' || r == ':' || r == ',' })
	if len(action) == 0 || !slices.Contains(said, "refused") {
		return false
	}
	for _, argument := range action {
		if argument != nil && !slices.Contains(said, fmt.Sprint(argument)) {
			return false
		}
	}
	return true
}

// stumbled reports whether the last thing remembered is a refusal.
func (e experience) stumbled() bool { return strings.Contains(e.latest, " refused") }

// source returns the id of the history's last line, which stands in brackets at
// its start; "" when the line has none.
func (e experience) source() string {
	id, _, closed := strings.Cut(strings.TrimPrefix(e.latest, "["), "]")
	if !strings.HasPrefix(e.latest, "[") || !closed {
		return ""
	}
	return id
}
