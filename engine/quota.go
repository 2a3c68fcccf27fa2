package engine

import (
	"example.com/agentworld/behavior"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// quota is what one turn may spend; nil without caps.
type quota struct {
	of          *meters
	reservation *budget.Reservation
	// next is what the next call is supposed to be like.
	next budget.Call
}

// answer sends the request if the caps allow it; otherwise it returns the
// refusal, with the answer that the turn gets. The charge is nil without caps.
func (a *quota) answer(r llmclient.Request, send func() llmclient.Answer) (llmclient.Answer, *trace.Charge,
	*budget.Refusal) {
	if a == nil {
		return send(), nil, nil
	}
	call := a.of.call(r)
	if refused := a.reservation.Reserve(call); refused != nil {
		return refused.Answer(), nil, refused
	}
	answer := send()
	charge := a.reservation.Charge(a.of.meter.Answered(call, answer), answer)
	a.next = call.Next()
	return answer, &charge, nil
}

// quotas are those of the turns of a tick, in agent order.
type quotas []*quota

// of returns the i-th, nil without caps.
func (as quotas) of(i int) *quota {
	if as == nil {
		return nil
	}
	return as[i]
}

// reservations returns the reservations in the order of turns.
func (as quotas) reservations() []*budget.Reservation {
	list := make([]*budget.Reservation, len(as))
	for i, a := range as {
		list[i] = a.reservation
	}
	return list
}

// openingOf returns the i-th turn's first request and the calls of its shortest path. It
// may be called concurrently.
type openingOf func(i int) (agent string, first behavior.Ask, least int)

// allow reserves what n turns may spend; nil without caps.
func (r *runner) allow(n int, opening openingOf) quotas {
	s := r.spending
	if !s.capped() {
		return nil
	}
	needs, list := make([]budget.Need, n), make(quotas, n)
	_ = r.workers.each(n, func(i int) error {
		agent, first, least := opening(i)
		list[i] = &quota{of: s}
		list[i].next = s.call(s.bounded(first, r.endpoints.of(agent).model))
		needs[i] = budget.Need{Agent: agent, Least: list[i].next.Path(least)}
		return nil
	})
	for i, p := range s.budget.Open(needs) {
		list[i].reservation = p
	}
	return list
}

// allowDecisions reserves what the due agents' turns may spend.
func (r *runner) allowDecisions(due []int, turn func(i int) *behavior.Turn) quotas {
	return r.allow(len(due), func(i int) (string, behavior.Ask, int) {
		agent := r.world.AgentID(due[i])
		ask, asks := turn(i).Next().(behavior.Ask)
		if !asks {
			return agent, ask, 0
		}
		return agent, ask, leastCalls(r.runtime.Config(), ask)
	})
}

// turns opens the turns of agents, each when it is first asked for.
func (r *runner) turns(due []int) func(i int) *behavior.Turn {
	return once(len(due), func(i int) *behavior.Turn { return r.agents[due[i]].Begin(r.view(due[i])) })
}

// once caches the results of begin: the prompt of a turn is composed once, whether its
// request is priced first or sent immediately. Concurrent calls must be for different
// turns.
func once[T any](n int, begin func(i int) *T) func(i int) *T {
	begun := make([]*T, n)
	return func(i int) *T {
		if begun[i] == nil {
			begun[i] = begin(i)
		}
		return begun[i]
	}
}

// leastCalls is the number of calls of a turn's shortest path: one, and one for the plan
// if a plan is all that the first request allows. If a draft without its decision is
// worthless, both need a call of their own. c has its defaults.
func leastCalls(c behavior.Config, first behavior.Ask) int {
	n := 1
	if first.Stage == trace.StagePlan && len(first.Request.Choice.Allowed) == 1 {
		n++
	}
	if c.Fallback == trace.FallbackWait && c.Protocol == behavior.ProtocolFull && c.Commit != trace.CommitOneStep {
		n++
	}
	return n
}

// settle returns what n turns did not spend, and charges what they spent without a
// reservation.
func (r *runner) settle(list quotas, n int, turn func(i int) (agent int, b budget.Bill)) {
	if list != nil {
		r.spending.budget.Close(list.reservations())
		return
	}
	for i := range n {
		agent, b := turn(i)
		r.spending.budget.Count(r.world.AgentID(agent), b.Amount())
	}
}
