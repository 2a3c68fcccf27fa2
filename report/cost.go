package report

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// Cost is what a run's answers cost, at the prices that were recorded with it. It
// covers decisions and reflections. Amounts are rounded up, each by itself.
type Cost struct {
	// Whether every model that was asked has a price; amounts are lower bounds otherwise.
	Priced bool `json:"priced"`
	// Currency of all amounts; empty without any price.
	Currency string `json:"currency"`
	// Cost of all answers, in millionths of the currency.
	TotalMicros int64 `json:"total_micros"`
	// One row per model asked, by name.
	ByModel []ModelCost `json:"by_model"`
	// One row per agent, in the order of the trace's header.
	ByAgent []AgentCost `json:"by_agent"`
	// The estimate before the first call of the run; null without an estimate.
	Estimate *CostEstimate `json:"estimate"`
	// What was used of each cap that was set.
	Caps []CapUse `json:"caps"`
	// Changes of caps by resumes of the run, in order.
	CapChanges []CapChange `json:"cap_changes"`
	// Requests that a cap refused, by cap; nothing was sent for them.
	RefusedByCap Counts `json:"refused_by_cap"`
}

// ModelCost is one model's share of a run's cost.
type ModelCost struct {
	// Model asked for.
	Model string `json:"model"`
	// Requests sent.
	Calls int64 `json:"calls"`
	// Tokens of all answers.
	Tokens llmclient.Usage `json:"tokens"`
	// Whether the model has a price.
	Priced bool `json:"priced"`
	// Cost in millionths of the currency; 0 without a price.
	Micros int64 `json:"micros"`
	// The price that was applied; null without one.
	Price *price.Price `json:"price"`
}

// AgentCost is one agent's share of a run's cost.
type AgentCost struct {
	// Id of the agent.
	AgentID string `json:"agent_id"`
	// Requests sent.
	Calls int64 `json:"calls"`
	// Tokens of all answers.
	Tokens llmclient.Usage `json:"tokens"`
	// Cost in millionths of the currency, as far as models have prices.
	Micros int64 `json:"micros"`
}

// CostEstimate is what a run was expected to take.
type CostEstimate struct {
	// Decisions in every fourth tick, on the shortest path.
	Least CostFigures `json:"least"`
	// What runs of the scripted model usually take.
	Likely CostFigures `json:"likely"`
	// A decision in every tick, on the longest path.
	Most CostFigures `json:"most"`
}

// CostFigures are an amount of calls, tokens and money.
type CostFigures struct {
	// Requests.
	Calls int64 `json:"calls"`
	// Input tokens.
	InputTokens int64 `json:"input_tokens"`
	// Output tokens.
	OutputTokens int64 `json:"output_tokens"`
	// Cost in millionths of the currency; 0 where a model has no price.
	Micros int64 `json:"micros"`
}

// CapUse is a cap and what was used of it.
type CapUse struct {
	// What the cap is over: run, agent or tick.
	Scope string `json:"scope"`
	// What the cap is on: calls, tokens or cost.
	Unit string `json:"unit"`
	// The cap; cost in millionths of the currency.
	Cap int64 `json:"cap"`
	// What the run counted, or the most that one agent or tick did; cost in millionths of the currency. A lost answer counts the amount that was reserved for it.
	Spent int64 `json:"spent"`
}

// CapChange is one cap that a resume changed.
type CapChange struct {
	// First tick in which it held.
	Tick int64 `json:"tick"`
	// What the cap is over: run, agent or tick.
	Scope string `json:"scope"`
	// What the cap is on: calls, tokens or cost.
	Unit string `json:"unit"`
	// The cap before, 0 for none; cost in millionths of the currency.
	From int64 `json:"from"`
	// The cap from then on, 0 for none; cost in millionths of the currency.
	To int64 `json:"to"`
}

// bill is what some calls took.
type bill struct {
	calls int64
	usage llmclient.Usage
	cost  price.Money
}

func (t *bill) add(m trace.ModelCall, p price.Price) {
	t.calls++
	t.usage = t.usage.Add(m.Answer.Usage)
	t.cost = t.cost.Plus(p.Cost(m.Answer.Usage))
}

// costFold is the cost section in the making.
type costFold struct {
	prices   map[string]price.Price
	currency string
	estimate *trace.Estimate
	caps     trace.Caps
	total    bill
	models   map[string]*bill
	agents   map[string]*bill
	// run is what counted against the caps, ofAgent by agent, tick in the present tick
	// at, and tickMost the most of one tick.
	run, tick, tickMost state.Spent
	ofAgent             map[string]state.Spent
	at                  int64
	refused             Counts
	changes             []CapChange
}

// hold applies the prices and caps of some settings from now on.
func (c *costFold) hold(s trace.Settings) {
	for _, p := range s.Prices {
		c.prices[p.Model], c.currency = p, p.Currency
	}
	c.caps = s.Caps
}

// fork takes in what a fork changes. Caps that are not its parent's count from there.
func (c *costFold) fork(f trace.Fork) {
	before := c.caps
	c.hold(f.Settings)
	if f.Settings.Estimate != nil {
		c.estimate = f.Settings.Estimate
	}
	if state.Afresh(before, c.caps) {
		c.run, c.tick, c.tickMost = state.Spent{}, state.Spent{}, state.Spent{}
		clear(c.ofAgent)
	}
}

// capRow is a cap beside another amount of its unit: a later cap, or what was spent.
type capRow struct {
	scope, unit string
	cap, beside int64
}

// capRows lists the units of a scope, cost in millionths of the currency.
func capRows(scope string, l, beside trace.Limit) []capRow {
	return []capRow{
		{scope, "calls", l.Calls, beside.Calls}, {scope, "tokens", l.Tokens, beside.Tokens}, {scope, "cost", l.Cost.Micros(), beside.Cost.Micros()},
	}
}

// changeCaps takes in other caps, against which everything so far counts.
func (c *costFold) changeCaps(change trace.CapChange) {
	from, to := c.caps, change.Caps
	for _, row := range slices.Concat(capRows("run", from.Run, to.Run), capRows("agent", from.Agent, to.Agent), capRows("tick", from.Tick, to.Tick)) {
		if row.cap != row.beside {
			c.changes = append(c.changes, CapChange{Tick: change.Tick, Scope: row.scope, Unit: row.unit, From: row.cap, To: row.beside})
		}
	}
	c.caps = to
}

// call takes in a request, of a decision or a reflection.
func (c *costFold) call(m trace.ModelCall) {
	p := c.prices[m.Model]
	c.total.add(m, p)
	at(c.models, m.Model).add(m, p)
	at(c.agents, m.AgentID).add(m, p)
	if m.Tick != c.at {
		c.at, c.tick = m.Tick, state.Spent{}
	}
	counted := state.Counted(m, p)
	c.run, c.tick = c.run.Plus(counted), c.tick.Plus(counted)
	c.ofAgent[m.AgentID] = c.ofAgent[m.AgentID].Plus(counted)
	c.tickMost = c.tickMost.Most(c.tick)
}

// report closes the section. agents are in order.
func (c *costFold) report(agents []*agentFold) Cost {
	out := Cost{
		Priced: len(c.models) > 0, Currency: c.currency, TotalMicros: c.total.cost.Micros(),
		ByModel: []ModelCost{}, ByAgent: make([]AgentCost, len(agents)), Caps: []CapUse{}, CapChanges: c.changes, RefusedByCap: c.refused,
	}
	if e := c.estimate; e != nil {
		figures := func(s trace.Usage) CostFigures {
			return CostFigures{s.Calls, s.InputTokens, s.OutputTokens, s.Cost.Micros()}
		}
		out.Estimate = &CostEstimate{figures(e.Least), figures(e.Likely), figures(e.Most)}
	}
	for name, t := range c.models {
		row := ModelCost{Model: name, Calls: t.calls, Tokens: t.usage, Micros: t.cost.Micros()}
		var p price.Price
		if p, row.Priced = c.prices[name]; row.Priced {
			row.Price = &p
		}
		out.Priced = out.Priced && row.Priced
		out.ByModel = append(out.ByModel, row)
	}
	slices.SortFunc(out.ByModel, func(a, b ModelCost) int { return strings.Compare(a.Model, b.Model) })
	mostOfAgent := state.Spent{}
	for i, a := range agents {
		id := a.row.AgentID
		t := at(c.agents, id)
		out.ByAgent[i] = AgentCost{id, t.calls, t.usage, t.cost.Micros()}
		mostOfAgent = mostOfAgent.Most(c.ofAgent[id])
	}
	for _, row := range slices.Concat(
		capRows("run", c.caps.Run, trace.Limit(c.run)), capRows("agent", c.caps.Agent, trace.Limit(mostOfAgent)),
		capRows("tick", c.caps.Tick, trace.Limit(c.tickMost)),
	) {
		if row.cap > 0 {
			out.Caps = append(out.Caps, CapUse{Scope: row.scope, Unit: row.unit, Cap: row.cap, Spent: row.beside})
		}
	}
	return out
}

// capText writes an amount of a cap's unit.
func capText(unit string, n int64) string {
	if unit == "cost" {
		return micros(n)
	}
	return fmt.Sprint(n)
}

// costLine is empty if the run is free and has no cap. The total names the models it
// leaves out and the oldest day of its prices.
func (r Report) costLine() string {
	c := r.Cost
	var parts []string
	switch {
	case c.Currency != "":
		asOf, missing := "", 0
		for _, m := range c.ByModel {
			switch {
			case !m.Priced:
				missing++
			case asOf == "" || m.Price.AsOf < asOf:
				asOf = m.Price.AsOf
			}
		}
		text := micros(c.TotalMicros) + " " + plain(c.Currency)
		if missing > 0 {
			text += fmt.Sprintf(" and what %d models without a price cost", missing)
		}
		if asOf != "" { // else nothing was bought, so there is no price to date
			text += " at prices of " + plain(asOf)
		}
		parts = append(parts, text)
	case r.ModelSource == trace.SourceLive:
		parts = append(parts, "unknown, no model has a price")
	}
	if e := c.Estimate; e != nil && len(parts) > 0 {
		text := fmt.Sprintf("expected %d to %d calls, likely %d", e.Least.Calls, e.Most.Calls, e.Likely.Calls)
		if c.Currency != "" {
			text += fmt.Sprintf(", and %s to %s, likely %s", micros(e.Least.Micros), micros(e.Most.Micros), micros(e.Likely.Micros))
		}
		parts = append(parts, text)
	}
	for _, use := range c.Caps {
		of := "of the " + use.Scope
		if use.Scope != "run" {
			of = "most of one " + use.Scope
		}
		parts = append(parts, fmt.Sprintf("%s %s: %s of %s", use.Unit, of, capText(use.Unit, use.Spent), capText(use.Unit, use.Cap)))
	}
	for _, x := range c.CapChanges {
		show := func(n int64) string {
			if n == 0 {
				return "none"
			}
			return capText(x.Unit, n)
		}
		parts = append(parts, fmt.Sprintf("cap on %s of the %s %s -> %s in tick %d", x.Unit, x.Scope, show(x.From), show(x.To), x.Tick))
	}
	if n := c.RefusedByCap.sum(); n > 0 {
		parts = append(parts, fmt.Sprintf("refused by caps: %d%s", n, c.RefusedByCap.most()))
	}
	return strings.Join(parts, "; ")
}

// micros writes millionths as a decimal number.
func micros(n int64) string { return price.FromMicros(n).String() }
