package stub

import (
	"maps"

	"example.com/agentworld/llmclient"
)

// PartsOf returns what the policy would say to a request, in parts that fill the
// templates of the corpus. ok is false when it would make no call: the body is no
// request, or no tool may be called. Like [Decide] it is a pure function.
func PartsOf(seed uint64, body []byte) (p Parts, ok bool) {
	r, refused := parseRequest(body)
	if refused != nil {
		return Parts{}, false
	}
	s := newStage(seed, r)
	calls := s.answer().calls
	if len(calls) == 0 {
		return Parts{}, false
	}
	return s.parts(calls[0]), true
}

// parts are what templates are filled with at one point of a turn: the first call of
// the answer, and what the policy would like to do whatever the stage.
func (s stage) parts(first toolCall) Parts {
	action := s.ideas[0].action
	decision := maps.Clone(action)
	delete(decision, "action")
	decision["decision"] = name(action)
	p := Parts{
		Name: first.name, Arguments: llmclient.Marshal(first.arguments), Here: s.see.Self.Place,
		Decision: llmclient.Marshal(decision), Action: llmclient.Marshal(action),
	}
	if places := s.see.Places; len(places) > 0 {
		p.Place, p.PlaceName = places[0].ID, places[0].Name
	}
	return p
}
