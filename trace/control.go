package trace

import (
	"errors"
	"fmt"
	"strings"
)

// ControlKind is what an operator did to a run under way.
type ControlKind string

// The kinds of controls.
const (
	// ControlPause: the run waited before the tick. ControlStep let it play this tick alone,
	// ControlResume let it go on.
	ControlPause  ControlKind = "pause"
	ControlStep   ControlKind = "step"
	ControlResume ControlKind = "resume"
	// ControlSwitch: other goals or another system prompt from the tick on.
	ControlSwitch ControlKind = "switch"
	// ControlCaps: other caps from the tick on.
	ControlCaps ControlKind = "caps"
	// ControlMessage: a text to agents, which the tick begins with.
	ControlMessage ControlKind = "message"
)

// Control is what an operator did to a run under way. It was taken between two ticks, before
// anything of its tick. A replay takes it from here, asks no person and waits for nothing.
type Control struct {
	// Tick is the tick before which it was taken.
	Tick int64       `json:"tick"`
	Kind ControlKind `json:"kind"`
	// AgentID limits a switch or message to one agent; empty means all of them.
	AgentID string `json:"agent_id,omitempty"`
	// The texts of a switch, as in a [Switch]; nil keeps a text as it is.
	SystemPrompt  *string `json:"system_prompt,omitempty"`
	ShortTermGoal *string `json:"short_term_goal,omitempty"`
	LongTermGoal  *string `json:"long_term_goal,omitempty"`
	// Caps are all that hold from the tick on; nil in other kinds.
	Caps *Caps `json:"caps,omitempty"`
	// Text is what the operator wrote to agents: data, as any message.
	Text string `json:"text,omitempty"`
	// Timing is nil in the canonical form.
	Timing *ControlTiming `json:"timing,omitempty"`
}

// ControlTiming is what of a control depends on the clock.
type ControlTiming struct {
	// TakenAt is in RFC 3339.
	TakenAt string `json:"taken_at"`
}

// Switch is the change of prompts that a control of that kind makes.
func (c Control) Switch() Switch {
	return Switch{Tick: c.Tick, AgentID: c.AgentID, SystemPrompt: c.SystemPrompt, ShortTermGoal: c.ShortTermGoal,
		LongTermGoal: c.LongTermGoal}
}

// Check reports a control that is none: of another kind, without what its kind needs, or with
// what belongs to another one.
func (c Control) Check() error {
	switches := c.SystemPrompt != nil || c.ShortTermGoal != nil || c.LongTermGoal != nil
	caps := c.Caps != nil
	writes := c.Text != ""
	switch c.Kind {
	case ControlPause, ControlStep, ControlResume:
		if switches || caps || writes || c.AgentID != "" {
			return fmt.Errorf("a %s has nothing else", c.Kind)
		}
	case ControlSwitch:
		if !switches || caps || writes {
			return errors.New("a switch has a system prompt, a short-term goal or a long-term goal, and no caps or text")
		}
	case ControlCaps:
		if !caps || switches || writes || c.AgentID != "" {
			return errors.New("a change of caps has caps, which are the run's, and nothing else")
		}
	case ControlMessage:
		if !writes || switches || caps {
			return errors.New("a message has a text, and no goals, prompt or caps")
		}
	default:
		return fmt.Errorf("kind: %q; allowed: pause, step, resume, switch, caps, message", c.Kind)
	}
	return nil
}

// What says in few words what an operator did, for people: "message to agent-1". The texts are
// left out.
func (c Control) What() string {
	to := " to all agents"
	if c.AgentID != "" {
		to = " to " + c.AgentID
	}
	switch c.Kind {
	case ControlPause:
		return "paused"
	case ControlStep:
		return "one tick"
	case ControlResume:
		return "resumed"
	case ControlCaps:
		return "other caps"
	case ControlMessage:
		return "message" + to
	}
	var texts []string
	for _, of := range []struct {
		text *string
		name string
	}{{c.SystemPrompt, "system prompt"}, {c.ShortTermGoal, "short-term goal"}, {c.LongTermGoal, "long-term goal"}} {
		if of.text != nil {
			texts = append(texts, of.name)
		}
	}
	return "other " + strings.Join(texts, ", ") + to
}
