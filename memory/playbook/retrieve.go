package playbook

import (
	"slices"
	"unicode/utf8"

	"example.com/agentworld/memory/relevance"
	"example.com/agentworld/trace"
)

// Scored is a bullet found for a prompt, with its score and the parts of it, all in
// thousandths.
type Scored struct {
	Bullet
	// Score is (600*Relevance + 250*Helpfulness + 150*Match) / 1000: 0..1000.
	Score int64 `json:"score"`
	// Relevance is how well the content matches the query by BM25, in thousandths
	// of the bullet that matches it best; 0 where no term of the query occurs.
	// Queries are whole situations, of which a good lesson shares a few words: in
	// thousandths of a perfect match all would be near 0, and the other parts
	// would decide.
	Relevance int64 `json:"relevance"`
	// Match is 1000 when the bullet is of a wanted section, otherwise 0.
	Match int64 `json:"match"`
}

// The shares of a score. What the words say comes first; the record of a bullet
// decides between lessons about the same thing.
const (
	relevanceShare   = 600
	helpfulnessShare = 250
	matchShare       = 150
)

// Retrieve returns the bullets that fit the query and the wanted sections best,
// best first, at most k, of those that are trusted at least that far. A bullet is found when it shares a term with the query or
// is of a wanted section; a query without any term and without sections finds them
// all. Ties go to the lower number.
//
// The age of a bullet has no part in it: a playbook outlives the run whose ticks
// could measure it, and a lesson that has become wrong loses by its counts.
func (p *Playbook) Retrieve(query string, sections []Section, least trace.Trust, k int) []Scored {
	if k <= 0 {
		return []Scored{}
	}
	relevances := p.index.Relevances(query)
	most := int64(1)
	for i, r := range relevances {
		if p.bullets[i].Trust >= least {
			most = max(most, r)
		}
	}
	everything := len(sections) == 0 && len(relevance.QueryTerms(query)) == 0
	best := ranking{limit: min(k, len(p.bullets))}
	for i := range p.bullets {
		if p.bullets[i].Trust < least {
			continue
		}
		s := score(&p.bullets[i], 1000*relevances[i]/most, sections)
		if everything || s.relevance > 0 || s.match > 0 {
			s.at = i
			best.offer(s)
		}
	}
	out := make([]Scored, len(best.held))
	for i, s := range best.held {
		out[i] = Scored{Bullet: p.bullets[s.at].copied(), Score: s.score, Relevance: s.relevance, Match: s.match}
	}
	return out
}

// Doubted reports whether the playbook holds a bullet that is trusted less than that.
func (p *Playbook) Doubted(least trace.Trust) bool {
	return slices.ContainsFunc(p.bullets, func(b Bullet) bool { return b.Trust < least })
}

// candidate is the score of the bullet that stands at a place of the playbook.
type candidate struct {
	at                      int
	score, relevance, match int64
}

func score(b *Bullet, relevance int64, wanted []Section) candidate {
	s := candidate{relevance: relevance}
	if slices.Contains(wanted, b.Section) {
		s.match = 1000
	}
	s.score = (relevanceShare*relevance + helpfulnessShare*b.Helpfulness() + matchShare*s.match) / 1000
	return s
}

// ranking keeps the best candidates, best first. Sorting all of ten thousand for
// the sake of five would cost more than everything else in a retrieval.
type ranking struct {
	held  []candidate
	limit int
}

// offer takes c in when it is among the best so far. Candidates come in order of
// their numbers, so among equals the earlier one stays ahead.
func (r *ranking) offer(c candidate) {
	if len(r.held) == r.limit && r.held[r.limit-1].score >= c.score {
		return
	}
	at, _ := slices.BinarySearchFunc(r.held, c.score, func(h candidate, score int64) int {
		if h.score >= score {
			return -1
		}
		return 1
	})
	if len(r.held) == r.limit {
		r.held = r.held[:r.limit-1]
	}
	r.held = slices.Insert(r.held, at, c)
}

// Source returns the bullet as a source that stands in a prompt as its
// [Bullet.Line].
func (s Scored) Source() trace.Source {
	line := s.Line()
	return trace.Source{
		ID: s.ID, Kind: trace.KindBullet, Score: s.Score, Chars: utf8.RuneCountInString(line),
		OriginTick: s.Created.Tick, Trust: s.Trust, Parents: slices.Clone(s.Parents), Text: line,
	}
}
