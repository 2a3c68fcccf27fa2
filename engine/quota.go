package engine

import (
	"example.com/agentworld/behavior"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// quota is what one turn may spend. Without caps it is nil, and every request is sent.
type quota struct {
	meters      *meters
	reservation *budget.Reservation
	// next is the most that the next call is expected to take.
	next budget.Call
}

// answer is where a cap is checked: it sends the request if the turn's reservation covers the most it
// can be billed, and charges the answer. Otherwise it returns the refusal, and the answer that the turn
// gets instead. The charge is nil without caps.
func (q *quota) answer(r llmclient.Request, send func() llmclient.Answer) (llmclient.Answer, *trace.Charge,
	*budget.Refusal) {
	if q == nil {
		return send(), nil, nil
	}
	call := q.meters.call(r)
	if refused := q.reservation.Reserve(call); refused != nil {
		return refused.Answer(), nil, refused
	}
	answer := send()
	charge := q.reservation.Charge(q.meters.meter.Answered(call, answer), answer)
	q.next = call.Next()
	return answer, &charge, nil
}

// quotas are those of the turns of a tick, in agent order; nil without caps.
type quotas []*quota

// of returns the quota of the i-th turn.
func (qs quotas) of(i int) *quota {
	if qs == nil {
		return nil
	}
	return qs[i]
}

// reservations returns the reservations in the order of turns.
func (qs quotas) reservations() []*budget.Reservation {
	list := make([]*budget.Reservation, len(qs))
	for i, q := range qs {
		list[i] = q.reservation
	}
	return list
}

// openingOf returns the first request of the i-th turn, and the number of calls of the turn's shortest
// path. It may be called concurrently.
type openingOf func(i int) (agent string, first behavior.Ask, least int)

// allow reserves what n turns may spend, in their order. Each reservation covers at least the shortest
// path of its turn, if the caps leave as much.
func (r *runner) allow(n int, opening openingOf) quotas {
	s := r.spending
	if !s.capped() {
		return nil
	}
	needs := make([]budget.Need, n)
	list := make(quotas, n)
	_ = r.workers.each(n, func(i int) error {
		agent, first, least := opening(i)
		list[i] = &quota{meters: s, next: s.call(s.bounded(first, r.endpoints.of(agent).model))}
		needs[i] = budget.Need{Agent: agent, Least: list[i].next.Path(least)}
		return nil
	})
	for i, reservation := range s.budget.Open(needs) {
		list[i].reservation = reservation
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

// leastCalls is the number of calls of a turn's shortest path. One is always needed. A plan needs its
// own if the first request allows nothing else. A draft needs its own if the turn could not end in it.
// c has its defaults.
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

// settle ends the spending of n turns: it returns what their reservations have left, or without caps
// counts what they spent.
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
