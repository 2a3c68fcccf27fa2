package report

import (
	"fmt"

	"example.com/agentworld/trace"
)

// ControlRow is what an operator did to the run while it was under way.
type ControlRow struct {
	// Tick before which it was taken.
	Tick int64 `json:"tick"`
	// Kind of the control: pause, step, resume, switch, caps or message.
	Kind trace.ControlKind `json:"kind"`
	// Agent that it was for; empty for all of them, and where it is for none.
	AgentID string `json:"agent_id"`
	// What it was, in few words; texts are left out.
	What string `json:"what"`
}

// Text is the row for people.
func (c ControlRow) Text() string { return fmt.Sprintf("tick %d: %s", c.Tick, plain(c.What)) }
