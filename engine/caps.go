package engine

import (
	"fmt"
	"io"
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/trace"
)

// checkCaps reports caps that no turn fits in, and a cap on cost that cannot be kept
// because a price is missing. begun says that the run has spent something already: what
// a cap of the run or of an agent leaves then is for the budget to tell, and a cap too
// small for a turn ends the run like any other that was reached.
func (s Settings) checkCaps(begun bool) error {
	least := int64(leastCalls(s.behaviorConfig().WithDefaults(), behavior.StageLean))
	for _, c := range []struct {
		scope budget.Scope
		limit trace.Limit
	}{{budget.Run, s.Caps.Run}, {budget.Agent, s.Caps.Agent}, {budget.Tick, s.Caps.Tick}} {
		if min(c.limit.Calls, c.limit.Tokens, int64(c.limit.Cost)) < 0 {
			return fmt.Errorf("cap of the %s: must not be negative", c.scope)
		}
		if reached := begun && c.scope != budget.Tick; c.limit.Calls > 0 && c.limit.Calls < least && !reached {
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

// CheckFirstTick reports a cap that none of the turns of the first tick fits in: the
// run would end before its first call. It says what the smallest of them needs.
func (s Settings) CheckFirstTick() error {
	r, err := newRunner(Options{Settings: s}, newJournal(io.Discard))
	if err != nil || !r.spending.capped() {
		return err
	}
	r.world.Advance()
	if err := r.switchPrompts(r.world.Tick()); err != nil {
		return err
	}
	due := r.world.Due()
	for _, n := range due {
		r.mind(n)
	}
	purses := r.allowDecisions(due, r.turns(due)).purses()
	why := budget.Exhausted(purses, r.world.Agents())
	if why == nil {
		return nil
	}
	why = budget.Smallest(purses, why)
	return fmt.Errorf("%s: no turn fits; the smallest one of the first tick, of %s, needs %s, for its shortest path with answers of full length",
		why.CapText(), why.Agent, why.NeedText())
}

// models are the models a run asks, each once: its own, and those of agents.
func (s Settings) models() []string {
	list := []string{s.Model}
	for _, a := range s.AgentModels {
		if a.Model != "" && !slices.Contains(list, a.Model) {
			list = append(list, a.Model)
		}
	}
	return list
}

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

// recordedCaps is what a header holds: nothing for a run without caps.
func recordedCaps(c trace.Caps) *trace.Caps {
	if c == (trace.Caps{}) {
		return nil
	}
	return &c
}

// capsOf reads back what recordedCaps wrote.
func capsOf(c *trace.Caps) trace.Caps {
	if c == nil {
		return trace.Caps{}
	}
	return *c
}
