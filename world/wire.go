package world

import (
	"encoding/json"
	"fmt"
)

// The JSON forms of Event and Outcome carry the action in its canonical flat
// form; the alias types below drop the methods so that encoding does not recurse.

// plainEvent is an Event without methods.
type plainEvent Event

// wireEvent adds the encoded action to an event's other fields.
type wireEvent struct {
	plainEvent
	Action json.RawMessage `json:"action,omitempty"`
}

// MarshalJSON writes the event with its action, if any, in flat form.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireEvent{plainEvent(e), encodeOptional(e.Action)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Event) UnmarshalJSON(b []byte) error {
	var w wireEvent
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("decode event: %w", err)
	}
	action, err := decodeOptional(w.Action)
	if err != nil {
		return fmt.Errorf("decode event: %w", err)
	}
	*e = Event(w.plainEvent)
	e.Action = action
	return nil
}

// plainOutcome is an Outcome without methods.
type plainOutcome Outcome

// wireOutcome adds the encoded action to an outcome's other fields.
type wireOutcome struct {
	plainOutcome
	Action json.RawMessage `json:"action,omitempty"`
}

// MarshalJSON writes the outcome with its action in flat form.
func (o Outcome) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireOutcome{plainOutcome(o), encodeOptional(o.Action)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Outcome) UnmarshalJSON(b []byte) error {
	var w wireOutcome
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("decode outcome: %w", err)
	}
	action, err := decodeOptional(w.Action)
	if err != nil {
		return fmt.Errorf("decode outcome: %w", err)
	}
	*o = Outcome(w.plainOutcome)
	o.Action = action
	return nil
}

// encodeOptional leaves the field out when there is no action.
func encodeOptional(a Action) json.RawMessage {
	if a == nil {
		return nil
	}
	return EncodeAction(a)
}

// decodeOptional reads an absent action as none.
func decodeOptional(raw json.RawMessage) (Action, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	return DecodeAction(raw)
}

// clone copies o so that its holder cannot change the world's own record.
func (o Outcome) clone() Outcome {
	o.Changes = append([]Amount(nil), o.Changes...)
	if o.Rejection != nil {
		r := o.Rejection.clone()
		o.Rejection = &r
	}
	o.Action = cloneAction(o.Action)
	return o
}

// clone copies the numbers too, which are pointers.
func (r Rejection) clone() Rejection {
	for _, p := range []**int64{&r.Requested, &r.Available, &r.Maximum} {
		if *p != nil {
			n := **p
			*p = &n
		}
	}
	return r
}

// cloneAction copies the only parts of an action that are not plain values.
func cloneAction(a Action) Action {
	if order, ok := a.(ExecuteUntil); ok {
		order.Until = cloneConditions(order.Until)
		order.Ignore = append([]string(nil), order.Ignore...)
		return order
	}
	return a
}
