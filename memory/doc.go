// Package memory is what one agent remembers between its turns.
//
// Facts go in one at a time and come out in three ways: the newest, the ones that
// match a query, and a digest made for a prompt.
//
//	m := memory.New(memory.English)
//	id := m.Record(memory.Entry{                     // after every turn
//		Tick: tick, Kind: memory.KindOutcome, Text: "mine_compound 5000 ok",
//		Importance: memory.ImportanceRoutine, Trust: trace.TrustSelfObservation,
//	})
//	recent := m.Recent(6, tick)                      // newest last
//	found := m.Search("control chip", 5, tick)       // best first
//	d := m.Digest(memory.Focus{Query: goals, Now: tick}, memory.Quota{Failures: 2, Outcomes: 2}, nil)
//
// There are two stores. The short-term ring holds the newest facts whatever they
// are; the long-term store holds the weightiest. A fact that is recorded again is
// not held twice: it counts its repeats, and repeats add weight, so that routine
// which keeps returning is promoted as surely as one failure is.
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
// trust and list of subjects. When the ring overflows, its oldest entry joins the
// summary of its series, or makes one with the other old entries of it, or enters
// the store alone; when the store overflows, series in it are merged before anything
// is forgotten. A summary counts, adds up and spans what it was made from, names its
// newest parents and counts the others. Its parts are held no longer, so nothing is
// merged twice.
//
// # Categories
//
// Failures, outcomes, facts and words of others each have a share of the store and a
// quota of a digest. Words of others have a part of the ring of their
// own as well, and give way first: whoever writes much to an agent cannot make it
// forget what it did itself.
//
// Retrieval is lexical: BM25 over words, and over pairs of characters for scripts
// without spaces, combined with recency, weight, a bonus for failures and one for
// subjects at hand; see [Scored]. All of it is integer arithmetic, so that the same
// calls give the same ranks, ids and text on every machine. A search scores what is
// held where it lies and copies only what it returns.
//
// Memory speaks the vocabulary of provenance of package trace. A [trace.Source] is one piece of
// text that entered a prompt, with an id that a model can cite; [trace.Trust] says how
// far such text may influence a decision. Memory keeps both honest: what was made
// from other sources is never trusted more than they are, however often it is
// summarised and recalled, and words of other agents are quoted wherever they are
// shown.
//
// Texts are data. They are cut to a length, made one line and stripped of control
// characters when they are recorded, because any of them may have been written by
// a model that read something hostile.
package memory
