package behavior

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The bounds of a plan: the steps and actions that are read of one plan, and the planned actions of a
// turn. Those are the actions of its plans, and those drafted or decided before any text was shown.
const (
	planStepsMax   = 12
	planActionsMax = 12
	plannedMax     = 2 * planActionsMax
)

// plan is what the agent of a turn intends to do: in its plans, and in what it drafted or decided
// before it read untrusted text.
//
// Invariants:
//  1. Once closed, it gains and loses no action, end or request. Another agent may have caused a later
//     plan, and even the loss of an action changes which one is the first, in which a failed turn ends.
//  2. actions are at most plannedMax: those of the newest plan first, each as often as it lists it, then
//     other ones of earlier plans. Those from fromPlan on were drafted or decided after the newest plan.
//  3. ends are those of the newest plan that names an action.
//  4. idle holds within one answer, mending until the next plan.
type plan struct {
	// made says that there was a plan, goal is that of the newest one with one.
	made bool
	goal string
	// actions are what the agent may do once texts are shown.
	actions  []policy.PlannedAction
	fromPlan int
	// ends are the actions of the plan as a turn may end in them, drafted those drafted or decided
	// before any text was shown.
	ends, drafted []fallback
	// listed are the tools and actions that the newest plan has, nil without one.
	listed []string
	// requests is how many requests its steps ask for.
	requests int
	// idle says that the plan leaves nothing to do, mending that it was sent back to be corrected.
	idle, mending bool
	// closed says that a request carried untrusted text.
	closed bool
	// intentions are what later prompts show of the newest plans, those of earlier turns included.
	intentions intentions
}

// plannedStep is an action of a plan: what it allows, and what a failed turn may end in.
type plannedStep struct {
	planned policy.PlannedAction
	end     fallback
}

// fallback is what a turn may end in without a decision: a drafted action, or an action of a plan with
// its open slots, once for each receiver or place that the plan names.
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

// begin begins the next plan, and returns the actions that were planned before.
func (p *plan) begin(goal string) (earlier []policy.PlannedAction) {
	p.made = true
	if goal != "" {
		p.goal = goal
	}
	if p.closed {
		return nil
	}
	earlier = p.actions
	p.actions = nil
	p.requests = 0
	return earlier
}

// add adds an action of the newest plan, unless others may have asked for it. Each time that the plan
// lists an action covers one step of a chain.
func (p *plan) add(a policy.PlannedAction) {
	if !p.closed && len(p.actions) < plannedMax {
		p.actions = append(p.actions, a)
	}
}

// allow adds planned actions that are not listed yet, unless others may have asked for them.
func (p *plan) allow(actions ...policy.PlannedAction) {
	for _, a := range actions {
		if !p.closed && len(p.actions) < plannedMax && !slices.ContainsFunc(p.actions, a.Equal) {
			p.actions = append(p.actions, a)
		}
	}
}

// mayEnd adds an action of the plan that a failed turn may end in.
func (p *plan) mayEnd(f fallback) {
	if !p.closed {
		p.ends = append(p.ends, f)
	}
}

// intend adds a drafted or decided action to the planned ones. Before texts of others are in view, it says
// as much about what the agent wants as a plan does.
func (p *plan) intend(v *Evaluation) {
	planned := policy.PlannedSteps(v.Proposed)
	if len(planned) == 0 || v.Violation != nil {
		return
	}
	p.allow(planned...)
	if len(p.drafted) < plannedMax {
		p.drafted = append(p.drafted, fallback{do: []world.Action{firstStep(v.Proposed)}, by: trace.ByDraft})
	}
}

// lead puts the actions that first intends before those drafted or decided until now.
func (p *plan) lead(first func()) {
	drafted := p.drafted
	intended := p.actions[p.fromPlan:]
	p.drafted = nil
	p.actions = slices.Clone(p.actions[:p.fromPlan])
	first()
	p.drafted = append(p.drafted, drafted...)
	p.allow(intended...)
}

// list sets listed from the actions and steps of the newest plan. If no step is understood, modules are
// listed too.
func (p *plan) list(steps []typedStep, modules []string) {
	understood := func(s typedStep) bool { return s.Kind != answer.StepUnknown }
	switch {
	case p.closed:
	case p.idle:
		p.ends = nil
		p.listed = []string{world.Wait{}.ActionName()}
	case len(p.ends) == 0:
		p.listed = nil // it says nothing about any action
	default:
		p.listed = p.names()
		for _, s := range steps {
			p.listed = append(p.listed, s.Allowed...)
		}
		if !slices.ContainsFunc(steps, understood) {
			p.listed = append(p.listed, modules...)
		}
	}
}

// lists reports whether the newest plan, if any, has a tool or action.
func (p *plan) lists(name string) bool { return p.listed == nil || slices.Contains(p.listed, name) }

// names are the names of the planned actions, each once, and waiting, which is always possible.
func (p *plan) names() []string {
	names := []string{world.Wait{}.ActionName()}
	for _, a := range p.actions {
		if !slices.Contains(names, a.Action) {
			names = append(names, a.Action)
		}
	}
	return names
}

// takePlan takes the plan of call i. It returns the faults of its actions: those that could not be read,
// and those that would not be allowed once texts are shown. unused are fields that its actions have no use
// for.
func (t *Turn) takePlan(i int) (faults, unused []*answer.ArgumentError, problem answer.Problem) {
	call := t.conversation.Calls[i]
	read, used, e := answer.ReadPlan(call.Call)
	if e != nil {
		return nil, nil, t.badArguments(i, trace.StepPlan, e)
	}
	p := &t.plan
	first := !p.made
	if first {
		t.protocol.gotFurther()
	}
	earlier := p.ends
	if len(read.Actions) > 0 && !p.closed {
		p.ends = nil // a plan that names no action says nothing about any
	}
	// What the plan leaves out is not allowed once texts are shown, so it may be corrected before.
	mends := first && len(t.conversation.Calls) == 1 && t.exposure.locked()
	faults = t.acceptPlan(read, call, used, mends)
	for n, a := range read.Actions[:min(len(read.Actions), planActionsMax)] {
		for _, field := range a.Unused() {
			unused = append(unused, t.inLanguage(field.Inside(fmt.Sprintf("actions[%d]", n)))...)
		}
	}
	if p.mending && len(p.ends) > 0 {
		for _, end := range earlier {
			p.mayEnd(end) // the model may repeat only what was at fault
		}
	}
	p.mending = mends && len(faults) > 0
	// A plan may say, step by step, that there is nothing to do.
	acts := func(s typedStep) bool { return s.Kind != answer.StepSkip }
	steps := t.protocol.steps
	p.idle = p.idle || len(steps) > 0 && !slices.ContainsFunc(steps, acts)
	p.list(steps, t.protocol.modules)
	if p.mending {
		t.protocol.stage = trace.StagePlan
		return faults, unused, ""
	}
	t.reveal()
	t.advance()
	return faults, unused, ""
}

// acceptPlan takes the steps of a plan and allows its actions. An action that cannot be read allows
// nothing, and is returned as a fault; so is a slot that is open and would not be allowed once texts are
// shown. A plan made with untrusted text in view is recorded and allows nothing: another agent may have
// caused it. With mends, an action with such a slot is left to the corrected plan.
func (t *Turn) acceptPlan(read answer.Plan, call PendingCall, used []answer.Repair,
	mends bool) (faults []*answer.ArgumentError) {
	p := &t.plan
	earlier := p.begin(read.Goal)
	unread := 0
	var named []plannedStep
	closes := t.exposure.follows() && t.agent.cfg.Guards(trace.CheckPlan)
	for i, a := range read.Actions {
		at := fmt.Sprintf("actions[%d]", i)
		planned, end, more, e := t.readPlanned(a, call)
		if i >= planActionsMax {
			e = answer.TooMany("", planActionsMax, len(read.Actions))
		}
		if e != nil {
			faults = append(faults, t.inLanguage(e.Inside(at))...)
			unread++
			continue
		}
		used = slices.Concat(used, more)
		if closes {
			closed := append(policy.Missing(end.do[0], end.open), planned.MissingTerms()...)
			for _, s := range closed {
				faults = append(faults, t.inLanguage(answer.LeftOpen(s).Inside(at))...)
			}
			if mends && len(closed) > 0 {
				continue
			}
		}
		p.add(planned)
		p.mayEnd(end)
		named = append(named, plannedStep{planned, end})
	}
	t.noteIntention(read.Goal, named, p.mending)
	p.allow(earlier...)
	p.fromPlan = len(p.actions)
	steps := []typedStep{}
	names := p.names()
	for _, s := range read.Steps[:min(len(read.Steps), planStepsMax)] {
		step := typed(s.Kind, t.protocol.modules, names)
		steps = append(steps, step)
		if !p.closed && (step.Kind == answer.StepCall || answer.Thinks(step.Kind)) {
			p.requests++
		}
	}
	faults = append(faults, t.planCalls(read.Calls)...)
	calls := func(s typedStep) bool { return s.Kind == answer.StepCall }
	if t.tools.listed("", "") != nil && !slices.ContainsFunc(steps, calls) {
		steps = slices.Insert(steps, 0, typed(answer.StepCall, t.protocol.modules, names))
	}
	t.protocol.steps = steps
	t.conversation.Note(trace.Step{
		Kind: trace.StepPlan, CallID: call.ID, Repairs: repairNames(used),
		Detail: llmclient.Marshal(planDetail{Goal: capText(read.Goal), Steps: steps,
			Actions: append([]policy.PlannedAction{}, p.actions...), Calls: t.tools.planned, Unread: unread}),
	})
	return faults
}

// readPlanned reads an action of a plan: what it allows, and what a failed turn may end in.
func (t *Turn) readPlanned(a answer.PlannedAction, call PendingCall) (planned policy.PlannedAction, end fallback,
	used []answer.Repair, e *answer.ArgumentError) {
	do, open, used, e := a.Decode(call.Call, t.exposure.names)
	var receivers []string
	for _, to := range do {
		known, ok := policy.Planned(to, open...)
		if !ok {
			e = answer.NoAction
		}
		planned = known
		receivers = append(receivers, known.To)
	}
	if e == nil && len(do) == 0 {
		e = answer.NoAction
	}
	planned.To = strings.Join(receivers, ",")
	if planned.Action == (world.AcceptOffer{}).ActionName() {
		planned.What, planned.Amount, planned.Want, planned.WantAmount = a.Terms(t.exposure.names)
	}
	return planned, fallback{do, open, trace.ByPlan}, used, e
}

type planDetail struct {
	Goal  string      `json:"goal"`
	Steps []typedStep `json:"steps"`
	// Actions are the actions planned, as they were understood; Unread counts those
	// that were not.
	Actions []policy.PlannedAction `json:"actions"`
	// Calls are the calls of users' tools, without open arguments.
	Calls  []plannedCall `json:"calls,omitempty"`
	Unread int           `json:"unread,omitempty"`
}

// typedStep is a step of a plan as the engine understands it. It is made from the kind that the model named
// and the actions that its plan lists, never from a step's words.
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

// rest ends a turn whose plan says that there is nothing to do, in a wait that the model chose.
func (t *Turn) rest() {
	v := t.evaluate(world.Wait{})
	if v.Violation != nil {
		t.conversation.Note(v.note())
		t.fail(v.refusedBy(), v)
		return
	}
	t.conversation.Note(trace.Step{Kind: trace.StepDecision, Code: "nothing_planned",
		Name: world.Wait{}.ActionName()})
	d := decisionOf(v)
	d.Commit = trace.CommitSkip
	d.CallsSaved = 1
	t.finish(&d)
}
