package explain

import (
	"fmt"
	"strings"
)

// NoAgentError says that a run does not have an agent.
type NoAgentError struct {
	Agent string
	// Agents are those of the run.
	Agents []string
}

// Error names the agent.
func (e *NoAgentError) Error() string { return fmt.Sprintf("no agent %q in this run", e.Agent) }

// NoDecisionError says that an agent decided nothing in a tick.
type NoDecisionError struct {
	Tick  int64
	Agent string
	// First and Last are the first and the last tick with a decision, 0 without any.
	First, Last int64
	// Decided are the agents that decided in the tick.
	Decided []string
}

// Error names the agent and the tick.
func (e *NoDecisionError) Error() string {
	return fmt.Sprintf("%s made no decision in tick %d", e.Agent, e.Tick)
}

// NoStepError says that a decision has no step with a number.
type NoStepError struct {
	Step int
	// Last is the number of its last step.
	Last int
}

// Error names the step.
func (e *NoStepError) Error() string { return fmt.Sprintf("no step %d in this decision", e.Step) }

// NoTickError says that a run does not have a tick.
type NoTickError struct {
	Tick int64
	// Last is its last whole tick, 0 for none.
	Last int64
}

// Error names the tick.
func (e *NoTickError) Error() string { return fmt.Sprintf("tick %d is not in the trace", e.Tick) }

// NoSourceError says that no decision had a source in view or named it.
type NoSourceError struct {
	ID string
	// Agent is the one whose decisions were read, empty for all.
	Agent string
	// Known are the sources that were in view, by id.
	Known []string
}

// Error names the source.
func (e *NoSourceError) Error() string {
	return fmt.Sprintf("no decision had the source %q in view or named it", e.ID)
}

// ManySourcesError says that several agents call sources of their own by the same id.
type ManySourcesError struct {
	ID     string
	Agents []string
}

// Error names the source and the agents.
func (e *ManySourcesError) Error() string {
	return fmt.Sprintf("%q is another source for each of %s", e.ID, strings.Join(e.Agents, ", "))
}

// PartError says that a part of a call is missing in the trace, or damaged.
type PartError struct{ Err error }

// Error says which part.
func (e *PartError) Error() string { return "the trace is damaged: " + e.Err.Error() }

// Unwrap returns what is wrong with the part.
func (e *PartError) Unwrap() error { return e.Err }
