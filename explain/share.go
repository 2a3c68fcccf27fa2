package explain

import (
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Share is an agent's part of a run so far, from its decisions and events alone. The row of the agent in a report says
// more, but counts calls and steps one by one: they are most of a trace, and whoever follows a run decodes few of
// them. What both count is the same in a run that ended.
type Share struct {
	Agent string `json:"agent"`
	Name  string `json:"name,omitempty"`
	// Turns are those in which a model or a seat was asked, Failed the ones among them that ended without a
	// decision of it, and Rescued those of the failed ones that ended in the best they had.
	Turns   int64 `json:"turns"`
	Failed  int64 `json:"failed"`
	Rescued int64 `json:"rescued"`
	// Continued are ticks in which an order or a chain went on without a call.
	Continued int64 `json:"continued"`
	// Refused are actions that the world refused.
	Refused int64 `json:"refused"`
	Calls   int64 `json:"calls"`
	Tokens  int64 `json:"tokens"`
	// CostMicros is what all its calls cost, in millionths.
	CostMicros int64 `json:"cost_micros"`
	// Gave and Got are what went to other agents and came from them, by resource.
	Gave []world.Amount `json:"gave"`
	Got  []world.Amount `json:"got"`
	// FailedMicros is what the failed turns cost, in millionths.
	FailedMicros int64 `json:"failed_micros"`
	// FirstFailed is the tick of its first failed turn, 0 for none.
	FirstFailed int64 `json:"first_failed,omitempty"`
	// Last is its last decision, nil before the first.
	Last *LaneEntry `json:"last"`
}

// Shares returns the part of each agent, in the order of the run.
func (a *Lanes) Shares() []Share {
	list := slices.Clone(a.shares)
	for n := range list {
		list[n].Gave, list[n].Got = slices.Clone(list[n].Gave), slices.Clone(list[n].Got)
		if lane := a.lanes[n]; len(lane) > 0 {
			last := lane[len(lane)-1]
			list[n].Last = &last
		}
	}
	return list
}

// decided adds a decision to the part of its agent.
func (s *Share) decided(d trace.Decision, e LaneEntry) {
	if d.FailedBy != "" {
		s.Rescued++
	}
	if d.WaitReason != "" || d.FailedBy != "" {
		s.Failed++
		s.FailedMicros += e.CostMicros
		if s.FirstFailed == 0 {
			s.FirstFailed = d.Tick
		}
	}
	if d.DecidedBy == trace.ByStanding {
		s.Continued++
	} else {
		s.Turns++
	}
	if ruling, _ := d.Ruling(); ruling.Refused() {
		s.Refused++
	}
	s.Calls += int64(e.Calls)
	s.Tokens += e.Tokens
	s.CostMicros += e.CostMicros
}

// exchanged adds what events moved from agents to others.
func (a *Lanes) exchanged(events []world.Event) {
	for _, e := range events {
		for _, x := range e.Exchanges() {
			if n, known := a.numbers[x.From]; known {
				a.shares[n].Gave = plus(a.shares[n].Gave, *amountOf(x))
			}
			if n, known := a.numbers[x.To]; known {
				a.shares[n].Got = plus(a.shares[n].Got, *amountOf(x))
			}
		}
	}
}

// plus adds an amount to those of a list.
func plus(list []world.Amount, of world.Amount) []world.Amount {
	at := slices.IndexFunc(list, func(a world.Amount) bool { return a.Resource == of.Resource })
	if at < 0 {
		return append(list, of)
	}
	list[at].Amount += of.Amount
	return list
}
