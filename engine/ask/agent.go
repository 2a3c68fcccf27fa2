package ask

import (
	"encoding/json"
	"errors"
	"fmt"

	"example.com/agentworld/behavior/interview"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/run/transcript"
	"example.com/agentworld/trace"
)

// ErrNoTurn marks an agent that asked no model up to a tick: it has no conversation to continue.
var ErrNoTurn = errors.New("the agent asked no model up to that tick")

// Agent reads an agent of the run in dir as it was after a tick. The index has to be of the run
// and to reach the tick. The error is [ErrNoTurn], or says where the trace cannot be read.
func Agent(dir run.Dir, x *state.Index, tick int64, id string) (interview.Agent, error) {
	a := interview.Agent{ID: id, Tick: tick}
	header, err := dir.Header()
	if err != nil {
		return a, err
	}
	a.Decisions, err = lastTurn(dir, x, tick, id)
	if err != nil {
		return a, err
	}
	a.Settings = header.SettingsAt(a.Decisions[0].Tick - 1)
	turn, err := transcript.Read(dir, x, a.Decisions[0].Tick, id)
	if err != nil {
		return a, err
	}
	if len(turn.Calls) == 0 {
		return a, ErrNoTurn // a cap refused all of them
	}
	a.Call = turn.Calls[len(turn.Calls)-1]
	parts, err := turn.Parts(a.Call)
	if err == nil {
		a.Answer, err = turn.Answer(a.Call)
	}
	if err != nil {
		return a, fmt.Errorf("read the conversation of %s in tick %d: %w", id, a.Call.Tick, err)
	}
	a.Instructions, a.Input = parts.Instructions, parts.Input
	var tools []struct {
		Name, Description string
		Parameters        json.RawMessage
		Strict            bool
	}
	if len(parts.Tools) > 0 && json.Unmarshal(parts.Tools, &tools) != nil {
		return a, fmt.Errorf("read the conversation of %s in tick %d: its tools are no list of tools", id, a.Call.Tick)
	}
	for _, t := range tools {
		a.Tools = append(a.Tools, llmclient.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters,
			Strict: t.Strict}.Ready())
	}
	return a, nil
}

// lastTurn returns the last decision up to a tick for which the agent asked a model, and those of
// its standing order after it. It looks further and further back.
func lastTurn(dir run.Dir, x *state.Index, tick int64, id string) ([]trace.Decision, error) {
	for ticks := int64(16); ; ticks *= 4 {
		from := max(1, tick-ticks+1)
		var list []trace.Decision
		err := transcript.Each(dir, x, from, tick, func(r trace.Record) {
			switch r := r.(type) {
			case trace.Resume: // the decisions of its tick are recorded again
				for len(list) > 0 && list[len(list)-1].Tick >= r.Tick {
					list = list[:len(list)-1]
				}
			case trace.Decision:
				if r.AgentID == id {
					list = append(list, r)
				}
			}
		}, trace.TypeDecision, trace.TypeResume)
		if err != nil {
			return nil, err
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
