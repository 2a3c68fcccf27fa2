package behavior

import (
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

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
	sections []trace.Section
	sources  []trace.Source
	// held are the texts of other agents that fit the budget, shown after the plan
	// as the section heldSection.
	held        texts
	heldSection trace.Section
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

// material is what an opening prompt is made of.
type material struct {
	// whole is all that the agent observes, seen that without the texts of others, which
	// are held back.
	whole world.Observation
	seen  opened
	held  texts
	focus memory.Focus
	// lessons are the variants of what the playbook has on the situation.
	lessons []variant
	// last tells of the agent's last action, which is also deed; both are empty before
	// the first.
	last variant
	deed deed
}

// gather collects the material of a prompt and parts what the agent knows itself from
// the words of others.
func (m *Mind) gather(view world.View) material {
	outcome, acted := view.Last()
	g := material{whole: view.Observe()}
	g.seen, g.held = holdBack(g.whole)
	g.focus = m.focus(g.seen.Observation)
	g.held = m.recallHeard(g.held, g.focus)
	var doubted []trace.Source
	g.lessons, doubted = m.lessons(opened{Observation: g.seen.Observation, HeldBack: g.held.count()}, outcome)
	g.held = g.held.teach(doubted)
	g.held.bare = !m.cfg.Guards(policy.LayerEnvelope)
	said := g.held.take(textOf(outcome.Action))
	if g.held.spoken = m.past.spoken(outcome.Tick); g.held.spoken.tainted {
		// It may repeat what was read then, long after that left the view, and the
		// line of the outcome is trusted like the agent's own observations.
		said = ""
	}
	g.held.posted = m.past.spoken
	if g.seen.HeldBack = g.held.count(); !m.cfg.Guards(policy.LayerOrder) {
		g.seen.HeldBack = 0
	}
	if order, ok := view.Standing(); ok {
		g.seen.standing, g.seen.naming = &order, Decision{Known: m.knownIDs(g.whole, order.Do)}.naming(false)
	}
	if acted {
		g.last, g.deed = m.lastOutcome(outcome, said, m.knownIDs(g.whole, outcome.Action))
	}
	return g
}

// drafts writes the sections in prompt order. kept are the variants of the texts held
// back.
func (m *Mind) drafts(g material, kept []texts) []sectionDraft {
	history := m.history(g.deed)
	drafts := []sectionDraft{
		atGoals:       {name: sectionGoals, variants: []variant{{text: m.goals()}}},
		atHistory:     history,
		atMemory:      m.recalled(g.focus, slices.Concat(history.variants[0].ids, g.deed.ids)),
		atPlaybook:    {name: sectionPlaybook, variants: g.lessons},
		atOutcome:     {name: sectionOutcome, variants: []variant{g.last}},
		atObservation: m.observed(g.seen),
		atMessages:    {name: sectionMessages, variants: sectionsOf(m.words, kept)},
	}
	if text := m.repetition.advice.text(m.words); text != "" {
		drafts = append(drafts, sectionDraft{name: sectionAdvice, variants: []variant{{text: text}}})
	}
	return drafts
}

// compose builds the opening prompt for view within the token budget: the sections
// one after another in one message, the texts of others kept for later.
func (m *Mind) compose(view world.View) prompt {
	g := m.gather(view)
	kept := g.held.variants()
	drafts := m.drafts(g, kept)
	chosen := m.fit(drafts)
	p := prompt{
		seen: g.whole, held: kept[chosen[atMessages]], early: !m.cfg.Guards(policy.LayerOrder),
		untrusted: g.seen.HeldBack > 0, found: placeEntry(m.words, g.seen.Observation),
	}
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
	if p.early {
		p.sources = append(p.sources, p.held.sources(m.id)...)
	}
	return p
}

// place notes what a section takes and returns what to show of it now: its chosen
// variant, or nothing when it is the texts of others. If nothing of those fits,
// that is told at once.
func (p *prompt) place(m *Mind, d sectionDraft, chosen int) variant {
	v := d.variants[chosen]
	s := trace.Section{
		Name: d.name, Chars: runeCount(v.text), Tokens: m.tokens(v.text),
		ClippedChars: max(0, runeCount(d.variants[0].text)-runeCount(v.text)),
	}
	s.Clipped = s.ClippedChars > 0
	if d.name == sectionMessages {
		p.heldSection = s
		if !p.early && (s.Chars > 0 || !s.Clipped) {
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
	s.strangeNames = s.details && !m.cfg.Guards(policy.LayerOrder)
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
