package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/memory/relevance"
	"example.com/agentworld/trace"
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

// Digest is a choice of memories for a prompt.
type Digest struct {
	// Entries are the chosen memories: summaries first, then the others, each oldest
	// first. Those of one series are folded into one entry, which has the id of the
	// best of them and the others among its parents.
	Entries []Scored
	// LeftOut counts the held memories that the entries do not tell of.
	LeftOut int
	// closing says that there is room to tell LeftOut.
	closing bool
}

// Digest returns the memories that are worth their room in a prompt: the best of
// each category up to its quota, by the score of [Scored] for the focus, each series
// told once. When the query asks for something, outcomes and words of others have to
// match it, and facts have to match it or be about a subject of the focus. The memories with the ids in skip are treated as if they were not held. At most charsMax characters of [Digest.Text] are filled, the best
// first; a line that does not fit is passed over for a shorter one behind it.
func (m *Memory) Digest(f Focus, q Quota, charsMax int, skip []string) Digest {
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
	held := len(m.ids) - len(skipped)
	asked := len(relevance.QueryTerms(f.Query)) > 0
	m.scan(f, false, func(h hit) {
		if (!asked || h.matters()) && !skipped[h.number] {
			candidates[h.category].offer(h)
		}
	})
	chosen := m.distribute(candidates, quota)
	d := m.fitted(chosen, held, charsMax)
	if d.LeftOut > 0 {
		// Room for the closing line is kept free only when it is needed.
		room := charsMax - utf8.RuneCountInString(leftOut(held))
		d = m.fitted(chosen, held, room)
		d.closing = room >= 0
	}
	slices.SortStableFunc(d.Entries, m.summariesFirst)
	return d
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

// fitted takes the lines that fit into charsMax characters, best first.
func (m *Memory) fitted(chosen []candidate, held, charsMax int) Digest {
	d := Digest{LeftOut: held}
	for _, c := range chosen {
		s := m.entry(c)
		if need := utf8.RuneCountInString(s.Line()) + 1; need <= charsMax {
			charsMax -= need
			d.Entries = append(d.Entries, s)
			d.LeftOut -= 1 + len(c.folded)
		}
	}
	return d
}

// summariesFirst orders the entries of a digest.
func (m *Memory) summariesFirst(a, b Scored) int {
	if summaries := cmp.Compare(min(b.Merged, 1), min(a.Merged, 1)); summaries != 0 {
		return summaries
	}
	return cmp.Or(cmp.Compare(a.LastTick, b.LastTick), cmp.Compare(m.ids[a.ID].seq, m.ids[b.ID].seq))
}

// Text returns the digest as it stands in a prompt, one line a memory:
//
//	[mem-3-90] ticks 3-81 outcome x23: mine_compound ok, compound_mass_g 4000..5000, total compound +90000
//	[mem-12-31] tick 12 outcome failed x3: mine_compound ... refused
//	[mem-14-36] tick 14 heard from agent-2: "meet me at the hub"
//	(5 more memories left out)
//
// Words of other agents stand in quotation marks, encoded as a JSON string, so that
// they cannot pass for anything else. The last line appears when something was left
// out and there is room to say so.
func (d Digest) Text() string {
	var lines []string
	for _, s := range d.Entries {
		lines = append(lines, s.Line())
	}
	if d.closing {
		lines = append(lines, leftOut(d.LeftOut))
	}
	return strings.Join(lines, "\n")
}

// Sources returns the entries as sources, in the order of the lines.
func (d Digest) Sources() []trace.Source {
	sources := make([]trace.Source, len(d.Entries))
	for i, s := range d.Entries {
		sources[i] = s.Source()
	}
	return sources
}

func leftOut(n int) string {
	if n == 1 {
		return "(1 more memory left out)"
	}
	return fmt.Sprintf("(%d more memories left out)", n)
}
