package batch_test

import (
	"testing"

	"example.com/agentworld/batch"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// TestPayable: costs of cells are added up only in one currency, and a bound on them needs the price of
// every model.
func TestPayable(t *testing.T) {
	of := func(currency string, models ...string) trace.Settings {
		s := trace.Settings{Model: "a", Prices: []price.Price{{Model: "a", Currency: currency}}}
		for _, model := range models {
			s.AgentModels = append(s.AgentModels, trace.AgentModel{Agent: "agent-1", Model: model})
		}
		return s
	}
	bound := trace.Limit{Cost: 1}
	for name, c := range map[string]struct {
		before  string
		s       trace.Settings
		limit   trace.Limit
		refused bool
	}{
		"first":                       {"", of("USD"), bound, false},
		"same currency":               {"USD", of("USD"), bound, false},
		"another currency":            {"EUR", of("USD"), trace.Limit{}, true},
		"an agent's model, no price":  {"", of("USD", "b"), bound, true},
		"no price and no bound on it": {"EUR", trace.Settings{Model: "a"}, trace.Limit{Calls: 1}, false},
	} {
		currency, err := batch.Payable(c.before, c.s, c.limit)
		if (err != nil) != c.refused {
			t.Errorf("%s: the error is %v", name, err)
		}
		if err == nil && len(c.s.Prices) > 0 && currency != "USD" {
			t.Errorf("%s: the currency is %q", name, currency)
		}
	}
}
