package engine

import (
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"agentworld/behavior"
	"agentworld/behavior/learn"
	"agentworld/engine/budget"
	"agentworld/llmclient"
	"agentworld/llmclient/price"
	"agentworld/llmclient/tokens"
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

// meter counts the tokens of requests. Texts that stand in many requests are counted
// once.
type meter struct {
	mu    sync.Mutex
	known map[string]int64
}

// itemTokens and requestTokens are for what endpoints put around an item and around a
// request when they make one text of it.
const (
	itemTokens    = 4
	requestTokens = 64
)

// input counts everything of a request that a model may be made to read.
func (m *meter) input(r llmclient.Request, items map[string]int64) int64 {
	n := m.static(r.Instructions) + m.static(string(toolList(r.Tools))) + int64(tokens.Count(string(r.Choice.Wire()))) + requestTokens
	for _, it := range r.Input {
		text := string(it.Raw)
		if _, counted := items[text]; !counted {
			items[text] = int64(tokens.Count(text)) + itemTokens
		}
		n += items[text]
	}
	return n
}

// static counts a text that many requests share.
func (m *meter) static(text string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, known := m.known[text]
	if !known {
		n = int64(tokens.Count(text))
		m.known[text] = n
	}
	return n
}

// allowance is what one turn may spend; nil without caps.
type allowance struct {
	of    *spending
	purse *budget.Purse
	// items holds the tokens of the turn's items.
	items map[string]int64
	// next is what the next call is supposed to be like.
	next budget.Call
}

// answer sends a request if the caps allow it; otherwise the answer is the refusal.
// The charge is nil without caps and for what was not sent.
func (a *allowance) answer(r llmclient.Request, send func() llmclient.Answer) (llmclient.Answer, *trace.Charge) {
	if a == nil {
		return send(), nil
	}
	call := a.of.call(r, a.items)
	if refused := a.purse.Admit(call); refused != nil {
		return refused.Answer(), nil
	}
	answer := send()
	charge := a.purse.Charge(call, answer)
	a.next = call.Next()
	return answer, &charge
}

// bound tells a turn how many requests its share is good for.
func (a *allowance) bound(turn *behavior.Turn) {
	if a != nil {
		turn.Afford(a.purse.Affords(a.next))
	}
}

// allowances are those of the turns of a tick, in agent order.
type allowances []*allowance

// of returns the i-th, nil without caps.
func (as allowances) of(i int) *allowance {
	if as == nil {
		return nil
	}
	return as[i]
}

// purses returns the purses in the order of turns.
func (as allowances) purses() []*budget.Purse {
	list := make([]*budget.Purse, len(as))
	for i, a := range as {
		list[i] = a.purse
	}
	return list
}

// allow sets aside what n turns may spend. opening tells the i-th turn's first request
// and the calls of its shortest path; it may be called concurrently.
func (r *runner) allow(n int, opening func(i int) (agent string, first llmclient.Request, least int)) allowances {
	s := r.spending
	if s == nil {
		return nil
	}
	needs, list := make([]budget.Need, n), make(allowances, n)
	var group errgroup.Group
	group.SetLimit(r.Concurrency)
	for i := range n {
		group.Go(func() error {
			agent, first, least := opening(i)
			list[i] = &allowance{of: s, items: map[string]int64{}}
			list[i].next = s.call(first, list[i].items)
			needs[i] = budget.Need{Agent: agent, Least: list[i].next.Path(least)}
			return nil
		})
	}
	_ = group.Wait() // no turn returns an error
	for i, p := range s.budget.Open(needs) {
		list[i].purse = p
	}
	return list
}

// allowDecisions sets aside what the due agents' turns may spend. The turns are begun
// once more when they are carried out: a turn only reads.
func (r *runner) allowDecisions(due []int) allowances {
	if r.spending != nil {
		r.spending.budget.BeginTick()
	}
	return r.allow(len(due), func(i int) (string, llmclient.Request, int) {
		view := r.world.View(due[i])
		ask, asks := r.minds[due[i]].Begin(view).Next().(behavior.Ask)
		if !asks {
			return view.AgentID(), llmclient.Request{}, 0
		}
		return view.AgentID(), ask.Request, leastCalls(r.kit.Config().Protocol, ask.Stage)
	})
}

// leastCalls is the number of calls of a turn's usual shortest path: plan, draft and
// decision, or one for all of them. A model that skips ahead needs fewer.
func leastCalls(protocol behavior.Protocol, stage behavior.Stage) int {
	switch {
	case protocol == behavior.ProtocolFull:
		return 3
	case stage == behavior.StagePlan:
		return 2
	}
	return 1
}

// leastLearnCalls is the number of calls of the shortest look back that changes
// something: reflect and curate.
const leastLearnCalls = 2

// allowLookBacks sets aside what look backs may spend of what decisions left.
func (r *runner) allowLookBacks(backs []lookedBack, begin func(i int) *learn.Turn) allowances {
	return r.allow(len(backs), func(i int) (string, llmclient.Request, int) {
		agent := r.world.AgentID(backs[i].agent)
		ask, more := begin(i).Next()
		if !more {
			return agent, llmclient.Request{}, 0
		}
		return agent, ask.Request, leastLearnCalls
	})
}

// settle takes back what was not spent.
func (r *runner) settle(list allowances) {
	if list != nil {
		r.spending.budget.Close(list.purses())
	}
}

// exhausted ends the run when its caps admit none of the due agents' turns. Nothing
// was sent in the tick, which is abandoned.
func (r *runner) exhausted(list allowances) *stop {
	if why := budget.Exhausted(list.purses(), r.world.Agents()); why != nil {
		return &stop{status: trace.RunBudgetReached, reason: why.String()}
	}
	return nil
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

// checkCaps reports caps that no turn fits in, and a cap on cost that cannot be kept
// because a price is missing.
func (s Settings) checkCaps() error {
	least := int64(leastCalls(s.behaviorConfig().WithDefaults().Protocol, behavior.StageLean))
	for _, c := range []struct {
		scope budget.Scope
		limit trace.Limit
	}{{budget.Run, s.Caps.Run}, {budget.Agent, s.Caps.Agent}, {budget.Tick, s.Caps.Tick}} {
		if min(c.limit.Calls, c.limit.Tokens, int64(c.limit.Cost)) < 0 {
			return fmt.Errorf("cap of the %s: must not be negative", c.scope)
		}
		if c.limit.Calls > 0 && c.limit.Calls < least {
			return fmt.Errorf("cap on calls of the %s, %d: a decision takes at least %d with the %s protocol", c.scope, c.limit.Calls, least, s.Protocol)
		}
		if c.limit.Cost > 0 {
			if err := s.checkPrices(); err != nil {
				return fmt.Errorf("cap on cost of the %s: %w", c.scope, err)
			}
		}
	}
	return nil
}

// models are the models a run asks.
func (s Settings) models() []string { return []string{s.Model} }

// checkPrices reports a model without a price, and prices that cannot be added up.
func (s Settings) checkPrices() error {
	known := pricesOf(s.Prices)
	currency := ""
	for _, model := range s.models() {
		p, ok := known[model]
		if !ok {
			return fmt.Errorf("there is no price of model %q; a table of prices with it is needed", model)
		}
		if currency != "" && currency != p.Currency {
			return fmt.Errorf("prices in %s and in %s cannot be added up", currency, p.Currency)
		}
		currency = p.Currency
	}
	return nil
}

// currency is that of the run's prices, empty without any.
func (s Settings) currency() string {
	if len(s.Prices) == 0 {
		return ""
	}
	return s.Prices[0].Currency
}
