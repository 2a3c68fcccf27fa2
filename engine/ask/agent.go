package ask

import (
	"errors"
	"fmt"

	"example.com/agentworld/behavior/interview"
	"example.com/agentworld/explain"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// ErrNoTurn marks an agent that asked no model up to a tick: it has no conversation to continue.
var ErrNoTurn = errors.New("the agent asked no model up to that tick")

// Run is a recorded run whose agents are asked. The directory of a run is one.
type Run interface {
	explain.Run
	Header() (trace.Header, error)
}

// Agent reads an agent of a run as it was after a tick. The index has to be of the run
// and to reach the tick. The error is [ErrNoTurn], or says where the trace cannot be read.
func Agent(of Run, x *state.Index, tick int64, id string) (interview.Agent, error) {
	a := interview.Agent{ID: id, Tick: tick}
	header, err := of.Header()
	if err != nil {
		return a, err
	}
	a.Decisions, err = lastTurn(of, x, tick, id)
	if err != nil {
		return a, err
	}
	a.Settings = header.SettingsAt(a.Decisions[0].Tick - 1)
	turn, err := explain.ReadTurn(of, x, a.Decisions[0].Tick, id)
	if err != nil {
		return a, err
	}
	if len(turn.Calls) == 0 {
		return a, ErrNoTurn // a cap refused all of them
	}
	a.Call = turn.Calls[len(turn.Calls)-1]
	prompt, err := turn.Prompt(a.Call)
	if err == nil {
		a.Answer, err = turn.Answer(a.Call)
	}
	if err != nil {
		return a, fmt.Errorf("read the conversation of %s in tick %d: %w", id, a.Call.Tick, err)
	}
	a.Instructions, a.Input = prompt.Instructions, prompt.Input
	for _, t := range prompt.Offered() {
		a.Tools = append(a.Tools, t.Ready())
	}
	return a, nil
}

// lastTurn returns the last decision up to a tick for which the agent asked a model, and those of
// its standing order after it. It looks further and further back.
func lastTurn(of Run, x *state.Index, tick int64, id string) ([]trace.Decision, error) {
	for ticks := int64(16); ; ticks *= 4 {
		from := max(1, tick-ticks+1)
		var list []trace.Decision
		for t, err := range explain.Ticks(of, x, from, tick, trace.TypeDecision) {
			if err != nil {
				return nil, err
			}
			for _, d := range t.Decisions {
				if d.AgentID == id {
					list = append(list, d)
				}
			}
		}
		for at := len(list) - 1; at >= 0; at-- {
			if list[at].Calls > 0 {
				return list[at:], nil
			}
		}
		if from == 1 {
			return nil, ErrNoTurn
		}
	}
}
