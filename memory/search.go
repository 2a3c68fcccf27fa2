package memory

import (
	"cmp"
	"slices"

	"example.com/agentworld/memory/relevance"
	"example.com/agentworld/trace"
)

// Focus is what a recollection is about. The zero value asks for nothing in
// particular.
type Focus struct {
	// Query is words to look for, in any language.
	Query string
	// Subjects are the ids of what the situation is about: the place, the agents
	// there, the action in question.
	Subjects []string
	// Now is the present tick, from which recency counts.
	Now int64
}

// Scored is an entry that was found, with its score and the parts of it. All are
// thousandths.
type Scored struct {
	Entry
	// Score is (600*Relevance + 200*Recency + 200*Weight) / 1000, plus 100 for a
	// failure and 100 for a subject of the focus: 0..1200.
	Score int64 `json:"score"`
	// Relevance is how well text and subjects match the query by BM25, in thousandths
	// of the best match possible; 0 for an empty query.
	Relevance int64 `json:"relevance"`
	// Recency is 1000*half/(half+age) with half = [RecencyHalf] and the age
	// in ticks since the entry was last recorded.
	Recency int64 `json:"recency"`
}

// The shares of a score, and the bonuses for failures and for subjects of the focus. An
// agent most needs to be reminded of what went wrong, and next of what it is about to
// meet again.
const (
	relevanceShare = 600
	recencyShare   = 200
	weightShare    = 200
	failureBonus   = 100
	subjectBonus   = 100
)

// Search returns the entries that best match query at tick now, best first, at
// most limit. It looks at everything held, short-term and long-term, each fact
// once. Only entries that share a term with the query are found; a query without
// any term ranks all entries by recency and weight. Ties go to the lower id.
func (m *Memory) Search(query string, limit int, now int64) []Scored {
	best := relevance.Best[hit]{Limit: limit, Compare: byScore}
	terms := relevance.QueryTerms(query)
	m.scan(terms, Focus{Now: now}, len(terms) > 0, best.Offer)
	out := make([]Scored, len(best.Kept))
	for i, h := range best.Kept {
		out[i] = m.scored(h)
	}
	return out
}

// Recent returns the newest entries of short-term memory, at most limit, newest
// last. A limit below one gives none. They were not chosen by score; the scores
// they have are those of an empty query at tick now.
func (m *Memory) Recent(limit int, now int64) []Scored {
	limit = min(max(limit, 0), len(m.short))
	out := make([]Scored, limit)
	for i, t := range m.short[len(m.short)-limit:] {
		out[i] = m.scored(m.hit(t.number, 0, now, false))
	}
	return out
}

// Holds reports whether an entry is held under an id.
func (m *Memory) Holds(id string) bool { return m.ids[id] != nil }

// Cite returns the entry held under an id as a source that a prompt shows as line. It was not
// chosen by score, so its score is 0.
func (m *Memory) Cite(id, line string) (source trace.Source, held bool) {
	t, held := m.ids[id]
	if !held {
		return trace.Source{}, false
	}
	source = Scored{Entry: t.Entry}.shownAs(line)
	source.Parents = slices.Clone(source.Parents)
	return source, true
}

// copied returns the entry without sharing anything a caller could change.
func (t *record) copied() Entry {
	e := t.Entry
	e.Parents = slices.Clone(e.Parents)
	e.Subjects = slices.Clone(e.Subjects)
	e.Measures = slices.Clone(e.Measures)
	return e
}

// mark is what a scan reads of a held entry. All marks are in one array, because
// following ten thousand pointers takes longer than the rest of the scan.
type mark struct {
	seq, last int64 // order of first recording, tick of the last
	weight    int64
	category  int
	failed    bool
	held      bool
}

// remark brings the mark of t up to date.
func (m *Memory) remark(t *record) {
	m.marks[t.number] = mark{t.seq, t.LastTick, int64(t.Weight()), t.category(), t.Failed, true}
}

// hit is a held entry with its score, not copied yet: few of many are wanted.
type hit struct {
	*mark
	number                    int // of its text in the index
	score, relevance, recency int64
	atHand                    bool // a subject of the focus is among its own
}

// scored copies the entry of a hit.
func (m *Memory) scored(h hit) Scored {
	return Scored{Entry: m.texts[h.number].copied(), Score: h.score, Relevance: h.relevance, Recency: h.recency}
}

// scan calls yield with the score of everything held for a focus whose query has the given
// terms, or with relevantOnly of what shares one of them. The order says nothing.
func (m *Memory) scan(terms []string, f Focus, relevantOnly bool, yield func(hit)) {
	relevances := m.index.Relevances(terms)
	atHand := make([]bool, len(m.marks))
	for _, s := range f.Subjects {
		for _, number := range m.subjects[s] {
			atHand[number] = true
		}
	}
	// The newest have the highest numbers as long as nothing is forgotten. If the best are
	// seen first, fewer of the others are inserted among the best.
	for number := len(m.marks) - 1; number >= 0; number-- {
		if m.marks[number].held && (!relevantOnly || relevances[number] > 0) {
			yield(m.hit(number, relevances[number], f.Now, atHand[number]))
		}
	}
}

// hit combines the parts of the score of the entry whose text has that number; see
// [Scored].
func (m *Memory) hit(number int, relevance, now int64, atHand bool) hit {
	k := &m.marks[number]
	h := hit{mark: k, number: number, relevance: relevance, recency: recency(k.last, now), atHand: atHand}
	h.score = (relevanceShare*relevance + recencyShare*h.recency + weightShare*h.weight) / 1000
	if h.failed {
		h.score += failureBonus
	}
	if atHand {
		h.score += subjectBonus
	}
	return h
}

// byScore orders the best hits first; ties go to the lower id.
func byScore(a, b hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.seq, b.seq))
}

// RecencyHalf is the age in ticks at which an entry's recency has fallen to a half.
const RecencyHalf = 8

// ageMax bounds an age in ticks, so that no sum can overflow.
const ageMax = 1 << 40

// recency returns half/(half+age) in thousandths; the future counts as now.
func recency(tick, now int64) int64 {
	age := min(max(now, 0)-min(tick, max(now, 0)), ageMax)
	return 1000 * RecencyHalf / (RecencyHalf + age)
}
