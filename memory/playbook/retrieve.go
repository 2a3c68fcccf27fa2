package playbook

import (
	"cmp"
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
// best first, at most k, of those that are trusted at least that far. A bullet is found
// when it shares a term with the query or is of a wanted section; a query without any
// term and without sections finds them all. Ties go to the lower number.
//
// The age of a bullet has no part in it: a playbook outlives the run whose ticks
// could measure it, and a lesson that has become wrong loses by its counts.
func (p *Playbook) Retrieve(query string, sections []Section, least trace.Trust, k int) []Scored {
	terms := relevance.QueryTerms(query)
	relevances := p.index.Relevances(terms)
	most := int64(1)
	for i, r := range relevances {
		if p.bullets[i].Trust >= least {
			most = max(most, r)
		}
	}
	everything := len(sections) == 0 && len(terms) == 0
	// They are offered in order of their numbers.
	best := relevance.Best[Scored]{Limit: k, Compare: func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) }}
	for i, b := range p.bullets {
		if b.Trust < least {
			continue
		}
		s := Scored{Bullet: b, Relevance: 1000 * relevances[i] / most}
		if slices.Contains(sections, b.Section) {
			s.Match = 1000
		}
		s.Score = (relevanceShare*s.Relevance + helpfulnessShare*b.Helpfulness() + matchShare*s.Match) / 1000
		if everything || s.Relevance > 0 || s.Match > 0 {
			best.Offer(s)
		}
	}
	out := make([]Scored, len(best.Kept))
	for i, s := range best.Kept {
		s.Bullet = s.copied()
		out[i] = s
	}
	return out
}

// Doubted reports whether the playbook holds a bullet that is trusted less than that.
func (p *Playbook) Doubted(least trace.Trust) bool {
	return slices.ContainsFunc(p.bullets, func(b Bullet) bool { return b.Trust < least })
}

// Source returns the bullet as a source that a prompt shows as its [Bullet.Line].
func (s Scored) Source() trace.Source {
	line := s.Line()
	return trace.Source{
		ID: s.ID, Kind: trace.KindBullet, Title: string(s.Section), Preview: s.Content, Score: s.Score,
		Chars:      utf8.RuneCountInString(line),
		OriginTick: s.Created.Tick, Trust: s.Trust, Parents: slices.Clone(s.Parents), Text: line,
	}
}
