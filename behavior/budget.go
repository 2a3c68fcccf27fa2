package behavior

import (
	"cmp"
	"slices"
)

// fit picks a variant of every draft so that the sum stays in the budget, and counts what it takes.
func (m *Agent) fit(drafts []sectionDraft) []int {
	chosen := make([]int, len(drafts))
	budget := m.sectionBudget()
	total := func() (n int) {
		for i, d := range drafts {
			v := &d.variants[chosen[i]]
			if v.tokens == 0 {
				v.tokens = m.tokens(v.text)
			}
			n += v.tokens
		}
		return n
	}
	if total() <= budget {
		return chosen
	}
	for i := range drafts {
		if d := &drafts[i]; d.shorter != nil {
			d.variants = append(d.variants, d.shorter()...)
			d.shorter = nil
		}
	}
	for _, name := range clippingOrder {
		i := slices.IndexFunc(drafts, func(d sectionDraft) bool { return d.name == name })
		if i < 0 {
			continue // a section that this prompt does not have
		}
		for total() > budget && chosen[i] < len(drafts[i].variants)-1 {
			chosen[i]++
		}
	}
	return chosen
}

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
