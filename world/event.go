package world

import (
	"slices"
	"strings"
)

// EventKind names what happened.
type EventKind string

// The event kinds.
const (
	EventActionApplied  EventKind = "action_applied"
	EventActionRejected EventKind = "action_rejected"
	EventArrived        EventKind = "arrived"
	EventFactoryBuilt   EventKind = "factory_built"
	// EventBatchDone is every finished batch of a job but its last, which is
	// EventJobDone; both deliver.
	EventBatchDone     EventKind = "batch_done"
	EventJobDone       EventKind = "job_done"
	EventPowerState    EventKind = "power_state"
	EventWaitOver      EventKind = "wait_over"
	EventStandingEnded EventKind = "execute_until_ended"
	EventGoalMet       EventKind = "goal_met"
	EventPowerSettled  EventKind = "power_settled"
	// EventMessageSent is also emitted for a message to an unknown receiver; no
	// EventMessageDelivered follows it.
	EventMessageSent      EventKind = "message_sent"
	EventMessageDelivered EventKind = "message_delivered"
	EventNotePosted       EventKind = "note_posted"
	// EventCompoundRegrown is what a place regrew since it was last settled.
	EventCompoundRegrown EventKind = "compound_regrown"
	// EventPlantSettled tells what a plant generated since it was last settled.
	EventPlantSettled EventKind = "plant_settled"
	// EventOrderPlaced is an order that waits, with what went into escrow.
	EventOrderPlaced    EventKind = "order_placed"
	EventOrderCancelled EventKind = "order_cancelled"
	EventOrderExpired   EventKind = "order_expired"
	// EventTrade is one trade; the subject is the order or plant that waited.
	EventTrade EventKind = "trade"
	// EventOfferMade is an offer with what went into escrow, EventOfferAccepted one that the
	// agent took, with what it paid, what it got and what the offerer was handed.
	EventOfferMade      EventKind = "offer_made"
	EventOfferAccepted  EventKind = "offer_accepted"
	EventOfferCancelled EventKind = "offer_cancelled"
	EventOfferExpired   EventKind = "offer_expired"
	// EventCollected is what an order, offer or plant held for its owner.
	EventCollected EventKind = "collected"
)

// Event is one thing that happened in a tick. Events carry every posting of the
// ledger, so that folding them from the first tick reproduces every balance.
type Event struct {
	Tick int64     `json:"tick"`
	Kind EventKind `json:"kind"`
	// Agent is the agent that acted or that it happened to.
	Agent string `json:"agent,omitempty"`
	// Place is where.
	Place string `json:"place,omitempty"`
	// Subject is what or whom it is about, by kind: the factory, goal, receiver,
	// order, offer, destination, message or note; for arrived the place the journey began at.
	Subject string `json:"subject,omitempty"`
	// Action is the applied or rejected action.
	Action Action `json:"-"`
	// Detail is a fixed word: the new power state, the stop event, the recipe of a
	// batch, the kind of a finished factory or of a typed message.
	Detail string `json:"detail,omitempty"`
	// Text is the message or note, as an agent wrote it: data, never a fixed word.
	Text string `json:"text,omitempty"`
	// Trade is set for trade, and with one party for order_placed.
	Trade *Trade `json:"trade,omitempty"`
	// Answers are, for a gift, the ids of the receiver's requests that it counts towards.
	Answers []string `json:"answers,omitempty"`
	// From is, for offer_accepted, the agent that made the offer.
	From string `json:"from,omitempty"`
	// Postings are the ledger movements the event made.
	Postings []Posting `json:"postings,omitempty"`
	// Rejection is set for action_rejected.
	Rejection *Rejection `json:"rejection,omitempty"`
}

// Posting moves Amount of Resource between two named accounts. Every change of
// a balance is a posting, so that balances over all accounts, sources and sinks
// included, always sum to zero.
type Posting struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Resource string `json:"resource"`
	// Amount is positive.
	Amount int64 `json:"amount"`
}

// Concerns are the agents to whom an event may be news: the agent that acted or that it
// happened to, and the agents whose own stock it changed.
func (e Event) Concerns() []string {
	list := []string{e.Agent}
	for _, p := range e.Postings {
		for _, account := range []string{p.From, p.To} {
			if id, own := strings.CutPrefix(account, accountOf("")); own && !slices.Contains(list, id) {
				list = append(list, id)
			}
		}
	}
	return list
}

// made is how much of a resource an event brought its agent from a factory or from refining.
func (e *Event) made(resource string) (sum int64) {
	for _, p := range e.Postings {
		if p.Resource == resource && p.From == systemAccountNames[sourceProduction] && p.To == accountOf(e.Agent) {
			sum += p.Amount
		}
	}
	return sum
}

// Gains are what an event moved into an agent's own stock, less what it moved out of it.
func (e Event) Gains(agent string) (gains []Amount) {
	own := accountOf(agent)
	for _, p := range e.Postings {
		switch own {
		case p.To:
			gains = append(gains, Amount{p.Resource, p.Amount})
		case p.From:
			gains = append(gains, Amount{p.Resource, -p.Amount})
		}
	}
	return gains
}
