package policy

import (
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Policy is what one agent may do: the rules of the scenario that bind it. It is immutable.
// The zero value refuses everything but a wait.
//
// The rules hold for every action, whatever is in view:
//
//   - A forbid refuses each action that it describes, unless an allow that describes the
//     action too is narrower than every such forbid. Narrower means more conditions,
//     of which there are four: a single agent, to, what, at. With as many conditions
//     the forbid holds, except that an allow of one action is narrower than a forbid
//     of all actions under the same conditions.
//   - If allows describe the action, and lift the forbids, it must be within the limits of
//     one of them, planned or not. An allow to "asker" bounds what its receiver asks for with open
//     terms; one about offers bounds every offer of such goods.
//   - Allows forbid nothing else: an action that no rule describes may be done.
//   - A standing order must satisfy the rules about the action that it repeats, and the rules
//     that name execute_until.
type Policy struct {
	agent string
	rules []rule
	// sound says that the policy was compiled and everything in it is known.
	sound bool
}

// Compile makes the policy of an agent from the rules that bind it (see
// [world.World.PolicyRules]). The same input gives the same policy. If a rule names an
// effect or action that does not exist, the policy refuses everything but a
// wait; scenarios that were read from a file have no such rule.
func Compile(agent string, rules []world.PolicyRule) Policy {
	p := Policy{agent: agent, sound: agent != ""}
	for i, c := range rules {
		c.AskedBy = slices.Clone(c.AskedBy)
		p.rules = append(p.rules, newRule(i+1, c))
		if c.Effect != world.EffectAllow && c.Effect != world.EffectForbid || c.Action != world.Anyone &&
			registry[c.Action] == nil {
			p.sound = false
		}
	}
	return p
}

// Forbids reports whether the rules forbid an action whatever its arguments.
func (p Policy) Forbids(action string) bool {
	about := func(r *rule) bool { return r.Action == action || r.Action == world.Anyone }
	return slices.ContainsFunc(p.rules, func(f rule) bool {
		return f.forbids() && about(&f) && f.To == "" && f.What == "" && f.At == "" &&
			!slices.ContainsFunc(p.rules, func(r rule) bool { return r.allows() && about(&r) && r.lifts(&f) })
	})
}

// NamesAsker reports whether a rule names an agent that may ask for something.
func (p Policy) NamesAsker(id string) bool {
	return slices.ContainsFunc(p.rules, func(r rule) bool { return r.allows() && slices.Contains(r.AskedBy, id) })
}

// Evidence is what an action is evaluated by: what the agent knows, whose texts it has read, and
// what it planned before.
type Evidence struct {
	// View is the agent's view of this tick. Seen is its observation; nil makes one.
	View world.View
	Seen *world.Observation
	// Authors wrote the texts in view, and the terms that no rule could answer. An empty id is an
	// unknown author. There are texts in view if the list is not empty.
	Authors []string
	// Plan is what the agent planned before it was shown them. Shown are the terms of
	// others that it was shown before the plan.
	Plan  []PlannedAction
	Shown []world.Terms
	// Before is what the earlier steps of the agent's chain took, nil for the first step and for any
	// action that is none of a chain. The other evidence of a later step is that of the turn which
	// decided on the chain, joined with what is in view now.
	Before *Progress
	// Order is the operation with which the agent's standing order began, if the action is an attempt
	// of that order, and nil otherwise.
	Order *Operation
	// Ledger is what the agent did before.
	Ledger Ledger
	// Off are the checks left out, for measuring only.
	Off []trace.Check
}

// InView lists all agents whose texts or terms are in view, and the parents of the terms.
func (e Evidence) InView() []string {
	list := slices.Clone(e.Authors)
	for _, t := range e.Shown {
		list = append(append(list, t.From), t.Parents...)
	}
	return list
}

func (e *Evidence) off(c trace.Check) bool { return slices.Contains(e.Off, c) }

// Result is what [Policy.Evaluate] says of an action.
type Result struct {
	// Authority is by what the action may be committed.
	trace.Authority
	// Action is the action as trimmed, Trimmed what was changed.
	Action  world.Action
	Trimmed []world.Adjustment
	// Violation is nil if the action may be committed.
	Violation *Violation
	// Operation is what [Policy.Settle] counts once the world accepted the action.
	Operation Operation
	// Later are the later steps of a chain that are left, each with what those before it take. Cut is why
	// the first one that is not left was refused, nil if all are left.
	Later []Progress
	Cut   *Violation
	// Parents are the agents whose texts or terms may have led to what the action sends, see
	// [world.Parents].
	Parents []string
	// Own says that the plan gives the whole action, its text included: no other agent had a part
	// in it. It is set only if texts are in view, the action sends something, or an agent asked for it.
	Own bool
	// InFull says the same of all slots but the text.
	InFull bool
}

// Evaluate reports by what authority an agent may commit an action that was clamped: as it is,
// or trimmed to what the plan or a rule allows. Of a chain each step is evaluated, and the first later
// step that is refused is cut off with all that follow it. Evaluate reads plan, rules, typed terms,
// senders and counts, and no word of a text. The same evidence gives the same result. It never panics,
// whatever the action.
func (p Policy) Evaluate(a world.Action, e Evidence) Result {
	if chain, is := a.(world.ExecuteUntil); is && len(chain.Then) > 0 {
		return p.evaluateChain(chain, e)
	}
	r, _ := p.evaluateStep(a, e)
	return r
}

// evaluateStep evaluates an action that is no chain of several steps.
func (p Policy) evaluateStep(a world.Action, e Evidence) (Result, *evaluation) {
	q := p.evaluation(a, e)
	r := Result{Action: a}
	r.Authority, r.Violation = q.authority()
	if !q.checkable {
		return r, q
	}
	// What is free as it is stays as it is. A refused action is always replaced by the trimmed one,
	// whose refusal is closer to the plan; a deviation only if the trimmed one is allowed.
	if action, trimmed := q.trim(); len(trimmed) > 0 && (r.Violation != nil || r.Deviation > 0) {
		as := p.evaluation(action, e)
		if by, broken := as.authority(); broken == nil || r.Violation != nil {
			q, r = as, Result{Authority: by, Action: action, Trimmed: trimmed, Violation: broken}
		}
	}
	r.Operation = q.op
	if r.By == trace.AuthorityRule {
		r.Operation.countsFor = append(r.Operation.countsFor, account{r.Rule, r.Asker})
	}
	if sends := q.op.sends(); len(e.Authors) > 0 || sends || r.Terms != "" {
		q.noteAnswers(&r.Operation, &r.Authority)
		r.Own = q.plannedInFull(true)
		r.InFull = q.plannedInFull(false)
		// Words authorize nothing, so the plan need not give the text.
		if sends && !e.off(trace.CheckTaint) && !r.InFull {
			e.Shown = append(q.unshown(), e.Shown...)
			r.Parents = world.Parents(p.agent, e.InView()...)
		}
	}
	return r, q
}
