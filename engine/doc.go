// Package engine is the shell around the two pure state machines: it runs the
// world tick by tick, lets all due agents decide at the same time, carries their
// requests to a model, and records everything in a trace.
//
// One tick:
//
//	world.Advance                     wake-ups: arrivals, jobs, power, waits
//	takes recorded changes of caps    see [trace.CapChange]
//	budget.Open                       with caps: what each turn may spend, in agent order
//	for every due agent, concurrently:
//	    turn := mind.Begin(view)
//	    Ask  -> source.Respond -> recorded -> turn.Answer
//	    Call -> registry.Call  -> turn.Result
//	    Decision
//	for every continuing agent:       mind.Continue(view), no model call
//	world.Apply                       in the world's seeded order
//	mind.Learn, trace records, fsync
//
// A run lives in a directory: a trace, which becomes several files when it is long, a
// lock while a process works on it, and an [Index] for questions about it. [Resumption]
// goes on with a run from its trace alone: it derives the whole ticks again from their
// recorded answers, comparing every record, and asks for what is missing from there on,
// under other caps if need be.
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
