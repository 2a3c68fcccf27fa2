package behavior

import (
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// intend takes what a plan says the agent may do. It counts the entries that could
// not be read; those allow nothing. A plan made with untrusted text in view is recorded
// and allows nothing either: it may be somebody else's.
func (t *Turn) intend(actions []answer.PlannedAction, c answer.Call) (unread int, used []answer.Repair) {
	for i, a := range actions {
		do, open, more, e := a.Decode(c, t.names)
		planned, ok := policy.Planned(do, open...)
		if e != nil || !ok || i >= planActionsMax {
			unread++
			continue
		}
		used = append(used, more...)
		t.mayDo(planned)
	}
	t.fromPlan = len(t.plan)
	return unread, used
}

// intendAction takes an action that was drafted or decided as planned: before words
// of others are in view it says as much about what the agent wants as a plan does.
func (t *Turn) intendAction(v Verdict) {
	if p, ok := policy.Planned(v.Proposed); ok && !t.untrusted && v.Violation == nil {
		t.mayDo(p)
	}
}

// mayDo adds a planned action, unless others may have asked for it.
func (t *Turn) mayDo(p policy.PlannedAction) {
	known := slices.ContainsFunc(t.plan, func(k policy.PlannedAction) bool { return encode(k) == encode(p) })
	if known || len(t.plan) == plannedMax || t.swayed && !t.mind.cfg.off(policy.LayerOrder) {
		return
	}
	t.plan = append(t.plan, p)
}

// plannedMax bounds the planned actions of a turn: those of a plan, and of what was
// drafted or decided before any text was shown.
const plannedMax = 2 * planActionsMax

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

// lookAround notes whether the request that goes out now carries anything whose
// author may want something of the agent. From there on the turn stays untrusted:
// what was once read cannot be unread.
func (t *Turn) lookAround() {
	t.untrusted = t.untrusted || slices.ContainsFunc(t.retrieved, isUntrusted)
	t.swayed = t.swayed || slices.ContainsFunc(t.retrieved, isForeign)
}

// isForeign reports whether a source holds words of others.
func isForeign(s trace.Source) bool { return s.Trust <= trace.TrustOtherAgent }

// isUntrusted reports whether a source may not choose what the agent does.
func isUntrusted(s trace.Source) bool { return s.Trust < trace.TrustSelfObservation }
