package behavior

import (
	"slices"
	"strings"
	"unicode/utf8"

	"agentworld/behavior/mandate"
	"agentworld/llmclient"
	"agentworld/memory"
	"agentworld/world"
)

// Section tells what one part of the opening prompt took and lost.
type Section struct {
	Name string
	// Chars is what was sent, Clipped what was left out to stay in the budget.
	Chars, Clipped int
	// Tokens is the count or its upper bound the budget was held against.
	Tokens int
}

// The names of the prompt's sections, in the order they are sent.
const (
	sectionGoals       = "goals"
	sectionHistory     = "history"
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
	// seen is what the agent observes; nobody changes it.
	seen     world.Observation
	items    []llmclient.Item
	sections []Section
	sources  []memory.Source
	// held are the texts of other agents that fit the budget, shown after the plan
	// as the section heldSection.
	held        texts
	heldSection Section
	// found is the memory of the place where the agent is.
	found memory.Entry
	// early says that they stand in the opening instead: the layer of the guard that
	// holds them back is off.
	early bool
	// untrusted says that text of other agents is held back or stands in the opening.
	untrusted bool
}

// draft of one section: its variants from the fullest to the barest; clipping
// steps down through them. The last variant of a required section is never empty.
type sectionDraft struct {
	name     string
	variants []variant
	// shorter, when set, writes the variants after those. Most prompts fit as they are,
	// and writing what nobody sends would be much of the work of a turn.
	shorter func() []variant
}

// The places of the drafts in compose.
const (
	atGoals = iota
	atHistory
	atMemory
	atPlaybook
	atOutcome
	atObservation
	atMessages
)

// clippingOrder is which sections lose text first when the budget does not hold
// all. Goals and the last outcome are never cut, the agent's own state and what it
// may do neither.
var clippingOrder = []int{atHistory, atMemory, atPlaybook, atMessages, atObservation}

// compose builds the opening prompt for view within the token budget: the sections
// one after another in one message, the texts of others kept for later.
func (m *Mind) compose(view world.View) prompt {
	outcome, acted := view.Last()
	whole := view.Observe()
	seen, held := holdBack(whole)
	focus := m.focus(seen.Observation)
	held = m.recallHeard(held, focus)
	lessons, doubted := m.lessons(opened{Observation: seen.Observation, HeldBack: held.count()}, outcome)
	held = held.teach(doubted)
	held.bare = !m.cfg.Guards(mandate.LayerEnvelope)
	said := held.take(textOf(outcome.Action))
	if held.spoken = m.past.spoken(outcome.Tick); held.spoken.tainted {
		// It may repeat what was read then, long after that left the view, and the
		// line of the outcome is trusted like the agent's own observations.
		said = ""
	}
	held.posted = m.past.spoken
	early := !m.cfg.Guards(mandate.LayerOrder)
	if seen.HeldBack = held.count(); early {
		seen.HeldBack = 0
	}
	if order, ok := view.Standing(); ok {
		seen.standing, seen.naming = &order, Decision{Known: m.knownIDs(whole, order.Do)}.naming(false)
	}
	var last variant
	var deed deed
	if acted {
		last, deed = m.lastOutcome(outcome, said, m.knownIDs(whole, outcome.Action))
	}
	history := m.history(deed)
	kept := held.variants()
	drafts := []sectionDraft{
		atGoals:       {name: sectionGoals, variants: []variant{{text: m.goals()}}},
		atHistory:     history,
		atMemory:      m.recalled(focus, slices.Concat(history.variants[0].ids, deed.ids)),
		atPlaybook:    {name: sectionPlaybook, variants: lessons},
		atOutcome:     {name: sectionOutcome, variants: []variant{last}},
		atObservation: m.observed(seen),
		atMessages:    {name: sectionMessages, variants: sectionsOf(m.words, kept)},
	}
	if text := m.repetition.advice.text(m.words); text != "" {
		drafts = append(drafts, sectionDraft{name: sectionAdvice, variants: []variant{{text: text}}})
	}
	chosen := m.fit(drafts)
	p := prompt{seen: whole, held: kept[chosen[atMessages]], early: early, untrusted: seen.HeldBack > 0, found: placeEntry(m.words, seen.Observation)}
	var texts []string
	for i, d := range drafts {
		if v := p.place(m, d, chosen[i]); v.text != "" {
			texts = append(texts, v.text)
			p.sources = append(p.sources, v.sources...)
		}
	}
	p.items = []llmclient.Item{llmclient.Message("user", strings.Join(texts, "\n"))}
	for _, s := range p.sources {
		p.untrusted = p.untrusted || isUntrusted(s)
	}
	if early {
		p.sources = append(p.sources, p.held.sources(m.id)...)
	}
	return p
}

// place notes what a section takes and returns what to show of it now: its chosen
// variant, or nothing when it is the texts of others. If nothing of those fits,
// that is told at once.
func (p *prompt) place(m *Mind, d sectionDraft, chosen int) variant {
	v := d.variants[chosen]
	s := Section{
		Name: d.name, Chars: runeCount(v.text), Tokens: m.tokens(v.text),
		Clipped: max(0, runeCount(d.variants[0].text)-runeCount(v.text)),
	}
	if d.name == sectionMessages {
		p.heldSection = s
		if !p.early && (s.Chars > 0 || s.Clipped == 0) {
			return variant{}
		}
	}
	p.sections = append(p.sections, s)
	return v
}

func (m *Mind) goals() string {
	lines := []string{m.words.headingGoals}
	if m.persona.ShortTermGoal != "" {
		lines = append(lines, m.words.lineShortTerm+m.persona.ShortTermGoal)
	}
	if m.persona.LongTermGoal != "" {
		lines = append(lines, m.words.lineLongTerm+m.persona.LongTermGoal)
	}
	return strings.Join(lines, "\n")
}

// observed is the observation, and the same with ever shorter lists of distant
// things; the omitted counts stay exact.
func (m *Mind) observed(seen opened) sectionDraft {
	s := sketch{opened: seen, layout: m.layout, goals: words(m.goalsText()), alias: m.alias, words: m.words}
	s.strangeNames = s.details && m.cfg.off(mandate.LayerOrder)
	return sectionDraft{name: sectionObservation, variants: []variant{{text: s.text()}}, shorter: func() (variants []variant) {
		for {
			var ok bool
			if s.layout, ok = s.layout.halved(seen); !ok {
				return variants
			}
			variants = append(variants, variant{text: s.text()})
		}
	}}
}

func runeCount(s string) int { return utf8.RuneCountInString(s) }
