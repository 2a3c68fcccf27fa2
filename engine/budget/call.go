package budget

import (
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// Call is a request with the most it can be billed.
type Call struct {
	// counted is the input as counted here.
	counted int64
	// input and output are the reserved tokens. growth is how much more input the next
	// call of the turn is expected to need.
	input, output, growth int64
	price                 price.Price
}

// Call returns the call for an input of this many tokens and a bound on its answer. p is
// the price of its model, zero if there is none.
func (b *Budget) Call(inputTokens, outputTokensMax int64, p price.Price) Call {
	return Call{
		counted: inputTokens, price: p,
		input:  (inputTokens*b.seen.inputMilli + 999) / 1000,
		output: max(outputTokensMax, b.seen.output),
		growth: max(growthTokens, (b.seen.growth*b.seen.inputMilli+999)/1000),
	}
}

// Uncounted returns a call whose tokens are not counted beforehand, because nothing
// bounds them. Its cost is known when it is billed.
func Uncounted(p price.Price) Call { return Call{price: p} }

// amount is what the call can take at most.
func (c Call) amount() Amount {
	return Amount{1, c.input + c.output, int64(c.price.Most(llmclient.Usage{Input: c.input, Output: c.output}))}
}

// Path is what a turn of n calls needs that begins with c: each further call also
// reads what the ones before it left in the input.
func (c Call) Path(n int) Amount {
	var need Amount
	for range n {
		need = need.Plus(c.amount())
		c = c.Next()
	}
	return need
}

// Next is the call that probably follows c in its turn.
func (c Call) Next() Call {
	c.input += c.growth
	return c
}

// growthTokens is what an answer and its outputs usually add to the input of the next
// call. It applies until a turn is refused because it grew faster. It only decides which
// turns are admitted: each call is bounded separately.
const growthTokens = 512

// billed is the usage that is charged for an answer: the reported usage, and the reserved
// amount for each part that was used but not reported.
func (c Call) billed(a llmclient.Answer) llmclient.Usage {
	if a.Reply == nil {
		if a.Failure.Unsent {
			return llmclient.Usage{}
		}
		switch a.Failure.Kind {
		case llmclient.ErrAuth, llmclient.ErrForbidden, llmclient.ErrModelNotFound, llmclient.ErrQuota,
			llmclient.ErrRateLimited, llmclient.ErrBadRequest, llmclient.ErrContext, llmclient.ErrWrongPath, llmclient.ErrProxy, llmclient.ErrServer, llmclient.ErrDNS, llmclient.ErrTLS:
			return llmclient.Usage{} // which come before a model has read anything
		}
		return c.unknown() // it may have answered, and only the answer was lost
	}
	u := a.Reply.Usage
	if u.Input <= 0 {
		u.Input, u.Cached = c.input, c.unknown().Cached
	}
	if u.Output <= 0 && len(a.Reply.Items) > 0 {
		u.Output = c.output
	}
	u.Output = max(u.Output, 0)
	return u
}

// unknown is the usage charged for an answer without reported usage: the reserved amount.
func (c Call) unknown() llmclient.Usage {
	u := llmclient.Usage{Input: c.input, Output: c.output}
	if c.price.CachedInput > c.price.Input {
		u.Cached = c.input
	}
	return u
}

// Charge is the record of what an answer counts.
func (c Call) Charge(a llmclient.Answer) trace.Charge {
	u := c.billed(a)
	return trace.Charge{ReservedTokens: c.input + c.output, Tokens: u.Input + u.Output, Cost: c.price.Cost(u)}
}

// reach is the furthest a provider has gone beyond what was counted.
type reach struct {
	// inputMilli is the input reserved per thousand counted tokens.
	inputMilli int64
	// output is the longest answer billed.
	output int64
	// growth is the most that the inputs of a turn grew from call to call on average, in
	// counted tokens, of the turns that ended because their share was too small for it.
	// Without it such turns would be begun, and paid for, in every tick.
	growth int64
}

// reserveMilli is the input reserved per thousand counted tokens, until a provider bills
// more. The margin is needed because tokenizers differ and endpoints wrap their input.
const reserveMilli = 1250

// with adds an answer to c.
func (r reach) with(c Call, a llmclient.Answer) reach {
	if a.Reply == nil {
		return r
	}
	if u := a.Reply.Usage; u.Input > 0 && c.counted > 0 && u.Input < unlimited/1000 {
		r.inputMilli = max(r.inputMilli, (u.Input*1000+c.counted-1)/c.counted)
	}
	r.output = max(r.output, a.Reply.Usage.Output)
	return r
}

// most is the further one of both, by part.
func (r reach) most(s reach) reach {
	return reach{max(r.inputMilli, s.inputMilli), max(r.output, s.output), max(r.growth, s.growth)}
}
