// Package ahead asks models for the turns of coming ticks while a tick waits for its slowest answer.
//
// A run plays tick by tick, and a tick waits for all its turns. But most agents cannot affect each other for
// some ticks. A shadow is a copy of the world and its agents that goes on with the answers that are there. An agent
// whose turn is open does in it what its first answers lean to, or what others decided in the same situation. So the
// shadow knows what most agents will be asked in coming ticks, and how certain that is.
//
//	run      answers, played ticks -> [Source] -> [Planner] -> calls to ask
//	                                                 shadow: World.Fork, Agent.Fork, Turn
//	asked    answer -> [Log] -> the same request of the run, if it comes to it
//
// The run stays the only one that commits. An answer is given to it only for the identical request: of the
// same agent, tick and step, with the same hash. So whatever was foreseen, the trace is that of a run that
// waits. A wrong prediction costs a call. How many are allowed is bounded, beside all caps, and each counts
// against the agent that it was about.
//
// planner.go counts what became of calls, and choose.go chooses them; guess.go says what open turns may come to, and
// certainty.go what is likely to come true; shadow.go, state.go and turn.go follow the agents, and redo only what an
// answer changed. They have no clock and no goroutines. source.go is the edge, log.go what outlives the process.
// simulate.go plays a recorded run in simulated time, and bounds.go says how long it takes if agents wait otherwise.
package ahead
