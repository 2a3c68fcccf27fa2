// Package engine is the shell around the two pure state machines: it runs the
// world tick by tick, lets all due agents decide at the same time, carries their
// requests to a model, and records everything in a trace.
//
// One tick:
//
//	takes changes                     of prompts and caps; see [trace.Switch], [trace.CapChange]
//	takes controls, waits if paused   what an operator asks for, see [Controls]
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
// A run records into a sink. A live run appends to the trace of its directory, see
// package run. [Replay] compares with what was recorded, and [Collect] discards it.
// [Resumption] and [Fork] do both in turn. A resume derives the whole ticks again from
// their recorded answers, compares them, and then appends, under other caps if asked. A
// fork appends its parent's ticks and then its own.
//
// The model is a [Source]: a live endpoint or a recorded run. A turn is a function of
// its answers and the world a function of its actions, so none of these is a mode of the
// loop: each is the state of the run, a source and a sink.
//
// [Recorded] gives recorded answers in a new run, found by what was asked, and
// [Fork] leaves a run after a tick: recorded answers up to there, a model of its own
// from there on. What changes at a fork is planned in the header and put into force
// between two ticks, so that a fork is replayed like any run.
package engine
