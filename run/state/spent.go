package state

import (
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// Spent is what calls counted against caps.
type Spent struct {
	Calls  int64       `json:"calls"`
	Tokens int64       `json:"tokens"`
	Cost   price.Money `json:"cost_pico"`
}

// Plus returns the sum.
func (s Spent) Plus(t Spent) Spent {
	return Spent{s.Calls + t.Calls, s.Tokens + t.Tokens, s.Cost.Plus(t.Cost)}
}

// Most returns the larger part of both, of calls, tokens and money apart.
func (s Spent) Most(t Spent) Spent {
	return Spent{max(s.Calls, t.Calls), max(s.Tokens, t.Tokens), max(s.Cost, t.Cost)}
}

// Counted is what a recorded call counted against the caps: its charge or, in a run
// without caps, what the provider billed. p is the price of its model.
func Counted(call trace.ModelCall, p price.Price) Spent {
	if call.Charge != nil {
		return Spent{1, call.Charge.Tokens, call.Charge.Cost}
	}
	u := call.Answer.Usage
	return Spent{1, u.Input + u.Output, p.Cost(u)}
}

// Afresh reports whether the caps of a fork count from the fork on: a cap was added or
// changed. If the fork only removes caps, the others keep counting.
func Afresh(parent, fork trace.Caps) bool {
	changed := func(before, now int64) bool { return now != 0 && now != before }
	for _, at := range []struct{ parent, fork trace.Limit }{{parent.Run, fork.Run}, {parent.Agent, fork.Agent},
		{parent.Tick, fork.Tick}} {
		if changed(at.parent.Calls, at.fork.Calls) || changed(at.parent.Tokens, at.fork.Tokens) ||
			changed(int64(at.parent.Cost), int64(at.fork.Cost)) {
			return true
		}
	}
	return false
}

// counted is what a call of the run counts. A seat costs nothing.
func (s *State) counted(c trace.ModelCall) Spent {
	if c.Stage == trace.StageSeat {
		return Spent{}
	}
	var its price.Price
	for _, p := range s.Header.SettingsAt(c.Tick - 1).Prices {
		if p.Model == c.Model {
			its = p
		}
	}
	return Counted(c, its)
}

// SpentByNow is Spent with the calls of the open tick.
func (s *State) SpentByNow() Spent {
	sum := s.Spent
	for _, c := range s.Open.calls() {
		sum = sum.Plus(s.counted(c))
	}
	return sum
}

// spend counts a call.
func (s *State) spend(c trace.ModelCall) {
	if s.ByAgent == nil {
		s.ByAgent = map[string]Spent{}
	}
	counted := s.counted(c)
	s.Spent, s.ByAgent[c.AgentID] = s.Spent.Plus(counted), s.ByAgent[c.AgentID].Plus(counted)
}

// MostSpent is the most that any agent spent, of calls, tokens and money apart.
func (s *State) MostSpent() (most Spent) {
	for _, spent := range s.ByAgent {
		most = most.Most(spent)
	}
	return most
}
