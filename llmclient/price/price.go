package price

import "example.com/agentworld/llmclient"

// Price is what the tokens of one model cost. It is recorded with a run, so that the
// run's costs can be told again whatever later tables say.
type Price struct {
	// Model is the model's name as asked for.
	Model string `json:"model"`
	// Currency is the currency's code, such as USD.
	Currency string `json:"currency"`
	// Input, CachedInput and Output are the amounts for one token, which is as many
	// millionths of the currency as a million tokens cost. Reasoning tokens are output.
	Input       Money `json:"input_micros_per_million"`
	CachedInput Money `json:"cached_input_micros_per_million"`
	Output      Money `json:"output_micros_per_million"`
	// AsOf is the day the price was right, as YYYY-MM-DD; Source says where it is from.
	AsOf   string `json:"as_of"`
	Source string `json:"source"`
}

// Most is the most that a usage can cost, however much of its input turns out to be
// cached: a table may price that higher.
func (p Price) Most(u llmclient.Usage) Money {
	return times(max(u.Input, 0), max(p.Input, p.CachedInput)).Plus(times(u.Output, p.Output))
}

// Cost is the exact price of a usage. Cached tokens are part of the input and
// reasoning tokens part of the output, as in [llmclient.Usage]; a provider that
// reports more cached tokens than input is taken to mean all of it.
func (p Price) Cost(u llmclient.Usage) Money {
	input := max(u.Input, 0)
	cached := min(max(u.Cached, 0), input)
	return times(input-cached, p.Input).Plus(times(cached, p.CachedInput)).Plus(times(u.Output, p.Output))
}
