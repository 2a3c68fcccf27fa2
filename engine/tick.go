package engine

import (
	"context"
	"maps"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// stop is why a run ends before its last tick.
type stop struct {
	status trace.RunStatus
	reason string
	// applied says that the tick was finished. Otherwise it was abandoned, and nothing of it reached
	// the world.
	applied bool
	failure *llmclient.Failure
	// unused is the kind of most answers of an endpoint without a usable one.
	unused string
}

// tick runs the next tick. A nil stop means that the run continues. If the tick cannot be finished, it
// is abandoned: only its exchanges are recorded, and a resume begins with it. The error is a failure
// to record.
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

	// Time passes. Then every due agent decides on the same state of the world.
	events := r.world.Advance()
	r.witness(events)
	due := r.active(r.world.Due())
	continuing := r.active(r.world.Continuing())
	began := time.Now()
	turns, stopped, err := r.deliberateAll(ctx, due)
	r.saved(turns, time.Since(began))
	if err != nil || stopped != nil {
		return stopped, err
	}
	if s := r.abandoned(ctx, turns); s != nil {
		return s, nil
	}
	for _, n := range continuing {
		d, steps := r.agent(n).Continue(r.view(n))
		turns = append(turns, deliberation{agent: n, decision: d, steps: steps})
	}

	// The decisions become actions, and the agents remember what came of them.
	applied, outcomes := r.apply(turns)
	events = append(events, applied...)
	r.remember(tick, turns, outcomes)
	reflections, err := r.reflections(ctx, tick, turns)
	if err != nil {
		return nil, err
	}
	// Any other failure of a reflection costs that lesson alone.
	for _, b := range reflections {
		if s := missed(b.failure); s != nil {
			return s, nil
		}
	}
	if len(reflections) > 0 && r.interrupted(ctx) {
		return interrupted(), nil
	}
	r.consolidate(ctx, tick, reflections)
	if len(reflections) > 0 {
		r.changed()
	}

	// The tick is finished: what the answers say about the endpoints holds from the next one on.
	r.climb(turns, reflections)
	records, down := r.giveUp(tick, turns)
	if len(records) > 0 {
		r.changed()
	}
	r.reached.Digest = r.world.Digest().String()
	records = append(records, recordsOf(tick, turns, outcomes, reflections, events)...)
	records = append(records, trace.TickEnd{Tick: tick, Digest: r.reached.Digest, Due: len(due),
		Continued: len(continuing), WorldTime: tick})
	if err := r.sink.write(records...); err != nil {
		return nil, err
	}
	if tick >= r.past.derived { // of the ticks derived again, only the last may end the run, by a cap
		r.noteWorld()
	}
	r.report(turns, outcomes, len(continuing))
	return down, nil
}

// apply carries out what the agents of turns decided, in the order that the world draws. It returns
// what happened, and the outcome of each turn. If the world refused an action, the decision becomes the
// alternative that was tried in its place.
func (r *runner) apply(turns []deliberation) ([]world.Event, []world.Outcome) {
	intents := make([]world.Intent, len(turns))
	for i, t := range turns {
		intents[i] = t.decision.Intent(t.agent)
	}
	events := r.world.Apply(intents)
	r.witness(events)
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
	return events, outcomes
}

// recordsOf lists the records of a tick but those of its exchanges, endpoints and end: steps and
// decision of each turn, steps of reflections, events.
func recordsOf(tick int64, turns []deliberation, outcomes []world.Outcome, reflections []reflected,
	events []world.Event) (records []trace.Record) {
	for i, t := range turns {
		for _, s := range t.steps {
			records = append(records, s)
		}
		decision := t.decision.Record(outcomes[i])
		if t.asked > 0 {
			decision.Tokens = &turns[i].bill.Usage
			decision.Timing = &trace.DecisionTiming{DurationMS: max(t.tookMS, t.latencyMS)}
		}
		records = append(records, decision)
	}
	for _, b := range reflections {
		for _, s := range b.steps {
			records = append(records, s)
		}
	}
	for _, e := range events {
		records = append(records, trace.Event{Tick: tick, Event: e})
	}
	return records
}

// abandoned returns why the tick must be given up, nil if it need not: a recording has no answer, every
// endpoint that is left refuses in a way that no later call can fix, or the run was interrupted.
func (r *runner) abandoned(ctx context.Context, turns []deliberation) *stop {
	for _, t := range turns {
		if s := missed(t.failure); s != nil {
			return s
		}
	}
	refusing := r.refusing(turns)
	again := false // an endpoint refuses that answered an earlier process
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

// missed returns the stop of a run whose recording has no answer to a request or cannot be read, nil
// for any other failure.
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

// interrupted returns the stop of a run that was asked to end.
func interrupted() *stop {
	return &stop{status: trace.RunInterrupted, reason: "the run was asked to stop"}
}
