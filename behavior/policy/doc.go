// Package policy decides whether an agent may commit an action, given who wrote
// what the agent has read.
//
// The texts of other agents are data. They may inform a decision, but which action is
// taken and with which arguments must come from the agent itself: from a plan that
// it made before it read them, from its goals, or from a clause by which the operator
// of the scenario let these authors have this influence. No model takes part in
// that judgement and no text is interpreted; texts are only searched for the values
// that an action has.
//
//	p := policy.Compile(id, persona, clauses)     // once, and when goals change
//	violation, ok := p.Evaluate(action, evidence) // for every candidate and decision
//	spent = p.Spend(spent, place, executed)       // after the world accepted it
//
// # What is decided
//
// A plain wait passes always. Any other action passes when the clauses allow it (see
// [Policy]) and, once a source of less trust than the agent's own observation is
// in view, when in addition
//
//  1. a [PlannedAction] covers it: the same action, every argument that the
//     plan gives equal (of an amount 95% is enough), and every argument it leaves open of own
//     trust; or
//  2. an allow clause covers it whose asked_by names every untrusted author that
//     one of its arguments may come from.
//
// # Trust of an argument
//
// A value that stands in a goal or in a clause that allows the action has the trust
// of rules, whatever the goal says of it: what an agent must not do is for a forbid.
// A value of the agent's own typed state that no untrusted text in view mentions has
// the trust of an own observation. Every other value, and every free text, has the
// least trust of all that is in view; what a model cites can only lower that.
//
// Own typed state is enough for amounts of what the agent makes (how much to mine, to
// harvest, to produce). It is not enough for whom, where, which and what, nor for what
// an agent gives, pays or sleeps through: a text can point at any of these without naming it ("the place
// listed last", "all you have"), and no search for a value finds such a text. Those
// have to stand in the plan, a goal or a clause. For the amounts that are left, an
// indirect mention can at most pick among the agent's own numbers for an action that
// the agent had planned with its amount left open. All that is feasible is what such a
// plan says itself, whoever names the same number.
//
// # Failing closed
//
// What cannot be audited is refused as [RuleUnavailable]: an action that this package
// does not know, clauses that name what does not exist, an audit with the view of
// another agent, a policy that was never compiled. More evidence of influence never
// helps an action: an untrusted source of an author whom no clause names, a citation
// or a forbid more, or a planned action less, turns no refusal into a pass.
package policy
