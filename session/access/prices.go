package access

import (
	"fmt"
	"slices"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// Prices looks up what the models of a run cost: in a table of the caller's or, without one, among
// the prices that the settings hold, then in the built-in table, which has none for the embedded
// model. A cap on money is refused if the price of a model, or of a service tier that it is asked
// for at, is unknown.
func Prices(s trace.Settings, own *price.Table) ([]price.Price, error) {
	table, known := price.Embedded(), s.Prices
	if own != nil {
		table, known = *own, nil
	}
	var list []price.Price
	missing := ""
	for _, model := range s.Models() {
		at := slices.IndexFunc(known, func(p price.Price) bool { return p.Model == model })
		if p, ok := table.Lookup(model); at >= 0 {
			list = append(list, known[at])
		} else if ok {
			list = append(list, p)
		} else if missing == "" {
			missing = fmt.Sprintf("model %s%s; allowed: a model with a price", openai.Quoted(model), table.Looked(model))
		}
	}
	for _, p := range list {
		for _, tier := range s.TiersOf(p.Model) {
			if !p.Knows(tier) && missing == "" {
				missing = fmt.Sprintf("tier %s of model %s; allowed: a tier with a price", openai.Quoted(tier),
					openai.Quoted(p.Model))
			}
		}
	}
	for _, bound := range []struct {
		key string
		on  trace.Limit
	}{{"llm.cap_cost", s.Caps.Run}, {"llm.cap_agent_cost", s.Caps.Agent}, {"llm.cap_tick_cost", s.Caps.Tick}} {
		if missing != "" && bound.on.Cost > 0 {
			return nil, Refuse(bound.key, "there is no price of %s, or a table with one ({llm.price_table})", missing)
		}
	}
	return list, nil
}
