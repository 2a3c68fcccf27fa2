package report

import (
	"cmp"
	"fmt"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// decision counts a decision and closes the turn that it ends. It counts who decided, what
// happened to the model's proposal, the action, the sources and the world's ruling. The error
// says that an action or outcome is malformed.
func (f *folder) decision(d trace.Decision) error {
	r, a := &f.out, f.agent(d.AgentID)
	for _, call := range a.forgiven {
		if !slices.Contains(a.unusable, call) {
			r.TraceCounts.ParseRepaired++
		}
	}
	over := a.candidates
	a.begin(a.tick)
	executed, err := d.Action()
	kind := executed.Repeats()
	if err != nil { // a decision always executes one
		return fmt.Errorf("tick %d, agent %s: executed action: %w", d.Tick, d.AgentID, err)
	}
	r.TraceCounts.Traces++
	f.turnEnded(d, kind)

	switch d.DecidedBy {
	case trace.ByStanding:
		r.ContinuedDecisions++
		a.row.Continued++
	case trace.ByModel, trace.BySeat:
		r.TotalDecisions++
		a.row.Decisions++
	}
	if d.DecidedBy != trace.ByStanding {
		calls := int64(d.Calls)
		if a.refusedTick == d.Tick {
			calls = max(0, calls-a.refused)
		}
		if d.Calls > 0 || d.DecidedBy != trace.BySeat && d.WaitReason.Class() != trace.ClassSeat {
			f.turns++
		}
		f.turnCalls += calls
		r.TraceCounts.CallsPerDecision.Max = max(r.TraceCounts.CallsPerDecision.Max, calls)
		if llmclient.Given(d.Proposed) {
			r.Actions.Proposed++
			if len(d.Adjustments) > 0 {
				r.Actions.Adjusted++
			}
			if d.DecidedBy.Chose() {
				r.Actions.Executed++
			} else {
				r.Actions.Dropped++
			}
		}
	}
	for _, adj := range d.Adjustments {
		r.Actions.ClampsByField[adj.Action+"."+adj.Field]++
	}
	if d.CallsSaved > 0 {
		r.CallsSavedBy[d.Commit] += int64(d.CallsSaved)
	}

	n := &r.DecisionCounts
	n.decided(d)
	if d.FailedBy != "" {
		n.FallbacksBy[string(d.By)]++
		n.FallbacksByReason[string(d.FailedBy)]++
	}
	switch kind {
	case "wait":
		n.Wait++
		a.row.Waits++
		if d.WaitReason == "" {
			n.WaitChosen++
			if over > 0 {
				n.WaitChosenOverCandidates++
			}
			break
		}
		n.WaitDegraded++
		n.WaitDegradedByReason[string(d.WaitReason)]++
		a.row.WaitsDegraded++
	case "wait_ticks":
		n.WaitTicks++
	default:
		n.Act++
	}
	if executed.Do != nil && d.DecidedBy.Chose() {
		r.Actions.StandingOrders++
		if len(executed.Then) > 0 {
			r.Actions.Chains++
		}
	}
	if d.ChainStep > 0 {
		r.Actions.ChainTicks++
		if d.ChainStep > a.chainStep {
			r.Actions.ChainSteps++
		}
	}
	a.chainStep = max(1, d.ChainStep)
	switch d.WaitReason {
	case trace.WaitGuardRejected:
		r.Guard.Waits++
	case trace.WaitReasoning:
		r.Reasoning.Failed++
	}

	if by := d.Authority; by != nil && d.DecidedBy != trace.ByStanding {
		r.Guard.DecisionsByAuthority[string(by.By)]++
		r.Guard.DeviationTicks += by.Deviation
		a.row.DeviationTicks += by.Deviation
	}
	f.provenance(d)
	if slices.ContainsFunc(d.SourcesRetrieved, func(s trace.Source) bool { return s.Trust < trace.TrustSelfObservation }) {
		r.Guard.TurnsWithUntrustedView++
	}
	return f.outcome(d, kind)
}

// turnEnded notes what the agent did last, and whether its turn failed.
func (f *folder) turnEnded(d trace.Decision, kind string) {
	row := &f.agent(d.AgentID).row
	row.LastTick, row.LastAction = d.Tick, kind
	row.LastCode = string(cmp.Or(d.FailedBy, d.WaitReason))
	if d.DecidedBy == trace.ByStanding {
		return
	}
	row.Turns++
	if row.LastCode == "" {
		return
	}
	row.FailedTurns++
	if f.out.FirstFailure == nil {
		f.out.FirstFailure = &TurnFailure{d.Tick, d.AgentID, trace.WaitReason(row.LastCode)}
	}
}

// outcome counts the world's ruling on an action of this kind, and the outcomes of the
// sources that the decision used.
func (f *folder) outcome(d trace.Decision, kind string) error {
	r, a := &f.out, f.agent(d.AgentID)
	// A wait asks nothing of the world but time, and null says nothing.
	o, err := d.Ruling()
	asked := kind != "wait" && kind != "wait_ticks" && o.Asked
	r.Guard.Alternatives += o.RefusedBefore
	if err != nil && kind != "wait" && kind != "wait_ticks" {
		return fmt.Errorf("tick %d, agent %s: outcome: %w", d.Tick, d.AgentID, err)
	}
	f.effects.add(d, asked, o)
	if !asked {
		return nil
	}
	r.TotalActions++
	r.ActionKindCounts[kind]++
	if !o.Accepted {
		r.ActionFailure++
		r.ActionKindFailureCounts[kind]++
		r.ActionRejectReasonCounts[o.Code]++
		a.row.Failures++
		a.row.Rejections[o.Code]++
		a.row.LastCode = o.Code
		return nil
	}
	r.ActionSuccess++
	r.ActionKindSuccessCounts[kind]++
	a.row.Successes++
	if _, ok := r.FirstActionTick[kind]; !ok {
		r.FirstActionTick[kind] = d.Tick
	}
	return nil
}

func (f *folder) provenance(d trace.Decision) {
	p := &f.out.Provenance
	kinds := make(map[string]string, len(d.SourcesRetrieved))
	for _, s := range d.SourcesRetrieved {
		kinds[s.ID] = string(s.Kind)
		p.SourcesRetrieved++
		p.RetrievedByKind[string(s.Kind)]++
	}
	used := p.SourcesUsed
	for _, id := range d.SourcesUsed {
		kind, inView := kinds[id]
		if !inView {
			// A source gets credit only if it was in view, even if the trace names it.
			p.SourcesInvented++
			continue
		}
		p.SourcesUsed++
		p.UsedByKind[kind]++
	}
	for _, c := range d.SourcesCited {
		if _, inView := kinds[c.ID]; inView {
			p.UsedByChannel[string(c.Channel)]++
		}
	}
	p.SourcesUnknown += int64(d.SourcesUnknown)
	p.SourcesInvented += int64(d.SourcesInvented)
	if p.SourcesUsed > used {
		p.DecisionsUsingSources++
	}
}
