package world

import (
	"fmt"
	"slices"
)

// World is the whole state of a run. Its invariants:
//
//  1. Only Advance, Apply, SetRules and Tell write; everything else may be called concurrently
//     with itself, but not with them. Digest keeps a cache and counts as a write.
//  2. Per resource, the balances of the ledger sum to zero.
//  3. An agent is able to act unless it travels, waits or is shut down, and is
//     then in the set of able agents; with a standing order it also continues.
//  4. The calendar holds a wake-up for every journey, wait, working factory,
//     coming change of a power state and agent with open orders or offers, and no other.
//  5. Same scenario, seed and intents give the same events and digests.
type World struct {
	scenario Scenario
	seed     uint64
	tick     int64
	// law and geo are made by New; SetRules replaces the law as a whole.
	law *law
	geo *geography

	// ledger holds every quantity except heat.
	ledger ledger
	// agents, sites and factories are the stored records by number; numbers finds
	// an agent's by its id. Factories are only ever added.
	agents    []agent
	numbers   map[string]int32
	sites     []site
	factories []factory
	// orders and offers are records owned by one agent each. A closed one is used again.
	orders   []restingOrder
	offers   []heldOffer
	calendar calendar
	// goals are each agent's, in scenario order; counting says that some count events.
	goals    [][]pursuit
	counting bool

	// able are the agents that can act, ordered those with a standing order. Advance sets due and
	// continuing for the tick, and Apply fills acted.
	able, ordered, acted bitset
	// summoned are the due and the continuing agents of the tick.
	summoned bitset
	// visited are the places where an agent is or was.
	visited         bitset
	due, continuing []int

	// events of the Advance or Apply under way.
	events []Event
	// told counts the messages of the operator since the last Advance.
	told int32
	// facts and senses are what the rules look at for the agent that acts. They are fields so that a
	// ruling allocates nothing.
	facts  facts
	senses liveSenses
	// parents are those of the turn under way.
	parents []string
	// turnKeys and turnList are reused from tick to tick.
	turnKeys []turnKey
	turnList []turn
	digest   digester
	// quoted says that a place has published a quote. Without one, views look for none.
	quoted bool
}

// New makes the world of a scenario and a seed, at tick 0. The error names the field of the scenario that
// is inconsistent. The world keeps copies of what it needs of the scenario.
func New(s Scenario, seed uint64) (*World, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.ID, err)
	}
	s = s.Instance(seed)
	n := int(s.Agents.Count)
	w := &World{
		scenario: s, seed: seed, law: newLaw(s.Industry()), geo: newGeography(s, seed),
		numbers: make(map[string]int32, n), goals: s.pursuits(),
		able: newBitset(n), ordered: newBitset(n), acted: newBitset(n), summoned: newBitset(n),
	}
	w.ledger.resources = len(w.law.Resources)
	for _, list := range w.goals {
		w.counting = w.counting || slices.ContainsFunc(list, func(p pursuit) bool { return p.metric.counts != nil })
	}
	for _, name := range systemAccountNames {
		w.ledger.open(name)
	}
	// Places and agents are filled from genesis. What happens before the first tick makes
	// no events: it follows from the scenario.
	w.sites = make([]site, len(w.geo.places))
	w.visited = newBitset(len(w.sites))
	w.ledger.names = slices.Grow(w.ledger.names, len(w.sites))
	w.ledger.balances = slices.Grow(w.ledger.balances, len(w.sites)*w.ledger.resources)
	for i := range w.sites {
		p := &w.geo.places[i]
		w.sites[i].account = w.ledger.open("site:" + p.ID)
		if p.CompoundG > 0 {
			w.ledger.move(sourceGenesis, w.sites[i].account, compound, p.CompoundG)
		}
	}
	for i := range n {
		a := agent{id: agentID(i), from: noPlace, to: noPlace, place: s.spawnOf(i)}
		a.account = w.ledger.open(accountOf(a.id))
		for _, start := range s.stockOf(i) {
			r, _ := w.law.resource(start.Resource)
			w.postAny(nil, sourceGenesis, a.account, r, start.Amount)
		}
		a.announced = w.law.stateOf(w.ledger.of(a.account, electricity), false)
		w.agents = append(w.agents, a)
		w.numbers[a.id] = int32(i)
		w.enter(a.place, int32(i))
		w.refreshAble(int32(i))
	}
	for i := range w.agents {
		w.planPower(int32(i))
		w.reviewGoals(int32(i))
	}
	w.events = nil
	return w, nil
}

// emit adds an event of the present tick.
func (w *World) emit(e Event) {
	e.Tick = w.tick
	w.events = append(w.events, e)
	if w.counting {
		w.countGoals(&e)
	}
}

// post moves an amount and marks the sources and sinks that changed. The accounts of
// agents, places and factories are part of those records; the caller that posts to them
// touches the records.
func (w *World) post(from, to account, r resource, n int64) Posting {
	for _, a := range [2]account{from, to} {
		if a < systemAccounts {
			w.digest.dirty[recordSystem].add(int32(a))
		}
	}
	w.ledger.move(from, to, r, n)
	return Posting{From: w.ledger.names[from], To: w.ledger.names[to], Resource: w.law.Resources[r], Amount: n}
}

// postAny appends a posting unless the amount is zero.
func (w *World) postAny(list []Posting, from, to account, r resource, n int64) []Posting {
	if n == 0 {
		return list
	}
	return append(list, w.post(from, to, r, n))
}

// placeID is the id of a place, empty for a traveller's.
func (w *World) placeID(p int32) string {
	if p == noPlace {
		return ""
	}
	return w.geo.places[p].ID
}

// Tick is the number of ticks elapsed, 0 before the first Advance.
func (w *World) Tick() int64 { return w.tick }

// Agents is the number of agents; they are numbered from 0.
func (w *World) Agents() int { return len(w.agents) }

// AgentID is the id of agent n.
func (w *World) AgentID(n int) string { return w.agents[n].id }

// PlaceOf is the id of the place where agent n is, empty while it travels.
func (w *World) PlaceOf(n int) string { return w.placeID(w.agents[n].place) }

// Sees reports whether agent n sees a place from where it is, its own included; a traveller sees none.
func (w *World) Sees(n int, place string) bool {
	here := w.agents[n].place
	if here == noPlace {
		return false
	}
	seen := w.placeID(here) == place
	w.geo.eachVisible(here, func(k near) { seen = seen || w.placeID(k.place) == place })
	return seen
}

// AgentNumber finds an agent by id.
func (w *World) AgentNumber(id string) (int, bool) {
	n, ok := w.numbers[id]
	return int(n), ok
}

// Due lists the agents that must decide in this tick, sorted. It is fixed by
// Advance and does not change when they act.
func (w *World) Due() []int { return slices.Clone(w.due) }

// Continuing lists the agents whose standing order continues in this tick, sorted.
func (w *World) Continuing() []int { return slices.Clone(w.continuing) }

// LastOutcome is the outcome of the last action of agent n; false before it.
func (w *World) LastOutcome(n int) (Outcome, bool) {
	return w.agents[n].last.clone(), w.agents[n].last.Tick > 0
}

// Documents lists copies of the scenario's documents, in the order of the file.
func (w *World) Documents() []Document { return slices.Clone(w.scenario.Documents) }

// Persona is the character agent n plays; empty if the scenario has none.
func (w *World) Persona(n int) Persona { return w.scenario.personaOf(n) }
