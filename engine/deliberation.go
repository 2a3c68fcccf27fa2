package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// deliberation is what came of one agent's turn.
type deliberation struct {
	agent    int
	decision behavior.Decision
	steps    []trace.Step
	bill     budget.Bill
	// failure is how the last request ended, nil when it was answered.
	failure *llmclient.Failure
	// tookMS is how long the turn took here. latencyMS is what its answers took when they were given,
	// which is longer for recorded ones.
	tookMS, latencyMS int64
	// asked counts the requests to a model, came those that it answered, if only with something that
	// is no response.
	asked, came int64
	// replied says that there was a reply, and fresh that this process got it.
	replied, fresh bool
	// example is the first answer, for as long as the endpoint decides nothing.
	example string
	// shown is what the answers show of the tool choices.
	shown []llmclient.Shown
}

// deliberateAll lets all due agents decide on the same state of the world, at most Concurrency at a
// time. It reserves the budget of every turn before any of them begins. A stop is returned if no turn
// can be paid for. The error is a failure to record.
func (r *runner) deliberateAll(ctx context.Context, due []int) ([]deliberation, *stop, error) {
	turns := make([]deliberation, len(due))
	for _, n := range due {
		r.agent(n) // made now, since turns are opened concurrently
	}
	asked := r.asking(due)
	turn := r.turns(asked)
	allowed := r.allowDecisions(asked, turn)
	if why := budget.Exhausted(allowed.reservations(), r.deciding()); why != nil {
		return nil, &stop{status: trace.RunBudgetReached, reason: why.String()}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A refusal of the only endpoint ends the run, so the turns still under way are cancelled. Finished
	// turns are judged in agent order: which of them ends the run must not depend on arrival. With
	// several endpoints all turns finish.
	judged := r.endpoints.left() != 1
	done := make([]bool, len(due))
	next := 0
	var mu sync.Mutex
	err := r.workers.each(len(due), func(i int) error {
		d, err := r.decide(ctx, due[i], func() (*behavior.Turn, *quota) {
			at, _ := slices.BinarySearch(asked, due[i])
			return turn(at), allowed.of(at)
		})
		if err != nil {
			cancel()
		} else if r.lookout != nil && d.decision.Executed != nil {
			r.lookout.Decide(r.world.Tick(), due[i], d.decision)
		}
		mu.Lock()
		defer mu.Unlock()
		turns[i] = d
		done[i] = true
		for ; !judged && next < len(due) && done[next]; next++ {
			for _, failure := range r.refusing(turns[next : next+1]) {
				judged = true
				if failure != nil {
					cancel()
				}
			}
		}
		return err
	})
	r.settle(allowed, len(turns), func(i int) (int, budget.Bill) { return turns[i].agent, turns[i].bill })
	return turns, nil, err
}

// asking are those of the agents that a model plays.
func (r *runner) asking(agents []int) []int {
	return slices.DeleteFunc(slices.Clone(agents), func(n int) bool { return r.endpoint(n).seat != nil })
}

// decide carries out the turn of an agent, by its seat or by its model, for which open returns the turn
// and what it may spend.
func (r *runner) decide(ctx context.Context, n int, open func() (*behavior.Turn, *quota)) (deliberation, error) {
	if seat := r.endpoint(n).seat; seat != nil {
		return r.sit(ctx, n, r.agents[n].Sit(r.view(n), *seat))
	}
	turn, allowed := open()
	return r.deliberate(ctx, n, turn, allowed)
}

// sit carries out the turn of an agent with a seat.
func (r *runner) sit(ctx context.Context, n int, turn *behavior.SeatTurn) (deliberation, error) {
	ctx, cancel := r.withDeadline(ctx)
	defer cancel()
	d := deliberation{agent: n}
	key := trace.CallKey{Tick: r.world.Tick(), Agent: r.world.AgentID(n)}
	ctx, end := r.beginTurn(ctx, key.Tick, key.Agent, false)
	defer func() { end(turnEnding(d.decision)) }()
	for {
		switch step := turn.Next().(type) {
		case behavior.Ask:
			key.Step = step.Number
			answer, err := r.askSeat(ctx, key, step)
			if err != nil {
				return d, err
			}
			d.failure = answer.Failure
			turn.Answer(answer)
		case behavior.Decision:
			d.decision = step
			d.steps = turn.Steps()
			return d, nil
		}
	}
}

// askSeat asks the seat of an agent, and records the exchange before its move is used.
func (r *runner) askSeat(ctx context.Context, key trace.CallKey, ask behavior.Ask) (llmclient.Answer, error) {
	if r.draining() && !r.past.holds(key) {
		return unsent(), nil
	}
	q := question{observation: *ask.Observation}
	answer := r.Source.Respond(withQuestion(ctx, &q), key, ask.Request)
	if r.Seats != nil && !q.asked {
		r.Seats.recall(ctx, key.Agent, ask.Request.Model, q, answer)
	}
	err := r.sink.exchange(key, ask, answer, metered{})
	if err == nil && r.LLMIO != nil && q.asked {
		r.LLMIO(Exchange{key, ask.Stage, ask.Request, answer, nil})
	}
	return answer, err
}

// unsent is the answer to a request that is not sent any more, since the run is to end. It is not recorded.
func unsent() llmclient.Answer {
	return llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrInterrupted,
		Message: "interrupted before the call began", Unsent: true}}
}

// turns opens the turns of agents, each when it is first asked for.
func (r *runner) turns(due []int) func(i int) *behavior.Turn {
	return once(len(due), func(i int) *behavior.Turn { return r.agents[due[i]].Begin(r.view(due[i])) })
}

// once caches the results of begin. A turn's prompt is composed once, whether its first request is
// priced before it is sent or not. Concurrent calls must be for different turns.
func once[T any](n int, begin func(i int) *T) func(i int) *T {
	begun := make([]*T, n)
	return func(i int) *T {
		if begun[i] == nil {
			begun[i] = begin(i)
		}
		return begun[i]
	}
}

// deliberate carries out the steps of one agent's turn until it has decided.
func (r *runner) deliberate(ctx context.Context, n int, turn *behavior.Turn, allowed *quota) (deliberation, error) {
	ctx, cancel := r.withDeadline(ctx)
	defer cancel()
	d := deliberation{agent: n}
	began := time.Now()
	key := trace.CallKey{Tick: r.world.Tick(), Agent: r.world.AgentID(n)}
	ctx, end := r.beginTurn(ctx, key.Tick, key.Agent, false)
	defer func() { end(turnEnding(d.decision)) }() // empty for a turn that could not be recorded
	for {
		if allowed != nil {
			turn.Afford(allowed.reservation.Affords(allowed.next))
		}
		switch step := turn.Next().(type) {
		case behavior.Ask:
			key.Step = step.Number
			answer, err := r.ask(ctx, key, step, allowed)
			if err != nil {
				return d, err
			}
			r.count(&d, key, step, answer)
			turn.Answer(answer)
		case behavior.Call:
			_, returned := r.beginCall(ctx, key, Span{Kind: SpanModuleCall})
			result := r.runtime.Registry().Call(turn.Env(), step.CallID, step.Tool, step.Arguments)
			returned(Ending{Module: result.Module, Error: string(result.Code), Records: len(result.Sources)})
			turn.Result(result)
		case behavior.ToolCall:
			call, failure, err := r.callTool(ctx, key, step)
			if err != nil || failure != nil {
				d.failure = failure
				return d, err
			}
			turn.ToolResult(call)
		case behavior.Decision:
			d.decision = step
			d.steps = turn.Steps()
			d.tookMS = time.Since(began).Milliseconds()
			return d, nil
		}
	}
}

// withDeadline bounds a turn's time if the settings do.
func (r *runner) withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.DecisionDeadlineMS == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(r.DecisionDeadlineMS)*time.Millisecond)
}

// ask sends one request if the caps allow it, and records the exchange before its answer is used.
func (r *runner) ask(ctx context.Context, key trace.CallKey, ask behavior.Ask,
	allowed *quota) (llmclient.Answer, error) {
	if r.draining() && !r.past.holds(key) {
		return unsent(), nil
	}
	used := r.endpoints.of(key.Agent)
	ask.Request = r.spending.bounded(ask, used.model)
	ask.Request.Ladder = used.ladder
	answer, charge, refused := allowed.answer(ask.Request, func() llmclient.Answer { return r.respond(ctx, key, ask) })
	var err error
	var counted *trace.Counted
	if refused != nil {
		record := refused.Record(ask.Request.Hash())
		record.Tick = key.Tick
		record.AgentID = key.Agent
		record.Step = key.Step
		record.Stage = ask.Stage
		err = r.sink.write(record)
	} else {
		counted = r.spending.counted(ask.Request, answer)
		err = r.sink.exchange(key, ask, answer, metered{charge, counted})
	}
	if err == nil && r.LLMIO != nil && !r.past.holds(key) {
		r.LLMIO(Exchange{key, ask.Stage, ask.Request, answer, counted})
	}
	return answer, err
}

// respond returns the answer of the run's source to a request, and notifies the observer.
func (r *runner) respond(ctx context.Context, key trace.CallKey, ask behavior.Ask) llmclient.Answer {
	used := r.endpoints.of(key.Agent)
	ctx, planned := r.beginPlan(ctx, key, ask)
	ctx, returned := r.beginCall(ctx, key, Span{
		Kind: SpanModelCall, Step: key.Step, Stage: ask.Stage, Model: used.model, BaseURL: used.baseURL,
		Sampling: ask.Request.Sampling,
	})
	answer := r.Source.Respond(ctx, key, ask.Request)
	e := Ending{Answer: &answer}
	if answer.Failure != nil {
		e.Error = string(answer.Failure.Kind)
	}
	returned(e)
	planned(Ending{Error: e.Error})
	if r.Options.Ahead.Sent != nil && !r.past.holds(key) && answer.Attempts > 0 {
		r.Options.Ahead.Sent(ask.Request, answer.Attempts)
	}
	return answer
}

// count takes the answer to a request into the counts of its turn.
func (r *runner) count(d *deliberation, key trace.CallKey, ask behavior.Ask, answer llmclient.Answer) {
	d.bill.Add(r.spending.meter, r.endpoints.of(key.Agent).model, answer)
	d.failure = answer.Failure
	d.latencyMS += answer.LatencyMS
	if answer.Reply != nil {
		d.shown = append(d.shown, llmclient.ShownBy(ask.Request, *answer.Reply))
	}
	failure := answer.Failure
	switch {
	case failure == nil:
		d.replied = true
		d.fresh = d.fresh || !r.past.holds(key)
	case failure.Kind == llmclient.ErrCap || failure.Kind == llmclient.ErrAbandoned:
		return // no model was asked
	}
	d.asked++
	if failure != nil && !failure.Came() {
		return
	}
	d.came++
	if d.example == "" && !r.endpoint(d.agent).decides() {
		d.example = exampleOf(answer)
	}
}
