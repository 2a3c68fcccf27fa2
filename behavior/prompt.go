package behavior

import (
	"slices"
	"strings"

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
	sectionOutcome     = "last_outcome"
	sectionObservation = "observation"
	sectionMessages    = "messages"
)

const (
	historyLinesMax  = 6
	recalledLinesMax = 4
)

// prompt is the opening of a turn: the parts of the input that exist before the
// model said anything.
type prompt struct {
	items    []llmclient.Item
	sections []Section
	sources  []memory.Source
	// tokens is an upper bound of what static text and items take.
	tokens int
	// held are the texts of other agents that fit the budget, shown after the plan
	// as the section heldSection.
	held        texts
	heldSection Section
	// untrusted says that text of other agents is in view, shown or held back.
	untrusted bool
}

// draft of one section: its variants from the fullest to the barest; clipping
// steps down through them. The last variant of a required section is never empty.
type sectionDraft struct {
	name     string
	variants []string
}

// compose builds the opening prompt for view within the token budget. Sections
// are clipped in order of priority: history first, then memory, then the oldest
// texts of others, then the list tails of the observation; goals, the last outcome
// and the agent's own state are never cut.
func (m *Mind) compose(view world.View) prompt {
	history, historySources := m.history()
	last, acted := view.Last()
	observation, last, held := holdBack(view.Observe(), last)
	kept := held.variants()
	recalled, memorySources := m.recalled(observation.Tick, historySources)
	drafts := []sectionDraft{
		{sectionGoals, []string{m.goals()}},
		{sectionHistory, history},
		{sectionMemory, recalled},
		{sectionOutcome, []string{lastOutcome(last, acted)}},
		{sectionObservation, observationVariants(observation)},
		{sectionMessages, sectionsOf(kept)},
	}
	chosen := m.fit(drafts, []int{1, 2, 5, 4})
	p := prompt{tokens: m.staticTokens, held: kept[chosen[5]]}
	p.untrusted = observation.HeldBack > 0
	for i, d := range drafts {
		p.place(m, d, chosen[i])
	}
	for _, s := range append(historySources, memorySources...) {
		if strings.Contains(drafts[1].variants[chosen[1]]+drafts[2].variants[chosen[2]], "["+s.ID+"]") {
			p.sources = append(p.sources, s)
			p.untrusted = p.untrusted || s.Trust <= memory.OtherAgent
		}
	}
	return p
}

// place adds a section in its chosen variant, or keeps it for later when it is the
// texts of others. If nothing of those fits, that is told at once.
func (p *prompt) place(m *Mind, d sectionDraft, variant int) {
	text := d.variants[variant]
	s := Section{Name: d.name, Chars: runeCount(text), Clipped: max(0, runeCount(d.variants[0])-runeCount(text)), Tokens: m.count(text)}
	p.tokens += s.Tokens
	if d.name == sectionMessages {
		p.heldSection = s
		if s.Chars > 0 || s.Clipped == 0 {
			return
		}
	}
	p.sections = append(p.sections, s)
	if text != "" {
		p.items = append(p.items, llmclient.Message("user", text))
	}
}

// fit picks a variant of every draft so that the sum stays in the budget. order
// lists the drafts to shrink, first victim first.
func (m *Mind) fit(drafts []sectionDraft, order []int) []int {
	chosen := make([]int, len(drafts))
	budget := m.sectionBudget()
	total := func() int {
		n := 0
		for i, d := range drafts {
			n += m.count(d.variants[chosen[i]])
		}
		return n
	}
	for _, i := range order {
		for total() > budget && chosen[i] < len(drafts[i].variants)-1 {
			chosen[i]++
		}
	}
	return chosen
}

// sectionBudget is what the window leaves for the opening sections: not the
// static text, not the answer, and room for the turn to grow.
func (m *Mind) sectionBudget() int {
	return m.cfg.ContextWindow - m.staticTokens - m.outputTokens() - m.growthTokens()
}

// growthTokens is what a turn may add to its opening: plan, a module result, a
// draft with its dry run, and their envelopes.
func (m *Mind) growthTokens() int { return max(growthTokensMin, m.cfg.ContextWindow/8) }

const growthTokensMin = 900

// outputTokens is what the window reserves for one answer.
func (m *Mind) outputTokens() int { return min(m.cfg.OutputTokensMax, m.cfg.ContextWindow/8) }

// lastOutcome is what became of the agent's last action, with its numbers.
func lastOutcome(o world.Outcome, acted bool) string {
	if !acted {
		return ""
	}
	return "# Last outcome\n" + encode(o)
}

func (m *Mind) goals() string {
	lines := []string{"# Goals"}
	if m.persona.ShortTermGoal != "" {
		lines = append(lines, "Short term: "+m.persona.ShortTermGoal)
	}
	if m.persona.LongTermGoal != "" {
		lines = append(lines, "Long term: "+m.persona.LongTermGoal)
	}
	return strings.Join(lines, "\n")
}

// history offers the last outcomes, and shorter tails of them.
func (m *Mind) history() (variants []string, sources []memory.Source) {
	recent := m.memory.Recent(historyLinesMax)
	for n := len(recent); n > 0; n /= 2 {
		variants = append(variants, listed("# History, oldest first", recent[len(recent)-n:]))
	}
	return append(variants, ""), sourcesOf(recent)
}

// recalled offers what long-term memory holds on the goals, without what the
// history already shows, and shorter heads of it.
func (m *Mind) recalled(now int64, shown []memory.Source) (variants []string, sources []memory.Source) {
	found := m.memory.Search(m.persona.ShortTermGoal+" "+m.persona.LongTermGoal, recalledLinesMax+historyLinesMax, now)
	found = slices.DeleteFunc(found, func(s memory.Scored) bool {
		return slices.ContainsFunc(shown, func(h memory.Source) bool { return h.ID == s.ID })
	})
	found = found[:min(len(found), recalledLinesMax)]
	for n := len(found); n > 0; n /= 2 {
		variants = append(variants, listed("# Memory", found[:n]))
	}
	return append(variants, ""), sourcesOf(found)
}

func listed(heading string, entries []memory.Scored) string {
	lines := []string{heading}
	for _, e := range entries {
		lines = append(lines, e.Line())
	}
	return strings.Join(lines, "\n")
}

func sourcesOf(entries []memory.Scored) []memory.Source {
	sources := make([]memory.Source, len(entries))
	for i, e := range entries {
		sources[i] = e.Source()
	}
	return sources
}

// observationVariants are the observation with ever shorter lists of distant
// things; the omitted counts stay exact.
func observationVariants(o opened) []string {
	var variants []string
	for {
		variants = append(variants, "# Observation\n"+encode(o))
		if len(o.Places) == 0 && len(o.Agents) == 0 {
			return variants
		}
		places, agents := len(o.Places)/2, len(o.Agents)/2
		o.PlacesOmitted += len(o.Places) - places
		o.AgentsOmitted += len(o.Agents) - agents
		o.Places, o.Agents = o.Places[:places], o.Agents[:agents]
	}
}

func runeCount(s string) int { return len([]rune(s)) }
