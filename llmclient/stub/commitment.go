package stub

import (
	"maps"
	"slices"
)

// refusalsMax is how many refused decisions of one turn the policy answers with
// another idea; after that it waits.
const refusalsMax = 2

// draft offers the best idea and one to fall back on. More would only repeat what a
// refusal leads to anyway.
func (s stage) draft() object {
	candidates := []any{}
	for i, p := range s.ideas[:min(2, len(s.ideas))] {
		action := p.action
		if i == 0 {
			action = withSteps(action, s.chained(p))
		}
		candidates = append(candidates, action)
	}
	return object{"candidates": candidates}
}

// withSteps is an action with the steps that follow it, if there are any.
func withSteps(action object, then []any) object {
	if len(then) == 0 {
		return action
	}
	action = maps.Clone(action)
	action[slotThen] = then
	return action
}

// committed returns a proposal as the arguments of a decision.
func (s stage) committed(p proposal) object {
	out := object{"action": withSteps(p.action, p.then), "execute_until": nil, "why": p.why, "sources_used": s.sources()}
	if p.until != nil {
		out["execute_until"] = p.until
	}
	return out
}

// sources cites the lesson that is followed, and otherwise the last line of the history, which every
// decision looks at, in
// half of the situations; a model does not report each source it used either.
func (s stage) sources() []any {
	if s.follows != "" {
		return []any{s.follows}
	}
	id := s.known.source()
	if id == "" || !s.chance.oneIn("cite", 2) {
		return []any{}
	}
	return []any{id}
}

// decision takes the first drafted candidate that would be accepted or whose fate is
// open, and without either the best idea left. Ideas that failed are
// no longer among them, so each refusal leads to something else and in the end to
// waiting.
func (s stage) decision() object {
	if s.turn.refusals() > refusalsMax {
		return s.committed(wait("Several decisions were refused, so this tick is left alone."))
	}
	draft, _ := s.turn.last(toolDraft)
	candidates := draft.candidates()
	for i, c := range candidates {
		if (c.status == statusAccepted || c.status == statusUnknown) && !s.known.failed(c.action) {
			// The standing order and the reason belong to the idea; a draft has no room for them.
			out := object{"action": c.action, "execute_until": nil, "why": "", "sources_used": s.sources()}
			same := func(p proposal) bool { return signature(p.action) == signature(c.action) }
			if at := slices.IndexFunc(s.ideas, same); at >= 0 {
				out = s.committed(s.ideas[at])
			}
			out["candidate"] = int64(i + 1)
			return out
		}
	}
	out := s.committed(s.ideas[0])
	out["candidate"] = int64(0)
	return out
}

// leanTurn is plan, draft and decision in one.
func (s stage) leanTurn() object {
	out := s.decision()
	out["plan"] = planGoal
	out["candidates"] = s.draft()["candidates"]
	// Without a dry run in between, the best idea is the first candidate.
	out["candidate"] = int64(1)
	return out
}
