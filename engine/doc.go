// Package engine is the shell around the two pure state machines: it runs the
// world tick by tick, lets all due agents decide at the same time, carries their
// requests to a model, and records everything in a trace.
//
// One tick:
//
//	world.Advance                     wake-ups: arrivals, jobs, power, waits
//	for every due agent, concurrently:
//	    turn := mind.Begin(view)
//	    Ask  -> source.Respond -> recorded -> turn.Answer
//	    Call -> registry.Call  -> turn.Result
//	    Decision
//	for every continuing agent:       mind.Continue(view), no model call
//	world.Apply                       in the world's seeded order
//	mind.Learn, trace records, fsync
//
// The model is a [Source]: a live endpoint or a recorded run. Because a turn is a
// function of its answers and the world a function of its actions, [Replay] needs
// no code of its own besides a source that answers from a trace, and compares
// what it derives with what was recorded.
//
// [Recorded] gives recorded answers in a new run, found by what was asked, and
// [Fork] leaves a run after a tick: recorded answers up to there, a model of its own
// from there on. What changes at a fork is planned in the header and put into force
// between two ticks, so that a fork is replayed like any run.
package engine
