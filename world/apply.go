package world

import (
	"cmp"
	"fmt"
	"slices"
)

// Intent is what one agent does in a tick. A due agent may do anything. A
// continuing agent repeats the inner action of its order; the caller clamps its amounts
// again if necessary, Apply never does. Any other action ends the order and is carried out instead.
type Intent struct {
	// Agent is the agent's number.
	Agent  int
	Action Action
	// Otherwise are alternatives, tried in order within the agent's turn, as long as the
	// world refuses Action and those before: it may have changed since the agent looked. A
	// refused attempt costs nothing and is an event; the outcome is that of the last one
	// tried. If Action is a new order that is refused, the order does not begin. None of the
	// alternatives may be an [ExecuteUntil], and an agent with an order under way has none.
	Otherwise []Action
	// Parents are the agents whose texts or terms the decision may rest on. The world stamps
	// them onto what the intent sends or posts, see [Terms.Parents]; an order that continues
	// keeps those it began with.
	Parents []string
}

// Apply carries out the intents of a tick in the order drawn for it and returns
// what happened. It never changes an amount. An intent of an agent that is
// neither due nor continuing, or a second one in the same tick, is a bug of the
// caller and panics. Agents without an intent do nothing.
func (w *World) Apply(intents []Intent) []Event {
	if len(intents) > 0 {
		// Most actions make one event, those that use electricity a second one.
		w.events = slices.Grow(w.events, 2*len(intents))
	}
	turns := w.turns(intents)
	for i := range turns {
		w.act(&turns[i])
	}
	w.parents = nil
	clear(turns) // they hold what callers gave
	return w.finish()
}

// turn is an intent under way and, for a new order, its start. turns returns them by rank.
type turn struct {
	agent int32
	// action is as submitted, do what is judged and carried out.
	action, do Action
	order      *standing
	otherwise  []Action
	parents    []string
}

// turns checks the intents and puts them in the tick's order. It panics on an intent that the caller
// must not make. A rank depends on the seed, the tick and the agent alone, so the order of the given
// intents does not matter. New orders note what they need to remember before any agent acts.
func (w *World) turns(intents []Intent) []turn {
	keys, turns := w.turnKeys[:0], w.turnList[:0]
	isOrder := func(a Action) bool { _, order := a.(ExecuteUntil); return order }
	for i, in := range intents {
		n := int32(in.Agent)
		switch {
		case n < 0 || int(n) >= len(w.agents) || !w.summoned.has(n):
			panic(fmt.Sprintf("world: intent of agent %d, which is neither due nor continuing in tick %d", n, w.tick))
		case w.acted.has(n):
			panic(fmt.Sprintf("world: second intent of agent %d in tick %d", n, w.tick))
		case in.Action == nil || slices.Contains(in.Otherwise, nil):
			panic(fmt.Sprintf("world: intent of agent %d has no action", n))
		case len(in.Otherwise) == 0:
		case w.agents[n].standing != nil || slices.ContainsFunc(in.Otherwise, isOrder):
			// An order remembers what it began with.
			panic(fmt.Sprintf("world: intent of agent %d has alternatives and a standing order", n))
		}
		w.acted.set(n, true)
		keys = append(keys, turnKey{mix(w.seed, w.tick, uint64(n), purposeOrder), n, int32(i)})
	}
	slices.SortFunc(keys, func(a, b turnKey) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.agent, b.agent))
	})
	for _, k := range keys {
		action := intents[k.intent].Action
		t := turn{agent: k.agent, action: action, do: action, otherwise: intents[k.intent].Otherwise}
		t.parents = Parents(w.agents[k.agent].id, intents[k.intent].Parents...)
		if order, ok := action.(ExecuteUntil); ok && order.problem() == nil {
			t.do, t.order = order.Do, w.newStanding(k.agent, order)
			t.order.parents = t.parents
		}
		turns = append(turns, t)
	}
	w.turnKeys, w.turnList = keys, turns
	return turns
}

// turnKey is what turns are sorted by, and which intent it is.
type turnKey struct {
	rank          uint64
	agent, intent int32
}

// act rules on one turn and carries it out. The rules see the world as the earlier turns of the tick left
// it. The outcome tells the agent what the event tells the trace.
func (w *World) act(t *turn) {
	a := &w.agents[t.agent]
	// An action of the present order is an attempt of it, and any other action ends the order. This
	// precedes the ruling: a refused first attempt still begins an order, which the next Advance ends
	// with that refusal as its reason.
	if a.standing != nil && a.standing.order.Do.ActionName() != t.action.ActionName() {
		w.endOrder(t.agent, StopReplaced)
	}
	if a.standing == nil {
		a.decidedAt = w.tick
	}
	if t.order != nil && t.order.order.beyond() == nil {
		a.standing = t.order
		// The agent does not know yet of a fill by an agent that acted earlier in this tick.
		a.standing.filled = a.filledAt == w.tick
		w.ordered.set(t.agent, true)
	}
	w.parents = t.parents
	if a.standing != nil {
		a.standing.left--
		w.parents = a.standing.parents
	}
	r, refused := w.rule(t), 0
	for r.rejection != nil && len(t.otherwise) > 0 {
		w.emit(w.attempted(t, r))
		if t.order != nil {
			// The refused order does not begin.
			a.standing, t.order = nil, nil
			w.ordered.set(t.agent, false)
		}
		t.action = t.otherwise[0]
		t.do = t.otherwise[0]
		t.otherwise = t.otherwise[1:]
		r = w.rule(t)
		refused++
	}
	e := w.attempted(t, r)
	created := ""
	if r.accepted() {
		e.Kind = EventActionApplied
		done := t.do.carryOut(w, t.agent, r)
		e.Postings = done.postings
		e.Subject = done.subject
		e.Answers = done.answers
		created = done.made
	}
	w.emit(e)
	a.woken, a.ended = "", OrderEnded{}
	a.last = Outcome{
		Tick: w.tick, Action: cloneAction(t.action), Accepted: r.accepted(),
		Changes: r.changes, Created: created, Rejection: r.rejection, RefusedBefore: refused,
	}
	w.touchAgent(t.agent)
	// The agent collects what its holdings keep for it where it acted. A fill that it could
	// not know of when it decided keeps it from falling asleep.
	if !a.travelling() && len(a.orders)+len(a.offers)+len(a.factories) > 0 {
		w.collect(t.agent)
	}
	if a.filledAt == w.tick && !a.standing.ignores(StopOrderFilled) {
		w.wake(t.agent, a.filledWhy)
	}
	w.refreshAble(t.agent)
}

// rule is the ruling on what a turn does now. A refusal becomes contended if the same action would have
// been accepted at the start of the tick: others were quicker. To find out, the same rules get the facts
// of that start.
func (w *World) rule(t *turn) ruling {
	w.facts, w.senses = w.factsOf(t.agent), liveSenses{w, t.agent, false}
	r := w.facts.rule(t.action, &w.senses)
	if r.rejection == nil {
		return r
	}
	// In a tick, others can change five things that matter for a ruling: the compound at the actor's
	// place, its charge, its orders, its offers, and the book with the offers of others. The senses
	// restore the last one.
	w.facts, w.senses = w.factsOf(t.agent), liveSenses{w, t.agent, true}
	f, a := &w.facts, &w.agents[t.agent]
	if a.openingAt == w.tick {
		f.stock[electricity] = a.openingElectricity
	}
	if s := &w.sites[a.place]; s.takenAt == w.tick {
		f.reserveG += s.takenG
	}
	for _, k := range a.orders {
		if o := &w.orders[k]; o.filledAt == w.tick {
			f.orders = append(f.orders, PowerOrder{ID: o.id, Place: w.placeID(o.place), Side: o.side(), Price: o.price,
				Amount: PowerLot})
		}
	}
	for _, k := range a.offers {
		if o := &w.offers[k]; o.closedAt == w.tick {
			f.offers = append(f.offers, w.show(known{o.terms, 1}))
		}
	}
	if f.rule(t.action, &w.senses).accepted() {
		renamed := r.rejection.clone()
		renamed.Code = RejectContended
		r.rejection = &renamed
	}
	return r
}

// attempted is the event of a refused turn. The event of an accepted turn is made from it.
func (w *World) attempted(t *turn, r ruling) Event {
	a := &w.agents[t.agent]
	e := Event{Kind: EventActionRejected, Agent: a.id, Place: w.placeID(a.place), Action: t.action}
	if r.rejection != nil {
		// The event goes out to callers; the record must not share it.
		e.Rejection = new(r.rejection.clone())
	}
	return e
}

// factsOf describes agent n to the rules from the live world.
// Views hold the result, so nothing in it may point into a record.
func (w *World) factsOf(n int32) facts {
	a := &w.agents[n]
	f := facts{
		law: w.law, self: a.id, place: w.placeID(a.place), shut: a.shut, travelling: a.travelling(),
		stock: w.stockOf(a), heat: w.heatOf(a), typed: w.scenario.Terms,
	}
	for _, until := range a.mail.outbox {
		if until > w.tick {
			f.inFlight++
		}
	}
	if !a.travelling() {
		f.radiation = w.geo.radiation[a.place]
		f.reserveG = w.reserveOf(a.place)
	}
	for _, k := range a.orders {
		o := &w.orders[k]
		if w.free(o) {
			continue
		}
		p := PowerOrder{ID: o.id, Place: w.placeID(o.place), Side: o.side(), Price: o.price}
		if w.at(n, o.place) {
			p.Amount, p.Claim = o.remaining, w.claim(o)
			if o.open() {
				p.ExpiresIn = o.expiresAt - w.tick
			}
		}
		f.orders = append(f.orders, p)
	}
	for _, k := range a.offers {
		o := &w.offers[k]
		held := w.ledger.stock(o.account)
		if held == (stock{}) {
			continue
		}
		t := w.show(known{o.terms, 1})
		if w.at(n, o.place) && !o.open {
			t.ExpiresIn, t.Claim = 0, held[electricity]
		}
		f.offers = append(f.offers, t)
	}
	for _, k := range a.mail.sent {
		if k.open(w.tick) {
			f.requests = append(f.requests, w.show(k))
		}
	}
	for _, k := range a.factories {
		own := &w.factories[k]
		facts := factoryFacts{
			id: own.id, kind: own.kind, here: own.place == a.place, queued: own.queued(),
			wear: w.outputOf(own).wear, wearBatches: w.batchesToWear(own),
		}
		if !own.ready {
			facts.readyIn = own.stepAt - w.tick
		}
		f.factories = append(f.factories, facts)
	}
	return f
}

// liveSenses answer the rules from the live world, or from how it was when the
// tick began.
type liveSenses struct {
	w *World
	// n is the actor.
	n int32
	// opening asks for the start of the tick.
	opening bool
}

// route implements senses. It tells a hidden place from an absent one, which the
// rules need to know and must not let show.
func (s *liveSenses) route(id string) route {
	return s.w.geo.route(s.w.agents[s.n].place, id)
}

// contact implements senses with the true room in the receiver's battery. Seen
// from the start of the tick, an agent that left since is still here.
func (s *liveSenses) contact(id string) contact {
	n, ok := s.w.numbers[id]
	if !ok {
		return contact{presence: presenceElsewhere}
	}
	other := &s.w.agents[n]
	place, charge := other.place, s.w.electricityOf(other)
	if s.opening && other.travelling() && other.departedAt == s.w.tick {
		place = other.from
	}
	if s.opening && other.openingAt == s.w.tick {
		charge = other.openingElectricity
	}
	if place != s.w.agents[s.n].place {
		return contact{presence: presenceElsewhere}
	}
	return contact{presenceHere, s.w.law.PowerCapacity - charge}
}
