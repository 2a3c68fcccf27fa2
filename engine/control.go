package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Controls is how an operator intervenes in a run under way: it takes what is asked for at any
// time and hands it to the run between two ticks. One belongs to one run. It may be used by
// several goroutines.
type Controls struct {
	mu sync.Mutex
	// requests are the last ones, oldest first, those that wait last.
	requests []ControlRequest
	waiting  int
	asked    int64
	// paused says that the run waits between ticks; tick is the one before which it is, or
	// that it plays.
	paused, ended bool
	tick          int64
	caps          trace.Caps
	// wake has a value when something is asked for.
	wake chan struct{}
}

// The bounds of requests: those that wait, and those that are remembered.
const (
	controlsWaitingMax = 64
	controlsKeptMax    = 200
)

// ControlRequest is a request of an operator and how it ended.
type ControlRequest struct {
	// Number counts the requests of the run from 1.
	Number int64
	// Control has the tick before which it was taken, 0 as long as it waits.
	Control trace.Control
	// Refused says why it was not taken, empty if it was or waits.
	Refused string
}

// ControlStatus is where a run is for its operator.
type ControlStatus struct {
	// Tick is the tick before which the run waits, or that it plays; 0 before the first.
	Tick int64
	// Caps are those that hold.
	Caps trace.Caps
	// Paused says that it waits before the tick, Ended that it plays none any more.
	Paused, Ended bool
	// Requests are the last ones, oldest first.
	Requests []ControlRequest
}

// ErrControl marks what cannot be asked of a run.
var ErrControl = errors.New("the run takes no such thing")

// NewControls returns the controls of a run that is about to begin, for [Options].
func NewControls() *Controls { return &Controls{wake: make(chan struct{}, 1)} }

// Ask asks for a control, whose tick and timing are set when it is taken: between two ticks,
// before anything of the next one. It returns the number of the request. The error wraps
// [ErrControl].
func (c *Controls) Ask(asked trace.Control) (int64, error) {
	if err := asked.Check(); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrControl, err)
	}
	if asked.Kind == trace.ControlMessage {
		if err := world.CheckTold(asked.Text); err != nil {
			return 0, fmt.Errorf("%w: %w", ErrControl, err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended:
		return 0, fmt.Errorf("%w: it has ended", ErrControl)
	case c.waiting == controlsWaitingMax:
		return 0, fmt.Errorf("%w: %d requests wait for the next tick; allowed: that many", ErrControl, c.waiting)
	}
	asked.Tick, asked.Timing = 0, nil
	c.asked++
	c.waiting++
	c.requests = append(c.requests, ControlRequest{Number: c.asked, Control: asked})
	if most := controlsKeptMax; len(c.requests) > most {
		c.requests = slices.Delete(c.requests, 0, len(c.requests)-most)
	}
	select {
	case c.wake <- struct{}{}:
	default: // it is awake already
	}
	return c.asked, nil
}

// Status returns where the run is.
func (c *Controls) Status() ControlStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	return ControlStatus{Tick: c.tick, Caps: c.caps, Paused: c.paused && !c.ended, Ended: c.ended,
		Requests: slices.Clone(c.requests)}
}

// next returns the first request that waits before a tick, and notes the caps there. Without any,
// paused says whether the run is to wait.
func (c *Controls) next(tick int64, caps trace.Caps) (asked trace.Control, some, paused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick, c.caps = tick, caps
	if c.waiting == 0 {
		return trace.Control{}, false, c.paused
	}
	return c.requests[len(c.requests)-c.waiting].Control, true, c.paused
}

// taken says how the first request that waits ended.
func (c *Controls) taken(done trace.Control, refused error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.requests[len(c.requests)-c.waiting]
	c.waiting--
	r.Control = done
	if refused != nil {
		r.Refused = refused.Error()
		return
	}
	switch done.Kind {
	case trace.ControlPause, trace.ControlStep:
		c.paused = true
	case trace.ControlResume:
		c.paused = false
	}
}

// end refuses everything that waits, and all that follows.
func (c *Controls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.requests) - c.waiting; i < len(c.requests); i++ {
		c.requests[i].Refused = "the run ended before it"
	}
	c.waiting, c.ended = 0, true
}

// takeControls takes what an operator asks for before a tick, and waits while the run is paused:
// until it may continue or is interrupted. In ticks that are derived again no one is asked, nor in
// one of which answers are recorded, which were given without.
func (r *runner) takeControls(ctx context.Context, tick int64) error {
	if r.Controls == nil || tick <= r.past.derived || len(r.past.answered) > 0 && tick == r.past.derived+1 {
		return nil
	}
	defer r.showPaused(false)
	for !r.interrupted(ctx) {
		asked, some, paused := r.Controls.next(tick, r.Caps)
		switch {
		case some:
			asked.Tick = tick
			refused := r.checkControl(asked)
			if refused == nil {
				record := asked
				record.Timing = &trace.ControlTiming{TakenAt: time.Now().UTC().Format(time.RFC3339)}
				if err := r.sink.write(record); err != nil {
					return err
				}
				if err := r.takeControl(asked); err != nil {
					panic("engine: a control that was checked cannot be taken: " + err.Error())
				}
			}
			r.Controls.taken(asked, refused)
			if refused == nil && asked.Kind == trace.ControlStep {
				return nil
			}
		case !paused:
			return nil
		default:
			r.showPaused(true)
			r.await(ctx)
		}
	}
	return nil
}

// await waits until something is asked for or the run is interrupted.
func (r *runner) await(ctx context.Context) {
	var drained <-chan struct{}
	if r.Drain != nil {
		drained = r.Drain.Done()
	}
	select {
	case <-r.Controls.wake:
	case <-drained:
	case <-ctx.Done():
	}
}

// showPaused shows whether the run waits, where that changed.
func (r *runner) showPaused(paused bool) {
	if r.reached.Paused == paused {
		return
	}
	r.reached.Paused = paused
	r.holdLookout(paused)
	if r.Progress != nil {
		r.Progress(r.reached.Progress)
	}
}

// checkControl says why a control cannot be taken now.
func (r *runner) checkControl(c trace.Control) error {
	if _, known := r.world.AgentNumber(c.AgentID); c.AgentID != "" && !known {
		return fmt.Errorf("there is no agent %q", c.AgentID)
	}
	switch c.Kind {
	case trace.ControlCaps:
		s := r.Settings
		s.Caps = *c.Caps
		return s.Validate()
	case trace.ControlSwitch:
		return r.checkSwitch(c.Switch())
	case trace.ControlMessage:
		if !r.runtime.ReadsTexts() {
			return errors.New("the agents of this run read no messages: the lean protocol has no plan where there is " +
				"one agent and no document")
		}
	}
	return nil
}

// checkSwitch reports texts of a switch that leave an agent no room in the context window.
func (r *runner) checkSwitch(s trace.Switch) error {
	for n := range r.agents {
		if s.AgentID != "" && s.AgentID != r.world.AgentID(n) {
			continue
		}
		if err := r.agent(n).FitsAfter(func(m *behavior.Agent) { applySwitch(m, s) }); err != nil {
			return err
		}
	}
	return nil
}

// takeControl puts a control into force. The error says that it is none that this run can take,
// which was found before one was recorded; a record may say anything.
func (r *runner) takeControl(c trace.Control) error {
	r.changed()
	if err := c.Check(); err != nil {
		return err
	}
	switch c.Kind {
	case trace.ControlSwitch:
		r.switchPrompts(c.Switch())
	case trace.ControlCaps:
		r.spending, r.Caps = r.spending.under(*c.Caps), *c.Caps
	case trace.ControlMessage:
		return r.world.Tell(c.AgentID, c.Text)
	}
	return nil
}
