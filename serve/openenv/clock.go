package openenv

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// clock bounds what one step of the client waits for: all that others answer, in however many ticks, until the
// client is asked again.
type clock struct {
	mu    sync.Mutex
	until time.Time
	// missed counts the answers that were not awaited.
	missed atomic.Int64
}

// begin begins a step.
func (c *clock) begin(most time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = time.Now().Add(most)
}

// within is ctx until the step must be answered.
func (c *clock) within(ctx context.Context) (context.Context, context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return context.WithDeadline(ctx, c.until)
}

// over counts an answer that did not come in time.
func (c *clock) over(limited context.Context) bool {
	late := errors.Is(limited.Err(), context.DeadlineExceeded)
	if late {
		c.missed.Add(1)
	}
	return late
}

// errDeadline is why a seat of others makes no move.
var errDeadline = errors.New("deadline: the client's step could not wait longer")

// clockedSource is a source of answers of models within the time of a step.
type clockedSource struct {
	engine.Source
	clock *clock
}

// Respond implements [engine.Source].
func (s clockedSource) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	limited, cancel := s.clock.within(ctx)
	defer cancel()
	if limited.Err() == nil {
		a := s.Source.Respond(limited, key, r)
		if a.Failure == nil {
			return a
		}
		if ctx.Err() != nil || limited.Err() == nil {
			return a
		}
	}
	if ctx.Err() == nil {
		s.clock.over(limited)
	}
	return llmclient.Failed(llmclient.ErrDeadline, errDeadline.Error())
}

// clocked is a seat of others whose moves are awaited as long as a step may take.
func clocked(s engine.Seat, c *clock) engine.Seat {
	player := s.New
	s.New = func(b engine.Brief) engine.Player {
		return &clockedPlayer{player: player(b), clock: c, busy: make(chan struct{}, 1)}
	}
	return s
}

// clockedPlayer is a player that is not awaited beyond the time of a step. Until it has returned, its agent
// makes no move.
type clockedPlayer struct {
	player engine.Player
	clock  *clock
	busy   chan struct{} // holds one while the player has not returned
}

// moved is what a player returned, or what it panicked with.
type moved struct {
	move  seat.Move
	err   error
	panic any
}

// Act implements [engine.Player].
func (p *clockedPlayer) Act(ctx context.Context, o seat.Observation) (seat.Move, error) {
	limited, cancel := p.clock.within(ctx)
	defer cancel()
	select {
	case p.busy <- struct{}{}:
	default:
		p.clock.missed.Add(1)
		return seat.Move{}, errDeadline
	}
	answered := make(chan moved, 1)
	go func() {
		var m moved
		defer func() {
			m.panic = recover()
			<-p.busy
			answered <- m
		}()
		m.move, m.err = p.player.Act(limited, o)
	}()
	select {
	case m := <-answered:
		if m.panic != nil {
			panic(m.panic)
		}
		return m.move, m.err
	case <-limited.Done():
	}
	if p.clock.over(limited) {
		return seat.Move{}, errDeadline
	}
	return seat.Move{}, limited.Err()
}
