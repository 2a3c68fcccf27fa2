package behavior

import (
	"cmp"
	"slices"
)

// fit picks a variant of every draft so that the sum stays in the budget, and counts what it takes.
// What is shown before the plan leaves room for the texts by their number: if their length counted,
// whoever writes them would choose what is cut.
func (m *Agent) fit(drafts []sectionDraft, texts int) []int {
	chosen := make([]int, len(drafts))
	budget := m.sectionBudget()
	tokens := func(i int) int {
		v := &drafts[i].variants[chosen[i]]
		if v.tokens == 0 {
			v.tokens = m.tokens(v.text)
		}
		return v.tokens
	}
	named := func(name string) int {
		return slices.IndexFunc(drafts, func(d sectionDraft) bool { return d.name == name })
	}
	messages := named(sectionMessages)
	own := func() (n int) {
		for i := range drafts {
			if i != messages {
				n += tokens(i)
			}
		}
		return n
	}
	// shorten steps down through the variants of a draft while it does not fit.
	shorten := func(i int, fits func() bool) {
		for d := &drafts[i]; !fits(); chosen[i]++ {
			if d.shorter != nil {
				d.variants = append(d.variants, d.shorter()...)
				d.shorter = nil
			}
			if chosen[i] == len(d.variants)-1 {
				return
			}
		}
	}
	most := budget - min(texts*textTokens, budget/textsShare)
	for _, name := range clippingOrder {
		if i := named(name); i >= 0 && i != messages { // else a section that this prompt does not have
			shorten(i, func() bool { return own() <= most })
		}
	}
	if messages >= 0 {
		left := budget - own()
		shorten(messages, func() bool { return tokens(messages) <= left })
	}
	return chosen
}

// textTokens is the room that each withheld text has in the budget, up to one part in textsShare of
// it. Longer ones take what else is free.
const (
	textTokens = 100
	textsShare = 4
)

// tokens is an upper bound of what a text takes within an item, as a JSON string.
func (m *Agent) tokens(text string) int {
	if text == "" {
		return 0
	}
	return m.count(encode(text))
}

// sectionBudget is what the window leaves for the opening sections: not the
// static text, not the answer, and room for the turn to grow.
func (m *Agent) sectionBudget() int {
	return m.cfg.ContextWindowTokens - m.staticTokens - m.commonTokens - m.outputTokens - m.growthTokens()
}

// growthTokens is what a turn may add to its opening: plan, a module result, a
// draft with its dry run, and their envelopes.
func (m *Agent) growthTokens() int { return max(growthTokensMin, m.cfg.ContextWindowTokens/8) }

const growthTokensMin = 1000

// AnswerTokens is the room that an agent's prompts are planned with for an answer. A longer
// one may take all that is free of the window.
func (c *Config) AnswerTokens(agent string) int {
	return min(cmp.Or(c.SamplingOf(agent).MaxOutputTokens, answerTokens), c.ContextWindowTokens/8)
}

// answerTokens is more than most answers take that are written without thinking.
const answerTokens = 1024
