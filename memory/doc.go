// Package memory is what one agent remembers between its turns.
//
// Facts go in one at a time and come out in three ways: the newest, the ones that
// match a query, and a digest made for a prompt.
//
//	m := memory.New(memory.Config{})
//	id := m.Record(memory.Entry{                     // after every turn
//		Tick: tick, Kind: memory.KindOutcome, Text: "mine_compound 5000 ok",
//		Importance: memory.ImportanceRoutine, Trust: memory.SelfObservation,
//	})
//	recent := m.Recent(6)                            // newest last
//	found := m.Search("control chip", 5, tick)       // best first
//	sources, text := m.Digest(900, tick)             // one line per source
//
// There are two stores. The short-term ring holds the newest facts whatever they
// are; the long-term store holds the weightiest. A fact that is recorded again is
// not held twice: it counts its repeats, and repeats add weight, so that routine
// which keeps returning is promoted as surely as one failure is.
//
//	Record --> same fact held? --yes--> Repeats++ --+
//	              |                                 v
//	              no --> new id ----------> newest of the ring --weight--> long-term
//	                                               |                           |
//	                                         oldest falls out          lightest falls out
//
// Retrieval is lexical: BM25 over words, and over pairs of characters for scripts
// without spaces, combined with recency, weight and a bonus for failures; see
// [Scored]. All of it is integer arithmetic, so that the same calls give the same
// ranks, ids and text on every machine.
//
// The package also owns the vocabulary of provenance. A [Source] is one piece of
// text that entered a prompt, with an id that a model can cite; [Trust] says how
// far such text may influence a decision. Memory keeps both honest: what was made
// from other sources is never trusted more than they are, however often it is
// summarised and recalled, and words of other agents are quoted wherever they are
// shown.
//
// Texts are data. They are cut to a length, made one line and stripped of control
// characters when they are recorded, because any of them may have been written by
// a model that read something hostile.
package memory
