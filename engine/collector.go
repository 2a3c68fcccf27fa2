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
	// Tick is the tick of the last decision.
	Tick int64
	// Goals are how far the agent had got then.
	Goals []reflect.Goal
}

// collector gathers the batches of a run while it is derived again.
type collector struct {
	run  string
	open []*Batch // by agent, nil between batches
	done [][]Batch
	last []*reflect.Experience // by agent, for the texts of other agents
}

// add adds a decision of agent n and closes its batch when it is full.
func (c *collector) add(w *world.World, n int, j reflect.Evaluated, retrieved []trace.Source) {
	if c.open[n] == nil {
		e := reflect.NewExperience(c.run, w.AgentID(n))
		if c.last[n] != nil {
			e = c.last[n].Next()
		}
		c.open[n], c.last[n] = &Batch{Experience: e}, e
	}
	b := c.open[n]
	b.Experience.Add(j, retrieved)
	b.Tick = j.Tick
	if b.Experience.Len() == reflect.DecisionsMax {
		c.close(w, n)
	}
}

func (c *collector) close(w *world.World, n int) {
	if b := c.open[n]; b != nil {
		b.Goals = goalsOf(w, w.AgentID(n))
		c.done[n] = append(c.done[n], *b)
		c.open[n] = nil
	}
}

// Collect derives the finished run in dir again and returns what its agents
// decided, in the order of agents and then of ticks. It opens no connection. The
// error is a failure to read the run, [ErrVersionDrift], or an interruption.
func Collect(ctx context.Context, dir string, o ReplayOptions) ([]Batch, error) {
	of := run.Dir(dir).As(o.Reading)
	recorded, err := readRun(of, o.AllowVersionDrift)
	if err != nil {
		return nil, err
	}
	r, answers, err := derive(of, recorded, Options{})
	if err != nil {
		return nil, err
	}
	defer answers.Close()
	agents := r.world.Agents()
	c := &collector{run: recorded.Header.RunName(), open: make([]*Batch, agents), done: make([][]Batch, agents),
		last: make([]*reflect.Experience, agents)}
	r.learning.collected = c
	if _, err := r.ticks(ctx); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := answers.failure(); err != nil {
		return nil, err
	}
	if got := r.reached.Digest; got != recorded.Digest {
		return nil, &trace.DifferenceError{Tick: recorded.Tick,
			What: "the digest is " + got + ", recorded " + recorded.Digest}
	}
	var all []Batch
	for n := range agents {
		c.close(r.world, n)
		all = append(all, c.done[n]...)
	}
	return all, nil
}
