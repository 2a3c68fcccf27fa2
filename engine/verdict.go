package engine

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The kinds of answers that were read and are of no use by themselves.
const (
	unusedPlan   = "empty_plan"
	unusedModule = "module_call"
)

// unusedKind is what a step says about an answer that was of no use, empty for any other step.
func unusedKind(s trace.Step, failure *llmclient.Failure) string {
	switch s.Kind {
	case trace.StepParseError, trace.StepLengthened:
		return s.Code
	case trace.StepModuleCall:
		return cmp.Or(s.Code, unusedModule)
	case trace.StepPlan:
		if isEmptyPlan(s) {
			return unusedPlan
		}
	case trace.StepModelError:
		if failure.Came() {
			return s.Code
		}
	}
	return ""
}

// isEmptyPlan reports whether a plan names no step and no action, as one does that a turn of the
// lean protocol brings.
func isEmptyPlan(s trace.Step) bool {
	var plan struct {
		Steps   []json.RawMessage `json:"steps"`
		Actions []json.RawMessage `json:"actions"`
	}
	return json.Unmarshal(s.Detail, &plan) == nil && len(plan.Steps)+len(plan.Actions) == 0
}

// used reports whether a step accepted a call of an answer. A call that the guard refuses
// was read, so it counts. Who only asks modules or plans nothing has not decided anything.
func used(s trace.Step) bool {
	switch s.Kind {
	case trace.StepPlan:
		return s.Status != trace.StatusError && !isEmptyPlan(s)
	case trace.StepDraft:
		return s.Status != trace.StatusError
	case trace.StepDecision:
		return s.Status == trace.StatusOK
	}
	return s.Kind == trace.StepGuard
}

// verdict is what a decision says about who took it.
type verdict int

const (
	// noVerdict: a cap, the provider or the user ended the turn, or the guard refused what a model decided
	// with texts of others in view.
	noVerdict verdict = iota
	// byModel: a model decided, now or when it began an order, or drafted what was done.
	byModel
	// byEngine: nobody chose the wait, or the engine did the first possible action of the plan.
	byEngine
)

func verdictOn(d trace.Decision) verdict {
	reason := cmp.Or(d.FailedBy, d.WaitReason)
	switch {
	case strings.HasPrefix(string(reason), trace.WaitModelPrefix):
		return noVerdict
	case (reason == trace.WaitGuardRejected || reason == trace.WaitWouldRefuse) && readsOthers(d):
		// The model decided, and it was refused. If that counted, others could end a run by
		// what they write.
		return noVerdict
	case d.DecidedBy == trace.ByEngine, d.FailedBy != "" && d.By == trace.ByPlan:
		return byEngine
	}
	return byModel
}

// readsOthers reports whether something that nobody vouches for was in view of a decision.
func readsOthers(d trace.Decision) bool {
	return slices.ContainsFunc(d.SourcesRetrieved, func(s trace.Source) bool {
		return s.Trust == trace.TrustOtherAgent || s.Trust == trace.TrustDerived
	})
}

// judge counts for each endpoint the ticks in a row in which it answered and no decision was a
// model's. A tick in which it gave no answer, or whose turns ended by caps or failures alone, is
// left out of the row.
func (e endpoints) judge(w *world.World, turns []deliberation) {
	for _, p := range e.all {
		var ends []string
		answered, decided := false, false
		example := ""
		for _, t := range turns {
			agent := w.AgentID(t.agent)
			if e.of(agent) != p {
				continue
			}
			d := t.decision.Decision
			v := verdictOn(d)
			if t.asked == 0 && d.DecidedBy == trace.ByStanding && p.orders[agent] {
				v = byEngine
			}
			if t.asked > 0 {
				p.began(agent, v == byEngine)
			}
			switch {
			case v == byModel:
				decided = true
			case v == byEngine && t.replied:
				answered = true
				ends = append(ends, string(cmp.Or(d.FailedBy, d.WaitReason)))
				example = cmp.Or(example, t.example)
			}
		}
		switch {
		case decided:
			p.undecided = ticksUndecided{}
		case answered:
			u := &p.undecided
			u.ticks++
			u.example = cmp.Or(u.example, example)
			if u.ends == nil {
				u.ends = map[string]int{}
			}
			for _, end := range ends {
				u.ends[end]++
			}
		}
	}
}
