package ahead

import (
	"time"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Bounds are how long a run takes if its agents wait for each other otherwise, with the same latencies.
type Bounds struct {
	// Lockstep is the time if every tick waits for its slowest turn.
	Lockstep time.Duration
	// Sight is the time if an agent waits for all those that it sees, however late it sees what they do. The
	// rule of AI Metropolis (arXiv 2411.03519) waits for these and for all that could come into sight, so it
	// takes at least as long.
	Sight time.Duration
	// Oracle is the time if an agent waits for those alone whose decisions its next observation contains. It
	// is no lower bound: an agent may see another one without its request being changed by it.
	Oracle time.Duration
	// Own is the longest sum of the latencies of one agent, which is a lower bound.
	Own time.Duration
}

// chart is when the turns of a run could end.
type chart struct {
	own, lockstep   []time.Duration
	oracle, inSight course
}

// course is, by tick from 0 and agent, when what the agent did until then is decided.
type course [][]time.Duration

func newChart(w *world.World) *chart {
	n := w.Agents()
	begin := func() course { return course{make([]time.Duration, n)} }
	return &chart{own: make([]time.Duration, n), oracle: begin(), inSight: begin()}
}

// add adds the first tick of a shadow, whose turns are decided.
func (c *chart) add(s *shadow, latency func(trace.CallKey) time.Duration) {
	f := s.ticks[0]
	takes := make([]time.Duration, len(f.lives))
	around := make([][]neighbour, len(f.lives))
	slowest := time.Duration(0)
	for n, l := range f.lives {
		if l.turn == nil {
			continue
		}
		for _, id := range l.turn.answered {
			takes[n] += latency(id.CallKey)
		}
		if takes[n] > 0 {
			around[n] = s.around(f, n)
		}
		c.own[n] += takes[n]
		slowest = max(slowest, takes[n])
	}
	c.lockstep = append(c.lockstep, slowest)
	c.oracle = c.oracle.add(takes, around, func(other neighbour) int64 { return f.tick - 1 - other.since })
	c.inSight = c.inSight.add(takes, around, func(neighbour) int64 { return 0 })
}

// add adds a tick in which turns take so long, and wait for an agent that they see until it has decided the
// tick before, or so many ticks before that.
func (c course) add(takes []time.Duration, around [][]neighbour, late func(neighbour) int64) course {
	last := len(c) - 1
	next := make([]time.Duration, len(takes))
	for n := range takes {
		begins := c[last][n]
		for _, other := range around[n] {
			if tick := int64(last) - late(other); tick > 0 {
				begins = max(begins, c[tick][other.agent])
			}
		}
		next[n] = begins + takes[n]
	}
	return append(c, next)
}

// ends is when the last agent is done.
func (c course) ends() (last time.Duration) {
	for _, end := range c[len(c)-1] {
		last = max(last, end)
	}
	return last
}

func (c *chart) bounds() Bounds {
	b := Bounds{Sight: c.inSight.ends(), Oracle: c.oracle.ends(), Own: course{c.own}.ends()}
	for _, slowest := range c.lockstep {
		b.Lockstep += slowest
	}
	return b
}
