package cli

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"example.com/agentworld/internal/guardeval"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// guardSettings are the settings of a run that say how an attacked model is asked. Without the flag for
// the model none of them counts, wherever it is set: a live evaluation is always the user's choice.
var guardSettings = []string{
	"llm.model", "llm.base_url", "llm.timeout_ms", "llm.context_window", "llm.allow_store", "llm.max_output_tokens",
	"llm.reasoning_effort", "llm.service_tier", "llm.temperature", "llm.top_p", "llm.extra_body", "llm.price_table",
	"llm.cap_calls", "llm.cap_tokens", "llm.cap_cost",
}

// flagModel is the flag that makes an evaluation live.
const flagModel = "model"

// checkGuardSettings refuses settings of a model where none is named.
func checkGuardSettings(flags *pflag.FlagSet) error {
	if flags.Changed(flagModel) {
		return nil
	}
	if flags.Changed(configFlag) {
		return badInput("--%s: it says nothing about the scripted model; allowed: with --%s", configFlag, flagModel)
	}
	for _, s := range settingTable() {
		for _, key := range guardSettings {
			if s.Key == key && s.Flag != "" && flags.Changed(s.Flag) {
				return badInput("--%s: it says nothing about the scripted model; allowed: with --%s", s.Flag, flagModel)
			}
		}
	}
	return nil
}

// guardModel opens the model that flags name, and announces what playing jobs is expected to take. It
// returns nil for the scripted one. stop releases it.
func guardModel(ctx context.Context, m *Main, flags *pflag.FlagSet, jobs []guardeval.Job, seeds int) (
	model *guardeval.Model, stop func(), err error) {
	if !flags.Changed(flagModel) {
		return nil, func() {}, nil
	}
	c, err := m.configure(flags)
	if err != nil {
		return nil, nil, err
	}
	c.AgentModels = nil
	c.Sampling = nil
	c.Caps = trace.Caps{Run: c.Caps.Run}
	if err := m.readPrices(&c); err != nil {
		return nil, nil, err
	}
	reach := m.reach(c, c.Values)
	reach.Tell = (&listener{m: m, config: c}).Notice
	reached, err := access.Choose(&c.Settings, reach)
	if err != nil {
		return nil, nil, c.refused(err)
	}
	if !c.Live() {
		return nil, nil, badInput("--%s: it names no model; allowed: the name of one, and no --offline", flagModel)
	}
	c.Prices, err = access.Prices(c.Settings, c.table)
	if err != nil {
		return nil, nil, c.refused(err)
	}
	model = &guardeval.Model{Settings: c.Settings}
	expected, err := model.Expect(jobs, seeds)
	if err != nil {
		return nil, nil, badInput("%w", err)
	}
	source, endpoints, err := reached.Open(ctx, nil, stub.Options{}, "")
	if err != nil {
		return nil, nil, c.unopened(err)
	}
	calls := fmt.Sprintf("%d to %d, likely %d, of victims and their twins",
		expected.Least.Calls, expected.Most.Calls, expected.Likely.Calls)
	m.announce(m.Stderr, c, endpoints, calls, spending{config: c})
	plaintext.Fprintf(m.Stderr, "expected: %s; at least %s, at most %s\n", takes(expected.Likely), takes(expected.Least),
		takes(expected.Most))
	if currency := c.Currency(); currency != "" {
		plaintext.Fprintf(m.Stderr, "cost: likely %s %s, at least %s, at most %s\n", expected.Likely.Cost, currency,
			expected.Least.Cost, expected.Most.Cost)
	} else {
		plaintext.Fprintf(m.Stderr, "cost: unknown, there is no price of model %s; a table with one can be given "+
			"(--price-table)\n", shown(c.Model))
	}
	reached.Begin()
	model.Source = source
	return model, reached.Close, nil
}
