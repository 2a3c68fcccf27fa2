// Package guardlab looks for harm that the guard lets through. It plays short trials of
// attackers, rules and misbehaving models drawn at random, and mutates the trials closest
// to a harm and those in which the guard did what it rarely does. All of it is tests:
//
//	go test ./internal/guardlab -run Search -search 1000 -seed 7 -v
//
// A trial is a tape of numbers. It says which rules hold, what up to three attackers do in
// each tick (typed actions alone: requests, offers, messages, notes, gifts, trades, mining a
// place empty, moving away) and how the victim's model takes what it reads: it obeys, plans
// again, gives two decisions, copies a value into its own action, wraps it in an order. The
// model knows what its requests hold and no more, and what it intends by itself follows from
// its own state.
//
//	tape --> world, attackers' intents, victim's turns --> figures --.
//	     `-> a fork of the world, a victim that sees no words ---------> margins of harm
//
// There is no HTTP, no trace and no clock: the turn is a state machine, so that a trial takes
// some milliseconds. What counts as harm is read from the world, see guardeval.Margins;
// beside that no gift may be beyond the one rule that it can rest on.
//
// The same seed finds the same, on any machine and with any number of trials at once. How
// good the search is at finding holes is measured with mutants of the guard's code, see
// TestMutants.
package guardlab
