package memory

import (
	"slices"

	"example.com/agentworld/memory/relevance"
)

// Focus is what a recollection is about. The zero value asks for nothing in
// particular.
type Focus struct {
	// Query is words to look for, in any language.
	Query string
	// Subjects are the ids of what is at hand: the place, the agents there, the
	// action in question.
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
	// Recency is 1000*half/(half+age) with half = [Config.RecencyHalf] and the age
	// in ticks since the entry was last recorded.
	Recency int64 `json:"recency"`
}

// The shares of a score, and what failures and subjects at hand add: what went
// wrong is what an agent most needs to be reminded of, and what it is about to meet
// again next.
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
	best := newBest(limit)
	m.scan(Focus{Query: query, Now: now}, len(relevance.QueryTerms(query)) > 0, func(h hit) { best.offer(h) })
	out := make([]Scored, len(best.hits))
	for i, h := range best.hits {
		out[i] = m.scored(h)
	}
	return out
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

// scan calls yield with the score of everything held, or with relevantOnly of what
// shares a term with the query. The order says nothing.
func (m *Memory) scan(f Focus, relevantOnly bool, yield func(hit)) {
	relevances := m.index.Relevances(f.Query)
	atHand := m.subjects.about(f.Subjects, len(m.marks))
	// The newest have the highest numbers as long as nothing is forgotten, and the
	// best seen first spare the others a place among the best.
	for number := len(m.marks) - 1; number >= 0; number-- {
		if k := &m.marks[number]; k.held && (!relevantOnly || relevances[number] > 0) {
			h := m.hit(k, relevances[number], f.Now, len(atHand) > 0 && atHand[number])
			h.number = number
			yield(h)
		}
	}
}

// hit combines the parts of an entry's score; see [Scored].
func (m *Memory) hit(k *mark, relevance, now int64, atHand bool) hit {
	h := hit{mark: k, relevance: relevance, recency: m.recency(k.last, now), atHand: atHand}
	h.score = (relevanceShare*relevance + recencyShare*h.recency + weightShare*k.weight) / 1000
	if k.failed {
		h.score += failureBonus
	}
	if atHand {
		h.score += subjectBonus
	}
	return h
}

// best holds the best hits offered to it, best first.
type best struct {
	limit int
	hits  []hit
}

// newBest returns an empty list of at most limit hits.
func newBest(limit int) *best { return &best{limit: max(limit, 0)} }

// offer puts h into its place among the best, if it has one.
func (b *best) offer(h hit) {
	if len(b.hits) == b.limit && (b.limit == 0 || byScore(b.hits[b.limit-1], h) < 0) {
		return
	}
	at, _ := slices.BinarySearchFunc(b.hits, h, byScore)
	b.hits = slices.Insert(b.hits, at, h)
	b.hits = b.hits[:min(len(b.hits), b.limit)]
}

// ageMax bounds an age in ticks, so that no product can overflow.
const ageMax = 1 << 40

// recency returns half/(half+age) in thousandths; the future counts as now.
func (m *Memory) recency(tick, now int64) int64 {
	age := min(max(now, 0)-min(tick, max(now, 0)), ageMax)
	half := min(m.config.RecencyHalf, ageMax)
	return 1000 * half / (half + age)
}
