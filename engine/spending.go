package engine

import (
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// spending counts what a run spends, and keeps it within caps where there are any.
type spending struct {
	budget *budget.Budget
	caps   trace.Caps
	prices prices
	// counts says that tokens matter: without a cap on them or on their cost they are
	// not counted, which would only take time.
	counts bool
	meter  meter
}

func newSpending(s trace.Settings) *spending {
	counts := false
	for _, l := range []trace.Limit{s.Caps.Run, s.Caps.Agent, s.Caps.Tick} {
		counts = counts || l.Tokens > 0 || l.Cost > 0
	}
	return &spending{budget: budget.New(s.Caps), caps: s.Caps, prices: pricesOf(s.Prices), counts: counts, meter: meter{known: map[string]int64{}}}
}

// capped says that something is bounded.
func (s *spending) capped() bool { return s.caps != (trace.Caps{}) }

// under returns the spending as it goes on under other caps.
func (s *spending) under(caps trace.Caps) *spending {
	next := newSpending(trace.Settings{Caps: caps})
	next.prices, next.budget = s.prices, s.budget.Under(caps)
	return next
}

// beginSpending starts a tick and takes the changes of caps made at its beginning.
func (r *runner) beginSpending(tick int64) error {
	r.spending.budget.BeginTick()
	if r.plan.caps == nil {
		return nil
	}
	for _, c := range r.plan.caps(tick) {
		if err := r.sink.write(c); err != nil {
			return err
		}
		r.spending, r.Caps = r.spending.under(c.Caps), c.Caps
	}
	return nil
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
		return budget.Uncounted(s.prices[r.Model])
	}
	return s.budget.Call(s.meter.input(r, items), int64(r.OutputTokensMax), s.prices[r.Model])
}

// bill is what the answers of a turn cost.
type bill struct {
	calls int64
	usage llmclient.Usage
	cost  price.Money
}

// add takes in the answer of a model.
func (b *bill) add(p prices, model string, a llmclient.Answer) {
	if !refused(a) {
		b.calls++
	}
	if a.Reply != nil {
		b.usage = b.usage.Add(a.Reply.Usage)
		b.cost = b.cost.Plus(p[model].Cost(a.Reply.Usage))
	}
}

// amount is what the bill counts where nothing was set aside.
func (b bill) amount() budget.Amount {
	return budget.Amount{b.calls, b.usage.Input + b.usage.Output, int64(b.cost)}
}
