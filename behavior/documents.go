package behavior

import (
	"strings"

	"example.com/agentworld/memory"
	"example.com/agentworld/memory/documents"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// passages offers the chunks of trusted documents that match the situation best, and shorter
// heads of that list. withheld are those of untrusted documents, which are shown after the plan like texts
// of other agents. The query is made of goals and place: no text that was read may choose what is
// shown before the plan.
func (m *Agent) passages(view world.View, f memory.Focus) (offered sectionDraft, withheld []trace.Source) {
	offered = sectionDraft{name: sectionDocuments, variants: []variant{{}}}
	if m.cfg.Documents == nil {
		return offered, nil
	}
	query := []string{f.Query, view.Place()}
	for _, g := range view.Goals() {
		if g.MetAt < 0 {
			query = append(query, g.Goal.Text)
		}
	}
	matching := func(trusted bool) (sources []trace.Source) {
		may := func(c *documents.Chunk) bool { return c.Trusted == trusted && c.For(m.id) }
		for _, found := range m.cfg.Documents.Search(strings.Join(query, "\n"), m.layout.documents, may) {
			if found.Score > 0 {
				sources = append(sources, found.Source())
			}
		}
		return sources
	}
	return quoting(sectionDocuments, m.words.Headings.Documents, matching(true)), matching(false)
}
