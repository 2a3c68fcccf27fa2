package memory

import (
	"fmt"
	"slices"

	"agentworld/memory/relevance"
)

// Config sizes a memory. The zero value is a good choice: every field that is
// not positive takes its default.
type Config struct {
	// ShortMax is how many entries the short-term ring holds, default 128. About
	// three entries are recorded per decision.
	ShortMax int
	// LongMax is how many entries long-term memory holds, default 256.
	LongMax int
	// PromoteAt is the weight, in 1..1000, from which an entry enters long-term
	// memory, default 700. A larger value is taken as 1000, so that promotion
	// stays reachable.
	PromoteAt int
	// TextMax is the length of an entry's text in characters, default 240.
	TextMax int
	// RecencyHalf is the age in ticks at which an entry's recency has fallen to a
	// half, default 8.
	RecencyHalf int64
}

// withDefaults returns c with every unset field filled in.
func (c Config) withDefaults() Config {
	for _, field := range []struct {
		value    *int
		fallback int
	}{{&c.ShortMax, 128}, {&c.LongMax, 256}, {&c.PromoteAt, 700}, {&c.TextMax, 240}} {
		if *field.value <= 0 {
			*field.value = field.fallback
		}
	}
	if c.RecencyHalf <= 0 {
		c.RecencyHalf = 8
	}
	c.PromoteAt = min(c.PromoteAt, ImportanceMax)
	return c
}

// Memory is what one agent remembers: a short-term ring of the newest facts and a
// long-term store of the important ones. It is a deterministic function of the
// calls made on it.
//
// Invariants:
//  1. A fact is held once, whether in the ring, in the store or in both, and
//     keeps its id for as long as it is held.
//  2. The ring holds at most ShortMax entries in order of their last recording,
//     the store at most LongMax.
//  3. A fact enters the store at most once.
//
// A Memory is not safe for concurrent use.
type Memory struct {
	config Config
	facts  map[fact]*record
	index  relevance.Index // every held text, by record.text
	short  []*record       // oldest recording first
	long   []*record       // in order of promotion
	ids    map[string]*record
	minted int64 // ids minted so far
}

// record is one held entry with what retrieval needs.
type record struct {
	Entry
	seq      int64 // order of first recording
	text     int   // number of the text in the index
	inShort  bool
	inLong   bool
	promoted bool
}

// New returns an empty memory.
func New(config Config) *Memory {
	return &Memory{config: config.withDefaults(), facts: map[fact]*record{}, ids: map[string]*record{}}
}

// Record remembers e and returns the id it is held under. An equal fact that is
// still held is not stored again: its Repeats grows, its LastTick moves, it
// becomes the newest of the ring, and its id is returned. When a fact's weight
// reaches [Config.PromoteAt] it also enters long-term memory.
func (m *Memory) Record(e Entry) string {
	e = m.admit(e)
	t, known := m.facts[e.fact()]
	if known {
		t.repeat(e)
	} else {
		t = m.remember(e)
	}
	m.touch(t)
	if !t.promoted && t.Weight() >= m.config.PromoteAt {
		m.promote(t)
	}
	return t.ID
}

// admit brings what a caller passed into the bounds of an entry.
func (m *Memory) admit(e Entry) Entry {
	e.Text = cut(CleanLine(e.Text), m.config.TextMax)
	e.Origin = cut(CleanLine(e.Origin), m.config.TextMax)
	e.Importance = min(max(e.Importance, 0), ImportanceMax)
	e.Trust = min(max(e.Trust, ToolError), Rules)
	for _, id := range e.Parents {
		if parent, held := m.ids[id]; held {
			e.Trust = Min(e.Trust, parent.Trust)
		}
	}
	e.Tick = max(e.Tick, 0)
	e.LastTick = e.Tick
	e.Repeats = 0
	e.Parents = newestParents(nil, e.Parents)
	return e
}

// remember stores a new fact under a new id.
func (m *Memory) remember(e Entry) *record {
	m.minted++
	e.ID = fmt.Sprintf("mem-%d-%d", e.Tick, m.minted)
	t := &record{Entry: e, seq: m.minted, text: m.index.Add(e.Text)}
	m.facts[e.fact()] = t
	m.ids[e.ID] = t
	return t
}

// repeat folds e, the same fact again, into t.
func (t *record) repeat(e Entry) {
	t.Repeats++
	t.LastTick = max(t.LastTick, e.LastTick)
	t.Importance = max(t.Importance, e.Importance)
	t.Parents = newestParents(t.Parents, e.Parents)
}

// newestParents returns the distinct ids of both lists in order of their last
// mention, cut to the newest ParentsMax.
func newestParents(old, added []string) []string {
	var all []string
	for _, id := range slices.Concat(old, added) {
		if i := slices.Index(all, id); i >= 0 {
			all = slices.Delete(all, i, i+1)
		}
		all = append(all, id)
	}
	return all[max(0, len(all)-ParentsMax):]
}

// touch makes t the newest of the ring and lets the oldest go when it overflows.
func (m *Memory) touch(t *record) {
	if t.inShort {
		i := slices.Index(m.short, t)
		m.short = slices.Delete(m.short, i, i+1)
	}
	t.inShort = true
	m.short = append(m.short, t)
	if len(m.short) > m.config.ShortMax {
		oldest := m.short[0]
		m.short = slices.Delete(m.short, 0, 1)
		oldest.inShort = false
		m.forgetUnheld(oldest)
	}
}

// promote puts t into long-term memory, from which the lightest fact goes when it
// overflows; among equals the one recorded longest ago goes first.
func (m *Memory) promote(t *record) {
	t.promoted, t.inLong = true, true
	m.long = append(m.long, t)
	if len(m.long) <= m.config.LongMax {
		return
	}
	lightest := slices.MinFunc(m.long, byWeight)
	m.long = slices.DeleteFunc(m.long, func(held *record) bool { return held == lightest })
	lightest.inLong = false
	m.forgetUnheld(lightest)
}

// forgetUnheld drops t when neither the ring nor the store holds it any more.
func (m *Memory) forgetUnheld(t *record) {
	if t.inShort || t.inLong {
		return
	}
	delete(m.facts, t.fact())
	delete(m.ids, t.ID)
	m.index.Remove(t.text)
}
