package batch

import (
	"context"

	"example.com/agentworld/engine"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/limiter"
	"example.com/agentworld/trace"
)

// guard says whether an attempt may go on: the cell is still this process's, and the budget allows it.
type guard struct {
	claim *claim
	drain context.Context
	// cancel breaks the run off, stop drains all runs.
	cancel  context.CancelCauseFunc
	stop    context.CancelCauseFunc
	spender Spender
	counts  bool
}

// holds is [Attempt.Holds].
func (g guard) holds() bool {
	if g.claim.holds() {
		return true
	}
	g.cancel(errFenced)
	return false
}

// reserve is [Attempt.Reserve].
func (g guard) reserve(ctx context.Context, most budget.Amount) (settle func(budget.Amount), err error) {
	settle = func(budget.Amount) {}
	if g.spender != nil {
		if !g.counts {
			most = budget.Amount{most[budget.Calls]}
		}
		waiting, ready := context.WithCancel(ctx)
		defer ready()
		defer context.AfterFunc(g.drain, ready)()
		settle, err = g.spender.Reserve(waiting, most)
		switch {
		case waiting.Err() != nil:
			if err == nil {
				settle(budget.Amount{})
			}
			return nil, waiting.Err()
		case err != nil:
			// Everything that runs would meet the same end, and what is under way is kept. A call that nobody needs
			// yet ends nothing: one that is needed may be smaller, or never come.
			if !limiter.Optional(ctx) {
				g.stop(err)
			}
			return nil, err
		}
	}
	// Reserving may have taken longer than a lease.
	if !g.holds() {
		settle(budget.Amount{})
		return nil, errFenced
	}
	return settle, nil
}

// guarded is a source of answers that asks its guard before each call.
type guarded struct {
	engine.Source
	guard
	bill *engine.Bill
}

// Respond implements [engine.Source].
func (g *guarded) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if g.spender == nil {
		if !g.holds() {
			return refused(errFenced)
		}
		return g.Source.Respond(ctx, key, r)
	}
	call := g.bill.Call(r)
	settle, err := g.reserve(ctx, call.Path(1))
	if err != nil {
		return refused(err)
	}
	a := g.Source.Respond(ctx, key, r)
	billed := call.Charge(a)
	settle(budget.Amount{1, billed.Tokens, int64(billed.Cost)})
	return a
}

// refused is the answer to a call that was not sent, in a run that ends.
func refused(err error) llmclient.Answer {
	return llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrInterrupted, Message: err.Error(),
		Unsent: true}}
}
