package export

import (
	"encoding/json"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// EventRow is one thing that happened in the world, in a whole tick.
type EventRow struct {
	Of
	// Tick of the event.
	Tick int64 `json:"tick"`
	// What happened, such as action_applied, arrived or trade.
	Kind world.EventKind `json:"kind"`
	// Agent that acted or that it happened to.
	Agent string `json:"agent"`
	// Where.
	Place string `json:"place"`
	// Factory, goal, order, offer, message, note or place that it is about.
	Subject string `json:"subject"`
	// Fixed word: the new power state, the recipe, the kind of a message.
	Detail string `json:"detail"`
	// For an accepted offer, the agent that made it.
	From string `json:"from"`
	// Code of the rejection.
	Code string `json:"code"`
	// Message or note, a text of an agent.
	Text string `json:"text"`
	// Action that was applied or rejected.
	Action json.RawMessage `json:"action"`
	// Movements of the ledger that it made.
	Postings json.RawMessage `json:"postings"`
}

// MessageRow is one message, request, offer or note, when it was written or when it arrived.
type MessageRow struct {
	Of
	// Tick of the event.
	Tick int64 `json:"tick"`
	// What happened: message_sent, message_delivered or note_posted.
	Event world.EventKind `json:"event"`
	// Id of the message, note, request or offer.
	ID string `json:"id"`
	// Kind of a typed message, such as request or offer; empty for a text.
	Kind string `json:"kind"`
	// Who wrote it: an agent, or operator.
	From string `json:"from"`
	// For whom it is; empty for a note.
	To string `json:"to"`
	// Where it was written, or where it arrived.
	Place string `json:"place"`
	// Its text, chosen by an agent.
	Text string `json:"text"`
	// How far its text may influence who reads it: always other_agent.
	Trust string `json:"trust"`
	// What allowed its author to write it, as authority_by of decisions; empty for the operator's.
	AuthorityBy trace.AuthorityBy `json:"authority_by"`
}

// TradeRow is one trade.
type TradeRow struct {
	Of
	// Tick of the trade.
	Tick int64 `json:"tick"`
	// How it came about: order is a trade of electricity at the market of a place, offer an accepted offer.
	Kind string `json:"kind"`
	// Order, plant or offer that waited.
	ID string `json:"id"`
	// Where.
	Place string `json:"place"`
	// Agent that paid; of an offer the one that accepted it.
	Buyer string `json:"buyer"`
	// Agent that was paid; of an offer the one that made it.
	Seller string `json:"seller"`
	// Resource that the buyer got.
	Resource string `json:"resource"`
	// How much of it.
	Amount int64 `json:"amount" unit:"g or units"`
	// Resource that the buyer gave.
	PaidResource string `json:"paid_resource"`
	// How much of it.
	Paid int64 `json:"paid" unit:"g or units"`
	// Price of an order; empty for an offer.
	Price *int64 `json:"price" unit:"data per 10 electricity"`
}

// GoalRow is one goal of one agent.
type GoalRow struct {
	Of
	// Id of the goal.
	Goal string `json:"goal"`
	// Agent whose goal it is.
	Agent string `json:"agent"`
	// The goal in words; empty if the run has no end, or a fork took the goal away.
	Text string `json:"text"`
	// Tick in which it was met first; empty if it was not.
	MetAt *int64 `json:"met_at"`
	// Measured amount at the end; empty without an end.
	Now *int64 `json:"now" unit:"of the goal"`
	// Amount that the goal asks for; empty without an end.
	AtLeast *int64 `json:"at_least" unit:"of the goal"`
}
