package behavior

import (
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

func (t *Turn) takePlan(i int) (bool, answer.Problem) {
	plan, used, e := answer.ReadPlan(t.talk.Calls[i].Call)
	if e != nil {
		return false, t.badArguments(i, trace.StepPlan, e)
	}
	unread := t.acceptPlan(plan, t.talk.Calls[i], used)
	if onlySkips(t.planSteps) {
		t.idle = &plan
	}
	t.reveal()
	t.afterPlan()
	t.talk.Respond(i, planAccepted{unread, t.now.stage})
	return true, ""
}

// acceptPlan takes a plan: its steps, and what it says the agent may do. It counts the
// actions that could not be read.
func (t *Turn) acceptPlan(plan answer.Plan, call PendingCall, used []answer.Repair) (unread int) {
	t.planned = true
	unread, more := t.intend(plan.Actions, call.Call)
	t.planSteps = nil
	actions := t.plannedNames()
	for _, s := range plan.Steps[:min(len(plan.Steps), planStepsMax)] {
		t.planSteps = append(t.planSteps, typed(s.Kind, t.mind.moduleNames, actions))
	}
	t.talk.Note(trace.Step{
		Kind: trace.StepPlan, Status: trace.StatusOK, CallID: call.ID, Leniencies: repairNames(slices.Concat(used, more)),
		Detail: llmclient.Marshal(planDetail{Goal: capText(plan.Goal), Steps: append([]TypedStep{}, t.planSteps...), Actions: append([]policy.PlannedAction{}, t.plan...), Unread: unread}),
	})
	return unread
}

// rest ends a turn whose plan says that there is nothing to do: a wait that the model
// chose, without asking it again.
func (t *Turn) rest() {
	goal := t.idle.Goal
	t.talk.Note(trace.Step{Kind: trace.StepDecision, Status: trace.StatusOK, Code: codeNothingPlanned, Name: world.Wait{}.ActionName()})
	d := decisionOf(Verdict{Proposed: world.Wait{}, Adjusted: world.Wait{}})
	d.Why, d.Commit, d.CallsSaved = capText(goal), trace.CommitSkip, t.mind.cfg.callsAfterPlan()
	t.finish(d)
}

// codeNothingPlanned marks the wait that a plan of nothing but skip steps stands for.
const codeNothingPlanned = "nothing_planned"

// respondStep is the step in which the agent acts: the plan's own where it comes to
// one, and otherwise one made like it, because every turn ends in it.
func (t *Turn) respondStep() TypedStep { return typed(answer.StepRespond, nil, t.plannedNames()) }

// planStepsMax bounds the plan steps that are read, planActionsMax the actions.
const (
	planStepsMax   = 12
	planActionsMax = 12
)

type planDetail struct {
	Goal  string      `json:"goal"`
	Steps []TypedStep `json:"steps"`
	// Actions are the actions planned, as they were understood; Unread counts those
	// that were not.
	Actions []policy.PlannedAction `json:"actions"`
	Unread  int                    `json:"unread,omitempty"`
}
