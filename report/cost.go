package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// Cost is what a run's answers cost, at the prices that were recorded with it. It
// covers decisions and reflections. Amounts are rounded up, each by itself.
type Cost struct {
	// Whether every model that was asked has a price; amounts are lower bounds otherwise. What a price
	// does not say is in guessed_by_kind.
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
	// Answers at the default tier because the service tier that was asked for was full, or had been shortly before.
	TierFallbacks int64 `json:"tier_fallbacks"`
	// Answers whose cost was partly guessed, by what their price does not say: cache writes, or the tier
	// that served them.
	GuessedByKind Counts `json:"guessed_by_kind"`
	// Answers with a usage that is doubtful, by kind: its total is not the sum, or it differs by more
	// than half from what the engine counted itself.
	UsageDoubtsByKind Counts `json:"usage_doubts_by_kind"`
	// Cost of all input over what it would have cost without a cache, in thousandths; 0 if nothing has a price.
	InputOverPlainMilli int64 `json:"input_over_plain_milli"`
}

// ModelCost is one model's share of a run's cost.
type ModelCost struct {
	// Model asked for.
	Model string `json:"model"`
	// Requests sent.
	Calls int64 `json:"calls"`
	// Tokens of all answers.
	Tokens Tokens `json:"tokens"`
	// Answers by the service tier that served them, in the provider's word; empty if none was asked for
	// or named. An answer that names none counts as "unsaid" if one was asked for.
	CallsByTier Counts `json:"calls_by_tier"`
	// Whether the model has a price.
	Priced bool `json:"priced"`
	// Cost in millionths of the currency; 0 without a price.
	Micros int64 `json:"micros"`
	// The price that was applied; null without one.
	Price *Price `json:"price"`
}

// Price is what the tokens of a model cost at the default tier.
type Price struct {
	// Model.
	Model string `json:"model"`
	// Currency of the amounts.
	Currency string `json:"currency"`
	// Input tokens that were neither cached nor written to the cache, in millionths of the currency for a million.
	Input price.Money `json:"input_micros_per_million"`
	// Cached input tokens.
	CachedInput price.Money `json:"cached_input_micros_per_million"`
	// Input tokens that are written to the cache; null if the price does not say it.
	CacheWrite *price.Money `json:"cache_write_micros_per_million"`
	// Those of them that are kept for more than half an hour; null if the price does not say it.
	CacheWriteLong *price.Money `json:"cache_write_long_micros_per_million"`
	// Output tokens, reasoning included.
	Output price.Money `json:"output_micros_per_million"`
	// Day the price was right, YYYY-MM-DD.
	AsOf string `json:"as_of"`
	// Where the price is from.
	Source string `json:"source"`
}

// priceOf returns the row of a price.
func priceOf(p price.Price) *Price {
	return &Price{
		Model: p.Model, Currency: p.Currency, AsOf: p.AsOf, Source: p.Source,
		Input: p.Input, CachedInput: p.CachedInput, Output: p.Output,
		CacheWrite: p.CacheWrite, CacheWriteLong: p.CacheWriteLong,
	}
}

// AgentCost is one agent's share of a run's cost.
type AgentCost struct {
	// Id of the agent.
	AgentID string `json:"agent_id"`
	// Requests sent.
	Calls int64 `json:"calls"`
	// Tokens of all answers.
	Tokens Tokens `json:"tokens"`
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
	// What the run counted, or the most that one agent or tick did; cost in millionths of the currency.
	// A lost answer counts the amount that was reserved for it.
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
	calls  int64
	tokens Tokens
	cost   price.Money
	// input is the cost of the input, plain what it would have been without a cache.
	input, plain price.Money
	tiers        Counts
}

// add adds a call. asks says that it asked for a service tier.
func (t *bill) add(m trace.ModelCall, p price.Price, asks bool) {
	u := m.Answer.Usage
	t.calls++
	t.tokens = t.tokens.Add(TokensOf(u))
	t.cost = t.cost.Plus(p.Cost(u))
	if tier := cmp.Or(u.ServiceTier, tierUnsaid); m.Answer.Failure == nil && (asks || tier != tierUnsaid) {
		if t.tiers == nil {
			t.tiers = Counts{}
		}
		t.tiers[tier]++
	}
	u.Output = 0
	t.input = t.input.Plus(p.Cost(u))
	u.Cached = 0
	u.Written = 0
	u.WrittenLong = 0
	t.plain = t.plain.Plus(p.Cost(u))
}

// tierUnsaid counts answers that do not name the tier that served them.
const tierUnsaid = "unsaid"

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
	// fallbacks, guessed and doubts count answers.
	fallbacks       int64
	guessed, doubts Counts
	// settings are those in force; asked says whose calls ask for a service tier under them.
	settings trace.Settings
	asked    map[string]bool
	// answered are the models that answered.
	answered map[string]bool
}

const (
	// answeredMost bounds the models that answered, and answeredCharsMax the name of one.
	answeredMost     = 8
	answeredCharsMax = 100
)

// answers takes up who answered a call.
func (c *costFold) answers(m trace.ModelCall) {
	if m.Answer.Failure != nil || m.Stage == trace.StageSeat || len(c.answered) >= answeredMost {
		return
	}
	c.answered[plaintext.Clip(cmp.Or(m.Answer.Model, m.Model), answeredCharsMax)] = true
}

// hold applies the prices and caps of some settings from now on.
func (c *costFold) hold(s trace.Settings) {
	for _, p := range s.Prices {
		c.prices[p.Model], c.currency = p, p.Currency
	}
	c.caps = s.Caps
	c.settings, c.asked = s, map[string]bool{}
}

// asks reports whether an agent's calls ask for a service tier now.
func (c *costFold) asks(agent string) bool {
	asks, known := c.asked[agent]
	if !known {
		asks = c.settings.SamplingOf(agent).Tier() != ""
		c.asked[agent] = asks
	}
	return asks
}

// fork takes in what a fork changes. Caps that are not its parent's count from there.
func (c *costFold) fork(f trace.Fork) {
	before := c.caps
	c.hold(f.Settings)
	if f.Settings.Estimate != nil {
		c.estimate = f.Settings.Estimate
	}
	if state.Afresh(before, c.caps) {
		c.run = state.Spent{}
		c.tick = state.Spent{}
		c.tickMost = state.Spent{}
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
		{scope, "calls", l.Calls, beside.Calls}, {scope, "tokens", l.Tokens, beside.Tokens},
		{scope, "cost", l.Cost.Micros(), beside.Cost.Micros()},
	}
}

// changeCaps takes in other caps, against which everything so far counts.
func (c *costFold) changeCaps(change trace.CapChange) {
	from, to := c.caps, change.Caps
	for _, row := range slices.Concat(capRows("run", from.Run, to.Run), capRows("agent", from.Agent, to.Agent),
		capRows("tick", from.Tick, to.Tick)) {
		if row.cap != row.beside {
			c.changes = append(c.changes, CapChange{Tick: change.Tick, Scope: row.scope, Unit: row.unit, From: row.cap,
				To: row.beside})
		}
	}
	c.caps = to
}

// call takes in a request, of a decision or a reflection.
func (c *costFold) call(m trace.ModelCall) {
	p, priced := c.prices[m.Model]
	asks := c.asks(m.AgentID)
	c.total.add(m, p, asks)
	c.answers(m)
	at(c.models, m.Model).add(m, p, asks)
	at(c.agents, m.AgentID).add(m, p, asks)
	if slices.Contains(m.Answer.Repairs, llmclient.RepairTierFallback) {
		c.fallbacks++
	}
	if priced {
		for _, what := range p.Guessed(m.Answer.Usage) {
			c.guessed[what]++
		}
	}
	for _, doubt := range m.Doubts() {
		c.doubts[doubt]++
	}
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
		ByModel: []ModelCost{}, ByAgent: make([]AgentCost, len(agents)), Caps: []CapUse{}, CapChanges: c.changes,
		RefusedByCap:  c.refused,
		TierFallbacks: c.fallbacks, GuessedByKind: c.guessed, UsageDoubtsByKind: c.doubts,
	}
	if c.total.plain > 0 {
		out.InputOverPlainMilli = int64(float64(c.total.input)/float64(c.total.plain)*1000 + 0.5)
	}
	if e := c.estimate; e != nil {
		figures := func(s trace.Usage) CostFigures {
			return CostFigures{s.Calls, s.InputTokens, s.OutputTokens, s.Cost.Micros()}
		}
		out.Estimate = &CostEstimate{figures(e.Least), figures(e.Likely), figures(e.Most)}
	}
	for name, t := range c.models {
		row := ModelCost{Model: name, Calls: t.calls, Tokens: t.tokens, CallsByTier: Counts{}, Micros: t.cost.Micros()}
		maps.Copy(row.CallsByTier, t.tiers)
		p, priced := c.prices[name]
		row.Priced = priced
		if priced {
			row.Price = priceOf(p)
		}
		out.Priced = out.Priced && row.Priced
		out.ByModel = append(out.ByModel, row)
	}
	slices.SortFunc(out.ByModel, func(a, b ModelCost) int { return strings.Compare(a.Model, b.Model) })
	mostOfAgent := state.Spent{}
	for i, a := range agents {
		id := a.row.AgentID
		t := at(c.agents, id)
		out.ByAgent[i] = AgentCost{id, t.calls, t.tokens, t.cost.Micros()}
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
			text += fmt.Sprintf(", and %s to %s, likely %s", micros(e.Least.Micros), micros(e.Most.Micros),
				micros(e.Likely.Micros))
		}
		parts = append(parts, text)
	}
	for _, use := range c.Caps {
		of := "of the " + use.Scope
		if use.Scope != "run" {
			of = "most of one " + use.Scope
		}
		parts = append(parts, fmt.Sprintf("%s %s: %s of %s", use.Unit, of, capText(use.Unit, use.Spent),
			capText(use.Unit, use.Cap)))
	}
	for _, x := range c.CapChanges {
		show := func(n int64) string {
			if n == 0 {
				return "none"
			}
			return capText(x.Unit, n)
		}
		parts = append(parts, fmt.Sprintf("cap on %s of the %s %s -> %s in tick %d", x.Unit, x.Scope, show(x.From),
			show(x.To), x.Tick))
	}
	if n := c.TierFallbacks; n > 0 {
		parts = append(parts, fmt.Sprintf("%d answers at the default tier, since the one asked for was full", n))
	}
	for _, m := range c.ByModel {
		if m.CallsByTier.sum() > 0 {
			parts = append(parts, fmt.Sprintf("%s served by tier%s", plain(m.Model), m.CallsByTier.most()))
		}
	}
	if n := c.GuessedByKind.sum(); n > 0 {
		parts = append(parts, fmt.Sprintf("partly guessed for what the prices do not say: %d answers%s",
			n, c.GuessedByKind.most()))
	}
	if n := c.UsageDoubtsByKind.sum(); n > 0 {
		parts = append(parts, fmt.Sprintf("doubtful usage: %d%s", n, c.UsageDoubtsByKind.most()))
	}
	if n := c.RefusedByCap.sum(); n > 0 {
		parts = append(parts, fmt.Sprintf("refused by caps: %d%s", n, c.RefusedByCap.most()))
	}
	return strings.Join(parts, "; ")
}

// micros writes millionths as a decimal number.
func micros(n int64) string { return price.FromMicros(n).String() }
