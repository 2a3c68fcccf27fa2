package doctor

import (
	"context"
	"fmt"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
)

// Turn is a turn of a run that the caller of the examination plays: it makes the real requests, and
// feeds back what a run would about the answers.
type Turn interface {
	// Next returns the next request; false once the turn has ended.
	Next() (llmclient.Request, bool)
	// Answer takes the answer to it.
	Answer(llmclient.Answer)
	// Ended says in one line how the turn ended, and whether its model decided. It is called after the
	// end only.
	Ended() (how string, decided bool)
}

const turnAdvice = "a larger model may do better; {run.protocol} lean asks for less"

// turnCallsMax bounds the calls of a turn.
const turnCallsMax = 8

// prose replaces the first answer of a turn. It makes the turn give feedback, as in a run, in the middle
// of the next request, which begins with the first one.
var prose = llmclient.Answer{Attempts: 1, Reply: &llmclient.Reply{
	Status: "completed", Items: []llmclient.Item{llmclient.Message("assistant", "I would look around first.")},
}}

// turn plays a turn as a run does, with what a run learns about the endpoint on the way.
func (x *examination) turn(ctx context.Context, t Turn, config openai.Config) {
	config.Steady = false
	client, err := openai.New(config)
	if err != nil {
		panic("doctor: a configuration that worked does not: " + err.Error())
	}
	defer client.Close()
	x.client = client
	var cached, input int64
	calls := 0
	for ; calls < turnCallsMax; calls++ {
		request, more := t.Next()
		if !more {
			break
		}
		request.Model, request.Sampling = x.model, sampled(request.Sampling, x.how)
		answer := x.send(ctx, request)
		if f := answer.Failure; f != nil && f.Kind != llmclient.ErrMalformedCall {
			_, advice := Advice(*f, x.how)
			x.found.add(CheckTurn, Fail, fmt.Sprintf("call %d: %s", calls+1, f.Text()), advice)
			return
		}
		if r := answer.Reply; r != nil && calls > 0 {
			cached, input = cached+r.Usage.Cached, input+r.Usage.Input
		}
		if calls == 0 {
			answer = prose
		}
		t.Answer(answer)
	}
	if _, more := t.Next(); more {
		x.found.add(CheckTurn, Warn, fmt.Sprintf("no decision after %d calls", calls), turnAdvice)
		return
	}
	how, decided := t.Ended()
	if decided {
		x.found.add(CheckTurn, Pass, fmt.Sprintf("%s, after %d calls", how, calls), "")
	} else {
		x.found.add(CheckTurn, Warn, how, turnAdvice)
	}
	read := fmt.Sprintf("%d of %d input tokens of a turn's later calls were read from a cache", cached, input)
	switch {
	case input == 0:
	case cached > 0:
		x.found.add(CheckCache, Pass, read, "")
	default:
		x.found.add(CheckCache, Pass, read+", as far as is reported", "")
	}
}

// sampled is how a request of a turn asks here: as the examination does, with its own length where
// that has none.
func sampled(own, how llmclient.Sampling) llmclient.Sampling {
	if how.MaxOutputTokens == 0 {
		how.MaxOutputTokens = own.MaxOutputTokens
	}
	return how
}
