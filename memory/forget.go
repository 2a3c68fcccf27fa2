package memory

import (
	"cmp"
	"slices"
)

// touch makes t the newest of the ring and lets the oldest go when it overflows.
// Words of others leave a part of the ring of their own, so that a flood of them
// takes nothing else with it.
func (m *Memory) touch(t *record) {
	if t.inShort {
		m.unring(t)
	}
	t.inShort = true
	m.short = append(m.short, t)
	t.settle()
	oldest := -1
	if t.Category() == CategoryHeard {
		m.heard++
		if m.heard > max(1, m.config.ShortMax/heardShare) {
			oldest = slices.IndexFunc(m.short, func(held *record) bool { return held.Category() == CategoryHeard })
		}
	}
	if oldest < 0 && len(m.short) > m.config.ShortMax {
		oldest = 0
	}
	if oldest >= 0 {
		m.retire(m.short[oldest])
	}
}

// unring takes t out of the ring.
func (m *Memory) unring(t *record) {
	i := slices.Index(m.short, t)
	m.short = slices.Delete(m.short, i, i+1)
	t.inShort = false
	if t.Category() == CategoryHeard {
		m.heard--
	}
	t.settle()
}

// retire takes t, the oldest, out of the ring. What has a series goes on to the
// store, if that does not hold it yet: into the summary, or with others as old as it
// into a new one, or alone. The rest is forgotten.
func (m *Memory) retire(t *record) {
	m.unring(t)
	switch {
	case t.inLong:
	case t.series == nil:
		m.release(t)
	case t.series.summary != nil:
		m.merge([]*record{t})
	default:
		if alike := m.oldAlike(t); len(alike) > 0 {
			m.merge(append(alike, t))
			m.shrink()
		} else if !t.promoted {
			m.promote(t)
		} else {
			m.release(t)
		}
	}
}

// oldAlike returns the entries of the older half of the ring that are of the series
// of t and held nowhere else. The newest, which was just recorded, is not old.
func (m *Memory) oldAlike(t *record) []*record {
	var alike []*record
	if t.series.held == 1 {
		return nil
	}
	for _, held := range m.short[:max(0, min(len(m.short)-1, m.config.ShortMax/2))] {
		if held.series == t.series && !held.inLong {
			alike = append(alike, held)
		}
	}
	return alike
}

// promote puts t into long-term memory.
func (m *Memory) promote(t *record) {
	m.keep(t)
	m.shrink()
}

// keep adds t to the store without making room for it.
func (m *Memory) keep(t *record) {
	t.promoted, t.inLong = true, true
	m.long = append(m.long, t)
	m.counts[t.category()]++
	t.settle()
}

// share is how many entries of a category the store never gives up for others.
func (m *Memory) share(category int) int { return m.config.LongMax * storeShares[category] / 8 }

// crowded returns the category that makes room when the store overflows: words of
// others when they have more than their share, and otherwise the category that is
// furthest above its own.
func (m *Memory) crowded() int {
	over := categoryHeard
	if m.counts[over] > m.share(over) {
		return over
	}
	for c := range categories {
		if m.counts[c]-m.share(c) > m.counts[over]-m.share(over) {
			over = c
		}
	}
	return over
}

// shrink brings the store back into its bound. In the crowded category old entries of one series are merged, the lightest first,
// and when there are none the lightest entry goes; among equals the one recorded
// longest ago.
func (m *Memory) shrink() {
	for len(m.long) > m.config.LongMax {
		over := m.crowded()
		if t := m.lightest(over, func(t *record) bool { return t.settled && t.series.settled > 1 }); t != nil {
			m.merge(m.settledOf(t.series))
			continue
		}
		t := m.lightest(over, func(*record) bool { return true })
		m.unstore(t)
		if !t.inShort {
			m.release(t)
		}
	}
}

// lightest returns the lightest entry of a category in the store that may go, nil
// when none may.
func (m *Memory) lightest(category int, may func(*record) bool) *record {
	var found *record
	for _, t := range m.long {
		if t.category() == category && may(t) && (found == nil || byWeight(t, found) < 0) {
			found = t
		}
	}
	return found
}

// settledOf returns the entries of a series that only the store holds.
func (m *Memory) settledOf(s *series) []*record {
	var parts []*record
	for _, t := range m.long {
		if t.series == s && t.settled {
			parts = append(parts, t)
		}
	}
	return parts
}

// unstore takes t out of the store.
func (m *Memory) unstore(t *record) {
	i := slices.Index(m.long, t)
	m.long = slices.Delete(m.long, i, i+1)
	m.counts[t.category()]--
	t.inLong = false
	t.settle()
}

// release forgets t.
func (m *Memory) release(t *record) {
	if t.inShort {
		m.unring(t)
	}
	if t.inLong {
		m.unstore(t)
	}
	m.dismiss(t)
	if t.Merged == 0 {
		delete(m.facts, t.fact())
	}
	delete(m.ids, t.ID)
	m.dropText(t)
}

// byWeight orders the lightest first; among equals the one repeated longest ago.
func byWeight(a, b *record) int {
	return cmp.Or(cmp.Compare(a.Weight(), b.Weight()), cmp.Compare(a.LastTick, b.LastTick), cmp.Compare(a.seq, b.seq))
}

// byTime orders records by when they last came, then by id.
func byTime(a, b *record) int {
	return cmp.Or(cmp.Compare(a.LastTick, b.LastTick), cmp.Compare(a.seq, b.seq))
}
