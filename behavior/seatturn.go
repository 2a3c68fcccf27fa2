package behavior

import (
	"math"
	"slices"
	"strings"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// SeatTurn is one agent's turn in one tick in which a seat decides: a state machine as [Turn] is, whose
// requests are observations and whose answers are moves.
//
//	[plan --> texts shown] --> move
//
// Invariants:
//  1. A seat that does not read texts is asked once, with nothing that others wrote: its decision rests on
//     what the agent knows itself, within the rules of the scenario.
//  2. One that reads is asked for a plan first if there are new texts, on the observation without them. What
//     it then decides is held against that plan, as a decision of a model is.
//  3. An answer that is no move ends the turn in a wait. Nobody is asked again.
type SeatTurn struct {
	// turn has plan, exposure and what is decided.
	turn Turn
	by   trace.AgentSeat
	asks int
}

// Sit opens a turn for the agent of view, in which a seat decides.
func (m *Agent) Sit(view world.View, by trace.AgentSeat) *SeatTurn {
	t := &SeatTurn{turn: Turn{agent: m, view: view}, by: by}
	t.turn.conversation.Tick = view.Tick()
	t.turn.conversation.AgentID = view.AgentID()
	opening := &t.turn.exposure.opening
	seen, withheld := m.look(view, opening)
	opening.sources = m.termsSources(seen, opening)
	if by.ReadsTexts && m.news(&withheld) {
		opening.withheld = withheld
	}
	t.turn.exposure.begin()
	return t
}

// look separates what the agent of view observes itself from the texts of others, and from terms that no
// rule of the agent can answer now.
func (m *Agent) look(view world.View, p *prompt) (seen *visibleObservation, withheld texts) {
	p.seen = view.Observe()
	seen = &visibleObservation{Observation: p.seen, rules: m.policy.Quotas(m.ledger, p.seen.Tick)}
	seen.OwnRequests = m.history.receivers(p.seen.OwnRequests)
	seen.OwnOffers = m.history.receivers(p.seen.OwnOffers)
	seen.Inbox = nil
	seen.InboxDropped = 0
	seen.Here.Notes = nil
	withheld = texts{tick: p.seen.Tick, spoken: m.history.spoken}
	for _, n := range p.seen.Here.Notes {
		if n.Author != m.id {
			withheld.Notes = append(withheld.Notes, n)
		}
	}
	m.partTerms(view, seen, &withheld, p.seen.Inbox)
	p.known, p.shown = seen.Observation, seen.shown
	p.found = placeEntry(m.words, &seen.Observation)
	return seen, withheld
}

// news reports whether one of the texts is new to the agent. An offer that no rule can take is none.
func (m *Agent) news(withheld *texts) bool {
	offered := func(id string) bool {
		return slices.ContainsFunc(withheld.Terms, func(t world.Terms) bool { return t.ID == id && t.Give != "" })
	}
	return slices.ContainsFunc(withheld.readings(), func(r reading) bool {
		return m.history.unread(r.text) > 0 && !offered(r.text)
	})
}

// Next returns the observation that the seat is asked with as an [Ask], or the [Decision] that ends the
// turn. Calling it again without an answer repeats the step.
func (t *SeatTurn) Next() Step {
	if t.turn.decision != nil {
		return t.turn.decision
	}
	o := t.observation()
	return Ask{
		Number: t.asks + 1, Stage: trace.StageSeat, Observation: &o,
		Request: llmclient.Request{Model: t.by.Who(),
			Input: []llmclient.Item{llmclient.Message("user", encode(o))}},
	}
}

// ask is what the seat is asked for next.
func (t *SeatTurn) ask() seat.Ask {
	if t.turn.exposure.follows() {
		return seat.AskPlan
	}
	return seat.AskMove
}

// observation makes the observation as it is now. It shares nothing with what the turn goes on with.
func (t *SeatTurn) observation() seat.Observation {
	m, e := t.turn.agent, &t.turn.exposure
	var own prompt
	seen, withheld := m.look(t.turn.view, &own)
	o := seat.Observation{Ask: t.ask(), Observation: seen.Observation, Persona: m.persona, Goals: t.turn.view.Goals(),
		View: t.turn.view.Showing(&seen.Observation)}
	o.InWords = func() string { return m.inWords(t.turn.view) }
	if last, acted := o.View.Last(); acted {
		o.Last = &last
	}
	if task := t.turn.view.Task(); task != nil {
		o.Task = new(*task)
		o.Task.Agents = slices.Clone(task.Agents)
	}
	for _, r := range seen.rules {
		limit := seat.Limit{Rule: r.Number, PolicyRule: r.PolicyRule}
		limit.AskedBy = slices.Clone(r.AskedBy)
		if r.Most < math.MaxInt64 {
			limit.Now = r.Most
		}
		if r.Total > 0 {
			limit.Left = &r.Left
		}
		o.Limits = append(o.Limits, limit)
	}
	for _, n := range seen.news {
		o.News = append(o.News, seat.News{Tick: n.last, Kind: n.kind, From: n.other, About: n.about,
			Changes: slices.Clone(n.changes)})
	}
	if e.phase == phaseShown {
		o.Texts = &seat.Texts{Inbox: withheld.Inbox, Notes: withheld.Notes, Terms: withheld.Terms}
		o.View = t.turn.view
	}
	return o
}

// inWords writes what the agent of view observes itself as the sections of a prompt.
func (m *Agent) inWords(view world.View) string {
	var p prompt
	seen, withheld := m.look(view, &p)
	seen.saw = m.history.saw
	seen.idleDraw = view.Rules().IdleDraw
	seen.rules = slices.DeleteFunc(seen.rules,
		func(r policy.Quota) bool { return slices.Contains(m.cfg.Needless, r.Action) })
	if task := view.Task(); task != nil {
		seen.last = task.Ticks
	}
	m.partChain(seen, &withheld)
	var lines []string
	if m.persona.Text != "" {
		lines = append(lines, m.words.Headings.Persona, m.persona.Text)
	}
	lines = append(lines, m.goals(view))
	if last, acted := view.Last(); acted {
		outcome, _ := m.lastOutcome(last, &seen.Observation)
		lines = append(lines, outcome.text)
	}
	return strings.Join(append(lines, m.observed(seen).variants[0].text), "\n")
}

// Answer takes the answer to the observation that Next returned.
func (t *SeatTurn) Answer(a llmclient.Answer) {
	t.asks++
	t.turn.conversation.Before = t.asks
	t.take(a)
	d, ended := t.turn.decision.(Decision)
	if !ended {
		return
	}
	d.given = t.turn.evidence().InView()
	if d.DecidedBy == trace.ByModel {
		d.DecidedBy = trace.BySeat // a fallback to its plan
	}
	t.turn.decision = d
}

func (t *SeatTurn) take(a llmclient.Answer) {
	if f := a.Failure; f != nil {
		reason := trace.WaitModelPrefix + string(f.Kind)
		if f.Kind == llmclient.ErrSeat {
			reason = trace.WaitSeatPrefix + f.Code
		}
		t.lose(trace.WaitReason(reason))
		return
	}
	ask := t.ask()
	move, err := readMove(a, ask)
	if err != nil {
		t.lose(trace.WaitSeatPrefix + seat.Nonsense)
		return
	}
	if ask == seat.AskPlan {
		t.plan(move)
		return
	}
	t.decide(move)
}

// readMove reads the move of an answer, which may be one of a damaged record.
func readMove(a llmclient.Answer, ask seat.Ask) (seat.Move, error) {
	text := ""
	for _, it := range a.Reply.Items {
		text += it.Text
	}
	return seat.Decode([]byte(text), ask)
}

// lose ends a turn whose seat made no move: in a wait, whatever was planned.
func (t *SeatTurn) lose(reason trace.WaitReason) { t.turn.wait(reason, nil, false) }

// plan takes what the seat means to do, and shows it the texts.
func (t *SeatTurn) plan(move seat.Move) {
	p := &t.turn.plan
	p.begin(move.Why)
	for _, a := range move.Planned() {
		steps := policy.PlannedSteps(a)
		for _, s := range steps {
			p.add(s)
		}
		if len(steps) > 0 {
			p.mayEnd(fallback{do: []world.Action{firstStep(a)}, by: trace.ByPlan})
		}
	}
	t.turn.conversation.Note(trace.Step{Kind: trace.StepPlan, Detail: llmclient.Marshal(planDetail{
		Goal: capText(move.Why), Steps: []typedStep{}, Actions: append([]policy.PlannedAction{}, p.actions...)})})
	e := &t.turn.exposure
	e.open = true
	e.phase = phaseDue
	e.carry(t.asks + 1)
	p.closed = true
}

// decide commits the move. What the world would refuse is tried all the same: its refusal tells the agent
// why, in numbers. What the rules or the plan refuse costs the turn, which then ends in the plan, or in a
// wait.
func (t *SeatTurn) decide(move seat.Move) {
	v := t.turn.evaluate(move.Action)
	if v.Violation != nil {
		t.turn.conversation.Note(v.note())
		t.turn.fail(trace.WaitGuardRejected, v)
		return
	}
	t.turn.conversation.Note(trace.Step{Kind: trace.StepDecision, Name: v.Adjusted.ActionName()})
	d := decisionOf(v)
	d.DecidedBy = trace.BySeat
	d.Why = capText(move.Why)
	t.turn.finish(&d)
}

// Steps returns what the turn recorded so far, oldest first.
func (t *SeatTurn) Steps() []trace.Step { return t.turn.Steps() }
