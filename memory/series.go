package memory

import (
	"slices"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// series is all held entries that tell of the same thing with other numbers.
type series struct {
	// held counts the entries; the series is dropped with the last of them.
	held int
	// settled counts those that only the store holds: they may be merged.
	settled int
	// summary is what older ones were merged into, nil before the first time.
	summary *record
}

// seriesKey is what entries of a series have in common. Trust is part of it, so
// that no summary has parents of another trust than its own.
type seriesKey struct {
	kind     Kind
	topic    string
	subjects string
	origin   string
	trust    trace.Trust
	failed   bool
}

func (e Entry) seriesKey() seriesKey {
	return seriesKey{e.Kind, e.Topic, e.subjectsKey(), e.Origin, e.Trust, e.Failed}
}

// enlist puts t into its series. Without a topic it has none.
func (m *Memory) enlist(t *record) {
	if t.Topic == "" {
		return
	}
	key := t.seriesKey()
	if m.series[key] == nil {
		m.series[key] = &series{}
	}
	t.series = m.series[key]
	t.series.held++
}

// dismiss takes t out of its series.
func (m *Memory) dismiss(t *record) {
	s := t.series
	if s == nil {
		return
	}
	if s.summary == t {
		s.summary = nil
	}
	if s.held--; s.held == 0 {
		delete(m.series, t.seriesKey())
	}
	t.series = nil
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

// merge folds entries of one series into its summary, which is made when there is
// none, and forgets them. Each entry is told of by one summary only, because it is
// held no longer; the summary is an entry of its own with an id of its own.
func (m *Memory) merge(parts []*record) {
	slices.SortFunc(parts, byTime)
	s := parts[0].series.summary
	if s != nil {
		m.dropText(s)
	} else {
		s = m.summaryOf(parts[0])
		m.release(parts[0])
		parts = parts[1:]
	}
	for _, t := range parts {
		if t != s {
			s.absorb(t.Entry)
			m.release(t)
		}
	}
	s.Text = s.summaryText(m.config.TextMax, m.config.Words)
	m.addText(s)
}

// summaryOf puts a summary of t alone into the store. Its text is not indexed yet.
func (m *Memory) summaryOf(t *record) *record {
	e := t.copied()
	e.Merged = max(1, t.Merged)
	e.joinParents(t.ID)
	s := m.mint(e)
	s.series.summary = s
	m.keep(s)
	return s
}

// absorb adds another entry of the series to a summary: counts and measures add up
// and the ticks span both. Trust and origin are those of the whole series.
func (s *record) absorb(e Entry) {
	if e.LastTick >= s.LastTick {
		s.Text = e.Text
	}
	s.Tick, s.LastTick = min(s.Tick, e.Tick), max(s.LastTick, e.LastTick)
	s.Importance = max(s.Importance, e.Importance)
	s.Repeats += e.Repeats + 1
	s.Merged += max(1, e.Merged)
	s.Measures = mergedMeasures(s.Measures, e.Measures)
	s.ParentsLeft += e.ParentsLeft
	s.joinParents(append(slices.Clone(e.Parents), e.ID)...)
}

// summaryText is what a series says in one line: its topic and its numbers. Of what
// others wrote it is the newest text instead, for their words have no numbers.
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
