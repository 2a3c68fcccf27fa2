// Package limiter keeps the calls to one endpoint within what the endpoint takes.
//
// All agents that use an endpoint share one [Limiter]. Every attempt of a call
// waits for a [Permit] and gives it back with the outcome:
//
//	permit, err := l.Acquire(ctx, asked, tokens)   // asked: when the call began
//	if err != nil { ... }                          // ctx ended, or would before its turn
//	... send, read the answer ...
//	permit.Done(limiter.Outcome{Overloaded: status == 429, RetryAfter: wait, Header: header})
//
// What holds an attempt back, each by itself:
//
//	in flight    at most as many as the window, which shrinks by half when the endpoint
//	             is overloaded and grows by one for every windowful that went well
//	pace         requests and tokens a minute, spread evenly, as far as limits are set
//	pause        a wait that the endpoint asked one caller for holds for all of them
//	quota    what x-ratelimit-* headers say is left, less what was sent since
//
// Waiting attempts are admitted in the order in which their calls began. A retry keeps
// the place of its call, so a refused call does not go back to the end of the queue.
//
// The limiter changes when requests are sent and never what is in them or what is
// made of an answer, so results do not depend on it. Time that a call waits here
// counts towards its deadline like any other.
package limiter
