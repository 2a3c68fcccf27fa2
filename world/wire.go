package world

import (
	"encoding/json"
	"fmt"
)

// The JSON forms of Event and Outcome carry the action in its canonical flat
// form; the types below drop the methods so that encoding does not recurse.
type (
	plainEvent   Event
	plainOutcome Outcome
	wireEvent    struct {
		plainEvent
		Action wireAction `json:"action,omitzero"`
	}
	wireOutcome struct {
		plainOutcome
		Action wireAction `json:"action,omitzero"`
	}
)

// wireAction is an action in its canonical form; the zero value is none.
type wireAction struct{ action Action }

func (a wireAction) MarshalJSON() ([]byte, error) { return EncodeAction(a.action), nil }

func (a *wireAction) UnmarshalJSON(b []byte) (err error) {
	if string(b) != "null" {
		a.action, err = DecodeAction(b)
	}
	return err
}

// MarshalJSON writes the event with its action, if any, in flat form.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireEvent{plainEvent(e), wireAction{e.Action}})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Event) UnmarshalJSON(b []byte) error {
	var w wireEvent
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("decode event: %w", err)
	}
	*e = Event(w.plainEvent)
	e.Action = w.Action.action
	return nil
}

// MarshalJSON writes the outcome with its action in flat form.
func (o Outcome) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireOutcome{plainOutcome(o), wireAction{o.Action}})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Outcome) UnmarshalJSON(b []byte) error {
	var w wireOutcome
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("decode outcome: %w", err)
	}
	*o = Outcome(w.plainOutcome)
	o.Action = w.Action.action
	return nil
}

// clone copies o so that its holder cannot change the world's own record.
func (o Outcome) clone() Outcome {
	o.Changes = append([]Amount(nil), o.Changes...)
	if o.Rejection != nil {
		o.Rejection = new(o.Rejection.clone())
	}
	o.Action = cloneAction(o.Action)
	return o
}

// clone copies the numbers too, which are pointers.
func (r Rejection) clone() Rejection {
	for _, p := range []**int64{&r.Requested, &r.Available, &r.Maximum} {
		if *p != nil {
			*p = new(**p)
		}
	}
	return r
}

// cloneAction copies the only parts of an action that are not plain values.
func cloneAction(a Action) Action {
	if order, ok := a.(ExecuteUntil); ok {
		order.Until = append([]Condition(nil), order.Until...)
		for i, c := range order.Until {
			if c.Value != nil {
				order.Until[i].Value = new(*c.Value)
			}
		}
		order.Ignore = append([]string(nil), order.Ignore...)
		order.Then = append([]ExecuteUntil(nil), order.Then...)
		for i, step := range order.Then {
			order.Then[i] = cloneAction(step).(ExecuteUntil)
		}
		return order
	}
	return a
}
