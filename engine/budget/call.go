package budget

import (
	"math/bits"

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
	// tier is the service tier that is asked for.
	tier string
	// costMilli is the most that was billed, per thousand of what was set aside for the same tokens.
	costMilli int64
	// said is what of the answer was counted here, 0 where nothing was.
	said int64
}

// Call returns the call for an input of this many tokens and a bound on its answer. p is
// the price of its model, zero if there is none.
func (b *Budget) Call(inputTokens, outputTokensMax int64, p price.Price) Call {
	return Call{
		counted: inputTokens, price: p, costMilli: b.seen.costMilli,
		input:  (inputTokens*b.seen.inputMilli + 999) / 1000,
		output: max(outputTokensMax, b.seen.output),
		growth: max(growthTokens, (b.seen.growth*b.seen.inputMilli+999)/1000),
	}
}

// Uncounted returns a call whose tokens are not counted beforehand, because nothing
// bounds them. Its cost is known when it is billed.
func Uncounted(p price.Price) Call { return Call{price: p, costMilli: milli} }

// At returns the call as one that asks for a service tier.
func (c Call) At(tier string) Call {
	c.tier = tier
	return c
}

// Said returns the call with the tokens of its answer that were counted here.
func (c Call) Said(outputTokens int64) Call {
	c.said = outputTokens
	return c
}

// milli is a thousand: what per-mille figures are of.
const milli = 1000

// amount is what the call can take at most.
func (c Call) amount() Amount {
	return Amount{1, c.input + c.output, scaled(c.most(c.input, c.output), c.costMilli)}
}

// most is the most that so many tokens of the call are expected to cost.
func (c Call) most(input, output int64) int64 {
	return int64(c.price.Most(llmclient.Usage{Input: input, Output: output, ServiceTier: c.tier}))
}

// scaled is that many thousandths of an amount, rounded up, at most [unlimited].
func scaled(amount, thousandths int64) int64 { return ratio(amount, thousandths, milli, unlimited) }

// ratio is an amount times numerator/denominator, rounded up, at most most. Nothing is negative.
func ratio(amount, numerator, denominator, most int64) int64 {
	high, low := bits.Mul64(uint64(amount), uint64(numerator))
	if high >= uint64(denominator) {
		return most
	}
	whole, rest := bits.Div64(high, low, uint64(denominator))
	if rest > 0 {
		whole++
	}
	return int64(min(whole, uint64(most)))
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

// billed is the usage that is charged for an answer. guessed says that the provider did not say all of
// it: a part that was used and not reported counts as reserved, and one of which less than half of our
// own count was reported counts as ours.
func (c Call) billed(a llmclient.Answer) (u llmclient.Usage, guessed bool) {
	if a.Reply == nil {
		if a.Failure.Unsent {
			return llmclient.Usage{}, false
		}
		switch a.Failure.Kind {
		case llmclient.ErrAuth, llmclient.ErrForbidden, llmclient.ErrModelNotFound, llmclient.ErrQuota,
			llmclient.ErrRateLimited, llmclient.ErrBadRequest, llmclient.ErrContext, llmclient.ErrWrongPath,
			llmclient.ErrProxy, llmclient.ErrServer, llmclient.ErrDNS, llmclient.ErrTLS:
			return llmclient.Usage{}, false // which come before a model has read anything
		}
		return llmclient.Usage{Input: c.input, Output: c.output}, true // it may have answered, and only the answer was lost
	}
	u = a.Reply.Usage
	reportedInput, reportedOutput := u.Input, max(u.Output, 0)
	switch {
	case u.Input <= 0:
		u.Input = c.input
	case llmclient.Underreported(u.Input, c.counted):
		u.Input = c.counted
	}
	switch {
	case u.Output <= 0 && len(a.Reply.Items) > 0:
		u.Output = c.output
	case llmclient.Underreported(u.Output, c.said):
		u.Output = c.said
	}
	u.Output = max(u.Output, 0)
	return u, u.Input != reportedInput || u.Output != reportedOutput
}

// Charge is the record of what an answer counts.
func (c Call) Charge(a llmclient.Answer) trace.Charge {
	u, guessed := c.billed(a)
	charge := trace.Charge{ReservedTokens: c.input + c.output, Tokens: u.Input + u.Output, Cost: c.price.Cost(u)}
	switch {
	case !guessed:
	case a.Reply == nil:
		charge.Cost = price.Money(c.amount()[Cost])
	default:
		rates, _ := c.price.At(u.ServiceTier, u.Input)
		charge.Cost = rates.Most(u)
	}
	return charge
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
	// costMilli is the most that was billed for the tokens of an answer, per thousand of what their price
	// made us expect: a tier that nobody asked for, or writes that are kept for long, cost more.
	costMilli int64
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
	if u := a.Reply.Usage; u.Input >= 0 && u.Output >= 0 {
		r.costMilli = max(r.costMilli, ratioMilli(int64(c.price.Cost(u)), c.most(u.Input, u.Output)))
	}
	r.output = max(r.output, a.Reply.Usage.Output)
	return r
}

// most is the further one of both, by part.
func (r reach) most(s reach) reach {
	return reach{
		inputMilli: max(r.inputMilli, s.inputMilli),
		output:     max(r.output, s.output),
		growth:     max(r.growth, s.growth),
		costMilli:  max(r.costMilli, s.costMilli),
	}
}

// costMilliMax bounds what is learned from one bill, which may be absurd.
const costMilliMax = 100 * milli

// ratioMilli is a bill per thousand of what was expected, rounded up; 0 where nothing was expected.
func ratioMilli(billed, expected int64) int64 {
	if expected <= 0 || billed <= expected {
		return 0
	}
	return ratio(billed, milli, expected, costMilliMax)
}
