package engine

import (
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// Spender keeps look backs outside of a run, which are made one after the other,
// within caps. Each of them is to the caps what a tick is in a run.
type Spender struct {
	spending *spending
	// open is the look back under way.
	open *allowance
}

// NewSpender returns a spender that has spent nothing. A cap on cost needs the price
// of every model asked.
func NewSpender(caps trace.Caps, prices []price.Price) *Spender {
	return &Spender{spending: newSpending(trace.Settings{Caps: caps, Prices: prices})}
}

// Begin sets aside what a look back of the agent may spend, and takes back what the
// one before it did not.
func (s *Spender) Begin(agent string, turn *reflect.Turn) {
	if !s.spending.capped() {
		return
	}
	s.settle()
	s.spending.budget.BeginTick()
	a := &allowance{of: s.spending, items: map[string]int64{}}
	need := budget.Need{Agent: agent}
	if ask, more := turn.Next(); more {
		need.Least = s.spending.call(ask.Request, a.items).Path(leastLearnCalls)
	}
	a.purse = s.spending.budget.Open([]budget.Need{need})[0]
	s.open = a
}

// settle takes back what the last look back did not spend.
func (s *Spender) settle() {
	if s.open != nil {
		s.spending.budget.Close([]*budget.Purse{s.open.purse})
	}
}

// Respond sends a request of the look back under way, if the caps allow it.
func (s *Spender) Respond(r llmclient.Request, send func() llmclient.Answer) llmclient.Answer {
	answer, _, _ := s.open.answer(r, send)
	return answer
}
