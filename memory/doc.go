// Package memory is what one agent remembers between its turns.
//
// Facts go in one at a time and come out in three ways: the newest, the ones that
// match a query, and a digest made for a prompt.
//
//	m := memory.New(words)
//	id := m.Record(memory.Entry{                     // after every turn
//		Tick: tick, Kind: memory.KindOutcome, Text: "mine_compound 5000 ok",
//		Importance: memory.ImportanceRoutine, Trust: trace.TrustSelfObservation,
//	})
//	recent := m.Recent(6, tick)                      // newest last
//	found := m.Search("control chip", 5, tick)       // best first
//	d := m.Digest(memory.Focus{Query: goals, Now: tick}, memory.Quota{Failures: 2, Outcomes: 2}, nil)
//
// The short-term ring holds the newest facts, the long-term store the weightiest. A fact
// that is recorded again counts its repeats, which add weight.
//
//	Record --> same fact held? --yes--> Repeats++ --+
//	              |                                 v
//	              no --> new id ----------> newest of the ring --weight--> long-term
//	                                               |                           ^ |
//	                                       oldest falls out --of a series------+ |
//	                                                       merged or lightest falls out
//
// # Series and summaries
//
// Facts that differ only in their numbers are a series: one kind, topic, origin,
// trust and list of subjects. An entry that leaves the ring joins the summary of its
// series. When the store overflows, series are merged before anything is forgotten. A
// summary holds the count, sums and ranges of its parts and names the newest; the parts
// themselves are dropped.
//
// # Categories
//
// Failures, outcomes, facts and untrusted texts each have a share of the store and a
// quota of a digest. Untrusted texts are evicted first: an agent that sends many
// messages cannot make another forget what it did itself.
//
// Retrieval is BM25 over words, and over pairs of characters for scripts without spaces,
// combined with recency, weight, a bonus for failures and one for the present subjects;
// see [Scored]. It is integer arithmetic: the same calls give the same ranks on every
// machine.
//
// A summary is never trusted more than what it was made from, and texts of other agents
// are quoted wherever they are shown; see [trace.Source] and [trace.Trust].
//
// Texts are data: when recorded they are cut to a length, made one line and stripped of
// control characters.
package memory
