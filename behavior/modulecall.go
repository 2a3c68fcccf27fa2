package behavior

import (
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
)

// Env is what the next module call of this turn may read. Its result is capped by what
// the window still holds too, so that a turn on a small window cannot outgrow it.
func (t *Turn) Env() modules.Env {
	left := t.agent.cfg.ModuleCallsMax - t.protocol.moduleCalls - 1
	for _, s := range t.conversation.Calls {
		if s.module && !s.done {
			left++
		}
	}
	env := modules.Env{View: t.view, Memory: t.agent.memory, Documents: t.agent.cfg.Documents, CallsLeft: &left,
		ResultCharsMax: max(modules.ResultCharsMin, min(resultCharsMax, t.resultRoom()))}
	if t.agent.cfg.Guards(trace.CheckOrder) {
		env.Shows = func(name string) bool { return mentions(t.agent.goalWords, name) } // as in the prompt
		if t.exposure.phase != phaseShown {
			env.Known = &t.exposure.opening.known
		}
	}
	return env
}

// resultRoom is how many tokens the window has for the next result, next to those of the present answer.
func (t *Turn) resultRoom() int {
	room := t.room() - moduleTokensMin/2 - t.agent.outputTokens
	for _, s := range t.conversation.Calls {
		room -= t.agent.count(s.text())
	}
	return room
}

// Result feeds back the result of the Call that Next returned.
func (t *Turn) Result(r modules.Result) {
	for i := range t.conversation.Calls {
		if s := &t.conversation.Calls[i]; !s.done {
			t.takeResult(s, trace.StepModuleCall, r)
			break
		}
	}
	t.settleCalls()
}

// settleCalls appends the outputs of an answer's calls once all have one.
func (t *Turn) settleCalls() {
	if !t.conversation.settled() {
		return
	}
	t.conversation.Flush()
	switch {
	case len(t.exposure.unseen) > 0:
		t.protocol.stage = trace.StagePlan
	case t.protocol.toReason(): // otherwise the model may call more or draft
		t.advance()
	}
}

// takeResult answers a call of a kind. If the result holds untrusted text, as a memory may, the turn makes
// its plan before it reads the result.
func (t *Turn) takeResult(s *PendingCall, kind trace.StepKind, r modules.Result) {
	s.done = true
	s.output = r.Output
	r.Sources = t.agent.ownTexts(r.Sources)
	if t.exposure.receive(r, t.agent.cfg.Guards(trace.CheckOrder)) {
		s.output = encode(resultUnseen{"held", t.agent.words.Observation.Held})
	}
	n := trace.Step{
		Kind: kind, Status: trace.StatusOK, Code: string(r.Code), CallID: s.ID, Name: r.Module,
		Detail: llmclient.Marshal(resultDetail{Status: string(r.Status), Chars: runeCount(r.Output), CharsFull: r.CharsFull}),
	}
	if r.ArgumentError == nil {
		n.Repairs = repairNames(append(s.Repairs, r.Repairs...))
	}
	if r.Status == modules.StatusError {
		n.Status = trace.StatusError
	}
	t.conversation.Note(n)
}

// ownTexts gives the agent's own notes in a result the trust of what was in view when it wrote them, and
// the result the least trust of its texts.
func (m *Agent) ownTexts(found []trace.Source) []trace.Source {
	own := func(s trace.Source) bool { return s.Kind == trace.KindNote && s.OriginAgent == "" }
	if !slices.ContainsFunc(found, own) {
		return found
	}
	found = slices.Clone(found)
	least := trace.TrustSelfObservation
	for i, s := range found {
		if own(s) {
			found[i] = m.history.spoken(s.OriginTick).source(s)
		}
		if s.Kind != trace.KindModule {
			least = min(least, found[i].Trust)
		}
	}
	for i := range found {
		if found[i].Kind == trace.KindModule {
			found[i].Trust = least
		}
	}
	return found
}

// resultUnseen replaces a module result until the plan is made. What is in it, and how much of it fits,
// follows from the words of others, so nothing of that is told.
type resultUnseen struct {
	Status string `json:"status"`
	Text   string `json:"text"`
}

type resultDetail struct {
	Status    string `json:"status"`
	Chars     int    `json:"chars"`
	CharsFull int    `json:"chars_full"`
}
