package engine

import (
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/trace"
)

// Expect says what the run will take in so many ticks, by the prompts of its first tick, counted,
// and the paths of its protocol and way to commit, as if nothing were cached:
//
//   - Least: agents decide in every fourth tick, on the shortest path.
//   - Likely: what runs of the scripted model take. Models that reason write more.
//   - Most: agents decide in every tick, on the longest path, with answers at the
//     limit.
//
// Nothing is sent. Caps are left out.
func (p *Prepared) Expect(ticks int64) trace.Estimate {
	r := p.r
	e := trace.Estimate{}
	counted := int64(0)
	defer p.look()()
	due := r.world.Due()
	all := make([]int, r.world.Agents())
	for i := range all {
		all[i] = i
	}
	all = r.asking(all)
	n := min(len(all), openingsMax)
	for i := range n { // spread over all agents
		agent := all[i*len(all)/n]
		ask, asks := r.agent(agent).Begin(r.world.View(agent)).Next().(behavior.Ask)
		if !asks {
			continue
		}
		counted++
		o := opening{
			due: slices.Contains(due, agent), tokens: ask.Request.Tokens(tokens.Count),
			answer: int64(r.spending.longest(ask)),
			calls:  leastCalls(r.runtime.Config(), ask),
			price:  r.spending.meter.Prices[r.endpoint(agent).model], tier: ask.Request.Sampling.Tier(),
		}
		e = plusEstimate(e, r.expectDecision(o, ticks))
		if r.Learns() {
			before := max(0, r.Ticks-ticks) // of the run that is resumed or forked
			e = plusEstimate(e, r.expectReflection(o, r.Ticks/r.LearnEvery-before/r.LearnEvery))
		}
	}
	return EstimateOf(e, int64(len(all)), counted)
}

// openingsMax bounds how many agents' prompts are counted for an estimate.
const openingsMax = 16

// opening is the first request of an agent.
type opening struct {
	// due says that the agent decides in the first tick; one that lies shut down may never
	// do so again.
	due bool
	// tokens are those of the request, answer those of the longest answer to it.
	tokens, answer int64
	// calls is the number of calls of its shortest path.
	calls int
	price price.Price
	// tier is the service tier that is asked for.
	tier string
}

// shape is how turns usually run where nothing about the model is known.
type shape struct {
	// turnsPercent is in how many of a hundred ticks an agent decides: not while it
	// travels, waits or continues an order.
	turnsPercent int64
	// callTenths is a tenth of the calls of a turn.
	callTenths int64
	// pastPercent is the size of a prompt with a history, in percent of the first prompt.
	pastPercent int64
	// output is the tokens of an answer.
	output int64
}

// The tokens of a short and of a usual answer.
const (
	answerTokensLeast  = 60
	answerTokensLikely = 150
)

// expectDecision estimates what an agent that opens like o needs in so many ticks.
func (r *runner) expectDecision(o opening, ticks int64) trace.Estimate {
	cfg := r.runtime.Config()
	least, turnsPercent := int64(10*o.calls), int64(85)
	if cfg.Protocol == behavior.ProtocolFull && cfg.Commit == trace.CommitOneStep {
		turnsPercent = 95 // direct commits leave few standing orders, which are what saves decisions
	}
	e := trace.Estimate{
		Likely: o.spending(ticks, shape{turnsPercent, least + 5, 105, answerTokensLikely}),
		Most:   o.spending(ticks, shape{100, int64(10 * cfg.CallsMax()), 200, o.answer}),
	}
	e.Most = o.dearest(e.Most)
	if o.due {
		e.Least = o.spending(ticks, shape{25, least, 100, answerTokensLeast})
	}
	return e
}

// spending is what turns of a shape take. Each call after the first also reads what
// the ones before it left.
func (o opening) spending(ticks int64, s shape) trace.Usage {
	input := s.callTenths*o.tokens*s.pastPercent/1000 + min(s.output, growthTokensMax)*s.callTenths*(s.callTenths-10)/200
	return o.priced(trace.Usage{
		Calls:        (ticks*s.turnsPercent*s.callTenths + 999) / 1000,
		InputTokens:  ticks * s.turnsPercent * input / 100,
		OutputTokens: ticks * s.turnsPercent * s.callTenths * s.output / 1000,
	})
}

// growthTokensMax bounds what a call is supposed to add to the input of the next one.
const growthTokensMax = 600

// priced adds the cost of calls at the tier that is asked for, as if nothing were cached.
func (o opening) priced(s trace.Usage) trace.Usage {
	rates, _ := o.price.At(o.tier, s.InputTokens/max(1, s.Calls))
	s.Cost = rates.Cost(llmclient.Usage{Input: s.InputTokens, Output: s.OutputTokens})
	return s
}

// dearest adds the most that calls can cost.
func (o opening) dearest(s trace.Usage) trace.Usage {
	rates := o.price.Dearest(o.tier, s.InputTokens/max(1, s.Calls))
	s.Cost = rates.Most(llmclient.Usage{Input: s.InputTokens, Output: s.OutputTokens})
	return s
}

// What a reflection reads and writes in a call.
const (
	reflectionInputLikely  = 3000
	reflectionInputMost    = 9000
	reflectionOutputLikely = 300
)

// expectReflection is what that many reflections of an agent take.
func (r *runner) expectReflection(o opening, times int64) trace.Estimate {
	cfg := r.runtime.Config()
	most := times * int64(reflect.NewRuntime(cfg, 1).CallsMax())
	likely := 2 * times
	return trace.Estimate{
		Least: o.priced(trace.Usage{
			Calls: times, InputTokens: times * reflectionInputLikely / 2, OutputTokens: times * answerTokensLeast,
		}),
		Likely: o.priced(trace.Usage{
			Calls: likely, InputTokens: likely * reflectionInputLikely, OutputTokens: likely * reflectionOutputLikely,
		}),
		Most: o.dearest(trace.Usage{Calls: most, InputTokens: most * reflectionInputMost, OutputTokens: most * o.answer}),
	}
}

func plusEstimate(a, b trace.Estimate) trace.Estimate {
	plus := func(a, b trace.Usage) trace.Usage {
		return trace.Usage{Calls: a.Calls + b.Calls, InputTokens: a.InputTokens + b.InputTokens,
			OutputTokens: a.OutputTokens + b.OutputTokens, Cost: a.Cost.Plus(b.Cost)}
	}
	return trace.Estimate{Least: plus(a.Least, b.Least), Likely: plus(a.Likely, b.Likely), Most: plus(a.Most, b.Most)}
}

// EstimateOf scales an estimate for some ticks or agents to another number of them; of none
// is nothing.
func EstimateOf(e trace.Estimate, number, of int64) trace.Estimate {
	if of <= 0 {
		return trace.Estimate{}
	}
	// The remainder is scaled separately: the full product might overflow.
	scale := func(n int64) int64 { return n/of*number + n%of*number/of }
	times := func(s trace.Usage) trace.Usage {
		return trace.Usage{
			Calls: scale(s.Calls), InputTokens: scale(s.InputTokens), OutputTokens: scale(s.OutputTokens),
			Cost: price.Money(scale(int64(s.Cost))),
		}
	}
	return trace.Estimate{Least: times(e.Least), Likely: times(e.Likely), Most: times(e.Most)}
}
