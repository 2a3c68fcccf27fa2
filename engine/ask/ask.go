package ask

import (
	"context"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/interview"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// Options are who answers and within what.
type Options struct {
	// Source answers, at BaseURL. Model is asked for; empty is the model that decided.
	Source  engine.Source
	BaseURL string
	Model   string
	// ModelSource is recorded with the answer, and what it cost at Prices in Currency.
	ModelSource trace.ModelSource
	Prices      []price.Price
	Currency    string
	// CountTokens bounds the tokens of a text.
	CountTokens func(string) int
	// Meter keeps questions within caps.
	Meter *engine.Meter
	// Now is the clock.
	Now func() time.Time
}

// Ask puts a question to an agent and awaits the answer. A failure of the provider is in the
// record, a question that does not fit the window is an error.
func Ask(ctx context.Context, a interview.Agent, question string, o Options) (Record, error) {
	turn, err := a.Begin(question, interview.With{Model: o.Model, CountTokens: o.CountTokens})
	if err != nil {
		return Record{}, err
	}
	began := o.Now()
	r := Record{
		Tick: a.Tick, TurnTick: a.Call.Tick, AgentID: a.ID, Question: question, ModelSource: o.ModelSource,
		BaseURL: o.BaseURL, Currency: o.Currency, Exchanges: []Exchange{},
		Timing: Timing{AskedAt: began.UTC().Format(time.RFC3339)},
	}
	first, _ := turn.Next()
	o.Meter.Begin(a.ID, first, 1)
	for ask, more := first, true; more; ask, more = turn.Next() {
		r.Model = ask.Request.Model
		answer := o.Meter.Respond(ask, func(request llmclient.Request) llmclient.Answer {
			return o.Source.Respond(ctx, trace.CallKey{Tick: a.Tick, Agent: a.ID, Step: ask.Number}, request)
		})
		r.add(ask, answer, o.Prices)
		turn.Answer(answer)
	}
	result := turn.Result()
	r.Text = result.Text
	r.Cited = append([]trace.Citation{}, result.Cited...)
	r.Failure = result.Failure
	return r, nil
}

// add records an exchange and what it cost.
func (r *Record) add(ask behavior.Ask, a llmclient.Answer, prices []price.Price) {
	r.Exchanges = append(r.Exchanges, exchangeOf(ask.Request, a))
	r.Timing.LatencyMS += a.LatencyMS
	if a.Reply == nil {
		return
	}
	r.Usage = r.Usage.Add(a.Reply.Usage)
	for _, p := range prices {
		if p.Model == ask.Request.Model {
			r.CostMicros += p.Cost(a.Reply.Usage).Micros()
		}
	}
}
