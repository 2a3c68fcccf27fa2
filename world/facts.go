package world

import "slices"

// facts are all that the rules look at when they rule on an agent's action, besides
// what its senses say about a target. A view makes them from its copies, Apply
// from the live world; the rules cannot tell the difference, so a dry run and
// the real thing agree.
type facts struct {
	law *law
	// self is the agent's id, place that of its place, empty for a traveller.
	self, place string
	// shut and travelling say that the agent cannot act at all.
	shut, travelling bool
	// stock is settled at the present tick.
	stock stock
	// heat is settled too; it is no resource and has no account.
	heat int64
	// radiation and reserveG are about the agent's own place.
	radiation, reserveG int64
	// inFlight counts the own messages on their way, as far as the agent knows.
	inFlight int64
	// factories are the agent's own, in the order they were built.
	factories []factoryFacts
	// orders are the agent's own that still wait or hold something for it.
	orders []PowerOrder
	// typed says that the scenario enables requests and offers. offers are the agent's own
	// that are open, as far as it knows, or hold something for it; requests its own that are
	// open as far as it knows.
	typed            bool
	offers, requests []Terms
}

// factoryFacts are what the rules need to know of one own factory.
type factoryFacts struct {
	id   string
	kind int
	here bool
	// readyIn is the ticks of construction left, 0 once it is finished.
	readyIn int64
	// queued counts the batches in work and waiting.
	queued int64
	// wear is the present wear, wearBatches how many more batches of a product may
	// be queued before it is worn out.
	wear, wearBatches int64
}

// senses answer what an agent can tell about the target of an action.
type senses interface {
	// route describes the way to the place called id.
	route(id string) route
	// contact describes the agent called id as a receiver.
	contact(id string) contact
	// market describes the book of the actor's place.
	market() marketFacts
	// terms finds an open request or offer to the actor, or offer here to anyone, by its
	// id; it has no terms if there is none.
	terms(id string) seenTerms
}

// routeKind is what is known of a destination.
type routeKind uint8

const (
	// routeUnknown: cannot be told without trying. Only views answer it.
	routeUnknown routeKind = iota
	// routeHere: the agent's own place.
	routeHere
	// routeKnown: visible or charted.
	routeKnown
	// routeHidden and routeAbsent: neither visible nor charted; there or not.
	// Only the live world answers them.
	routeHidden
	routeAbsent
)

// route is the way to a place; the distance is 0 where it is not known.
type route struct {
	kind       routeKind
	distanceCM int64
}

// presence is whether an agent is at the actor's place.
type presence uint8

const (
	presenceUnknown presence = iota
	presenceHere
	presenceElsewhere
)

// roomUnknown is the room of a receiver whose battery cannot be seen.
const roomUnknown = -1

// contact is a possible receiver.
type contact struct {
	presence presence
	// room is the electricity the receiver can still take, or roomUnknown.
	room int64
}

// room is the electricity that still fits the agent's battery.
func (f *facts) room() int64 { return f.law.PowerCapacity - f.stock[electricity] }

func (f *facts) factory(id string) (factoryFacts, bool) {
	if i := slices.IndexFunc(f.factories, func(own factoryFacts) bool { return own.id == id }); i >= 0 {
		return f.factories[i], true
	}
	return factoryFacts{}, false
}
