package memory

import "slices"

// Recent returns the newest entries of short-term memory, at most limit, newest
// last. A limit below one gives none. They were not chosen by score; the scores
// they have are those of an empty query at tick now.
func (m *Memory) Recent(limit int, now int64) []Scored {
	limit = min(max(limit, 0), len(m.short))
	out := make([]Scored, limit)
	for i, t := range m.short[len(m.short)-limit:] {
		h := m.hit(&m.marks[t.number], 0, now, false)
		h.number = t.number
		out[i] = m.scored(h)
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

// copied returns the entry without sharing anything a caller could change.
func (t *record) copied() Entry {
	e := t.Entry
	e.Parents, e.Subjects, e.Measures = slices.Clone(e.Parents), slices.Clone(e.Subjects), slices.Clone(e.Measures)
	return e
}
