package world

import "iter"

// Overview is the whole world between ticks, for people. Agents never get one: it holds what no
// view shows. Lists are in the order of the world's records, which never changes.
type Overview struct {
	Tick   int64           `json:"tick"`
	Agents []AgentOverview `json:"agents"`
	// Places are those where an agent is or was.
	Places    []PlaceOverview   `json:"places"`
	Factories []FactoryOverview `json:"factories"`
	// Messages are those on their way, typed ones included.
	Messages []MessageOverview `json:"messages"`
	// Offers are the open ones, Requests those that their sender believes to be open.
	Offers   []Terms `json:"offers"`
	Requests []Terms `json:"requests"`
	// Orders are those in the books.
	Orders []OrderOverview `json:"orders"`
}

// AgentOverview is an agent as an observer sees it.
type AgentOverview struct {
	Self
	// Journey is the one under way; nil at a place.
	Journey *Journey `json:"journey,omitempty"`
	// WaitUntil is the tick in which a wait ends, 0 without one.
	WaitUntil int64 `json:"wait_until,omitempty"`
	// Repeats is the action of the standing order, empty without one; Left counts its attempts
	// to come.
	Repeats string `json:"repeats,omitempty"`
	Left    int64  `json:"left,omitempty"`
	// Inbox counts the messages kept.
	Inbox int `json:"inbox,omitempty"`
}

// Journey is the way of an agent between two places, with the ticks of departure and arrival.
type Journey struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Departed int64  `json:"departed"`
	Arrives  int64  `json:"arrives"`
}

// PlaceOverview is what is left at a place, in grams.
type PlaceOverview struct {
	ID        string `json:"id"`
	CompoundG int64  `json:"compound_g"`
}

// FactoryOverview is a factory with its owner, and what only a visitor knows of a plant.
type FactoryOverview struct {
	Factory
	Owner string `json:"owner"`
}

// MessageOverview is a message on its way. Kind is empty for a text, else that of its terms.
type MessageOverview struct {
	ID   string `json:"id"`
	Kind string `json:"kind,omitempty"`
	From string `json:"from"`
	To   string `json:"to"`
	// Sent and Due are ticks; a traveller gets it on arrival.
	Sent int64 `json:"sent"`
	Due  int64 `json:"due"`
	// Text is what the sender wrote: data.
	Text string `json:"text,omitempty"`
}

// OrderOverview is an order in a book.
type OrderOverview struct {
	ID      string `json:"id"`
	Agent   string `json:"agent"`
	Place   string `json:"place"`
	Side    string `json:"side"`
	Price   int64  `json:"price"`
	Amount  int64  `json:"amount"`
	Expires int64  `json:"expires"`
}

// Places goes through all places, hidden ones included, in the order of their numbers, each with
// its radiation. Neither ever changes.
func (w *World) Places() iter.Seq2[Place, int64] {
	return func(yield func(Place, int64) bool) {
		for i, p := range w.geo.places {
			if !yield(p, w.geo.radiation[i]) {
				return
			}
		}
	}
}

// Overview describes the present state. It writes nothing, and costs time in proportion to the
// agents and the places that were ever visited.
func (w *World) Overview() Overview {
	o := Overview{
		Tick: w.tick, Agents: make([]AgentOverview, len(w.agents)), Places: []PlaceOverview{}, Factories: []FactoryOverview{},
		Messages: []MessageOverview{}, Offers: []Terms{}, Requests: []Terms{}, Orders: []OrderOverview{},
	}
	for n := range w.agents {
		a := &w.agents[n]
		of := AgentOverview{Self: w.Self(n), WaitUntil: a.waitUntil, Inbox: len(a.mail.inbox)}
		if a.travelling() {
			of.Journey = &Journey{w.placeID(a.from), w.placeID(a.to), a.departedAt, a.arriveAt}
		}
		if a.standing != nil {
			of.Repeats, of.Left = a.standing.order.Do.ActionName(), a.standing.left
		}
		o.Agents[n] = of
		for _, l := range a.mail.coming {
			o.Messages = append(o.Messages, MessageOverview{
				ID: w.letterID(l), Kind: l.kind(), From: w.sender(l), To: a.id, Sent: l.sentAt, Due: l.dueAt, Text: l.text,
			})
		}
		for _, k := range a.mail.sent {
			if k.open(w.tick) {
				o.Requests = append(o.Requests, w.show(k))
			}
		}
	}
	visited := w.visited.appendBoth(nil, w.visited) // a set and itself have all in common
	for _, p := range visited {
		o.Places = append(o.Places, PlaceOverview{w.geo.places[p].ID, w.reserveOf(int32(p))})
	}
	for k := range w.factories {
		f := &w.factories[k]
		of := FactoryOverview{w.describe(f), w.agents[f.owner].id}
		if now := w.outputOf(f); w.isPlant(f) {
			of.Wear, of.Stored = now.wear, now.stored
		}
		o.Factories = append(o.Factories, of)
	}
	for k := range w.offers {
		if held := &w.offers[k]; held.open {
			o.Offers = append(o.Offers, w.show(known{held.terms, 1}))
		}
	}
	for k := range w.orders {
		if r := &w.orders[k]; r.open() {
			o.Orders = append(o.Orders, OrderOverview{r.id, w.agents[r.owner].id, w.placeID(r.place), r.side(), r.price,
				r.remaining, r.expiresAt})
		}
	}
	return o
}

// Space is the extent of the world.
func (w *World) Space() Space { return w.scenario.Space }
