package engine

import (
	"cmp"
	"maps"
	"net/netip"
	"net/url"

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
	// meter counts tokens where a cap is on them or on their cost.
	meter budget.Meter
	// watches says that the usage of answers is compared with what is counted here, since a provider is
	// asked.
	watches bool
	// window is the model's.
	window int
	// local are the models at a loopback address, where often nothing else ends an answer.
	local map[string]bool
}

func newMeters(s trace.Settings) *meters {
	m := &meters{
		budget: budget.New(s.Caps), caps: s.Caps, meter: budget.Meter{Prices: budget.PricesOf(s.Prices)},
		window: s.ContextWindowTokens, watches: s.Live(), local: localModels(s),
	}
	for _, l := range []trace.Limit{s.Caps.Run, s.Caps.Agent, s.Caps.Tick} {
		if l.Tokens > 0 || l.Cost > 0 {
			m.meter.Count = tokens.Count
		}
	}
	return m
}

// capped says that something is bounded.
func (s *meters) capped() bool { return s.caps != (trace.Caps{}) }

// under returns the meters with the same spending and other caps.
func (s *meters) under(caps trace.Caps) *meters {
	next := newMeters(trace.Settings{Caps: caps, ContextWindowTokens: s.window})
	next.meter.Prices, next.budget = s.meter.Prices, s.budget.Under(caps)
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
	counts := s.meter.Count != nil
	if counts || s.local[model] {
		r.OwnLength = !counts && r.Sampling.MaxOutputTokens == 0
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

// call is a request with the most it can be billed.
func (s *meters) call(r llmclient.Request) budget.Call {
	return s.meter.Call(s.budget, r, r.Sampling.MaxOutputTokens)
}

// counted is what was counted here of an exchange whose usage says something else, nil otherwise.
func (s *meters) counted(r llmclient.Request, a llmclient.Answer) *trace.Counted {
	if !s.watches || a.Reply == nil || !a.Reply.Usage.Counted() {
		return nil
	}
	counted := trace.Counted{Input: r.Tokens(tokens.Count), Output: a.Reply.Tokens(tokens.Count)}
	if len(counted.Doubts(a.Reply.Usage)) == 0 {
		return nil
	}
	return &counted
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
func (s *Meter) Know(list []price.Price) { maps.Copy(s.spending.meter.Prices, budget.PricesOf(list)) }

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
	opening := s.spending.call(s.spending.bounded(first, first.Request.Model))
	reservations := s.spending.budget.Open([]budget.Need{{Agent: agent, Least: opening.Path(least)}})
	s.open = &quota{meters: s.spending, reservation: reservations[0]}
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
	meter  budget.Meter
	budget *budget.Budget
}

// NewBill returns the bill of a run with these settings. Without counts only calls matter, and
// the tokens of requests are not counted.
func NewBill(s trace.Settings, counts bool) *Bill {
	b := &Bill{meter: budget.Meter{Prices: budget.PricesOf(s.Prices)}, budget: budget.New(trace.Caps{})}
	if counts {
		b.meter.Count = tokens.Count
	}
	return b
}

// Call is a request with the most it can be billed. An answer without a set length counts as
// long as one is reserved for.
func (b *Bill) Call(r llmclient.Request) budget.Call {
	return b.meter.Call(b.budget, r, cmp.Or(r.Sampling.MaxOutputTokens, trace.OutputTokensReserved))
}
