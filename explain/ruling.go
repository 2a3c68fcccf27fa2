package explain

import (
	"encoding/json"

	"example.com/agentworld/llmclient"
)

// Ruling is what the world answered to the action of a decision. The zero value is that of a decision
// about which the world was not asked, or whose outcome cannot be read. Codes are not checked, so that
// traces of other rules can be shown.
type Ruling struct {
	// Asked says that there is an outcome, Accepted that the world carried the action out.
	Asked    bool
	Accepted bool
	// Code is that of the rejection, empty without one.
	Code string
	// RefusedBefore counts the choices that were refused before the one that ran.
	RefusedBefore int64
}

// Refused reports whether the world refused the action.
func (r Ruling) Refused() bool { return r.Asked && !r.Accepted }

// RulingOf reads an outcome as a decision records it.
func RulingOf(outcome json.RawMessage) Ruling {
	var o struct {
		Accepted  bool `json:"accepted"`
		Rejection struct {
			Code string `json:"code"`
		} `json:"rejection"`
		RefusedBefore int64 `json:"refused_before"`
	}
	if !llmclient.Given(outcome) || json.Unmarshal(outcome, &o) != nil {
		return Ruling{}
	}
	return Ruling{Asked: true, Accepted: o.Accepted, Code: o.Rejection.Code, RefusedBefore: o.RefusedBefore}
}

// action is as much of an encoded action as is counted. Names are not checked, so that traces of other
// rules can be shown.
type action struct {
	Name string  `json:"action"`
	Do   *action `json:"do"`
}

// actionOf reads an encoded action. It is empty if that cannot be read.
func actionOf(encoded json.RawMessage) (a action) {
	_ = json.Unmarshal(encoded, &a) // null where there is none
	return a
}

// repeats is the name of the action, of a standing order that of what it repeats.
func (a action) repeats() string {
	if a.Do != nil {
		return a.Do.repeats()
	}
	return a.Name
}

// ActionName is the name in an encoded action, of a standing order that of the order.
func ActionName(encoded json.RawMessage) string { return actionOf(encoded).Name }
