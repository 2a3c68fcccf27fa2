package engine

import (
	"cmp"
	"maps"
	"net/netip"
	"net/url"
	"sync"

	"example.com/agentworld/behavior"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/trace"
)

// meters counts what a run spends, and keeps it within caps where there are any.
type meters struct {
	budget *budget.Budget
	caps   trace.Caps
	prices prices
	// counts says that tokens matter: without a cap on them or on their cost they are
	// not counted, which would only take time.
	counts bool
	// watches says that the usage of answers is compared with what is counted here, since a provider is
	// asked.
	watches bool
	meter   tokenMeter
	// window is the model's.
	window int
	// local are the models at a loopback address, where often nothing else ends an answer.
	local map[string]bool
}

func newMeters(s trace.Settings) *meters {
	counts := false
	for _, l := range []trace.Limit{s.Caps.Run, s.Caps.Agent, s.Caps.Tick} {
		counts = counts || l.Tokens > 0 || l.Cost > 0
	}
	return &meters{
		budget: budget.New(s.Caps), caps: s.Caps, prices: pricesOf(s.Prices), window: s.ContextWindowTokens,
		counts: counts, watches: s.Live(), meter: tokenMeter{known: map[string]int64{}}, local: localModels(s),
	}
}

// capped says that something is bounded.
func (s *meters) capped() bool { return s.caps != (trace.Caps{}) }

// under returns the meters with the same spending and other caps.
func (s *meters) under(caps trace.Caps) *meters {
	next := newMeters(trace.Settings{Caps: caps, ContextWindowTokens: s.window})
	next.prices, next.budget = s.prices, s.budget.Under(caps)
	next.local, next.watches = s.local, s.watches
	return next
}

// localModels are the models of a run that are asked at a loopback address.
func localModels(s trace.Settings) map[string]bool {
	local := map[string]bool{}
	for _, a := range append([]trace.AgentModel{{}}, s.AgentModels...) {
		if isLoopback(cmp.Or(a.BaseURL, s.BaseURL)) {
			local[cmp.Or(a.Model, s.Model)] = true
		}
	}
	return local
}

// isLoopback reports whether a URL leads to this machine.
func isLoopback(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && addr.IsLoopback()
}

// bounded is a request of a model as it is sent. If tokens are limited, or the model is one of this
// machine, even an answer without a set length is no longer than its reservation.
func (s *meters) bounded(ask behavior.Ask, model string) llmclient.Request {
	r := ask.Request
	r.Model = model
	if s.counts || s.local[model] {
		r.OwnLength = !s.counts && r.Sampling.MaxOutputTokens == 0
		r.Sampling.MaxOutputTokens = s.longest(ask)
	}
	return r
}

// longest is the longest answer to a request: the length that is set, or else the
// reserved one.
func (s *meters) longest(ask behavior.Ask) int {
	return cmp.Or(ask.Request.Sampling.MaxOutputTokens,
		max(llmclient.MaxOutputTokensLeast, min(trace.OutputTokensReserved, s.window/8, ask.Free)))
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
func (s *meters) call(r llmclient.Request, items map[string]int64) budget.Call {
	if !s.counts {
		return budget.Uncounted(s.prices[r.Model])
	}
	most := int64(r.Sampling.MaxOutputTokens)
	return s.budget.Call(s.meter.input(r, items), most, s.prices[r.Model]).At(r.Sampling.Tier())
}

// said is the call with what was counted of its answer.
func (s *meters) said(c budget.Call, a llmclient.Answer) budget.Call {
	if !s.counts || a.Reply == nil {
		return c
	}
	return c.Said(outputTokens(*a.Reply))
}

// counted is what was counted here of an exchange whose usage says something else, nil otherwise. items
// holds the tokens of items counted before.
func (s *meters) counted(r llmclient.Request, items map[string]int64, a llmclient.Answer) *trace.Counted {
	if !s.watches || a.Reply == nil || !a.Reply.Usage.Counted() {
		return nil
	}
	counted := trace.Counted{Input: s.meter.input(r, items), Output: outputTokens(*a.Reply)}
	if len(counted.Doubts(a.Reply.Usage)) == 0 {
		return nil
	}
	return &counted
}

// outputTokens counts what of a reply is text: reasoning that was not shown is no part of it.
func outputTokens(r llmclient.Reply) (n int64) {
	for _, it := range r.Items {
		if it.Kind == llmclient.KindMessage || it.Kind == llmclient.KindFunctionCall {
			n += int64(tokens.Count(it.Name + it.Text + it.Refusal))
		}
	}
	return n
}

// cost is what the answers of a turn cost.
type cost struct {
	calls int64
	usage llmclient.Usage
	cost  price.Money
}

// add adds the answer of a model.
func (b *cost) add(p prices, model string, a llmclient.Answer) {
	if a.Failure == nil || a.Failure.Kind != llmclient.ErrCap {
		b.calls++
	}
	if a.Reply != nil {
		b.usage = b.usage.Add(a.Reply.Usage)
		b.cost = b.cost.Plus(p[model].Cost(a.Reply.Usage))
	}
}

// tokenMeter counts the tokens of requests. A text that occurs in many requests is counted
// once.
type tokenMeter struct {
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
func (m *tokenMeter) input(r llmclient.Request, items map[string]int64) int64 {
	n := m.static(r.Instructions) + m.static(string(llmclient.ToolList(r.Tools))) +
		int64(tokens.Count(string(r.Choice.Wire()))) + requestTokens
	for _, it := range r.Input {
		raw := string(it.Raw)
		if _, counted := items[raw]; !counted {
			text, more := it.Counted()
			items[raw] = int64(tokens.Count(text)+more) + itemTokens
		}
		n += items[raw]
	}
	return n
}

// static counts a text that many requests share.
func (m *tokenMeter) static(text string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, known := m.known[text]
	if !known {
		n = int64(tokens.Count(text))
		m.known[text] = n
	}
	return n
}

// Meter keeps reflections and questions outside of a run, which are made one after the other,
// within caps. Each of them is to the caps what a tick is in a run.
type Meter struct {
	spending *meters
	// open is the turn under way.
	open *quota
}

// NewMeter returns a meter under the caps of s that has spent nothing. A cap on cost
// needs the price of every model asked.
func NewMeter(s trace.Settings) *Meter { return &Meter{spending: newMeters(s)} }

// Know gives the meter the prices of further models.
func (s *Meter) Know(list []price.Price) { maps.Copy(s.spending.prices, pricesOf(list)) }

// Begin reserves what a turn of the agent may spend: at least so many calls, of which first is the
// first. It returns the unspent part of the turn before.
func (s *Meter) Begin(agent string, first behavior.Ask, least int) {
	if !s.spending.capped() {
		return
	}
	if s.open != nil {
		s.spending.budget.Close([]*budget.Reservation{s.open.reservation})
	}
	s.spending.budget.BeginTick()
	a := &quota{of: s.spending, items: map[string]int64{}}
	need := budget.Need{Agent: agent,
		Least: s.spending.call(s.spending.bounded(first, first.Request.Model), a.items).Path(least)}
	a.reservation = s.spending.budget.Open([]budget.Need{need})[0]
	s.open = a
}

// Respond sends a request of the turn under way, if the caps allow it.
func (s *Meter) Respond(ask behavior.Ask, send func(llmclient.Request) llmclient.Answer) llmclient.Answer {
	r := s.spending.bounded(ask, ask.Request.Model)
	answer, _, _ := s.open.answer(r, func() llmclient.Answer { return send(r) })
	return answer
}

// Bill says what single requests can take at most. It is for those who bound several runs
// together; a run keeps itself within its caps. It is safe for concurrent use.
type Bill struct {
	spending *meters
	budget   *budget.Budget
	// counts says that tokens matter.
	counts bool
	mu     sync.Mutex
	items  map[string]int64
}

// billItemsMost bounds the items whose tokens are remembered.
const billItemsMost = 20_000

// NewBill returns the bill of a run with these settings. Without counts only calls matter, and
// the tokens of requests are not counted.
func NewBill(s trace.Settings, counts bool) *Bill {
	return &Bill{spending: newMeters(s), budget: budget.New(trace.Caps{}), counts: counts, items: map[string]int64{}}
}

// Call is a request with the most it can be billed. An answer without a set length counts as
// long as one is reserved for.
func (b *Bill) Call(r llmclient.Request) budget.Call {
	if !b.counts {
		return budget.Uncounted(b.spending.prices[r.Model])
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) > billItemsMost {
		b.items = map[string]int64{}
	}
	most := int64(cmp.Or(r.Sampling.MaxOutputTokens, trace.OutputTokensReserved))
	call := b.budget.Call(b.spending.meter.input(r, b.items), most, b.spending.prices[r.Model])
	return call.At(r.Sampling.Tier())
}
