package memory

import (
	"cmp"
	"slices"
)

// storeShares are the eighths of the long-term store that are reserved for each category:
// entries within the share are never evicted for another category.
var storeShares = [categories]int{categoryFailure: 3, categoryOutcome: 3, categoryFact: 1, categoryHeard: 1}

// heardShare limits untrusted texts to a part of the ring: a quarter.
const heardShare = 4

// touch makes t the newest of the ring and retires the oldest when the ring overflows.
// Untrusted texts have a limit of their own: above it the oldest of them is retired, so a
// flood of messages evicts nothing else.
func (m *Memory) touch(t *record) {
	if t.inShort {
		m.unring(t)
	}
	t.inShort = true
	m.short = append(m.short, t)
	t.settle()
	oldest := -1
	if t.category() == categoryHeard {
		m.heard++
		if m.heard > max(1, m.sizes.short/heardShare) {
			oldest = slices.IndexFunc(m.short, func(held *record) bool { return held.category() == categoryHeard })
		}
	}
	if oldest < 0 && len(m.short) > m.sizes.short {
		oldest = 0
	}
	if oldest >= 0 {
		m.retire(m.short[oldest])
	}
}

func (m *Memory) unring(t *record) {
	i := slices.Index(m.short, t)
	m.short = slices.Delete(m.short, i, i+1)
	t.inShort = false
	if t.category() == categoryHeard {
		m.heard--
	}
	t.settle()
}

// retire takes t, the oldest, out of the ring. An entry without a series is forgotten,
// unless the store holds it already. One with a series is merged into the summary. If
// there is no summary yet, t and the entries of its series in the older half of the ring
// that the store does not hold become one; a single entry is stored as it is.
func (m *Memory) retire(t *record) {
	m.unring(t)
	switch {
	case t.inLong:
	case t.series == nil:
		m.release(t)
	case t.series.summary != nil:
		m.merge([]*record{t})
	default:
		// The newest, which was just recorded, is not old.
		var alike []*record
		for _, held := range m.short[:max(0, min(len(m.short)-1, m.sizes.short/2))] {
			if held.series == t.series && !held.inLong {
				alike = append(alike, held)
			}
		}
		if len(alike) > 0 {
			m.merge(append(alike, t))
			m.shrink()
		} else if !t.promoted {
			m.keep(t)
			m.shrink()
		} else {
			m.release(t)
		}
	}
}

// keep adds t to the store without making room for it.
func (m *Memory) keep(t *record) {
	t.promoted, t.inLong = true, true
	m.long = append(m.long, t)
	m.counts[t.category()]++
	t.settle()
}

// shrink evicts entries until the store is within its bound. It evicts untrusted texts if
// they exceed their share, and otherwise the category that is furthest above its own. Old
// entries of one series are merged first, starting with the lightest. If there are none,
// the lightest entry is evicted; among equals the one recorded longest ago.
func (m *Memory) shrink() {
	for len(m.long) > m.sizes.long {
		above := func(c int) int { return m.counts[c] - m.sizes.long*storeShares[c]/8 }
		over := categoryHeard
		for c := range categories {
			if above(categoryHeard) <= 0 && above(c) > above(over) {
				over = c
			}
		}
		if t := m.lightest(over, func(t *record) bool { return t.settled && t.series.settled > 1 }); t != nil {
			var parts []*record
			for _, held := range m.long {
				if held.series == t.series && held.settled {
					parts = append(parts, held)
				}
			}
			m.merge(parts)
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
// when none may. Among equals that is the one repeated longest ago.
func (m *Memory) lightest(category int, may func(*record) bool) *record {
	var found *record
	for _, t := range m.long {
		if t.category() == category && may(t) && (found == nil || cmp.Or(cmp.Compare(t.Weight(), found.Weight()),
			cmp.Compare(t.LastTick, found.LastTick), cmp.Compare(t.seq, found.seq)) < 0) {
			found = t
		}
	}
	return found
}

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
	if s := t.series; s != nil {
		if s.summary == t {
			s.summary = nil
		}
		s.held--
		if s.held == 0 {
			delete(m.series, t.key(t.Topic))
		}
		t.series = nil
	}
	if t.Merged == 0 {
		delete(m.facts, t.fact())
	}
	delete(m.ids, t.ID)
	m.dropText(t)
}
