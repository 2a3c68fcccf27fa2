package behavior

import (
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The names of the prompt's sections, in the order they are sent.
const (
	sectionCommon      = "common"
	sectionPersona     = "persona"
	sectionGoals       = "goals"
	sectionKnown       = "known"
	sectionHistory     = "history"
	sectionDocuments   = "documents"
	sectionMemory      = "memory"
	sectionPlaybook    = "playbook"
	sectionOutcome     = "last_outcome"
	sectionObservation = "observation"
	sectionMessages    = "messages"
	sectionAdvice      = "advice"
)

// prompt is the opening of a turn: the parts of the input that exist before the
// model said anything.
type prompt struct {
	// seen is what the agent observes. known is the part of it that may be shown before the plan,
	// and shown the terms of other agents in that part. All are read-only.
	seen, known world.Observation
	shown       []world.Terms
	// industry is what can be made in the world.
	industry *world.Industry
	// intentions are what earlier turns planned and have not done.
	intentions intentions
	items      []llmclient.Item
	sections   []trace.Section
	sources    []trace.Source
	// withheld are the texts of other agents that fit the budget, shown after the plan
	// as the section withheldSection.
	withheld        texts
	withheldSection trace.Section
	// found is the memory of the place where the agent is.
	found memory.Entry
	// early says that the opening shows the texts instead: the check of the guard that holds them
	// back is off.
	early bool
	// fresh counts those among them that the agent has not read before, and lessons, which
	// are of use only before the decision.
	fresh int
	// untrusted says that new text of other agents is withheld, or that the opening shows some.
	untrusted bool
}

// sectionDraft is one section: its variants from the fullest to the barest. Clipping steps down
// through them. The last variant of a required section is never empty.
type sectionDraft struct {
	name     string
	variants []variant
	// shorter, if set, writes the variants after those. Most prompts fit as they are, and writing
	// variants that are never sent would be much of the work of a turn.
	shorter func() []variant
}

// clippingOrder is which sections lose text first when the budget does not hold
// all. Persona, goals and the last outcome are never cut, the agent's own state and what it
// may do neither.
var clippingOrder = []string{sectionKnown, sectionHistory, sectionDocuments, sectionMemory, sectionPlaybook,
	sectionMessages, sectionObservation}

// part separates what an agent observes itself from the text of other agents that it has heard,
// read or learned from, and from documents.
func (m *Agent) part(view world.View, o *world.Observation, outcome world.Outcome,
	focus memory.Focus) (seen *visibleObservation, withheld texts, lessons, passages sectionDraft) {
	seen = &visibleObservation{Observation: *o, saw: m.history.saw, rules: m.policy.Quotas(m.ledger, o.Tick)}
	seen.idleDraw = view.Rules().IdleDraw
	seen.rules = slices.DeleteFunc(seen.rules,
		func(r policy.Quota) bool { return slices.Contains(m.cfg.Needless, r.Action) })
	seen.OwnRequests, seen.OwnOffers = m.history.receivers(o.OwnRequests), m.history.receivers(o.OwnOffers)
	seen.Inbox, seen.Here.Notes = nil, nil
	withheld = texts{Notes: o.Here.Notes, tick: o.Tick}
	m.partTerms(view, seen, &withheld, o.Inbox)
	withheld = m.recallHeard(withheld, focus)
	passages, withheld.passages = m.passages(view, focus)
	for _, s := range withheld.passages {
		withheld.Documents = append(withheld.Documents, s.Text)
	}
	open := slices.Concat(o.Requests, o.Offers, o.Here.Offers)
	own := slices.Concat(o.OwnRequests, o.OwnOffers)
	seen.intentions = m.history.intentions.left(o.Tick, slices.Concat(seen.shown, own), slices.Concat(open, own))
	withheld.bare, withheld.spoken = !m.cfg.Guards(trace.CheckEnvelope), m.history.spoken
	withheld.plan(&seen.intentions.late)
	withheld.addLast(m.history.asides)
	said := func(int64) untrustedText { return untrustedText{} }
	seen.spoken = seen.intentions.early.sources("", said)
	seen.Withheld = withheld.count() // lessons are chosen by it, and counted after
	lessons, withheld.taught = m.lessons(seen, outcome)
	for _, s := range withheld.taught {
		withheld.Lessons = append(withheld.Lessons, s.Text)
	}
	m.partSent(seen, &withheld)
	m.countWithheld(seen, &withheld)
	if task := view.Task(); task != nil {
		seen.last = task.Ticks
	}
	m.partChain(seen, &withheld)
	if order, ok := view.Standing(); ok {
		seen.standing, seen.naming = &order, naming{known: m.knownIDs(o, order.Do)}
	}
	return seen, withheld, lessons, passages
}

// partSent divides what the agent wrote lately. Its own texts are shown with the texts of other agents that
// they may repeat. If they may repeat what was read then, they are shown nowhere else, long after that left the
// view. The lines in seen are trusted like the agent's own observations.
func (m *Agent) partSent(seen *visibleObservation, withheld *texts) {
	for _, s := range m.history.sent {
		posted := func(n world.Note) bool { return n.Author == m.id && n.Tick == s.Tick }
		switch {
		case seen.Tick-s.Tick > sentTicks:
			continue
		case withheld.count() == 0 && !m.history.spoken(s.Tick).tainted:
			seen.spoken = append(seen.spoken, s.source(m.history.spoken))
			seen.sent = append(seen.sent, s)
			continue
		case withheld.count() > 0 && !slices.ContainsFunc(withheld.Notes, posted):
			withheld.Said = append(withheld.Said, s)
		}
		s.Text = ""
		seen.sent = append(seen.sent, s)
	}
}

// countWithheld notes in seen how many texts wait for the plan, and whose they are.
func (m *Agent) countWithheld(seen *visibleObservation, withheld *texts) {
	if len(withheld.Documents) > 0 {
		seen.senders = append(seen.senders, m.words.Observation.Documents)
	}
	for _, s := range withheld.passages {
		seen.unread += m.history.unread(s.ID)
	}
	for _, s := range withheld.taught {
		seen.senders = append(seen.senders, s.OriginAgent)
	}
	for _, l := range withheld.Inbox {
		seen.senders = append(seen.senders, l.From)
		seen.unread += m.history.unread(l.ID)
	}
	for _, n := range withheld.Notes {
		seen.senders = append(seen.senders, n.Author)
		if n.Author != m.id {
			seen.unread += m.history.unread(n.ID)
		}
	}
	for _, t := range withheld.Terms {
		seen.senders = append(seen.senders, t.From)
		unread := m.history.unread(t.ID)
		seen.unread += unread
		if t.Give != "" {
			seen.idle += unread // a rule that could take it now would have shown it
		}
	}
	seen.Withheld, seen.withheldTerms = withheld.told(), len(withheld.Terms)
	seen.fresh = seen.unread + len(withheld.Lessons)
}

// compose builds the opening prompt for view within the token budget: a message that all agents
// have in common, and one with the sections one after another. Texts of other agents are kept for
// later.
func (m *Agent) compose(view world.View, p *prompt) {
	outcome, acted := view.Last()
	if n := len(m.history.episodes); n > 0 && m.history.episodes[n-1].last == outcome.Tick {
		outcome.Rejection = m.history.episodes[n-1].refusal
	}
	p.industry = view.Industry()
	p.seen, p.early = view.Observe(), !m.cfg.Guards(trace.CheckOrder)
	focus := m.focus(&p.seen)
	seen, withheld, lessons, passages := m.part(view, &p.seen, outcome, focus)
	fresh := seen.fresh - seen.idle
	if p.early {
		seen.Withheld, seen.fresh = 0, 0
	}
	var last variant
	var done episode
	if acted {
		last, done = m.lastOutcome(outcome, &p.seen)
	}
	if !p.early && m.history.missed < missedMax {
		p.fresh = fresh
	}
	p.known, p.shown = seen.Observation, seen.shown
	p.intentions = seen.intentions
	if p.early {
		p.known, p.shown = p.seen, nil
	}
	p.found, p.untrusted = placeEntry(m.words, &seen.Observation), p.fresh > 0

	kept := withheld.variants()
	messages := sectionDraft{name: sectionMessages, variants: []variant{{text: withheld.section(m.words)}},
		shorter: func() (variants []variant) {
			for _, t := range kept[1:] {
				variants = append(variants, variant{text: t.section(m.words)})
			}
			return variants
		}}
	history := m.historySection(done)
	drafts := make([]sectionDraft, 0, 12)
	if m.persona.Text != "" {
		text := m.words.Headings.Persona + "\n" + m.persona.Text
		drafts = append(drafts, sectionDraft{name: sectionPersona, variants: []variant{{text: text}}})
	}
	drafts = append(drafts,
		sectionDraft{name: sectionGoals, variants: []variant{{text: m.goals(view)}}},
		m.knownRules(view.Tick()),
		history,
	)
	if m.cfg.Documents != nil {
		drafts = append(drafts, passages)
	}
	drafts = append(drafts,
		m.recalled(focus, slices.Concat(history.variants[0].ids, done.ids, m.history.inSight(&p.seen))),
		lessons,
		sectionDraft{name: sectionOutcome, variants: []variant{last}},
		m.observed(seen),
		messages,
	)
	if text := m.repetition.advice.text(m.words); text != "" {
		drafts = append(drafts, sectionDraft{name: sectionAdvice, variants: []variant{{text: text}}})
	}
	common := trace.Section{Name: sectionCommon, Chars: runeCount(m.common.Text), Tokens: m.commonTokens}
	p.sections = append(make([]trace.Section, 0, len(drafts)+1), common)
	lines := make([]string, 0, len(drafts))
	for i, chosen := range m.fit(drafts, withheld.told()) {
		d := &drafts[i]
		v := &d.variants[chosen]
		s := trace.Section{Name: d.name, Chars: runeCount(v.text), Tokens: v.tokens}
		if chosen > 0 {
			s.ClippedChars = max(0, runeCount(d.variants[0].text)-s.Chars)
		}
		s.Clipped = s.ClippedChars > 0
		if d.name == sectionMessages {
			// If nothing of the texts fits, the prompt says so now.
			p.withheld, p.withheldSection = kept[chosen], s
			if !p.early && (s.Chars > 0 || !s.Clipped) {
				continue
			}
		}
		p.sections = append(p.sections, s)
		if v.text != "" {
			lines = append(lines, v.text)
			p.sources = append(p.sources, v.sources...)
		}
	}
	p.sources = append(p.sources, m.termsSources(seen, p)...)
	p.items = []llmclient.Item{m.common, llmclient.Message("user", strings.Join(lines, "\n"))}
	p.untrusted = p.untrusted || slices.ContainsFunc(p.sources, isUntrusted)
	if p.early {
		p.sources = append(p.sources, p.withheld.sources(m.id)...)
	}
}

// termsSources are the terms shown before the plan. A rule vouches for them, and the world for the agent's
// own: they may be relied on. With the guard's order off, terms that no rule can answer are shown, too.
func (m *Agent) termsSources(seen *visibleObservation, p *prompt) (list []trace.Source) {
	for _, s := range slices.Concat(seen.shown, seen.OwnRequests, seen.OwnOffers) {
		source := modules.TermsSource(s, seen.Tick, encode(s))
		if s.From == m.id || !p.early || m.policy.Answerable(s, m.ledger, &p.seen) {
			source.Trust = trace.TrustSelfObservation
		}
		list = append(list, source)
	}
	return list
}

// missedMax is how many plans in a row a model that makes none is asked for when there are new
// texts. They wait from then on until it plans by itself.
const missedMax = 3

// knownRules are the rules in numbers that need no call, as far as the common item has them not.
func (m *Agent) knownRules(tick int64) sectionDraft {
	looked := m.history.topics(tick)
	heading, lines := m.words.Headings.Known, m.known.With(looked)
	if m.commonRules {
		heading, lines = m.words.Headings.Looked.Text(lookedTicks), m.known.About(looked)
	}
	if lines == "" {
		return sectionDraft{name: sectionKnown, variants: []variant{{}}}
	}
	return sectionDraft{name: sectionKnown, variants: []variant{{text: heading + lines}, {}}}
}

// goals are those of the persona, how far the agent is with those of the scenario, and what
// the run is scored by.
func (m *Agent) goals(view world.View) string {
	b := append(make([]byte, 0, 512), m.words.Headings.Goals...)
	if m.persona.ShortTermGoal != "" {
		b = append(append(append(b, '\n'), m.words.Goals.ShortTerm...), m.persona.ShortTermGoal...)
	}
	if m.persona.LongTermGoal != "" {
		b = append(append(append(b, '\n'), m.words.Goals.LongTerm...), m.persona.LongTermGoal...)
	}
	for _, g := range view.Goals() {
		sort, what, _ := strings.Cut(g.Goal.Metric, ":")
		if sort == "made" || sort == "event" {
			what = g.Goal.Metric // it counts, whatever the agent has
		}
		b = append(b, '\n')
		if g.MetAt >= 0 {
			b = m.words.Goals.Met.Append(b, g.MetAt, capText(g.Goal.Text))
		} else {
			b = m.words.Goals.Scored.Append(b, capText(g.Goal.Text), what, g.Now, g.Goal.AtLeast)
		}
	}
	if task := view.Task(); task != nil {
		b = m.appendTask(b, task, view.Industry())
	}
	return string(b)
}

// observed is the observation, and the same with ever shorter lists of distant
// things; the omitted counts stay exact.
func (m *Agent) observed(seen *visibleObservation) sectionDraft {
	s := observationWriter{visibleObservation: seen, layout: m.layout, goals: m.goalWords, needless: m.cfg.Needless,
		words: m.words}
	s.strangeNames = s.details && !m.cfg.Guards(trace.CheckOrder)
	return sectionDraft{name: sectionObservation, variants: []variant{{text: s.text(), sources: seen.spoken}},
		shorter: func() (variants []variant) {
			for {
				var ok bool
				s.layout, ok = s.layout.halved(seen)
				if !ok {
					return variants
				}
				variants = append(variants, variant{text: s.text(), sources: seen.spoken})
			}
		}}
}

func runeCount(s string) int { return utf8.RuneCountInString(s) }
