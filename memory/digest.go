package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Digest returns the memories that are worth their room in a prompt of tick now,
// as sources and as the text to put there, at most maxChars characters long.
//
// The best entries by recency, weight and failure are taken as long as they fit
// and written oldest first, one line each:
//
//	[mem-12-31] tick 12 outcome failed x3: mine_compound ... rejected
//	[mem-14-36] tick 14 note from agent-2: "meet me at the hub"
//	(5 more memories left out)
//
// Words of other agents stand in quotation marks, encoded as a JSON string, so
// that they cannot pass for anything else. The last line appears when something
// was left out; when not even that fits, the text is empty.
func (m *Memory) Digest(maxChars int, now int64) ([]Source, string) {
	ranked := m.rank("", now)
	// Room for the closing line is kept free until it is known to be unneeded.
	chosen := m.choose(ranked, maxChars)
	if len(chosen) < len(ranked) {
		chosen = m.choose(ranked, maxChars-runeCount(leftOut(len(ranked))))
	}
	return assemble(chosen, len(ranked)-len(chosen), maxChars)
}

// choose returns the sources that fit into room when taken best first, oldest
// first. A line that does not fit is passed over for a shorter one behind it.
func (m *Memory) choose(ranked []Scored, room int) []Source {
	var chosen []Scored
	for _, s := range ranked {
		need := runeCount(s.Line()) + 1
		if need <= room {
			room -= need
			chosen = append(chosen, s)
		}
	}
	slices.SortStableFunc(chosen, func(a, b Scored) int { return m.byTime(a.Entry, b.Entry) })
	sources := make([]Source, len(chosen))
	for i, s := range chosen {
		sources[i] = s.Source()
	}
	return sources
}

// byTime orders entries by when they last came, then by id.
func (m *Memory) byTime(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.LastTick, b.LastTick), cmp.Compare(m.ids[a.ID].seq, m.ids[b.ID].seq))
}

// assemble writes the lines of the chosen sources and says how many memories are
// missing.
func assemble(chosen []Source, missing, maxChars int) ([]Source, string) {
	var b strings.Builder
	for _, s := range chosen {
		b.WriteString(s.Text)
		b.WriteByte('\n')
	}
	if closing := leftOut(missing); missing > 0 && runeCount(b.String())+runeCount(closing) <= maxChars {
		b.WriteString(closing)
	}
	return chosen, strings.TrimSuffix(b.String(), "\n")
}

func leftOut(n int) string {
	if n == 1 {
		return "(1 more memory left out)"
	}
	return fmt.Sprintf("(%d more memories left out)", n)
}
