package engine

import (
	"golang.org/x/sync/errgroup"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// allowance is what one turn may spend; nil without caps.
type allowance struct {
	of    *spending
	agent string
	purse *budget.Purse
	// items holds the tokens of the turn's items.
	items map[string]int64
	// next is what the next call is supposed to be like.
	next budget.Call
	// within is what the turn may spend under new caps, beside this under the caps
	// before; answered is the last step that was there when they changed. See
	// [trace.CapChange].
	within   *allowance
	answered int64
	// past are the caps in force before now in the tick, now those at present; nil where
	// none changed.
	past []inForce
	now  *spending
}

// answer sends the request of a step if the caps allow it; otherwise it returns the
// refusal, with the answer that the turn gets. The charge is nil without caps.
func (a *allowance) answer(step int, r llmclient.Request, send func() llmclient.Answer) (llmclient.Answer, *trace.Charge, *budget.Refusal) {
	if a == nil {
		return send(), nil, nil
	}
	call := a.of.call(r, a.items)
	if refused := a.purse.Admit(call); refused != nil {
		return refused.Answer(), nil, refused
	}
	if a.within == nil || int64(step) <= a.answered {
		answer := send()
		a.charge(call, answer)
		return answer, a.record(int64(step), call, r, answer), nil
	}
	answer, charge, refused := a.within.answer(step, r, send)
	if refused == nil {
		a.charge(call, answer)
	}
	return answer, charge, refused
}

// charge counts a call that was sent.
func (a *allowance) charge(call budget.Call, answer llmclient.Answer) {
	a.purse.Charge(call, answer)
	a.next = call.Next()
}

// record is what a call counted against the caps in force when it was asked; nil
// without any.
func (a *allowance) record(step int64, call budget.Call, r llmclient.Request, answer llmclient.Answer) *trace.Charge {
	of := a.of
	if a.now != nil {
		of = a.now
	}
	for _, past := range a.past {
		if step <= past.upTo[a.agent] {
			of = past.of
			break
		}
	}
	if !of.capped() {
		return nil
	}
	if of != a.of {
		call = of.call(r, a.items)
	}
	charge := call.Charge(answer)
	return &charge
}

// refused says that a cap refused the request: nothing was sent for it.
func refused(a llmclient.Answer) bool {
	return a.Failure != nil && a.Failure.Kind == llmclient.ErrCap
}

// bound tells a turn how many requests its share is good for.
func (a *allowance) bound(turn *behavior.Turn) {
	if a != nil && a.of.capped() {
		turn.Afford(a.purse.Affords(a.next))
	}
}

// allowances are those of the turns of a tick, in agent order.
type allowances []*allowance

// of returns the i-th, nil without caps.
func (as allowances) of(i int) *allowance {
	if as == nil {
		return nil
	}
	return as[i]
}

// within returns the allowances under new caps; nil where no other ones hold beside them.
func (as allowances) within() allowances {
	var list allowances
	for _, a := range as {
		if a.within != nil {
			list = append(list, a.within)
		}
	}
	return list
}

// purses returns the purses in the order of turns.
func (as allowances) purses() []*budget.Purse {
	list := make([]*budget.Purse, len(as))
	for i, a := range as {
		list[i] = a.purse
	}
	return list
}

// openingOf tells the i-th turn's first request and the calls of its shortest path. It may
// be called concurrently.
type openingOf func(i int) (agent string, first llmclient.Request, least int)

// allow sets aside what n turns may spend; nil without caps.
func (r *runner) allow(n int, opening openingOf) allowances {
	s := r.spending
	switch {
	case s.former == nil && !s.capped():
		return nil
	case s.former == nil:
		return r.setAside(s, n, opening)
	}
	list := r.setAside(s.former, n, opening)
	for _, a := range list {
		a.past, a.now = s.past, s
	}
	if s.capped() {
		for i, within := range r.setAside(s, n, opening) {
			list[i].within, list[i].answered = within, s.answered[within.agent]
		}
	}
	return list
}

// setAside is allow for one set of caps.
func (r *runner) setAside(s *spending, n int, opening openingOf) allowances {
	needs, list := make([]budget.Need, n), make(allowances, n)
	var group errgroup.Group
	group.SetLimit(r.Concurrency)
	for i := range n {
		group.Go(func() error {
			agent, first, least := opening(i)
			first.Model = r.endpoints.of(agent).model
			list[i] = &allowance{of: s, agent: agent, items: map[string]int64{}}
			list[i].next = s.call(first, list[i].items)
			needs[i] = budget.Need{Agent: agent, Least: list[i].next.Path(least)}
			return nil
		})
	}
	_ = group.Wait() // no turn returns an error
	for i, p := range s.budget.Open(needs) {
		list[i].purse = p
	}
	return list
}

// allowDecisions sets aside what the due agents' turns may spend.
func (r *runner) allowDecisions(due []int, turn func(i int) *behavior.Turn) allowances {
	return r.allow(len(due), func(i int) (string, llmclient.Request, int) {
		agent := r.world.AgentID(due[i])
		ask, asks := turn(i).Next().(behavior.Ask)
		if !asks {
			return agent, llmclient.Request{}, 0
		}
		return agent, ask.Request, leastCalls(r.kit.Config(), ask.Stage)
	})
}

// turns opens the turns of agents, each when it is first asked for.
func (r *runner) turns(due []int) func(i int) *behavior.Turn {
	return once(len(due), func(i int) *behavior.Turn { return r.minds[due[i]].Begin(r.world.View(due[i])) })
}

// once returns begin with what it began: the prompt of a turn is composed once, whether
// its request is priced first or sent at once. No two calls at a time are for one turn.
func once[T any](n int, begin func(i int) *T) func(i int) *T {
	begun := make([]*T, n)
	return func(i int) *T {
		if begun[i] == nil {
			begun[i] = begin(i)
		}
		return begun[i]
	}
}

// leastCalls is the number of calls of a turn's usual shortest path: plan, draft and
// decision, of which direct commits leave out the last, or one for all of them. A model
// that skips ahead needs fewer. c has its defaults.
func leastCalls(c behavior.Config, stage trace.Stage) int {
	switch {
	case c.Protocol == behavior.ProtocolFull && c.Commit != trace.CommitDirect:
		return 3
	case c.Protocol == behavior.ProtocolFull, stage == trace.StagePlan:
		return 2
	}
	return 1
}

// leastLearnCalls is the number of calls of the shortest look back that changes
// something: reflect and curate.
const leastLearnCalls = 2

// allowLookBacks sets aside what look backs may spend of what decisions left.
func (r *runner) allowLookBacks(backs []lookedBack, begin func(i int) *reflect.Turn) allowances {
	return r.allow(len(backs), func(i int) (string, llmclient.Request, int) {
		agent := r.world.AgentID(backs[i].agent)
		ask, more := begin(i).Next()
		if !more {
			return agent, llmclient.Request{}, 0
		}
		return agent, ask.Request, leastLearnCalls
	})
}

// settle takes back what was not spent.
func (r *runner) settle(list allowances) {
	if len(list) == 0 {
		return
	}
	list[0].of.budget.Close(list.purses())
	r.settle(list.within())
}

// count takes in what a turn spent for which nothing was set aside.
func (r *runner) count(list allowances, n int, b bill) {
	if list == nil {
		r.spending.budget.Count(r.world.AgentID(n), b.amount())
	}
}

// exhausted ends the run when its caps admit none of the due agents' turns. Nothing
// was sent in the tick, which is abandoned.
func (r *runner) exhausted(list allowances) *stop {
	if within := list.within(); len(within) > 0 {
		list = within
	}
	if why := budget.Exhausted(list.purses(), r.deciding()); why != nil {
		return &stop{status: trace.RunBudgetReached, reason: why.String()}
	}
	return nil
}
