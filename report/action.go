package report

import (
	"bytes"
	"encoding/json"
	"errors"
)

// action is as much of an encoded action as a report needs. Names are not
// checked against the registry, so that traces of other rules can be reported.
type action struct {
	Name string  `json:"action"`
	Do   *action `json:"do"`
}

// readAction reads a flat action. A decision always executes one, so null is an
// error.
func readAction(raw json.RawMessage) (action, error) {
	var a action
	if err := json.Unmarshal(raw, &a); err != nil {
		return action{}, err
	}
	if a.kind() == "" {
		return action{}, errors.New("no action name")
	}
	return a, nil
}

// kind is the name an action counts under: what a standing order repeats.
func (a action) kind() string {
	if a.Do != nil {
		return a.Do.kind()
	}
	return a.Name
}

// waits says that the action asks nothing of the world but time.
func (a action) waits() bool { return a.kind() == "wait" || a.kind() == "wait_ticks" }

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}
