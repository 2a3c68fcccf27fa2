package behavior

import (
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// intend takes what a plan says the agent may do. It counts the entries that could
// not be read; those allow nothing. A plan made with words of others in view is noted
// and allows nothing either: it may be theirs.
func (t *Turn) intend(planned []answer.PlannedAction) (unread int, used []answer.Repair) {
	for i, p := range planned {
		intent, more, ok := t.readIntent(p)
		if !ok || i >= planActionsMax {
			unread++
			continue
		}
		used = append(used, more...)
		t.addIntent(intent)
	}
	t.fromPlan = len(t.intents)
	return unread, used
}

// readIntent reads one planned action. Names of places, agents and factories resolve
// as they do in actions.
func (t *Turn) readIntent(p answer.PlannedAction) (policy.Intent, []answer.Repair, bool) {
	if p.Full == nil {
		intent, ok := policy.ParseIntent(p.Line)
		if intent.Action == (world.Move{}).ActionName() {
			intent.To = t.names.Place(intent.To)
		} else {
			intent.To = t.names.Agent(intent.To)
		}
		intent.ID = t.names.Factory(intent.ID)
		return intent, nil, ok
	}
	action, _, e := p.Full.Decode(answer.Call{}, t.names)
	if e != nil {
		return policy.Intent{}, nil, false
	}
	intent, ok := policy.IntentOf(action)
	return intent, []answer.Repair{answer.PlanObject}, ok
}

// intendAction takes an action that was drafted or decided as planned: before words
// of others are in view it says as much about what the agent wants as a plan does.
func (t *Turn) intendAction(v Verdict) {
	if i, ok := policy.IntentOf(v.Proposed); ok && !t.untrusted && v.Audit == nil {
		t.addIntent(i)
	}
}

func (t *Turn) addIntent(i policy.Intent) {
	known := slices.ContainsFunc(t.intents, func(k policy.Intent) bool { return k.String() == i.String() && slices.Equal(k.Ignore, i.Ignore) })
	if known || len(t.intents) == intentsMax || t.swayed && !t.mind.cfg.off(policy.LayerOrder) {
		return
	}
	t.intents = append(t.intents, i)
}

// intentsMax bounds the intents of a turn: those of a plan, and of what was drafted
// or decided before any text was shown.
const intentsMax = 2 * planActionsMax

// plannedActions names the actions of the plan, each once, and waiting, which is
// always possible.
func (t *Turn) plannedActions() []string {
	names := []string{world.Wait{}.ActionName()}
	for _, i := range t.intents {
		if !slices.Contains(names, i.Action) {
			names = append(names, i.Action)
		}
	}
	return names
}

// intentTexts are the intents in the grammar of plans.
func (t *Turn) intentTexts() []string {
	texts := make([]string, len(t.intents))
	for n, i := range t.intents {
		texts[n] = i.String()
	}
	return texts
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
