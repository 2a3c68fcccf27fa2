package engine

import (
	"slices"

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
	// former is the spending under the caps before, in a tick of which answers were there
	// when they changed: its shares have shaped what was asked. answered are the steps of
	// that tick that were there, by agent; they count here. Both are nil in other ticks.
	former   *spending
	answered map[string]int64
	// past are the spendings of such a tick that were in force before this one, in their
	// order: the record of a call is that of the caps under which it was asked.
	past []inForce
}

// inForce is a spending with the last steps that were asked under it, by agent.
type inForce struct {
	of   *spending
	upTo map[string]int64
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

// changed returns the spending after a change of caps in the present tick.
func (s *spending) changed(c trace.CapChange) *spending {
	base := s
	if s.former != nil {
		base = s.former // the same tick, once more: the same shares have shaped it
	}
	next := base.under(c.Caps)
	if len(c.Answered) == 0 {
		return next
	}
	next.former, next.answered = base, map[string]int64{}
	next.past = append(slices.Clip(s.past), inForce{of: s, upTo: next.answered})
	for _, a := range c.Answered {
		next.answered[a.AgentID] = a.Steps
		next.budget.Count(a.AgentID, budget.Amount{a.Calls, a.Tokens, int64(a.Cost)})
	}
	return next
}

// beginTick starts a tick, in which only one set of caps holds.
func (s *spending) beginTick() {
	if s.former != nil && !s.capped() {
		s.budget = s.former.budget.Under(s.caps) // which counted the tick before
	}
	s.former, s.answered, s.past = nil, nil, nil
	s.budget.BeginTick()
}

// beginSpending starts a tick and takes the changes of caps made in it.
func (r *runner) beginSpending(tick int64) error {
	r.spending.beginTick()
	if r.capChanges == nil {
		return nil
	}
	for _, c := range r.capChanges(tick) {
		if err := r.journal.write(c); err != nil {
			return err
		}
		r.spending, r.Caps, r.recapped = r.spending.changed(c), c.Caps, &c.Caps
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
