package behavior

import (
	"slices"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// chain is the decision that began an agent's newest order or chain, and how far it came. The zero value
// is none. What the world holds of it, as the attempts left, the world says.
//
// Invariants:
//  1. steps are those that were decided, each without a then.
//  2. The evidence of the deciding turn stays as it was: later steps are evaluated by it, joined with
//     what is in view at their tick.
//  3. later are the further steps that the policy allowed, each with what those before it took. What
//     they answered at their tick is added.
type chain struct {
	steps    []world.ExecuteUntil
	evidence policy.Evidence
	later    []policy.Progress
	// operation is what the present step did when it began, authority by what, and parents those of the
	// chain.
	operation policy.Operation
	authority *trace.Authority
	parents   []string
	// letter says that no text was in view when it was decided, or that the plan gives every step to the
	// letter. tainted is that of the decision.
	letter, tainted bool
	// veiled is that of the decision.
	veiled bool
	// refused is the number of the step that the policy refused at its tick, 0 for none.
	refused int
}

// after is the chain once a decision was carried out.
func (c chain) after(d Decision) chain {
	_, begins := d.Executed.(world.ExecuteUntil)
	switch {
	case begins:
		c = chain{
			steps: world.Steps(d.Executed), evidence: d.evidence, later: d.later, operation: d.operation, parents: d.Parents,
			letter: len(d.evidence.Authors) == 0 || d.own, tainted: d.Tainted, veiled: d.veiled,
		}
	case d.DecidedBy == trace.ByStanding && d.step > 0:
		c.operation = d.operation
	case d.DecidedBy == trace.ByEngine && d.step > 0:
		c.refused = d.step
		return c
	case d.DecidedBy == trace.ByStanding:
	default:
		return chain{}
	}
	if begins || d.step > 0 {
		c.authority = nil
		if d.Authority != nil {
			c.authority = new(*d.Authority)
			c.authority.Deviation = 0 // it is counted
		}
	}
	c.later = slices.Clone(c.later)
	for i := range c.later {
		c.later[i] = c.later[i].Answered(d.Authority)
	}
	return c
}

// firstStep is an action without the steps that follow it.
func firstStep(a world.Action) world.Action { return world.Chain(world.Steps(a)[0]) }

// unfinished are the steps of the newest chain that were not done, given how it ended if the world ended
// it since the agent last acted. It is empty for an order.
func (c chain) unfinished(ended *world.OrderEnded) []world.ExecuteUntil {
	from := c.refused
	if ended != nil && ended.Step > 0 {
		from = ended.Step
	}
	if from == 0 || len(c.steps) < 2 || from > len(c.steps) {
		return nil
	}
	left := c.steps[from-1:]
	if ended == nil || ended.Why == world.StopActionRejected {
		return left
	}
	_, sleeps := left[0].Do.(world.WaitTicks)
	over := ended.Attempts >= left[0].MaxTicks || !slices.Contains(cutShort, ended.Why)
	if over || sleeps && ended.Attempts > 0 {
		return left[1:] // the step itself was over, or slept as long as it could
	}
	return left
}

// cutShort are the reasons that end a step before it is over.
var cutShort = append(world.StopAlways(), world.StopActionRejected, world.StopShutdown, world.StopChanged)

// partChain tells how the agent's chain ended and which of its steps were not done. Steps that texts may
// have chosen are withheld with the texts, and are not told without any.
func (m *Agent) partChain(seen *visibleObservation, withheld *texts) {
	if seen.OrderEnded == nil && m.chain.refused > 0 && len(m.chain.steps) > 1 {
		seen.OrderEnded = &world.OrderEnded{
			Why: string(trace.WaitGuardRejected), Step: m.chain.refused, Steps: len(m.chain.steps),
		}
	}
	var lines []string
	for _, step := range m.chain.unfinished(seen.OrderEnded) {
		lines = append(lines, m.words.actionText(step.Do, naming{known: m.knownIDs(&seen.Observation, step.Do)}))
	}
	switch {
	case m.chain.letter:
		seen.notDone = lines
	case withheld.count() > 0 && len(lines) > 0:
		withheld.NotDone, withheld.deciders = lines, m.chain.evidence.InView()
	}
}

// Continue decides for an agent whose chain continues. It repeats the action of the present step,
// clamped, checked and dry-run on this tick's view, without a model call. An attempt that the
// world would refuse is submitted all the same: the refusal ends the chain and tells the agent
// why, in numbers. If the policy refuses the attempt, for example because a total is used up, it
// becomes a wait. That ends the chain too.
func (m *Agent) Continue(view world.View) (Decision, []trace.Step) {
	order, ok := view.Standing()
	if !ok {
		panic("behavior: Continue for agent " + view.AgentID() + " without a standing order")
	}
	number, begins := view.ChainStep()
	later := begins && number > 1
	seen := view.Observe()
	v := m.attempt(view, &seen, order, later)
	d := Decision{
		Decision: trace.Decision{
			Tick: view.Tick(), AgentID: view.AgentID(), DecidedBy: trace.ByStanding, Adjustments: v.Adjustments,
			Authority: m.chain.authority,
			Parents:   world.Parents(m.id, append(slices.Clone(m.chain.parents), v.Parents...)...),
		},
		Proposed: repeated(v.Proposed), Adjusted: repeated(v.Adjusted), Executed: repeated(v.Adjusted),
		operation: v.Operation.InChain(), own: v.Own, inFull: v.InFull, veiled: m.chain.veiled,
	}
	if len(m.chain.steps) > 1 {
		d.ChainStep = number
	}
	if later {
		d.step = number
		d.Tainted = m.chain.tainted
	}
	// Each attempt that a rule allows counts by that rule.
	if later || v.By == trace.AuthorityRule {
		d.Authority = &v.Authority
	}
	went := trace.Step{Kind: trace.StepContinue, Tick: d.Tick, AgentID: d.AgentID, Status: trace.StatusOK,
		Name: order.Do.ActionName(), Detail: llmclient.Marshal(v.detail())}
	if v.Refused() {
		went.Status = trace.StatusError
	}
	if v.Violation == nil {
		d.Known = m.knownIDs(&seen, order.Do)
		return d, []trace.Step{went}
	}
	d.DecidedBy = trace.ByEngine
	d.WaitReason = trace.WaitGuardRejected
	d.Executed = world.Wait{}
	d.Authority = nil
	d.operation = policy.Operation{} // it is not done, and counts for nothing
	d.step = number
	went.Code = string(v.Violation.Reason)
	refused := v.note()
	refused.Tick, refused.AgentID = d.Tick, d.AgentID
	return d, []trace.Step{went, refused}
}

// attempt evaluates the next attempt of the present step. The first one of a later step is evaluated as
// a decision would be, by the evidence of the deciding turn; any further one is an action of the step.
func (m *Agent) attempt(view world.View, seen *world.Observation, order world.ExecuteUntil, later bool) *Evaluation {
	number, _ := view.ChainStep()
	e := policy.Evidence{Seen: seen, Order: &m.chain.operation}
	if number > 1 && number-2 < len(m.chain.later) {
		e.Before = &m.chain.later[number-2]
	}
	if !later {
		return m.evaluate(view, order.Do, e)
	}
	kept := m.chain.evidence
	e.Order = nil
	e.Authors = kept.Authors
	e.Plan = kept.Plan
	e.Shown = kept.Shown
	step := firstStep(order)
	v := m.evaluate(view, step, e)
	if got, want := world.Steps(v.Adjusted)[0], world.Steps(step)[0]; v.Violation == nil &&
		(got.MaxTicks < want.MaxTicks || len(got.Ignore) < len(want.Ignore)) {
		// The step was allowed in full when the chain was decided, and is no more.
		v.Violation = &policy.Violation{Reason: policy.ReasonArgumentNotPlanned, Action: got.Do.ActionName(),
			Argument: policy.ArgumentOrder, Requested: &want.MaxTicks, Maximum: &got.MaxTicks, Unit: world.Ticks}
		v.Check.Status = world.CheckRejected
	}
	return v
}
