package memory

import (
	"cmp"
	"slices"

	"example.com/agentworld/plaintext"
)

// series is all held entries that say the same with other numbers.
type series struct {
	// held counts the entries; the series is dropped with the last of them.
	held int
	// settled counts those that only the store holds: they may be merged.
	settled int
	// summary is what older ones were merged into, nil before the first time.
	summary *record
}

// settle counts t as one that may be merged, or no longer.
func (t *record) settle() {
	settled := t.inLong && !t.inShort
	if t.series == nil || settled == t.settled {
		return
	}
	t.settled = settled
	if settled {
		t.series.settled++
	} else {
		t.series.settled--
	}
}

// merge folds entries of one series into its summary and forgets them. It creates the
// summary if there is none, as an entry with an id of its own. Each entry is part of one
// summary only, because it is no longer held.
func (m *Memory) merge(parts []*record) {
	slices.SortFunc(parts, func(a,
		b *record) int {
		return cmp.Or(cmp.Compare(a.LastTick, b.LastTick), cmp.Compare(a.seq, b.seq))
	})
	s := parts[0].series.summary
	if s != nil {
		m.dropText(s)
	} else {
		e := parts[0].copied()
		e.Merged = max(1, e.Merged)
		e.joinParents(e.ID)
		s = m.mint(e)
		s.series.summary = s
		m.keep(s)
		m.release(parts[0])
		parts = parts[1:]
	}
	for _, t := range parts {
		if t != s {
			s.absorb(t.Entry)
			m.release(t)
		}
	}
	s.Text = s.summaryText(m.sizes.text, m.words)
	m.addText(s)
}

// absorb adds another entry of the series to a summary: counts and measures add up
// and the ticks span both. Trust and origin are those of the whole series.
func (s *record) absorb(e Entry) {
	if e.LastTick >= s.LastTick {
		s.Text = e.Text
	}
	s.Tick = min(s.Tick, e.Tick)
	s.Repeats += e.Repeats
	s.Merged += max(1, e.Merged)
	s.repeat(e, append(slices.Clone(e.Parents), e.ID))
}

// repeat folds what came again into t, with the parents that it adds.
func (t *record) repeat(e Entry, parents []string) {
	t.Repeats++
	t.LastTick = max(t.LastTick, e.LastTick)
	t.Importance = max(t.Importance, e.Importance)
	t.Measures = mergedMeasures(t.Measures, e.Measures)
	t.ParentsLeft += e.ParentsLeft
	t.joinParents(parents...)
}

// summaryText is a series in one line: its topic and its numbers. For texts of other
// agents, which have no numbers, it is the newest text.
func (e Entry) summaryText(limit int, w Words) string {
	if e.Origin != "" {
		return e.Text
	}
	text := e.Topic
	if numbers := measuresText(e.Measures, w.Total); numbers != "" {
		text += ", " + numbers
	}
	return plaintext.Clip(text, limit)
}
