package memory

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"example.com/agentworld/memory/relevance"
)

// Quota is how many lines of a digest each category may fill. Lines that one of the
// agent's own categories leaves free go to the best entries of the other two. Untrusted
// text gets the lines of Heard and no others.
type Quota struct {
	Failures, Outcomes, Facts, Heard int
}

// digestWidth is how many candidates are looked at for each line of a digest: those
// of one series share a line.
const digestWidth = 8

// digestTextMax is how much longer a folded text may be than one of its parts: the
// numbers of a series take more room than those of a single fact.
const digestTextMax = 120

// digestLine is a line of a digest: a memory, and the others of its series folded into it.
type digestLine struct {
	hit
	folded []hit
}

// Digest returns the memories that are worth their room in a prompt: the best of
// each category up to its quota, by the score of [Scored] for the focus. The entries of
// one series are folded into one, which has the id of the best of them and the others
// among its parents. Summaries are first, then the others, each oldest first. If the
// query is not empty, outcomes and untrusted texts must match it; facts must match it or
// be about a subject of the focus. The memories with the ids in skip are ignored.
func (m *Memory) Digest(f Focus, q Quota, skip []string) []Scored {
	quota := [categories]int{max(q.Failures, 0), max(q.Outcomes, 0), max(q.Facts, 0), max(q.Heard, 0)}
	var found [categories]relevance.Best[hit]
	for c := range found {
		width := quota[categoryFailure] + quota[categoryOutcome] + quota[categoryFact]
		if c == categoryHeard {
			width = quota[categoryHeard]
		}
		found[c] = relevance.Best[hit]{Limit: digestWidth * width, Compare: byScore}
	}
	skipped := make([]bool, len(m.marks))
	for _, id := range skip {
		if t, held := m.ids[id]; held {
			skipped[t.number] = true
		}
	}
	terms := relevance.QueryTerms(f.Query)
	m.scan(terms, f, false, func(h hit) {
		matters := h.relevance > 0 || h.category == categoryFailure || h.category == categoryFact && h.atHand
		if (len(terms) == 0 || matters) && !skipped[h.number] {
			found[h.category].Offer(h)
		}
	})
	byLineScore := func(a, b digestLine) int { return byScore(a.hit, b.hit) }
	var chosen, spare []digestLine
	free := 0
	for c := range found {
		// Each series has one line, that of its best hit.
		var lines []digestLine
		for _, h := range found[c].Kept {
			of := m.texts[h.number].series
			i := slices.IndexFunc(lines, func(l digestLine) bool { return of != nil && m.texts[l.number].series == of })
			if i >= 0 {
				lines[i].folded = append(lines[i].folded, h)
			} else {
				lines = append(lines, digestLine{hit: h})
			}
		}
		n := min(quota[c], len(lines))
		chosen = append(chosen, lines[:n]...)
		if c != categoryHeard {
			free += quota[c] - n
			spare = append(spare, lines[n:]...)
		}
	}
	slices.SortStableFunc(spare, byLineScore)
	chosen = append(chosen, spare[:min(free, len(spare))]...)
	slices.SortStableFunc(chosen, byLineScore)
	var list []Scored
	for _, l := range chosen {
		s := m.scored(l.hit)
		if len(l.folded) > 0 {
			// Like a summary, but made for this digest only: nothing in the memory changes.
			s.Merged = max(1, s.Merged)
			all := record{Entry: s.Entry}
			for _, h := range l.folded {
				all.absorb(m.texts[h.number].copied())
			}
			all.Text = all.summaryText(utf8.RuneCountInString(all.Text)+digestTextMax, m.words)
			s.Entry = all.Entry
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b Scored) int {
		return cmp.Or(
			cmp.Compare(min(b.Merged, 1), min(a.Merged, 1)), cmp.Compare(a.LastTick, b.LastTick),
			cmp.Compare(m.ids[a.ID].seq, m.ids[b.ID].seq),
		)
	})
	return list
}
