package behavior

import (
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Capability says what a step of a plan may do to the world.
type Capability string

// The capabilities, one per kind of step.
const (
	// CapabilityRead: ask modules, which change nothing.
	CapabilityRead Capability = "READ"
	// CapabilityReason: text and no call at all.
	CapabilityReason Capability = "REASON"
	// CapabilityAct: propose and commit an action.
	CapabilityAct Capability = "ACT"
	// CapabilityNone: nothing but waiting.
	CapabilityNone Capability = "NONE"
)

// TypedStep is a step of a plan as the engine understands it: made from the kind that
// the model named and the actions that its plan lists, never from a step's words.
type TypedStep struct {
	// Kind is call, reason, respond or skip, and "unknown" for any other.
	Kind       string     `json:"kind"`
	Capability Capability `json:"capability"`
	// Allowed names the modules or actions that belong to the step; Forbidden names
	// those that do not, [everythingElse] for all that are not allowed.
	Allowed   []string `json:"allowed"`
	Forbidden []string `json:"forbidden"`
}

// everythingElse stands for all operations that a step does not allow.
const everythingElse = "*"

// stepUnknown is the kind of a step that names none of the kinds.
const stepUnknown = "unknown"

// typed returns the step of a kind: modules are the tools that only read, actions
// what the plan lists.
func typed(kind string, modules, actions []string) TypedStep {
	s := TypedStep{Kind: kind, Capability: CapabilityNone, Allowed: []string{}, Forbidden: []string{everythingElse}}
	switch kind {
	case answer.StepCall:
		s.Capability, s.Allowed = CapabilityRead, append(s.Allowed, modules...)
	case answer.StepReason:
		s.Capability = CapabilityReason
	case answer.StepRespond:
		s.Capability, s.Allowed = CapabilityAct, append(s.Allowed, actions...)
	case answer.StepSkip:
		s.Allowed = append(s.Allowed, world.Wait{}.ActionName())
	default:
		s.Kind = stepUnknown
	}
	return s
}

// onlySkips reports whether a plan says, step by step, that there is nothing to do.
func onlySkips(steps []TypedStep) bool {
	return len(steps) > 0 && !slices.ContainsFunc(steps, func(s TypedStep) bool { return s.Kind != answer.StepSkip })
}

// turnStep is where a turn stands: its stage, and the plan's step that led there. It
// is made when the turn comes to the step and replaced as a whole by the next one, so
// nothing of a step can outlive it. That no tool may be called now is said here and
// nowhere else.
type turnStep struct {
	stage trace.Stage
	// typed is the step of the plan, zero before there is a plan.
	typed TypedStep
}

// at is the step of a stage that no step of a plan asks for.
func at(stage trace.Stage) turnStep { return turnStep{stage: stage} }

// reasons reports whether the step takes text and no call.
func (s turnStep) reasons() bool { return s.stage == trace.StageReason }
