// Package explain turns the records of a run into values that people look at: a decision with its
// reasons, the ticks of an agent, the uses of a source, where a source comes from, how far a run is,
// and what happened in it over time.
//
//	t, err := explain.ReadTurn(run.Dir("runs/mine"), nil, 12, "agent-1")
//	t.Decision, t.Steps, t.Calls
//	parts, err := t.Parts(t.Calls[0])   // what was sent and received, byte for byte
//
// It reads a run as a [Run], asks no model and changes nothing. Whoever shows the values chooses the
// words: an error of this package is a typed value that says what there is instead.
package explain
