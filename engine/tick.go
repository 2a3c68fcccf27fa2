package engine

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// stop is why a run ends before its last tick.
type stop struct {
	status trace.RunStatus
	reason string
	// applied says that the tick was finished; otherwise it was abandoned and
	// nothing of it reached the world.
	applied bool
	failure *llmclient.Failure
	// unused is the kind of most answers of an endpoint without a usable one.
	unused string
}

// deliberated is the result of one agent's deliberation.
type deliberated struct {
	agent    int
	decision behavior.Decision
	steps    []trace.Step
	bill     budget.Bill
	failure  *llmclient.Failure
	// tookMS is how long the turn took here, latencyMS what its answers took when they were given:
	// longer if they are recorded ones.
	tookMS, latencyMS int64
	// asked counts the calls for which a model was asked; came counts those with a reply
	// or a substitute for it. replied says that there was a reply, and fresh that this
	// process got it. example is the first answer while the endpoint decides nothing.
	asked, came    int64
	replied, fresh bool
	example        string
	// shown is what the answers show of the tool choices.
	shown []llmclient.Shown
}

// tick runs one tick. A nil stop means that the run continues.
func (r *runner) tick(ctx context.Context) (*stop, error) {
	if r.interrupted(ctx) {
		return interrupted(), nil
	}
	tick := r.reached.Tick + 1
	if err := r.takeChanges(tick); err != nil {
		return nil, err
	}
	if err := r.takeControls(ctx, tick); err != nil {
		return nil, err
	}
	if r.interrupted(ctx) { // while it was paused
		return interrupted(), nil
	}
	ctx, end := r.begin(ctx, Span{Kind: SpanTick, Tick: tick})
	defer end(Ending{})
	events := r.world.Advance()
	r.witness(events)
	due, continuing := r.active(r.world.Due()), r.active(r.world.Continuing())
	turns, stopped, err := r.deliberateAll(ctx, due)
	if err != nil || stopped != nil {
		return stopped, err
	}
	if s := r.abandoned(ctx, turns); s != nil {
		return s, nil
	}
	for _, n := range continuing {
		d, steps := r.agent(n).Continue(r.view(n))
		turns = append(turns, deliberated{agent: n, decision: d, steps: steps})
	}

	// The world settles the order of what was decided. A decision whose action it refused
	// gives way to the alternative that was tried in its place.
	intents := make([]world.Intent, len(turns))
	for i, t := range turns {
		intents[i] = t.decision.Intent(t.agent)
	}
	applied := r.world.Apply(intents)
	r.witness(applied)
	events = append(events, applied...)
	outcomes := make([]world.Outcome, len(turns))
	for i, t := range turns {
		o, ok := r.world.LastOutcome(t.agent)
		if !ok {
			panic("engine: an applied action has no outcome")
		}
		outcomes[i] = o
		if len(t.decision.Otherwise) > 0 {
			turns[i].decision = t.decision.Tried(o.RefusedBefore)
		}
	}
	r.remember(tick, turns, outcomes)
	backs, err := r.reflections(ctx, tick, turns)
	if err != nil {
		return nil, err
	}
	// A failure of the provider in a reflection costs the lesson alone.
	for _, b := range backs {
		if s := missed(b.failure); s != nil {
			return s, nil
		}
	}
	if len(backs) > 0 && r.interrupted(ctx) {
		return interrupted(), nil
	}
	r.consolidate(ctx, tick, backs)

	r.climb(turns, backs)
	records, down := r.giveUp(tick, turns)
	for i, t := range turns {
		for _, s := range t.steps {
			records = append(records, s)
		}
		record := t.decision.Record(outcomes[i])
		if t.asked > 0 {
			record.Tokens = &turns[i].bill.Usage
			record.Timing = &trace.DecisionTiming{DurationMS: max(t.tookMS, t.latencyMS)}
		}
		records = append(records, record)
	}
	for _, b := range backs {
		for _, s := range b.steps {
			records = append(records, s)
		}
	}
	for _, e := range events {
		records = append(records, trace.Event{Tick: tick, Event: e})
	}
	r.reached.Digest = r.world.Digest().String()
	records = append(records, trace.TickEnd{Tick: tick, Digest: r.reached.Digest, Due: len(due),
		Continued: len(continuing), WorldTime: tick})
	if err := r.sink.write(records...); err != nil {
		return nil, err
	}
	if tick >= r.past.derived { // of what is derived again only the last tick may end the run, by a cap
		r.noteWorld()
	}
	r.report(turns, outcomes, len(continuing))
	return down, nil
}

// takeChanges puts the prompt switches of a tick into force, and what is recorded or planned of
// changes by resumes and operators, in the order of the trace.
func (r *runner) takeChanges(tick int64) error {
	for len(r.plan.switches) > 0 && r.plan.switches[0].Tick <= tick {
		s := r.plan.switches[0]
		r.plan.switches = r.plan.switches[1:]
		r.switchPrompts(s)
		if err := r.sink.write(s); err != nil {
			return err
		}
	}
	r.spending.budget.BeginTick()
	if r.plan.changes == nil {
		return nil
	}
	for _, c := range r.plan.changes(tick) {
		if err := r.takeChange(c); err != nil {
			return err
		}
	}
	return nil
}

// takeChange records a change and puts it into force.
func (r *runner) takeChange(c state.Change) error {
	if c.Control != nil {
		if err := r.takeControl(*c.Control); err != nil {
			return fmt.Errorf("the control recorded in tick %d: %w", c.Control.Tick, err)
		}
		return r.sink.write(*c.Control)
	}
	if err := r.sink.write(*c.Resumed); err != nil {
		return err
	}
	r.spending, r.Caps = r.spending.under(c.Resumed.Caps), c.Resumed.Caps
	if c.Resumed.AskAgain {
		r.endpoints.askAgain()
	}
	return nil
}

// switchPrompts applies a switch to the agents it is for.
func (r *runner) switchPrompts(s trace.Switch) {
	for n := range r.agents {
		if s.AgentID == "" || s.AgentID == r.world.AgentID(n) {
			applySwitch(r.agent(n), s)
		}
	}
}

func applySwitch(m *behavior.Agent, s trace.Switch) {
	if s.SystemPrompt != nil {
		m.SetSystemPrompt(*s.SystemPrompt)
	}
	var short, long string
	if s.ShortTermGoal != nil {
		short = *s.ShortTermGoal
	}
	if s.LongTermGoal != nil {
		long = *s.LongTermGoal
	}
	m.SetGoals(short, long)
}

// deliberateAll lets all due agents decide on the same state of the world, at most
// Concurrency at a time. A failure that ends the run ends the other turns early, as soon
// as no later result can change that. The budget of all turns is reserved before any of
// them begins; if it is too little for all of them, the run stops here. The error is a
// failure to record.
func (r *runner) deliberateAll(ctx context.Context, due []int) ([]deliberated, *stop, error) {
	turns := make([]deliberated, len(due))
	for _, n := range due {
		r.agent(n)
	}
	turn := r.turns(due)
	allowed := r.allowDecisions(due, turn)
	if why := budget.Exhausted(allowed.reservations(), r.deciding()); why != nil {
		return nil, &stop{status: trace.RunBudgetReached, reason: why.String()}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	done, next := make([]bool, len(due)), 0
	// With other endpoints left the turns under way are let finish: which of them were
	// would depend on arrival.
	decided := r.endpoints.left() != 1
	err := r.workers.each(len(due), func(i int) error {
		d, err := r.deliberate(ctx, due[i], turn(i), allowed.of(i))
		if err != nil {
			cancel()
		}
		mu.Lock()
		defer mu.Unlock()
		turns[i], done[i] = d, true
		for ; !decided && next < len(due) && done[next]; next++ {
			for _, f := range r.refusing(turns[next : next+1]) {
				decided = true
				if f != nil {
					cancel()
				}
			}
		}
		return err
	})
	r.settle(allowed, len(turns), func(i int) (int, budget.Bill) { return turns[i].agent, turns[i].bill })
	return turns, nil, err
}

// withDeadline bounds a turn's time, where there is a bound.
func (r *runner) withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.DecisionDeadlineMS == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(r.DecisionDeadlineMS)*time.Millisecond)
}

// deliberate carries out the steps of one agent's turn until it has decided.
func (r *runner) deliberate(ctx context.Context, n int, turn *behavior.Turn, allowed *quota) (deliberated, error) {
	ctx, cancel := r.withDeadline(ctx)
	defer cancel()
	d, began := deliberated{agent: n}, time.Now()
	key := trace.CallKey{Tick: r.world.Tick(), Agent: r.world.AgentID(n)}
	ctx, end := r.beginTurn(ctx, key.Tick, key.Agent, false)
	defer func() {
		// A turn that could not be recorded has decided nothing.
		e := Ending{Error: string(d.decision.WaitReason)}
		if d.decision.Executed != nil {
			e.Action = d.decision.Executed.ActionName()
		}
		end(e)
	}()
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
			d.bill.Add(r.spending.meter, r.endpoints.of(key.Agent).model, answer)
			d.failure = answer.Failure
			d.latencyMS += answer.LatencyMS
			if answer.Reply != nil {
				d.shown = append(d.shown, llmclient.ShownBy(step.Request, *answer.Reply))
			}
			if f := answer.Failure; f == nil || f.Kind != llmclient.ErrCap && f.Kind != llmclient.ErrAbandoned {
				d.asked++
				if f == nil {
					d.replied, d.fresh = true, d.fresh || !r.past.holds(key)
				}
				if f == nil || f.Came() {
					d.came++
					if d.example == "" && !r.endpoint(n).decides() {
						d.example = exampleOf(answer)
					}
				}
			}
			turn.Answer(answer)
		case behavior.Call:
			_, returned := r.beginCall(ctx, key, Span{Kind: SpanModuleCall})
			result := r.runtime.Registry().Call(turn.Env(), step.CallID, step.Tool, step.Arguments)
			returned(Ending{Module: result.Module, Error: string(result.Code), Records: len(result.Sources)})
			turn.Result(result)
		case behavior.Decision:
			d.decision = step
			d.steps = turn.Steps()
			d.tookMS = time.Since(began).Milliseconds()
			return d, nil
		}
	}
}

// ask sends one request, if the caps allow it, and records the exchange before the answer
// is used.
func (r *runner) ask(ctx context.Context, key trace.CallKey, ask behavior.Ask, allowed *quota) (llmclient.Answer,
	error) {
	if r.draining() && !r.past.holds(key) {
		// No call was made, so there is none to record.
		return llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrInterrupted,
			Message: "interrupted before the call began", Unsent: true}}, nil
	}
	used := r.endpoints.of(key.Agent)
	ask.Request = r.spending.bounded(ask, used.model)
	ask.Request.Ladder = used.ladder
	answer, charge, refused := allowed.answer(ask.Request, func() llmclient.Answer {
		planning, planned := r.beginPlan(ctx, key, ask)
		called, end := r.beginCall(planning, key, Span{
			Kind: SpanModelCall, Step: key.Step, Stage: ask.Stage, Model: used.model, BaseURL: used.baseURL,
			Sampling: ask.Request.Sampling,
		})
		answer := r.Source.Respond(called, key, ask.Request)
		e := Ending{Answer: &answer}
		if answer.Failure != nil {
			e.Error = string(answer.Failure.Kind)
		}
		end(e)
		planned(Ending{Error: e.Error})
		return answer
	})
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

// abandoned tells whether the tick has to be given up: the run was interrupted, or the
// provider refused in a way that no later call can fix, and no agent with another
// provider is left.
func (r *runner) abandoned(ctx context.Context, turns []deliberated) *stop {
	for _, t := range turns {
		if s := missed(t.failure); s != nil {
			return s
		}
	}
	refusing, again := r.refusing(turns), false
	maps.DeleteFunc(refusing, func(p *endpoint, f *llmclient.Failure) bool {
		again = again || f != nil && p.answered
		return f == nil
	})
	if again || len(refusing) > 0 && len(refusing) == r.endpoints.left() {
		for _, t := range turns {
			if f := refusing[r.endpoint(t.agent)]; f != nil {
				return &stop{status: trace.RunProviderFailed, reason: f.Text(), failure: f}
			}
		}
	}
	if r.interrupted(ctx) {
		return interrupted()
	}
	return nil
}

// missed ends a run whose recording has no answer to a request, or cannot be read.
func missed(f *llmclient.Failure) *stop {
	switch {
	case f == nil:
		return nil
	case f.Kind == llmclient.ErrNotRecorded:
		return &stop{status: trace.RunReplayDiffers, reason: f.Message, failure: f}
	case f.Kind == llmclient.ErrRecordingDamaged:
		return &stop{status: trace.RunRecordingDamaged, reason: f.Message, failure: f}
	}
	return nil
}

func interrupted() *stop {
	return &stop{status: trace.RunInterrupted, reason: "the run was asked to stop"}
}

// report updates the running counts and shows them.
func (r *runner) report(turns []deliberated, outcomes []world.Outcome, continued int) {
	p := &r.reached.Progress
	p.Tick = r.world.Tick()
	p.Continued += int64(continued)
	p.Decisions += int64(len(turns) - continued)
	for i, t := range turns {
		p.ModelCalls += t.bill.Calls
		p.spend(t.bill)
		if t.failure != nil && t.failure.Kind != llmclient.ErrCap {
			p.Errors++
		}
		if t.decision.WaitReason != "" {
			p.Degraded++
		}
		if !outcomes[i].Accepted {
			p.Rejected++
		}
	}
	spent := r.spending.budget.Spent()
	p.Charged, p.Cap = trace.Limit{Calls: spent[budget.Calls], Tokens: spent[budget.Tokens],
		Cost: price.Money(spent[budget.Cost])}, r.Caps.Run
	if r.Progress != nil {
		r.Progress(*p)
	}
}
