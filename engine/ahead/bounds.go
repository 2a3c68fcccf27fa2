package ahead

import (
	"time"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Bounds are how long a run could take if its agents waited for others otherwise, with the same latencies.
type Bounds struct {
	// Lockstep is the time if every tick waits for its slowest turn.
	Lockstep time.Duration
	// Oracle is the time if an agent waits for those alone whose decisions its next observation contains. It
	// is no lower bound: an agent may see another one without anything in its request being changed by it.
	Oracle time.Duration
	// Own is the longest sum of the latencies of one agent. No agent can be faster than its own answers.
	Own time.Duration
}

// chart is when the turns of a run could begin and end.
type chart struct {
	agents []string
	own    []time.Duration
	// ends are, by tick and agent, when what the agent did until then is decided, if it waits as an oracle does.
	ends     [][]time.Duration
	lockstep time.Duration
}

func newChart(w *world.World) *chart {
	c := &chart{own: make([]time.Duration, w.Agents()), ends: [][]time.Duration{make([]time.Duration, w.Agents())}}
	for n := range w.Agents() {
		c.agents = append(c.agents, w.AgentID(n))
	}
	return c
}

// add adds a tick whose turns are decided.
func (c *chart) add(f *foreseen, latency func(trace.CallKey) time.Duration) {
	last := c.ends[len(c.ends)-1]
	next := make([]time.Duration, len(last))
	slowest := time.Duration(0)
	for n, l := range f.lives {
		begins, takes := last[n], time.Duration(0)
		if l.turn != nil && len(l.turn.answered) > 0 {
			for _, id := range l.turn.answered {
				takes += latency(id.CallKey)
			}
			for _, other := range l.turn.around {
				if tick := other.since - f.tick + int64(len(c.ends)); tick > 0 {
					begins = max(begins, c.ends[tick][other.agent])
				}
			}
		}
		next[n] = begins + takes
		c.own[n] += takes
		slowest = max(slowest, takes)
	}
	c.ends = append(c.ends, next)
	c.lockstep += slowest
}

func (c *chart) bounds() Bounds {
	b := Bounds{Lockstep: c.lockstep}
	for n := range c.own {
		b.Own = max(b.Own, c.own[n])
		b.Oracle = max(b.Oracle, c.ends[len(c.ends)-1][n])
	}
	return b
}
