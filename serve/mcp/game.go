package mcp

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// game is a run that was started here.
type game struct {
	id    string
	ticks int64
	tick  atomic.Int64
	// leave ends it in good order, once drain ends with it. over is closed when it has ended, with result and err.
	leave  context.CancelFunc
	drain  context.Context
	over   chan struct{}
	result session.Result
	err    error
	// heard is who is told of waits and the like, nil for nobody.
	heard session.Listener
}

// Notice implements [session.Listener].
func (g *game) Notice(n access.Notice) {
	if g.heard != nil {
		g.heard.Notice(n)
	}
}

// Progress implements [session.Listener].
func (g *game) Progress(p engine.Progress) { g.tick.Store(p.Tick) }

// ended waits for the end of the run, some time at most.
func (g *game) ended(ctx context.Context, most time.Duration) {
	select {
	case <-g.over:
	case <-time.After(most):
	case <-ctx.Done():
	}
}

// start starts a run within the allowance, in which p, unless it is nil, plays an agent. The error says why there is
// none, and nothing is counted then.
func (s *spender) start(in startArguments, p *player) (*game, error) {
	of, _, embedded := scenario.Embedded(in.Scenario)
	if !embedded {
		return nil, refuse("there is no built-in scenario of that name; allowed: %s", offered(scenario.Names()))
	}
	if in.Ticks < 0 || in.Ticks > ticksMax {
		return nil, refuse("ticks %d is out of range; allowed: 1 to %d", in.Ticks, ticksMax)
	}
	wanted, err := money(in.Cost)
	if err != nil {
		return nil, err
	}
	c, live, err := s.ledger.of.Run(of.ID)
	if err != nil {
		return nil, err
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	part, err := s.ledger.take(wanted, live)
	if err != nil {
		s.exit()
		return nil, err
	}
	g := &game{id: runID(of.ID, time.Now()), over: make(chan struct{}), heard: c.Listener}
	prepared, err := s.prepare(g, c, in, part, p)
	if err != nil {
		part.undo()
		s.exit()
		return nil, err
	}
	go func() {
		defer s.exit()
		defer close(g.over)
		defer g.leave()
		g.result, g.err = prepared.Run(context.WithoutCancel(s.ctx)) // drain ends it
		g.err = errors.Join(g.err, prepared.Close())
		cost := price.FromMicros(g.result.Report.Cost.TotalMicros)
		if g.err != nil {
			cost = part.most // what it cost is not known for certain
		}
		part.end(cost)
	}()
	return g, nil
}

// enter begins a run or a question, if there is a place for it.
func (s *spender) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
		return refuse("the server is about to end")
	case s.active >= activeMax:
		return refuse("%d runs and questions are under way; allowed: %d at a time", s.active, activeMax)
	}
	s.active++
	s.playing.Add(1)
	return nil
}

// exit ends it.
func (s *spender) exit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	s.playing.Done()
}

// prepare makes the session of a run and its directory.
func (s *spender) prepare(g *game, c session.Config, in startArguments, part *grant, p *player) (*session.Session,
	error) {
	g.drain, g.leave = context.WithCancel(s.ctx)
	c.Dir = s.place(g.id)
	c.Drain = g.drain
	c.Listener = g
	if in.Ticks > 0 {
		c.Ticks = in.Ticks
	}
	g.ticks = c.Ticks
	if in.Seed > 0 {
		c.Seed = in.Seed
		c.ScriptedSeed = in.Seed
		c.FaultSeed = in.Seed
	}
	if part.most > 0 && (c.Caps.Run.Cost == 0 || c.Caps.Run.Cost > part.most) {
		c.Caps.Run.Cost = part.most
	}
	if p != nil {
		p.sit(&c, g)
	}
	prepared, err := session.New(c)
	if err != nil {
		g.leave()
		return nil, err
	}
	if err := prepared.Create(); err != nil {
		g.leave()
		return nil, errors.Join(err, prepared.Close())
	}
	return prepared, nil
}

// standing says how a run stands.
func (s *spender) standing(g *game) played {
	p := played{Run: g.id, Status: "running", Tick: g.tick.Load(), Ticks: g.ticks}
	select {
	case <-g.over:
		p.Status = string(g.result.Status)
		if g.result.Report.Task != nil && g.result.Report.Task.Complete {
			p.Score = &g.result.Report.Task.Score
		}
		if g.err != nil {
			p.Status = string(trace.RunInternalError)
			problem := by(unknownAuthor, errorLine(g.err.Error()))
			p.Problem = &problem
		}
	default:
	}
	p.CostLeft = s.ledger.left()
	return p
}
