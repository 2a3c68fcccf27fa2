package engine

import (
	"context"

	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Batch is a stretch of one agent's decisions in a finished run, short enough to be
// reflected at in one turn.
type Batch struct {
	Experience *reflect.Experience
	// Tick is the last tick.
	Tick int64
	// Goals are how far the agent had got then.
	Goals []reflect.Goal
}

// collector gathers the batches of a run while it is derived again.
type collector struct {
	experiences []*reflect.Experience // by agent
	done        [][]Batch
}

// cut closes the batch of agent n, unless nothing can be learned from it yet.
func (c *collector) cut(w *world.World, n int) {
	e := c.experiences[n]
	if e.Len() == 0 || e.Idle() {
		return
	}
	e.Hold(w.Stock(n))
	c.done[n] = append(c.done[n], Batch{Tick: w.Tick(), Goals: goalsOf(w, w.AgentID(n)), Experience: e.Cut()})
}

// Collect derives the finished run in dir again and returns what its agents
// decided, in the order of agents and then of ticks, and the language of its prompts. It opens no
// connection. The error is a failure to read the run, [ErrVersionDrift], or an interruption.
func Collect(ctx context.Context, dir string, o ReplayOptions) (all []Batch, language string, err error) {
	of := run.Dir(dir).As(o.Reading)
	recorded, err := readRun(of, o.AllowVersionDrift)
	if err != nil {
		return nil, "", err
	}
	r, answers, err := derive(of, recorded, Options{})
	if err != nil {
		return nil, "", err
	}
	defer answers.Close()
	agents := r.world.Agents()
	c := &collector{experiences: experiencesOf(r.world, recorded.Header.RunName()), done: make([][]Batch, agents)}
	r.learning.collected = c
	if _, err := r.ticks(ctx); err != nil {
		return nil, "", err
	}
	if ctx.Err() != nil {
		return nil, "", context.Cause(ctx)
	}
	if err := answers.failure(); err != nil {
		return nil, "", err
	}
	if got := r.reached.Digest; got != recorded.Digest {
		return nil, "", &trace.DifferenceError{Tick: recorded.Tick,
			What: "the digest is " + got + ", recorded " + recorded.Digest}
	}
	for n := range agents {
		c.cut(r.world, n)
		all = append(all, c.done[n]...)
	}
	return all, r.Language, nil
}
