package stub

import (
	"fmt"
	"slices"
	"strings"
)

// experience is what the request says about actions that failed, so that the
// policy does not try the same thing again with the same arguments.
type experience struct {
	// refused holds the signatures of the actions refused in this turn.
	refused map[string]bool
	// latest is the line about the last action.
	latest string
	// refusal is the word for a refusal.
	refusal string
}

// failed reports whether an action is known to fail.
func (e experience) failed(action any) bool {
	fields, _ := action.(object)
	return e.refused[signature(action)] || e.lately(fields)
}

// lately reports whether the last action was this one and was refused: a line that
// reports a refusal and has the action's name and every argument among its words. What
// failed earlier may work by now. A dotted name may be shortened to its ends.
func (e experience) lately(action object) bool {
	said := strings.Fields(e.latest)
	for i, w := range said {
		said[i] = strings.TrimRight(w, ",:")
	}
	if len(action) == 0 || !slices.Contains(said, e.refusal) {
		return false
	}
	for _, argument := range action {
		if argument != nil && !slices.ContainsFunc(said, func(w string) bool { return means(w, fmt.Sprint(argument)) }) {
			return false
		}
	}
	return true
}

// stumbled reports whether the last thing remembered is a refusal.
func (e experience) stumbled() bool { return strings.Contains(e.latest, " "+e.refusal) }

// means reports whether a word is a name, or short for one: recipe.motor_mk1 for
// recipe.assembler.motor_mk1.
func means(word, name string) bool {
	head, _, dotted := strings.Cut(name, ".")
	return word == name || dotted && word == head+"."+lastPart(name)
}

// source returns the id of the history's last line, which is in brackets at
// its start; "" when the line has none.
func (e experience) source() string {
	id, _, closed := strings.Cut(strings.TrimPrefix(e.latest, "["), "]")
	if !strings.HasPrefix(e.latest, "[") || !closed {
		return ""
	}
	return id
}
