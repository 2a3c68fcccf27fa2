package engine

import (
	"agentworld/engine/budget"
	"agentworld/llmclient"
	"agentworld/llmclient/price"
	"agentworld/trace"
)

// spending keeps a run within its caps; nil where there are none.
type spending struct {
	budget *budget.Budget
	prices prices
	// counts says that tokens matter: without a cap on them or on their cost they are
	// not counted, which would only take time.
	counts bool
	meter  meter
}

// newSpending returns nil for settings without caps.
func newSpending(s Settings) *spending {
	if s.Caps == (trace.Caps{}) {
		return nil
	}
	counts := false
	for _, l := range []trace.Limit{s.Caps.Run, s.Caps.Agent, s.Caps.Tick} {
		counts = counts || l.Tokens > 0 || l.Cost > 0
	}
	return &spending{budget: budget.New(s.Caps), prices: pricesOf(s.Prices), counts: counts, meter: meter{known: map[string]int64{}}}
}

// prices are by model.
type prices map[string]price.Price

func pricesOf(list []price.Price) prices {
	byModel := prices{}
	for _, p := range list {
		byModel[p.Model] = p
	}
	return byModel
}

// call is a request with the most it can be billed. items holds the tokens of items
// counted before.
func (s *spending) call(r llmclient.Request, items map[string]int64) budget.Call {
	if !s.counts {
		return budget.Call{}
	}
	return s.budget.Call(s.meter.input(r, items), int64(r.OutputTokensMax), s.prices[r.Model])
}

// bill is what the answers of a turn cost.
type bill struct {
	usage llmclient.Usage
	cost  price.Money
}

// add takes in the answer of a model.
func (b *bill) add(p prices, model string, a llmclient.Answer) {
	if a.Reply != nil {
		b.usage = b.usage.Add(a.Reply.Usage)
		b.cost = b.cost.Plus(p[model].Cost(a.Reply.Usage))
	}
}
