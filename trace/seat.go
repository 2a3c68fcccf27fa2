package trace

import (
	"slices"
	"strings"
)

// AgentSeat says that a seat answers for an agent in place of a model.
type AgentSeat struct {
	// Agent is whose seat it is, [AnyAgent] for every agent without an entry of its own.
	Agent string `json:"agent_id"`
	// Seat is its name, [ModelSeat] for the model, and Version the version of its code, which is empty
	// for the model.
	Seat    string `json:"seat"`
	Version string `json:"version,omitempty"`
	// ReadsTexts says that it is shown texts of others, after a plan.
	ReadsTexts bool `json:"reads_texts,omitempty"`
}

const (
	// AnyAgent is all agents that no other entry names.
	AnyAgent = "*"
	// ModelSeat is the name of the seat that is none: the model of the agent answers.
	ModelSeat = "model"
)

// Who names the seat with its version, as a [ModelCall] does.
func (s AgentSeat) Who() string {
	if s.Version == "" {
		return s.Seat
	}
	return s.Seat + " " + s.Version
}

// SeatOf returns the seat of an agent among seats; ok is false if its model answers.
func SeatOf(seats []AgentSeat, agent string) (seat AgentSeat, ok bool) {
	at := slices.IndexFunc(seats, func(s AgentSeat) bool { return s.Agent == agent })
	if at < 0 {
		at = slices.IndexFunc(seats, func(s AgentSeat) bool { return s.Agent == AnyAgent })
	}
	if at < 0 || seats[at].Seat == ModelSeat {
		return AgentSeat{}, false
	}
	return seats[at], true
}

// Seated returns seats with the entries of next in place of those for the same agents. An entry for
// [AnyAgent] replaces all.
func Seated(seats, next []AgentSeat) []AgentSeat {
	if slices.ContainsFunc(next, func(s AgentSeat) bool { return s.Agent == AnyAgent }) {
		seats = nil
	}
	list := slices.DeleteFunc(slices.Clone(seats), func(s AgentSeat) bool {
		return slices.ContainsFunc(next, func(n AgentSeat) bool { return n.Agent == s.Agent })
	})
	return append(list, next...)
}

// SeatsText lists who plays which agent, such as "agent-2 greedy 1, * wait 1".
func SeatsText(seats []AgentSeat) string {
	if len(seats) == 0 {
		return "none"
	}
	texts := make([]string, len(seats))
	for i, s := range seats {
		texts[i] = s.Agent + " " + s.Who()
	}
	return strings.Join(texts, ", ")
}
