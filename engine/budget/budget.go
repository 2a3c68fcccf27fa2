package budget

import (
	"maps"

	"example.com/agentworld/trace"
)

// Budget is what a run has spent and may still spend. Open, Close and BeginTick are
// called one at a time; between Open and Close, Call may be called concurrently.
//
// Invariants:
//  1. The shares of open reservations, together with what was spent, are within every cap.
//  2. Same caps, needs and answers give the same shares and refusals.
type Budget struct {
	caps trace.Caps
	// run and tick are spent over the run and the tick, agents by agent id.
	run, tick Amount
	agents    map[string]Amount
	seen      reach
}

// New returns the budget of a run that has spent nothing.
func New(caps trace.Caps) *Budget {
	return &Budget{caps: caps, agents: map[string]Amount{}, seen: reach{inputMilli: reserveMilli, costMilli: milli}}
}

// Under returns a budget with other caps and the same spending: what is already spent
// counts against the new caps. b does not change.
func (b *Budget) Under(caps trace.Caps) *Budget {
	next := *b
	next.caps, next.agents = caps, maps.Clone(b.agents)
	return &next
}

// Count charges what a turn of the tick spent without a reservation.
func (b *Budget) Count(agent string, spent Amount) {
	b.run, b.tick = b.run.Plus(spent), b.tick.Plus(spent)
	b.agents[agent] = b.agents[agent].Plus(spent)
}

// Spent is what the run has spent.
func (b *Budget) Spent() Amount { return b.run }

// BeginTick starts a tick, in which nothing is spent yet.
func (b *Budget) BeginTick() { b.tick = Amount{} }

// Need is a turn that wants to begin.
type Need struct {
	// Agent is the agent's id.
	Agent string
	// Least is what its shortest path needs; see [Call.Path].
	Least Amount
}

// Open reserves a share for each turn, by the rule in the package comment. The turns are
// in agent order. Every turn gets a reservation; the reservation of a refused turn is
// closed.
func (b *Budget) Open(needs []Need) []*Reservation {
	run, tick := b.run.Leaves(b.caps.Run), b.tick.Leaves(b.caps.Tick)
	reservations := make([]*Reservation, len(needs))
	admitted := 0
	for i, n := range needs {
		p := &Reservation{agent: n.Agent, seen: b.seen}
		reservations[i] = p
		p.own = b.agents[n.Agent].Leaves(b.caps.Agent)
		p.refusal = b.short(n, run, p.own, tick)
		if p.refusal != nil {
			continue
		}
		admitted++
		p.share = n.Least
		run = run.minus(n.Least)
		p.own = p.own.minus(n.Least)
		tick = tick.minus(n.Least)
	}
	for _, p := range reservations {
		if p.refusal != nil {
			continue
		}
		more := p.extend(run, tick, int64(admitted), b.caps)
		run, tick = run.minus(more), tick.minus(more)
		admitted--
	}
	return reservations
}

// short says which cap leaves less than a turn needs, nil when none does.
func (b *Budget) short(n Need, run, own, tick Amount) *Refusal {
	for _, at := range []struct {
		scope       Scope
		limit       trace.Limit
		left, spent Amount
	}{{Run, b.caps.Run, run, b.run}, {Agent, b.caps.Agent, own, b.agents[n.Agent]}, {Tick, b.caps.Tick, tick, b.tick}} {
		for u := range Unit(units) {
			if at.left[u] < n.Least[u] {
				return &Refusal{Agent: n.Agent, Scope: at.scope, Unit: u, Cap: AmountOf(at.limit)[u], Left: at.left[u],
					Need: n.Least[u], Spent: at.spent[u]}
			}
		}
	}
	return nil
}

// Close takes back what the reservations did not spend. They are in the order of Open.
func (b *Budget) Close(reservations []*Reservation) {
	for _, p := range reservations {
		b.Count(p.agent, p.spent)
		b.seen = b.seen.most(p.seen)
	}
}

// Smallest returns the refusal with the least need among those with the scope and unit of
// why. All reservations must be refused.
func Smallest(reservations []*Reservation, why *Refusal) *Refusal {
	for _, p := range reservations {
		if r := p.refusal; r.Scope == why.Scope && r.Unit == why.Unit && r.Need < why.Need {
			why = r
		}
	}
	return why
}

// Exhausted says why no turn can begin any more, and is nil while the run can continue.
// It needs the reservations of all turns of a tick, and agents, the number that can still
// take turns. The run is exhausted if every reservation was refused. The one exception:
// all were refused by the agents' own caps, and other agents have something left.
func Exhausted(reservations []*Reservation, agents int) *Refusal {
	var why *Refusal
	for _, p := range reservations {
		if p.refusal == nil {
			return nil
		}
		if p.refusal.Scope != Agent && (why == nil || why.Scope == Agent) || why == nil {
			why = p.refusal
		}
	}
	if why != nil && why.Scope == Agent && len(reservations) < agents {
		return nil
	}
	return why
}
