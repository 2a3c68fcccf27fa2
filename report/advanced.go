package report

import (
	"cmp"
	"errors"
	"fmt"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Advanced is how a run that ended before its time would have ended if nobody had acted from there on.
type Advanced struct {
	// First tick in which nobody acted.
	FromTick int64 `json:"from_tick"`
	// Last tick of the task, or of the run where that was to be longer.
	ToTick int64 `json:"to_tick"`
	// Score of the task after that tick; 0 without a task.
	Score int64 `json:"score"`
	// Goals met by then, counted once per agent and goal.
	GoalsMet int64 `json:"goals_met"`
	// What ended the run, one line for people.
	Why string `json:"why"`
}

// Text says for people what kind of score it is.
func (a Advanced) Text() string { return fmt.Sprintf("advanced from tick %d, %s", a.FromTick, a.Why) }

// score is the score that counts; known is false without one.
func (r Report) score() (score int64, known bool) {
	switch {
	case r.Task == nil:
		return 0, false
	case r.Task.Complete:
		return r.Task.Score, true
	case r.Advanced != nil:
		return r.Advanced.Score, true
	}
	return 0, false
}

// goalsMet are the goals that count as met.
func (r Report) goalsMet() int64 {
	if r.Advanced != nil {
		return r.Advanced.GoalsMet
	}
	return r.GoalsMet
}

// lastTick is the tick to whose end a run counts.
func (r *Report) lastTick() int64 {
	if r.Task == nil {
		return r.TicksRequested
	}
	return max(r.TicksRequested, r.Task.Ticks)
}

// Counts says that the run is as long as its task, or was advanced to the end of it.
func (r *Report) Counts() bool { return r.Advanced != nil || r.WorldTime >= r.lastTick() }

// endedBySelf says what ended a run before its time, if that was a cap of its own, its length or its model. It
// is empty for any other run: what an endpoint, a machine or a person ended says nothing about the player.
func (r *Report) endedBySelf() string {
	if r.WorldTime >= r.lastTick() {
		return ""
	}
	switch r.RunStatus {
	case trace.RunCompleted:
		return "the run had " + plaintext.Count(r.TicksRequested, "tick")
	case trace.RunBudgetReached, trace.RunNoUsableAnswers:
		return cmp.Or(r.RunReason, string(r.RunStatus))
	}
	return ""
}

// Advance plays the world of a run on as if nobody had acted after its last tick, if the run counts to a later
// one and ended by a cap of its own, by its length or without usable answers. t is its trace. A run that cannot
// be played again, since other rules held, is left as it is. The error is one of reading the trace.
func (r *Report) Advance(t Trace) error {
	why := r.endedBySelf()
	if why == "" {
		return nil
	}
	f, err := t.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	var idle *idling
	for record, err := range trace.NewReader(f).Records() {
		header, first := record.(trace.Header)
		switch {
		case err != nil:
			return err
		case idle == nil && first:
			idle, err = beginIdling(header)
		case idle != nil:
			err = idle.add(record)
		}
		if errors.Is(err, playback.ErrDiffers) {
			return nil
		}
	}
	if idle == nil || idle.World().Tick() != r.WorldTime {
		return nil
	}
	a := idle.until(r.lastTick())
	a.Why = why
	a.GoalsMet = max(a.GoalsMet, r.GoalsMet) // a fork may have changed what the goals are
	r.Advanced = &a
	return nil
}

// idling is a run that is played again, to go on without anybody who acts.
type idling struct {
	*playback.Playback
	// scorer is nil without a task.
	scorer *world.Scorer
	// happened are the events of the open tick.
	happened []world.Event
}

// beginIdling begins with the header of the run. The error wraps [playback.ErrDiffers].
func beginIdling(h trace.Header) (*idling, error) {
	p, err := playback.Begin(h)
	if err != nil {
		return nil, err
	}
	of, err := playback.Scenario(h.Settings)
	if err != nil {
		panic("report: a scenario was played that cannot be read: " + err.Error())
	}
	return &idling{Playback: p, scorer: world.NewScorer(of)}, nil
}

// add takes the next record of the run. The error wraps [playback.ErrDiffers].
func (i *idling) add(record trace.Record) error {
	switch r := record.(type) {
	case trace.Event:
		i.happened = append(i.happened, r.Event)
	case trace.Resume, trace.Header:
		i.happened = nil // a tick that was cut off is played again
	}
	whole, err := i.Playback.Add(record)
	if whole && err == nil {
		i.score(i.happened)
		i.happened = nil
	}
	return err
}

// score takes the events of a tick.
func (i *idling) score(events []world.Event) {
	for _, e := range events {
		if i.scorer != nil && e.Tick == i.World().Tick() {
			i.scorer.Observe(e)
		}
	}
}

// until lets time pass until the end of a tick, in which nobody acts.
func (i *idling) until(tick int64) Advanced {
	w := i.World()
	a := Advanced{FromTick: w.Tick() + 1, ToTick: tick}
	for w.Tick() < tick {
		events := w.Advance()
		i.score(append(events, w.Apply(nil)...))
	}
	if i.scorer != nil {
		a.Score = i.scorer.Score(tick)
	}
	for _, g := range w.Goals() {
		if g.MetAt >= 0 {
			a.GoalsMet++
		}
	}
	return a
}
