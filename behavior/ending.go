package behavior

import (
	"cmp"
	"slices"

	"example.com/agentworld/memory"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// wait ends a turn in a wait. barred says that texts kept it from a planned action.
func (t *Turn) wait(reason trace.WaitReason, proposed *Evaluation, barred bool) {
	d := Decision{Decision: trace.Decision{DecidedBy: trace.ByEngine, WaitReason: reason}, Executed: world.Wait{}}
	if proposed != nil {
		d.Proposed = proposed.Proposed
		d.Adjusted = proposed.Adjusted
		d.Adjustments = proposed.Adjustments
	}
	t.countDeviation(&d, reason, barred)
	t.conversation.Note(trace.Step{Kind: trace.StepDecision, Status: trace.StatusDegraded, Code: string(reason)})
	t.finish(&d)
}

// finish ends the turn in a decision, and gives it what the world may try if it refuses that.
func (t *Turn) finish(d *Decision) {
	if d.DecidedBy == trace.ByModel {
		t.credit(d)
		d.Why = cmp.Or(d.Why, capText(t.plan.goal))
	}
	t.complete(d)
	// What the world refuses gives way to the next accepted candidate.
	gives := t.agent.cfg.Fallback == trace.FallbackBest || d.Commit == trace.CommitOneStep
	if !rests(d.Executed) && d.By == "" && gives {
		d.Otherwise = t.alternatives(d.Executed, 0)
	}
	// One mark covers all that the world may try.
	parents := slices.Clone(d.Parents)
	for i := range d.Otherwise {
		other := &d.Otherwise[i]
		t.complete(other)
		other.Commit = d.Commit
		other.Why = capText(t.plan.goal)
		other.SourcesCited = d.SourcesCited
		other.SourcesUsed = d.SourcesUsed
		other.SourcesUnknown = d.SourcesUnknown
		other.SourcesInvented = d.SourcesInvented
		parents = append(parents, other.Parents...)
	}
	d.Parents = world.Parents(t.agent.id, parents...)
	if len(parents) > 0 {
		for i := range d.Otherwise {
			d.Otherwise[i].Parents = d.Parents
		}
	}
	t.conversation.Calls = nil
	t.decision = *d
}

// rests reports whether an action is a wait, of whatever length.
func rests(a world.Action) bool {
	switch a.(type) {
	case world.Wait, world.WaitTicks:
		return true
	}
	return false
}

// complete adds to a decision what the turn knows of any.
func (t *Turn) complete(d *Decision) {
	d.Tick = t.view.Tick()
	d.AgentID = t.view.AgentID()
	d.Calls = t.conversation.asks
	d.called = t.tools.called
	d.SourcesRetrieved = t.exposure.retrieved
	if t.conversation.asks > 0 {
		d.Template = t.agent.template
	}
	d.headroom = t.conversation.room.next()
	d.faults = t.draft.faults
	d.underTexts = t.exposure.tainted()
	d.skipped = t.draft.skipped
	d.heard = t.agent.history.heard
	d.intentions = &t.plan.intentions
	if by := d.Authority; by != nil && t.exposure.tainted() {
		// Untrusted text was in view; did the agent's own plan cover the action?
		planned := by.By == trace.AuthorityPlan || by.By == trace.AuthorityFallback && by.Planned > 0
		writes := false
		for a := range world.Arguments(d.Executed) {
			writes = writes || a.Kind == world.ParamText
		}
		d.Tainted = !d.own && (!planned || writes || len(d.later) > 0)
		d.Planned = by.By == trace.AuthorityPlan && d.inFull && len(d.later) == 0
	}
	d.veiled = t.exposure.tainted() && !d.own
	d.round = (t.exposure.rounds > 0 || t.exposure.unusable) && t.roundLeft()
	for _, s := range t.exposure.retrieved {
		if topic, ok := modules.RuleTopic(s.ID); ok {
			d.Looked = append(d.Looked, topic)
		}
	}
	d.sealed = t.exposure.sealed
	d.listed = t.exposure.open
	d.Known = t.agent.knownIDs(&t.exposure.opening.seen, d.Proposed, d.Executed)
	d.saw = sightings(&t.exposure.opening.seen)
	d.Place, d.Seen = t.exposure.opening.found.Subjects[0], []memory.Entry{t.exposure.opening.found}
	if t.exposure.phase == phaseShown {
		d.Seen = append(d.Seen, t.agent.heard(t.exposure.opening.withheld)...)
		d.read = t.exposure.opening.withheld.readings()
	}
	if t.exposure.tainted() {
		d.authors = t.evidence().InView()
	}
}
