// Package engine is the shell around the two pure state machines: it runs the
// world tick by tick, lets all due agents decide at the same time, carries their
// requests to a model, and records everything in a trace.
//
// One tick:
//
//	changes take effect               of prompts and caps; see [trace.Switch], [trace.CapChange]
//	controls take effect              what an operator asks for, such as a pause; see [Controls]
//	world.Advance                     wake-ups: arrivals, jobs, power, waits
//	budget.Open                       with caps: what each turn may spend, in agent order
//	for every due agent, concurrently:
//	    turn := agent.Begin(view)
//	    Ask  -> source.Respond -> recorded -> turn.Answer
//	    Call -> registry.Call  -> turn.Result
//	    Decision
//	for every continuing agent:       agent.Continue(view), no model call
//	world.Apply                       in the world's seeded order
//	agent.Learn, trace records, fsync
//
// A run records into a sink. A live run appends to the trace of its directory, see package run. [Replay]
// compares with what was recorded, and [Collect] discards it. A [Resumption] derives the whole ticks again
// from their recorded answers and compares them. Then it appends, under other caps if asked. A [Fork]
// appends its parent's ticks and then its own.
//
// The model is a [Source]: a live endpoint or a recorded run. A turn is a function of
// its answers and the world a function of its actions, so none of these is a mode of the
// loop: each is the state of the run, a source and a sink.
//
// [Recorded] gives recorded answers in a new run, found by what was asked. [Fork] leaves a run after a
// tick: recorded answers up to there, a model of its own from there on. The header holds what changes at a
// fork, and it takes effect between two ticks, so that a fork is replayed like any run.
//
// The files of one tick: tick.go has its steps, change.go what takes effect before it, deliberation.go the
// turns, quota.go their caps, learning.go reflections, endpoint.go which models are given up. comparison.go
// is what [Replay] and [Resumption] compare.
package engine
