package behavior

import (
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
)

// allowed returns the tools that may be called now. In every stage but a reason
// step the model may skip ahead, by a draft and its decision in one answer.
func (t *Turn) allowed() []string {
	modules := t.mind.moduleNames
	if t.moduleCalls >= t.mind.cfg.ModuleCallsMax || t.cramped || !t.spares(0) {
		modules = nil
	}
	switch t.now.stage {
	case trace.StageReason:
		return []string{}
	case trace.StagePlan:
		if t.mind.cfg.Protocol == ProtocolLean {
			return []string{answer.ToolPlan}
		}
		return []string{answer.ToolPlan, answer.ToolDraft, answer.ToolDecision}
	case trace.StageModules:
		return append([]string{answer.ToolDraft, answer.ToolDecision}, modules...)
	case trace.StageDraft:
		return []string{answer.ToolDraft, answer.ToolDecision}
	case trace.StageDecision:
		return []string{answer.ToolDecision}
	case trace.StageLean:
		return append([]string{answer.ToolTurn}, modules...)
	}
	panic("behavior: turn in unknown stage " + string(t.now.stage))
}

// moduleTokensMin is the room in the window below which no module is offered: a
// result and the draft behind it have to fit, and half of it is kept for the draft.
const moduleTokensMin = 1000

// choice returns the tool choice that goes with the stage.
func (t *Turn) choice() llmclient.ToolChoice {
	if t.now.reasons() {
		return llmclient.ToolChoice{Mode: llmclient.ChoiceNone}
	}
	return llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: t.allowed()}
}

// afterPlan moves to the stage the plan's next open step asks for. Reason steps
// beyond the limit and respond and skip steps need no stage of their own.
func (t *Turn) afterPlan() {
	if t.mind.cfg.Protocol == ProtocolLean {
		t.now = at(trace.StageLean)
		return
	}
	for len(t.planSteps) > 0 {
		step := t.planSteps[0]
		t.planSteps = t.planSteps[1:]
		switch {
		case step.Kind == answer.StepCall && t.moduleCalls < t.mind.cfg.ModuleCallsMax:
			t.now = turnStep{trace.StageModules, step}
			return
		case step.Kind == answer.StepReason && t.reasonSteps < t.mind.cfg.ReasonStepsMax && t.spares(1):
			t.enterReason(step)
			return
		}
	}
	t.now = turnStep{trace.StageDraft, t.respondStep()}
}

// mustPlanFirst reports whether a module result is held back: a lean turn that comes
// upon words of others, as a memory may hold, makes its plan before it reads them.
func (t *Turn) mustPlanFirst(r modules.Result) bool {
	return t.now.stage == trace.StageLean && !t.planned && slices.ContainsFunc(r.Sources, isUntrusted) && !t.mind.cfg.off(policy.LayerOrder)
}

// afterModules moves on when module results are in: to the plan when something waits
// for it, to a reason step that the plan put behind the calls, otherwise the model
// may call more or draft.
func (t *Turn) afterModules() {
	if len(t.unseen) > 0 && !t.planned {
		t.now = at(trace.StagePlan)
		return
	}
	for len(t.planSteps) > 0 && t.planSteps[0].Kind != answer.StepReason {
		t.planSteps = t.planSteps[1:]
	}
	if len(t.planSteps) > 0 && t.now.stage == trace.StageModules {
		t.afterPlan()
	}
}
