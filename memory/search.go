package memory

import (
	"cmp"
	"slices"

	"agentworld/memory/relevance"
)

// Scored is an entry found by a search, with its score and the parts of it. All
// are thousandths.
type Scored struct {
	Entry
	// Score is (600*Relevance + 200*Recency + 200*Weight) / 1000, plus 100 for a
	// failure: 0..1100.
	Score int64 `json:"score"`
	// Relevance is how well the text matches the query by BM25, in thousandths of
	// the best match possible; 0 for an empty query.
	Relevance int64 `json:"relevance"`
	// Recency is 1000*half/(half+age) with half = [Config.RecencyHalf] and the age
	// in ticks since the entry was last recorded.
	Recency int64 `json:"recency"`
}

// The shares of a score, and what a failure adds: what went wrong is what an
// agent most needs to be reminded of.
const (
	relevanceShare = 600
	recencyShare   = 200
	weightShare    = 200
	failureBonus   = 100
)

// Search returns the entries that best match query at tick now, best first, at
// most limit. It looks at everything held, short-term and long-term, each fact
// once. Only entries that share a term with the query are found; a query without
// any term ranks all entries by recency and weight. Ties go to the lower id.
func (m *Memory) Search(query string, limit int, now int64) []Scored {
	found := m.rank(query, now)
	if len(relevance.QueryTerms(query)) > 0 {
		found = slices.DeleteFunc(found, func(s Scored) bool { return s.Relevance == 0 })
	}
	return found[:min(max(limit, 0), len(found))]
}

// rank scores everything held and sorts it, best first.
func (m *Memory) rank(query string, now int64) []Scored {
	held := m.held()
	relevances := m.index.Relevances(query)
	out := make([]Scored, len(held))
	for i, t := range held {
		out[i] = m.score(t, relevances[t.text], now)
	}
	// The entries come in order of their ids, which a stable sort keeps among ties.
	slices.SortStableFunc(out, func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// score combines the parts of an entry's score; see [Scored].
func (m *Memory) score(t *record, relevance, now int64) Scored {
	s := Scored{Entry: t.copied(), Relevance: relevance, Recency: m.recency(t.LastTick, now)}
	s.Score = (relevanceShare*relevance + recencyShare*s.Recency + weightShare*int64(t.Weight())) / 1000
	if t.Failed {
		s.Score += failureBonus
	}
	return s
}

// ageMax bounds an age in ticks, so that no product can overflow.
const ageMax = 1 << 40

// recency returns half/(half+age) in thousandths; the future counts as now.
func (m *Memory) recency(tick, now int64) int64 {
	age := min(max(now, 0)-min(tick, max(now, 0)), ageMax)
	half := min(m.config.RecencyHalf, ageMax)
	return 1000 * half / (half + age)
}
