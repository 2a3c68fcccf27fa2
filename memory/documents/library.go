package documents

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"example.com/agentworld/memory"
	"example.com/agentworld/memory/relevance"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Library holds the chunks of documents. It does not change, so it may be read concurrently.
//
// Invariants:
//  1. The number of a chunk in the index is its place in the list.
//  2. Ids are unique: "doc-2-5" is chunk 5 of document 2, both counted from 1.
type Library struct {
	chunks []Chunk
	index  relevance.Index
}

// Chunk is a passage of a document.
type Chunk struct {
	// ID is what a decision cites.
	ID string
	// Title is the document's name and the headings above the passage, Text the passage in one
	// line of at most ChunkCharsMax characters.
	Title, Text string
	// Trusted and Agents are those of the document: whether the scenario vouches for it, and the
	// agents that may read it; empty means all.
	Trusted bool
	Agents  []string
}

// New returns the library of the given documents, nil if they hold no text.
func New(list []world.Document) *Library {
	l := &Library{}
	for number, d := range list {
		for _, c := range chunksOf(d, number+1) {
			l.chunks = append(l.chunks, c)
			if d.Trusted {
				l.index.Add(c.Title + "\n" + c.Text)
			} else {
				l.index.AddSilent(c.Title + "\n" + c.Text)
			}
		}
	}
	if len(l.chunks) == 0 {
		return nil
	}
	return l
}

// Holds reports whether a chunk has that id.
func (l *Library) Holds(id string) bool {
	return l != nil && slices.ContainsFunc(l.chunks, func(c Chunk) bool { return c.ID == id })
}

// Found is a chunk with its relevance to a query, in thousandths.
type Found struct {
	Chunk
	Score int64
}

// For reports whether an agent may read the chunk.
func (c *Chunk) For(agent string) bool {
	return len(c.Agents) == 0 || slices.Contains(c.Agents, agent)
}

// Search returns the chunks that may accepts and that share a word with the query, best first, at
// most limit. Ties go to the earlier chunk. A query without any word finds the first chunks.
func (l *Library) Search(query string, limit int, may func(*Chunk) bool) []Found {
	terms := relevance.QueryTerms(query)
	best := relevance.Best[Found]{Limit: limit, Compare: func(a, b Found) int { return cmp.Compare(b.Score, a.Score) }}
	for i, score := range l.index.Relevances(terms) {
		if c := &l.chunks[i]; (score > 0 || len(terms) == 0) && may(c) {
			best.Offer(Found{*c, score})
		}
	}
	return best.Kept
}

// Line is the chunk as a prompt shows it, in one line.
func (c Chunk) Line() string {
	return "[" + c.ID + "] " + memory.Quote(c.Title) + ": " + memory.Quote(c.Text)
}

// Source is the chunk as a source that a prompt shows as its [Chunk.Line].
func (f Found) Source() trace.Source {
	trust := trace.TrustOtherAgent
	if f.Trusted {
		trust = trace.TrustRules
	}
	line := f.Line()
	return trace.Source{
		ID: f.ID, Kind: trace.KindDocument, Title: f.Title, Preview: f.Text,
		Score: f.Score, Chars: utf8.RuneCountInString(line), Trust: trust, Text: line,
	}
}
