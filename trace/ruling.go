package trace

import (
	"encoding/json"
	"errors"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/world"
)

// Ruling is what the world answered to the action of a decision. The zero value is that of a decision
// about which the world was not asked. Codes are not checked, so that traces of other rules can be read.
type Ruling struct {
	// Asked says that there is an outcome, Accepted that the world carried the action out.
	Asked    bool
	Accepted bool
	// Code is that of the rejection, empty without one.
	Code string
	// Changes are what the action added to and took from agents.
	Changes []world.Amount
	// RefusedBefore counts the choices that were refused before the one that ran.
	RefusedBefore int64
}

// Refused reports whether the world refused the action.
func (r Ruling) Refused() bool { return r.Asked && !r.Accepted }

// Ruling reads the outcome of the decision. The error says that it is none; the ruling is then as much as
// could be read.
func (d Decision) Ruling() (Ruling, error) {
	if !llmclient.Given(d.Outcome) {
		return Ruling{}, nil
	}
	var o struct {
		Accepted  bool `json:"accepted"`
		Rejection *struct {
			Code string `json:"code"`
		} `json:"rejection"`
		Changes       []world.Amount `json:"changes"`
		RefusedBefore int64          `json:"refused_before"`
	}
	if err := json.Unmarshal(d.Outcome, &o); err != nil {
		return Ruling{}, err
	}
	r := Ruling{Asked: true, Accepted: o.Accepted, Changes: o.Changes, RefusedBefore: o.RefusedBefore}
	if o.Rejection != nil {
		r.Code = o.Rejection.Code
	} else if !o.Accepted {
		return r, errors.New("neither accepted nor rejected")
	}
	return r, nil
}

// Action is as much of an encoded action as is counted. Names are not checked, so that traces of other
// rules can be read.
type Action struct {
	Name string `json:"action"`
	// Do is what a standing order repeats, nil for any other action.
	Do *Action `json:"do"`
	// Then are the steps that follow.
	Then []json.RawMessage `json:"then"`
}

// Action reads the executed action. The error says that it is none.
func (d Decision) Action() (a Action, err error) {
	err = json.Unmarshal(d.Executed, &a)
	if err == nil && a.Repeats() == "" {
		err = errors.New("no action name")
	}
	return a, err
}

// Repeats is the name of the action, of a standing order that of what it repeats.
func (a Action) Repeats() string {
	if a.Do != nil {
		return a.Do.Repeats()
	}
	return a.Name
}
