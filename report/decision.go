package report

import (
	"encoding/json"
	"errors"
	"fmt"

	"example.com/agentworld/trace"
)

// decision counts a decision and closes the turn it ends. The error says that an
// action or outcome is not one.
func (f *folder) decision(d trace.Decision) error {
	a := f.agent(d.AgentID)
	f.endTurn(a)
	executed, err := readAction(d.Executed)
	if err != nil {
		return fmt.Errorf("tick %d, agent %s: executed action: %w", d.Tick, d.AgentID, err)
	}
	f.out.TraceCounts.Traces++
	f.decider(a, d)
	f.choice(a, d, executed)
	f.provenance(d)
	f.guarded(d)
	if err := f.effects.add(d, executed); err != nil {
		return fmt.Errorf("tick %d, agent %s: outcome: %w", d.Tick, d.AgentID, err)
	}
	for _, adj := range d.Adjustments {
		f.out.Actions.ClampsByField[adj.Action+"."+adj.Field]++
	}
	if executed.waits() {
		return nil
	}
	if err := f.outcome(a, d, executed); err != nil {
		return fmt.Errorf("tick %d, agent %s: outcome: %w", d.Tick, d.AgentID, err)
	}
	return nil
}

// decider counts the decision by who made it.
func (f *folder) decider(a *agentFold, d trace.Decision) {
	switch d.DecidedBy {
	case trace.ByStanding:
		f.out.ContinuedDecisions++
		a.row.Continued++
		return
	case trace.ByModel:
		f.out.TotalDecisions++
		a.row.Decisions++
	}
	f.turns++
	calls := a.callsSent(d)
	f.turnCalls += calls
	per := &f.out.TraceCounts.CallsPerDecision
	per.Max = max(per.Max, calls)
	f.proposal(d)
}

// proposal follows the model's action to the world.
func (f *folder) proposal(d trace.Decision) {
	if isNull(d.Proposed) {
		return
	}
	n := &f.out.Actions
	n.Proposed++
	if len(d.Adjustments) > 0 {
		n.Adjusted++
	}
	if d.DecidedBy == trace.ByModel {
		n.Executed++
	} else {
		n.Dropped++
	}
}

// choice counts the decision by what was decided.
func (f *folder) choice(a *agentFold, d trace.Decision, executed action) {
	n := &f.out.DecisionCounts
	switch executed.kind() {
	case "wait":
		n.Wait++
		a.row.Waits++
		if d.WaitReason == "" {
			n.WaitChosen++
			return
		}
		n.WaitDegraded++
		n.WaitDegradedByReason[string(d.WaitReason)]++
		a.row.WaitsDegraded++
	case "wait_ticks":
		n.WaitTicks++
	default:
		n.Act++
	}
	if executed.Do != nil && d.DecidedBy == trace.ByModel {
		f.out.Actions.StandingOrders++
	}
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
			// Credit needs a source that was there, whatever the trace claims.
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

// outcome counts what the world said to an action; null says nothing.
func (f *folder) outcome(a *agentFold, d trace.Decision, executed action) error {
	if isNull(d.Outcome) {
		return nil
	}
	var o struct {
		Accepted  bool `json:"accepted"`
		Rejection *struct {
			Code string `json:"code"`
		} `json:"rejection"`
	}
	if err := json.Unmarshal(d.Outcome, &o); err != nil {
		return err
	}
	if !o.Accepted && o.Rejection == nil {
		return errors.New("neither accepted nor rejected")
	}
	r, kind := &f.out, executed.kind()
	r.TotalActions++
	r.ActionKindCounts[kind]++
	if !o.Accepted {
		r.ActionFailure++
		r.ActionKindFailureCounts[kind]++
		r.ActionRejectReasonCounts[o.Rejection.Code]++
		a.row.Failures++
		a.row.Rejections[o.Rejection.Code]++
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
