package behavior

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The bounds of a plan: the steps and actions that are read, and the planned actions of
// a turn, which are those of a plan and of what was drafted or decided before any text
// was shown.
const (
	planStepsMax   = 12
	planActionsMax = 12
	plannedMax     = 2 * planActionsMax
)

// fallback is what a turn may end in without a decision: a drafted action, or one of a plan with
// the slots that it leaves open, once for each receiver or place that the plan names.
type fallback struct {
	do   []world.Action
	open []world.Slot
	by   trace.Basis
}

// waits is 1 for a plain wait, and 0 for anything else.
func (f fallback) waits() int {
	if _, waits := f.do[0].(world.Wait); waits {
		return 1
	}
	return 0
}

func (t *Turn) takePlan(i int) (faults []*answer.ArgumentError, problem answer.Problem) {
	plan, used, e := answer.ReadPlan(t.talk.Calls[i].Call)
	if e != nil {
		return nil, t.badArguments(i, trace.StepPlan, e)
	}
	first := !t.planned
	if first {
		t.parseRepairs = 0
	}
	earlier := t.fallbacks
	if len(plan.Actions) > 0 && !t.planInfluenced() {
		t.fallbacks = nil // a plan that names no action says nothing about any
	}
	// What the plan leaves out stays out once texts are shown: it may be mended before.
	mends := first && len(t.talk.Calls) == 1 && t.locked()
	faults = t.acceptPlan(plan, t.talk.Calls[i], used, mends)
	if t.mending && len(t.fallbacks) > 0 && !t.planInfluenced() {
		t.fallbacks = append(t.fallbacks, earlier...) // the model may repeat only what was at fault
	}
	t.mending = mends && len(faults) > 0
	// A plan may say, step by step, that there is nothing to do.
	acts := func(s typedStep) bool { return s.Kind != answer.StepSkip }
	if len(t.planSteps) > 0 && !slices.ContainsFunc(t.planSteps, acts) {
		t.idle = &plan
	}
	switch {
	case t.planInfluenced():
	case t.idle != nil:
		t.fallbacks, t.listed = nil, []string{world.Wait{}.ActionName()}
	case len(t.fallbacks) > 0:
		t.listed = t.plannedNames()
		for _, s := range t.planSteps {
			t.listed = append(t.listed, s.Allowed...)
		}
		if asks := func(s typedStep) bool { return s.Kind != answer.StepUnknown }; !slices.ContainsFunc(t.planSteps, asks) {
			t.listed = append(t.listed, t.mind.moduleNames...)
		}
	default:
		t.listed = nil
	}
	if t.mending {
		t.stage = trace.StagePlan
		return faults, ""
	}
	t.reveal()
	t.afterPlan()
	return faults, ""
}

// locked reports whether new texts wait for a plan, which says what the agent may do after
// them. Those that were read before lock nothing: a turn may do without them.
func (t *Turn) locked() bool {
	return !t.sealed && t.follows() && (t.opening.fresh > 0 || len(t.unseen) > 0)
}

// follows reports whether texts of other agents are shown after the plan, new or not.
func (t *Turn) follows() bool {
	return !t.mayReveal && !t.revealed && (t.opening.held.count() > 0 || len(t.unseen) > 0)
}

// plannedNames are the names of the planned actions, each once, and waiting, which is
// always possible.
func (t *Turn) plannedNames() []string {
	names := []string{world.Wait{}.ActionName()}
	for _, p := range t.plan {
		if !slices.Contains(names, p.Action) {
			names = append(names, p.Action)
		}
	}
	return names
}

// acceptPlan takes a plan: its steps, and what it says the agent may do. It returns why actions
// could not be read, which allow nothing, and what they leave open that stays closed once texts
// are shown. A plan made with untrusted text in view is recorded and allows nothing either:
// another agent may have caused it. Of several plans the newest comes first. Actions that the
// model has to mend are left to the next plan.
func (t *Turn) acceptPlan(plan answer.Plan, call PendingCall, used []answer.Repair,
	mends bool) (faults []*answer.ArgumentError) {
	t.planned, t.goal = true, cmp.Or(plan.Goal, t.goal)
	earlier := t.plan
	t.plan = nil
	if t.planInfluenced() {
		t.plan = earlier
	}
	unread := 0
	for i, a := range plan.Actions {
		do, open, more, e := a.Decode(call.Call, t.names)
		var planned policy.PlannedAction
		var receivers []string
		for _, to := range do {
			known, ok := policy.Planned(to, open...)
			if !ok {
				e = answer.NoAction
			}
			planned, receivers = known, append(receivers, known.To)
		}
		if i >= planActionsMax {
			e = answer.TooMany("", planActionsMax, len(plan.Actions))
		}
		if e != nil || len(do) == 0 {
			faults, unread = append(faults, t.told(cmp.Or(e, answer.NoAction).Inside(fmt.Sprintf("actions[%d]", i)))...),
				unread+1
			continue
		}
		planned.To = strings.Join(receivers, ",")
		if planned.Action == (world.AcceptOffer{}).ActionName() {
			planned.What, planned.Amount, planned.Want, planned.WantAmount = a.Terms()
		}
		used = slices.Concat(used, more)
		if t.follows() && t.mind.cfg.Guards(trace.CheckPlan) {
			closed := policy.Missing(do[0], open)
			for _, s := range closed {
				faults = append(faults, t.told(answer.LeftOpen(s).Inside(fmt.Sprintf("actions[%d]", i)))...)
			}
			if mends && len(closed) > 0 {
				continue
			}
		}
		t.mayDo(planned)
		if !t.planInfluenced() {
			t.fallbacks = append(t.fallbacks, fallback{do, open, trace.ByPlan})
		}
	}
	for _, p := range earlier {
		t.mayDo(p)
	}
	t.fromPlan = len(t.plan)
	t.planSteps = nil
	if !t.planInfluenced() {
		t.steps = 0
	}
	actions := t.plannedNames()
	for _, s := range plan.Steps[:min(len(plan.Steps), planStepsMax)] {
		step := typed(s.Kind, t.mind.moduleNames, actions)
		t.planSteps = append(t.planSteps, step)
		if !t.planInfluenced() && (step.Kind == answer.StepCall || answer.Thinks(step.Kind)) {
			t.steps++
		}
	}
	t.talk.Note(trace.Step{
		Kind: trace.StepPlan, Status: trace.StatusOK, CallID: call.ID, Repairs: repairNames(used),
		Detail: llmclient.Marshal(planDetail{Goal: capText(plan.Goal), Steps: append([]typedStep{}, t.planSteps...),
			Actions: append([]policy.PlannedAction{}, t.plan...), Unread: unread}),
	})
	return faults
}

type planDetail struct {
	Goal  string      `json:"goal"`
	Steps []typedStep `json:"steps"`
	// Actions are the actions planned, as they were understood; Unread counts those
	// that were not.
	Actions []policy.PlannedAction `json:"actions"`
	Unread  int                    `json:"unread,omitempty"`
}

// intendAction takes an action that was drafted or decided as planned: before words
// of others are in view it says as much about what the agent wants as a plan does.
func (t *Turn) intendAction(v *Evaluation) {
	if p, ok := policy.Planned(v.Proposed); ok && !t.tainted() && v.Violation == nil {
		t.mayDo(p)
		if len(t.drafted) < plannedMax {
			t.drafted = append(t.drafted, fallback{do: []world.Action{v.Proposed}, by: trace.ByDraft})
		}
	}
}

// planInfluenced reports whether others may have had a part in what is planned now. Such a plan
// adds nothing to what was planned before, and takes nothing of it away: what it dropped could
// make another action the first.
func (t *Turn) planInfluenced() bool { return t.tainted() && t.mind.cfg.Guards(trace.CheckOrder) }

// mayDo adds a planned action, unless others may have asked for it.
func (t *Turn) mayDo(p policy.PlannedAction) {
	known := slices.ContainsFunc(t.plan, p.Equal)
	if known || len(t.plan) == plannedMax || t.planInfluenced() {
		return
	}
	t.plan = append(t.plan, p)
}

// typedStep is a step of a plan as the engine understands it: made from the kind that
// the model named and the actions that its plan lists, never from a step's words.
type typedStep struct {
	// Kind is call, reason, think, respond or skip, and "unknown" for any other.
	Kind string `json:"kind"`
	// Capability is what the step may do to the world: READ asks modules, which change
	// nothing, REASON is text and no call at all, ACT proposes and commits an action, and
	// NONE only waits.
	Capability string `json:"capability"`
	// Allowed names the modules or actions that belong to the step; Forbidden names
	// those that do not, "*" for all that are not allowed.
	Allowed   []string `json:"allowed"`
	Forbidden []string `json:"forbidden"`
}

// typed returns the step of a kind: modules are the tools that only read, actions
// what the plan lists.
func typed(kind string, modules, actions []string) typedStep {
	s := typedStep{Kind: kind, Capability: "NONE", Allowed: []string{}, Forbidden: []string{"*"}}
	switch kind {
	case answer.StepCall:
		s.Capability, s.Allowed = "READ", append(s.Allowed, modules...)
	case answer.StepReason, answer.StepThink:
		s.Capability = "REASON"
	case answer.StepRespond:
		s.Capability, s.Allowed = "ACT", append(s.Allowed, actions...)
	case answer.StepSkip:
		s.Allowed = append(s.Allowed, world.Wait{}.ActionName())
	default:
		s.Kind = answer.StepUnknown
	}
	return s
}

// rest ends a turn whose plan says that there is nothing to do: a wait that the model
// chose, without asking it again.
func (t *Turn) rest() {
	v := t.evaluate(world.Wait{})
	if v.Violation != nil {
		t.talk.Note(v.note())
		t.fail(trace.WaitGuardRejected, v)
		return
	}
	t.talk.Note(trace.Step{Kind: trace.StepDecision, Status: trace.StatusOK, Code: "nothing_planned",
		Name: world.Wait{}.ActionName()})
	d := decisionOf(v)
	d.Why = capText(t.idle.Goal)
	d.Commit = trace.CommitSkip
	d.CallsSaved = 1
	t.finish(&d)
}
