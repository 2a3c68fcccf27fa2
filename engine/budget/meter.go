package budget

import (
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
)

// Meter counts what requests and answers take: tokens with a count of texts, money with the prices of models.
type Meter struct {
	// Count counts the tokens of a text. Nil counts nothing, for a run in which tokens do not matter: to
	// count them takes time.
	Count func(text string) int
	// Prices are by model. A model without one costs nothing.
	Prices map[string]price.Price
}

// PricesOf are prices by model.
func PricesOf(list []price.Price) map[string]price.Price {
	byModel := map[string]price.Price{}
	for _, p := range list {
		byModel[p.Model] = p
	}
	return byModel
}

// Call is a request with the most that b lets it be billed, if its answer has at most so many tokens.
func (m Meter) Call(b *Budget, r llmclient.Request, outputTokensMax int) Call {
	p := m.Prices[r.Model]
	if m.Count == nil {
		return Uncounted(p)
	}
	return b.Call(r.Tokens(m.Count), int64(outputTokensMax), p).At(r.Sampling.Tier())
}

// Answered is the call with what was counted of its answer.
func (m Meter) Answered(c Call, a llmclient.Answer) Call {
	if m.Count == nil || a.Reply == nil {
		return c
	}
	return c.Said(a.Reply.Tokens(m.Count))
}

// Bill is what the answers of a turn or a run were billed.
type Bill struct {
	// Calls are the requests that were sent.
	Calls int64
	Usage llmclient.Usage
	Cost  price.Money
}

// Add adds the answer of a model.
func (b *Bill) Add(m Meter, model string, a llmclient.Answer) {
	if a.Failure == nil || a.Failure.Kind != llmclient.ErrCap {
		b.Calls++
	}
	if a.Reply != nil {
		b.Usage = b.Usage.Add(a.Reply.Usage)
		b.Cost = b.Cost.Plus(m.Prices[model].Cost(a.Reply.Usage))
	}
}

// Amount is the bill by unit.
func (b Bill) Amount() Amount { return Amount{b.Calls, b.Usage.Input + b.Usage.Output, int64(b.Cost)} }
