package memory

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"example.com/agentworld/memory/relevance"
)

// Quota is how many lines of a digest each category may fill. Lines that one of the
// agent's own categories leaves free go to the best of its others; words of others
// never take a line but their own.
type Quota struct {
	Failures, Outcomes, Facts, Heard int
}

// lines are the quotas in the order of categories.
func (q Quota) lines() [len(categories)]int {
	return [...]int{max(q.Failures, 0), max(q.Outcomes, 0), max(q.Facts, 0), max(q.Heard, 0)}
}

// Digest returns the memories that are worth their room in a prompt: the best of
// each category up to its quota, by the score of [Scored] for the focus. The entries of
// one series are folded into one, which has the id of the best of them and the others
// among its parents; summaries come first, then the others, each oldest first. When the
// query asks for something, outcomes and words of others have to match it, and facts
// have to match it or be about a subject of the focus. The memories with the ids in skip
// are treated as if they were not held.
func (m *Memory) Digest(f Focus, q Quota, skip []string) []Scored {
	quota := q.lines()
	var candidates [len(categories)]*best
	for c := range categories {
		candidates[c] = newBest(digestWidth * (quota[0] + quota[1] + quota[2]))
	}
	candidates[categoryHeard] = newBest(digestWidth * quota[categoryHeard])
	skipped := map[int]bool{}
	for _, id := range skip {
		if t, held := m.ids[id]; held {
			skipped[t.number] = true
		}
	}
	asked := len(relevance.QueryTerms(f.Query)) > 0
	m.scan(f, false, func(h hit) {
		if (!asked || h.matters()) && !skipped[h.number] {
			candidates[h.category].offer(h)
		}
	})
	var list []Scored
	for _, c := range m.distribute(candidates, quota) {
		list = append(list, m.entry(c))
	}
	slices.SortStableFunc(list, m.summariesFirst)
	return list
}

// matters tells whether a hit may stand in a digest that asks for something: when it
// matches the query, when it tells of a failure, or when it is a fact about a subject
// at hand.
func (h hit) matters() bool {
	return h.relevance > 0 || h.category == categoryFailure || h.category == categoryFact && h.atHand
}

// digestWidth is how many candidates are looked at for each line of a digest: those
// of one series share a line.
const digestWidth = 8

// candidate is a line of a digest: a memory, and the others of its series folded
// into it.
type candidate struct {
	hit
	folded []hit
}

// distribute chooses the lines: of each category its quota, and of the agent's own
// the best of the others for lines left free. The best come first.
func (m *Memory) distribute(found [len(categories)]*best, quota [len(categories)]int) []candidate {
	var chosen, spare []candidate
	free := 0
	for c := range categories {
		lines := m.foldSeries(found[c].hits)
		n := min(quota[c], len(lines))
		chosen = append(chosen, lines[:n]...)
		if c != categoryHeard {
			free += quota[c] - n
			spare = append(spare, lines[n:]...)
		}
	}
	slices.SortStableFunc(spare, func(a, b candidate) int { return byScore(a.hit, b.hit) })
	chosen = append(chosen, spare[:min(free, len(spare))]...)
	slices.SortStableFunc(chosen, func(a, b candidate) int { return byScore(a.hit, b.hit) })
	return chosen
}

// foldSeries gives each series one line, that of its best hit.
func (m *Memory) foldSeries(hits []hit) []candidate {
	var lines []candidate
	for _, h := range hits {
		of := m.texts[h.number].series
		i := slices.IndexFunc(lines, func(c candidate) bool { return of != nil && m.texts[c.number].series == of })
		if i >= 0 {
			lines[i].folded = append(lines[i].folded, h)
		} else {
			lines = append(lines, candidate{hit: h})
		}
	}
	return lines
}

// entry is the line of candidate c as an entry: like a summary, but made for this
// digest only. Nothing in the memory changes.
func (m *Memory) entry(c candidate) Scored {
	s := m.scored(c.hit)
	if len(c.folded) == 0 {
		return s
	}
	s.Merged = max(1, s.Merged)
	all := record{Entry: s.Entry}
	for _, h := range c.folded {
		all.absorb(m.texts[h.number].copied())
	}
	all.Text = all.summaryText(utf8.RuneCountInString(all.Text)+digestTextMax, m.config.Words)
	s.Entry = all.Entry
	return s
}

// digestTextMax is how much longer a folded text may be than one of its parts: the
// numbers of a series take more room than those of a single fact.
const digestTextMax = 120

// summariesFirst orders the entries of a digest.
func (m *Memory) summariesFirst(a, b Scored) int {
	if summaries := cmp.Compare(min(b.Merged, 1), min(a.Merged, 1)); summaries != 0 {
		return summaries
	}
	return cmp.Or(cmp.Compare(a.LastTick, b.LastTick), cmp.Compare(m.ids[a.ID].seq, m.ids[b.ID].seq))
}
