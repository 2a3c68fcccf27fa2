package dashboard

import (
	"bytes"
	"slices"

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

// decode decodes what a history, a playback and an index need of a line, nil for most: decoding is
// nearly all of the work of reading a trace.
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
	}
	return trace.Decode(line)
}
