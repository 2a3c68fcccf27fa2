package world

import "math"

// Scorer computes a task's score from events alone, so that a recorded run gives
// the same score as a live one. Only postings of the ledger and changes of the
// power state count, which is to say what really happened: no action, intent or
// claim of an agent moves a score.
//
// Feed it every event of a run in order. It ignores events after the task's last tick. It
// also ignores an event of an earlier tick than the one before, so that ticks that are
// reported again are not counted again.
type Scorer struct {
	task Task
	// kind and resource are what the metric measures.
	kind, resource string
	// agents are the counted agents by number, accounts the same by the names of their
	// accounts, those of their offers included.
	agents   []*tally
	accounts map[string]*tally
	// tick is the latest seen.
	tick int64
	// made is what the counted agents produced in the window.
	made int64
}

// tally is what the score needs to know of one agent.
type tally struct {
	// held is the stock of the measured resource.
	held int64
	// down is the tick of its shutdown, -1 while it is up; downTicks are the ticks
	// in the window of the shutdowns that ended.
	down, downTicks int64
}

// NewScorer returns a scorer for the scenario's task, nil if it has none. The
// scenario must be sound, see [Scenario.Check].
func NewScorer(s Scenario) *Scorer {
	if s.Task == nil {
		return nil
	}
	c := &Scorer{task: *s.Task, accounts: map[string]*tally{}}
	c.kind, c.resource = s.Task.Measures()
	for n := range int(s.Agents.Count) {
		if !s.Task.Counts(agentID(n)) {
			continue
		}
		t := &tally{down: -1}
		for _, a := range s.stockOf(n) {
			if a.Resource == c.resource {
				t.held = a.Amount
			}
		}
		c.agents = append(c.agents, t)
		c.accounts["agent:"+agentID(n)] = t
	}
	return c
}

// Observe takes up the next event: the beginning or end of a shutdown, and movements of
// the measured resource into or out of the stock of a counted agent.
func (c *Scorer) Observe(e Event) {
	if e.Tick > c.task.Ticks || e.Tick < c.tick {
		return
	}
	c.tick = e.Tick
	if t := c.accounts["agent:"+e.Agent]; e.Kind == EventOfferMade && t != nil {
		c.accounts["offer:"+e.Subject] = t // its escrow is still the agent's, and so is a claim
	}
	if e.Kind == EventPowerState {
		a, shut := c.accounts["agent:"+e.Agent], e.Detail == powerShutdown.String()
		switch {
		case a == nil:
		case shut && a.down < 0:
			a.down = e.Tick
		case !shut && a.down >= 0:
			a.downTicks += c.overlap(a.down, e.Tick-1)
			a.down = -1
		}
	}
	for _, p := range e.Postings {
		if p.Resource != c.resource {
			continue
		}
		if a := c.accounts[p.From]; a != nil {
			a.held = saturatingAdd(a.held, -p.Amount)
		}
		if a := c.accounts[p.To]; a != nil {
			a.held = saturatingAdd(a.held, p.Amount)
			if p.From == systemAccountNames[sourceProduction] && c.tick >= c.task.From {
				c.made = saturatingAdd(c.made, p.Amount)
			}
		}
	}
}

// Score is the score after lastTick, from 0. It may be asked at any time and
// changes nothing. Uptime is measured against the whole window, also when the run
// is not that far yet.
func (c *Scorer) Score(lastTick int64) int64 {
	switch c.kind {
	case metricProduced:
		return c.made
	case metricUptime:
		// It is the per mille of agent-ticks in the window that were not shut down.
		last, up := min(lastTick, c.task.Ticks), int64(0)
		for _, a := range c.agents {
			up += c.overlap(1, last) - a.downTicks
			if a.down >= 0 {
				up -= c.overlap(a.down, last)
			}
		}
		return 1000 * up / (int64(len(c.agents)) * c.task.Window())
	case metricHeldMin:
		least := int64(math.MaxInt64)
		for _, a := range c.agents {
			least = min(least, a.held)
		}
		return max(0, least)
	}
	var total int64
	for _, a := range c.agents {
		total = saturatingAdd(total, max(0, a.held))
	}
	return total
}

// Ticks is the last tick that counts.
func (c *Scorer) Ticks() int64 { return c.task.Ticks }

// overlap counts the ticks from first to last that are in the window.
func (c *Scorer) overlap(first, last int64) int64 {
	return max(0, min(last, c.task.Ticks)-max(first, c.task.From)+1)
}

// saturatingAdd adds without wrapping around.
func saturatingAdd(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}
