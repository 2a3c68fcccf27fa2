package engine

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"agentworld/behavior"
	"agentworld/llmclient"
	"agentworld/trace"
	"agentworld/world"
)

// stop is why a run ends before its last tick.
type stop struct {
	status trace.RunStatus
	reason string
	// applied says that the tick was finished; otherwise it was abandoned and
	// nothing of it reached the world.
	applied bool
	failure *llmclient.Failure
}

// failedTurnsMax is how many turns in a row may end without a model answer before
// the provider counts as down.
const failedTurnsMax = 10

// outcome is what one agent's deliberation came to.
type deliberated struct {
	agent    int
	decision behavior.Decision
	notes    []behavior.Note
	calls    int64
	usage    llmclient.Usage
	failure  *llmclient.Failure
}

// tick runs one tick. A nil stop means that the run goes on.
func (r *runner) tick(ctx context.Context) (*stop, error) {
	if ctx.Err() != nil {
		return interrupted(), nil
	}
	events := r.world.Advance()
	tick := r.world.Tick()
	if err := r.switchPrompts(tick); err != nil {
		return nil, err
	}
	r.unreached = !r.reached.answered.Load()
	due, continuing := r.world.Due(), r.world.Continuing()
	turns, err := r.deliberateAll(ctx, due)
	if err != nil {
		return nil, err
	}
	if s := r.abandoned(ctx, turns); s != nil {
		return s, nil
	}
	for _, n := range continuing {
		d, notes := r.mind(n).Continue(r.world.View(n))
		turns = append(turns, deliberated{agent: n, decision: d, notes: notes})
	}
	events = append(events, r.apply(turns)...)
	r.remember(tick, turns)
	backs, err := r.lookBack(ctx, tick, turns)
	if err != nil {
		return nil, err
	}
	if s := r.abandonedLookingBack(ctx, backs); s != nil {
		return s, nil
	}
	if err := r.record(tick, turns, backs, events, len(due), len(continuing)); err != nil {
		return nil, err
	}
	r.final = snapshotOf(r.world)
	r.report(turns, len(continuing))
	return r.providerDown(turns), nil
}

// switchPrompts puts the prompt switches of a tick into force.
func (r *runner) switchPrompts(tick int64) error {
	for len(r.switches) > 0 && r.switches[0].Tick <= tick {
		s := r.switches[0]
		r.switches = r.switches[1:]
		for n := range r.minds {
			if s.AgentID == "" || s.AgentID == r.world.AgentID(n) {
				applySwitch(r.mind(n), s)
			}
		}
		if err := r.journal.write(s); err != nil {
			return err
		}
	}
	return nil
}

func applySwitch(m *behavior.Mind, s trace.Switch) {
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

// deliberateAll lets all due agents decide on the same state of the world, at
// most Concurrency at a time. A failure that ends the run ends the other turns
// early. The error is a failure to record.
func (r *runner) deliberateAll(ctx context.Context, due []int) ([]deliberated, error) {
	turns := make([]deliberated, len(due))
	for _, n := range due {
		r.mind(n)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(r.Concurrency)
	for i, n := range due {
		group.Go(func() error {
			d, err := r.deliberate(ctx, n)
			turns[i] = d
			if err != nil || r.fatal(d.failure) {
				cancel()
			}
			return err
		})
	}
	return turns, group.Wait()
}

// deliberate carries out the steps of one agent's turn until it has decided.
func (r *runner) deliberate(ctx context.Context, n int) (deliberated, error) {
	if r.DecisionDeadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.DecisionDeadline)
		defer cancel()
	}
	view := r.world.View(n)
	turn := r.minds[n].Begin(view)
	d := deliberated{agent: n}
	key := CallKey{Tick: r.world.Tick(), Agent: view.AgentID()}
	for {
		switch step := turn.Next().(type) {
		case behavior.Ask:
			key.Step = step.Number
			answer, err := r.ask(ctx, key, step)
			if err != nil {
				return d, err
			}
			d.calls++
			if answer.Reply != nil {
				d.usage = d.usage.Add(answer.Reply.Usage)
			}
			d.failure = answer.Failure
			turn.Answer(answer)
		case behavior.Call:
			turn.Result(r.kit.Registry().Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
		case behavior.Decision:
			d.decision, d.notes = step, turn.Notes()
			return d, nil
		}
	}
}

// ask sends one request and records the exchange before anybody uses the answer.
func (r *runner) ask(ctx context.Context, key CallKey, ask behavior.Ask) (llmclient.Answer, error) {
	answer := r.Source.Respond(ctx, key, ask.Request)
	r.reached.note(answer)
	if err := r.journal.exchange(key, ask, answer); err != nil {
		return answer, err
	}
	if r.LLMIO != nil {
		r.journal.mu.Lock()
		defer r.journal.mu.Unlock()
		r.LLMIO(Exchange{key, string(ask.Stage), ask.Request, answer})
	}
	return answer, nil
}

// abandoned tells whether the tick has to be given up: the run was interrupted,
// or the provider refused in a way that no later call can mend.
func (r *runner) abandoned(ctx context.Context, turns []deliberated) *stop {
	for _, t := range turns {
		if s := r.missed(t.failure); s != nil {
			return s
		}
		if r.fatal(t.failure) {
			return &stop{status: trace.RunProviderFailed, reason: failureText(t.failure), failure: t.failure}
		}
	}
	if ctx.Err() != nil {
		return interrupted()
	}
	return nil
}

// abandonedLookingBack is abandoned for the turns that look back, in which a failure
// of the provider costs the lesson alone.
func (r *runner) abandonedLookingBack(ctx context.Context, backs []lookedBack) *stop {
	for _, b := range backs {
		if s := r.missed(b.failure); s != nil {
			return s
		}
	}
	if len(backs) > 0 && ctx.Err() != nil {
		return interrupted()
	}
	return nil
}

// missed ends a run whose recording has no answer to a request.
func (r *runner) missed(f *llmclient.Failure) *stop {
	if f == nil || !r.missEnds || f.Kind != llmclient.ErrNotRecorded {
		return nil
	}
	return &stop{status: trace.RunReplayDiffers, reason: f.Message, failure: f}
}

func interrupted() *stop {
	return &stop{status: trace.RunInterrupted, reason: "the run was asked to stop"}
}

func failureText(f *llmclient.Failure) string {
	text := string(f.Kind)
	if f.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", f.Status)
	}
	if f.Message != "" {
		text += ": " + f.Message
	}
	return text
}

// apply submits all decisions; the world settles their order.
func (r *runner) apply(turns []deliberated) []world.Event {
	intents := make([]world.Intent, len(turns))
	for i, t := range turns {
		intents[i] = world.Intent{Agent: t.agent, Action: t.decision.Executed}
	}
	return r.world.Apply(intents)
}

// record writes a finished tick and makes it durable.
func (r *runner) record(tick int64, turns []deliberated, backs []lookedBack, events []world.Event, due, continued int) error {
	var records []trace.Record
	for _, t := range turns {
		o, ok := r.world.LastOutcome(t.agent)
		if !ok {
			panic("engine: an applied action has no outcome")
		}
		records = append(records, stepRecords(tick, t.decision.AgentID, t.notes)...)
		records = append(records, decisionRecord(tick, t.decision, &o))
	}
	for _, b := range backs {
		records = append(records, stepRecords(tick, b.result.Agent, b.notes)...)
	}
	records = append(records, eventRecords(tick, events)...)
	r.progress.Digest = r.world.Digest().String()
	records = append(records, trace.TickEnd{Tick: tick, Digest: r.progress.Digest, Due: due, Continued: continued, WorldTime: tick})
	if err := r.journal.write(records...); err != nil {
		return err
	}
	return r.journal.end()
}

// report updates the running counts and shows them.
func (r *runner) report(turns []deliberated, continued int) {
	p := &r.progress
	p.Tick = r.world.Tick()
	p.Continued += int64(continued)
	p.Decisions += int64(len(turns) - continued)
	for _, t := range turns {
		p.ModelCalls += t.calls
		p.InputTokens += t.usage.Input
		p.OutTokens += t.usage.Output
		if t.failure != nil {
			p.Errors++
		}
		if t.decision.Wait != "" {
			p.Degraded++
		}
		if o, _ := r.world.LastOutcome(t.agent); !o.Accepted {
			p.Rejected++
		}
	}
	if r.Progress != nil {
		r.Progress(*p)
	}
}

// providerDown counts turns in a row that got no answer at all, in agent order,
// and ends the run when they are too many to be an accident.
func (r *runner) providerDown(turns []deliberated) *stop {
	for _, t := range turns {
		switch {
		case t.decision.By == behavior.ByStanding:
		case strings.HasPrefix(string(t.decision.Wait), behavior.WaitModelPrefix):
			r.failedTurns++
			r.lastFailure = t.failure.Kind
		default:
			r.failedTurns = 0
		}
		if r.failedTurns >= failedTurnsMax {
			reason := fmt.Sprintf("provider_down: %d turns in a row got no answer, the last with %s", r.failedTurns, failureText(t.failure))
			return &stop{status: trace.RunProviderFailed, reason: reason, applied: true, failure: t.failure}
		}
	}
	return nil
}
