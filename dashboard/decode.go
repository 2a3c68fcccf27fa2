package dashboard

import (
	"bytes"
	"encoding/json"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// What is in the lines of the steps and events that count here.
var (
	countedStep  = [][]byte{ofKind(string(trace.StepRepair)), ofKind(string(trace.StepParseError)), []byte(`"repairs":[`)}
	countedEvent = [][]byte{
		ofKind(string(world.EventActionRejected)), ofKind(string(world.EventPowerState)), ofKind(string(world.EventGoalMet)),
		ofKind(string(world.EventTrade)),
	}
)

func ofKind(kind string) []byte { return []byte(`"kind":"` + kind + `"`) }

func containsOne(line []byte, of [][]byte) bool {
	return slices.ContainsFunc(of, func(part []byte) bool { return bytes.Contains(line, part) })
}

// The members that are read of calls and decisions, beside those that package state counts.
var (
	callMembers     = slices.Concat(state.ModelCallMembers, []string{"timing"})
	decisionMembers = slices.Concat(state.DecisionMembers,
		[]string{"executed", "by", "failed_by", "adjustments", "parents", "sources_used", "calls", "tokens", "timing"})
)

// decode decodes what a history, a playback and an index need of a line, nil for most: decoding is
// nearly all of the work of reading a trace. The sources of a decision that used none are left out.
func decode(line []byte) (trace.Record, error) {
	switch trace.TypeOf(line) {
	case trace.TypeBlob:
		return nil, nil
	case trace.TypeStep:
		if !containsOne(line, countedStep) {
			return nil, nil
		}
	case trace.TypeEvent:
		if !containsOne(line, countedEvent) {
			return nil, nil
		}
	case trace.TypeModelCall:
		var c trace.ModelCall
		err := json.Unmarshal(llmclient.Only(line, callMembers...), &c)
		return c, err
	case trace.TypeDecision:
		var d trace.Decision
		err := json.Unmarshal(llmclient.Only(line, decisionMembers...), &d)
		if err == nil && len(d.SourcesUsed) > 0 {
			err = json.Unmarshal(llmclient.Only(line, "sources_retrieved"), &d)
		}
		return d, err
	}
	return trace.Decode(line)
}
