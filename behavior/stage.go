package behavior

import (
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// allowed returns the tools that may be called now, none in a reason step. In every
// other stage the model may skip ahead, by a draft and its decision in one answer.
func (t *Turn) allowed() []string {
	modules := t.mind.moduleNames
	if t.moduleCalls >= t.mind.cfg.ModuleCallsMax || t.cramped || !t.spares(0) {
		modules = nil
	}
	switch t.stage {
	case trace.StageReason:
		return []string{}
	case trace.StagePlan:
		// With new texts to read the plan comes alone, before them.
		if t.mind.cfg.Protocol == ProtocolLean || t.locked() {
			return []string{answer.ToolPlan}
		}
		if len(t.terms()) > 0 || slices.ContainsFunc(t.opening.seen.Inbox, func(m world.Message) bool { return m.New }) {
			modules = nil // as with texts, the plan comes first
		}
		return slices.Concat([]string{answer.ToolPlan}, t.commits(), modules)
	case trace.StageModules:
		return slices.Concat(t.commits(), modules)
	case trace.StageDraft:
		return t.commits()
	case trace.StageDecision:
		if t.redrafts {
			return t.commits()
		}
		return commitTools[1:]
	case trace.StageLean:
		tools := append([]string{answer.ToolTurn}, modules...)
		if t.opening.held.count() > 0 && !t.mayReveal && !t.opening.early {
			tools = append(tools, answer.ToolPlan)
		}
		return tools
	}
	panic("behavior: turn in unknown stage " + string(t.stage))
}

// commits are the tools by which a turn reaches its decision, together in one answer. In one-step
// mode the draft needs no decision.
func (t *Turn) commits() []string {
	if t.mind.cfg.Commit == trace.CommitOneStep {
		return commitTools[:1:1]
	}
	return commitTools
}

// commitTools are the tools by which a turn reaches its decision. No one changes them.
var commitTools = []string{answer.ToolDraft, answer.ToolDecision}

// takes reports whether a call that is not offered now is taken all the same: the order of
// calls is advice.
func (t *Turn) takes(tool string) bool {
	lean := t.mind.cfg.Protocol == ProtocolLean
	switch tool {
	case answer.ToolPlan:
		return true
	case answer.ToolDraft, answer.ToolDecision:
		return !lean
	case answer.ToolTurn:
		return lean
	}
	return slices.Contains(t.mind.moduleNames, tool) && t.moduleCalls < t.mind.cfg.ModuleCallsMax && !t.cramped &&
		t.spares(0)
}

// orderRoundsMax bounds the answers of a turn that do not lead on: another plan, another
// draft, a call that is not taken.
const orderRoundsMax = 2

// repairsOfTurn is how many times the repairs before a turn gets further it may have in all.
const repairsOfTurn = 3

// moduleTokensMin is the room in the window below which no module is offered. A result and the
// draft after it have to fit, and half of the room is kept for the draft.
const moduleTokensMin = 1000

// afterPlan moves to the stage the plan's next open step asks for. Respond and skip steps
// need no stage of their own.
func (t *Turn) afterPlan() {
	t.reasoning = false
	if t.mind.cfg.Protocol == ProtocolLean {
		t.stage = trace.StageLean
		return
	}
	for len(t.planSteps) > 0 {
		step := t.planSteps[0]
		t.planSteps = t.planSteps[1:]
		switch {
		case step.Kind == answer.StepCall && t.moduleCalls < t.mind.cfg.ModuleCallsMax:
			t.stage = trace.StageModules
			return
		case answer.Thinks(step.Kind) && t.reasonSteps < t.mind.cfg.ReasonStepsMax && t.spares(1):
			t.stage, t.thinking = trace.StageReason, step.Kind
			return
		case answer.Thinks(step.Kind):
			t.skipped("skipped_by_limit")
		}
	}
	t.stage = trace.StageDraft
}

// skipped notes a reason step that does not come about.
func (t *Turn) skipped(code string) {
	t.talk.Note(trace.Step{Kind: trace.StepReasonSkipped, Status: trace.StatusOK, Code: code})
}

// pastPlan drops the remaining steps: the model continues to its draft or decision.
func (t *Turn) pastPlan() {
	for _, step := range t.planSteps {
		if answer.Thinks(step.Kind) {
			t.skipped("skipped_by_model")
		}
	}
	t.planSteps = nil
}

// Afford tells the turn how many more requests its caller can send, the next one included. The
// turn then keeps what it needs to decide: it offers no modules and takes no reason step if only
// enough is left for a draft and a decision. Call it before Next. Without it, a turn assumes no
// limit.
func (t *Turn) Afford(requests int) { t.affordable, t.bounded = requests, true }

// spares reports whether the turn can afford a request now that decides nothing. sent is how many
// requests were sent since Afford was called.
func (t *Turn) spares(sent int) bool {
	return !t.bounded || t.affordable-sent > t.mind.cfg.callsAfterPlan()
}

// callsAfterPlan is how many requests the protocol makes after a plan at least.
func (c *Config) callsAfterPlan() int {
	if c.Protocol == ProtocolLean {
		return 1
	}
	return 2
}
