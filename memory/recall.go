package memory

import (
	"cmp"
	"slices"
)

// Recent returns the newest entries of short-term memory, at most limit, newest
// last. A limit below one gives none. They were not chosen by score, so their
// scores are 0.
func (m *Memory) Recent(limit int) []Scored {
	limit = min(max(limit, 0), len(m.short))
	out := make([]Scored, limit)
	for i, t := range m.short[len(m.short)-limit:] {
		out[i] = Scored{Entry: t.copied()}
	}
	return out
}

// Lookup returns the entry held under an id. It was not chosen by score, so its
// score is 0.
func (m *Memory) Lookup(id string) (Scored, bool) {
	held, ok := m.ids[id]
	if !ok {
		return Scored{}, false
	}
	return Scored{Entry: held.copied()}, true
}

// LongTerm returns the entries of long-term memory in the order they entered it.
func (m *Memory) LongTerm() []Entry {
	out := make([]Entry, len(m.long))
	for i, t := range m.long {
		out[i] = t.copied()
	}
	return out
}

// copied returns the entry without sharing anything a caller could change.
func (t *record) copied() Entry {
	e := t.Entry
	e.Parents = slices.Clone(e.Parents)
	return e
}

// byWeight orders the lightest first; among equals the one repeated longest ago.
func byWeight(a, b *record) int {
	return cmp.Or(cmp.Compare(a.Weight(), b.Weight()), cmp.Compare(a.LastTick, b.LastTick), cmp.Compare(a.seq, b.seq))
}

// held returns every held entry once, in order of first recording.
func (m *Memory) held() []*record {
	all := slices.Clone(m.long)
	for _, t := range m.short {
		if !t.inLong {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *record) int { return cmp.Compare(a.seq, b.seq) })
	return all
}
