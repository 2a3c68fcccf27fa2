package stub

import (
	"encoding/json"
	"fmt"
	"strconv"

	"example.com/agentworld/llmclient"
)

// Result is the answer to one request.
type Result struct {
	// ID is the response id.
	ID string
	// Items is the output: optionally one reasoning item and then one or more
	// function calls, or one message.
	Items []llmclient.Item
	// Usage is simulated: a token for every started four bytes of the body and of
	// each output item, plus the reasoning tokens. Cached is 0 without a cache, because
	// which prefix a provider would still hold is not in the request.
	Usage llmclient.Usage
	// Response is the whole Responses object as it travels.
	Response []byte

	// exchange is where the answer came from, for giving it another shape.
	exchange *exchange
}

// exchange is one request with the answer the policy has to it.
type exchange struct {
	stage  stage
	answer answer
	mark   stamp
}

// Decide is the policy: it answers the body of a Responses request. It is a pure
// function of seed and body; equal arguments give equal bytes. The error, if any,
// is a [*RequestError].
func Decide(seed uint64, body []byte) (Result, error) {
	r, refused := parseRequest(body)
	if refused != nil {
		return Result{}, refused
	}
	return Options{Seed: seed}.decide(r), nil
}

// decide answers a request to decide or to reflect, or an errand.
func (o Options) decide(r request) Result {
	x := &exchange{stage: newStage(o.Seed, r), mark: newStamp(o.Seed, r.body)}
	if o.Obeys != nil {
		o.Mode = ModeGullible // a model that obeys every text believes it, too
	}
	if e, ok := newErrand(r); ok {
		x.answer = e.answer()
	} else if l, ok := newLearner(o.Mode, r); ok {
		x.answer = l.answer()
	} else if x.stage.questioned() {
		x.answer = x.stage.account()
	} else if f, ok := newForeign(r); ok {
		x.answer = f.answer()
	} else if o.Obeys != nil {
		x.answer = x.stage.obey(o).answer()
	} else {
		x.stage = x.stage.bent(o.Mode)
		x.answer = x.stage.answer()
	}
	x.answer = x.stage.mannered(o.Manners.of(x.stage.see.Self.ID), x.answer)
	x.answer.summarized = r.wantsSummary()
	return x.result(x.mark.items(x.answer), Shape{})
}

// result is the exchange's result with the given output, in the status of the shape
// it has.
func (x *exchange) result(output []json.RawMessage, s Shape) Result {
	usage := x.stage.request.usage(output, x.answer.reasoningTokens)
	result := Result{ID: x.mark.id("resp_", 0), Usage: usage, exchange: x}
	most, err := strconv.ParseInt(string(x.stage.request.sent["max_output_tokens"]), 10, 64)
	if err == nil && result.Usage.Output > most {
		output = cut(output, most-x.answer.reasoningTokens)
		s.Status, s.Reason = "incomplete", "max_output_tokens"
		result.Usage.Output, result.Usage.Reasoning = most, min(most, result.Usage.Reasoning)
		result.Usage.Total = result.Usage.Input + most
	}
	for _, raw := range output {
		// Only a shape has items that are no objects; a client has to cope with them.
		if item, ok := llmclient.ParseItem(raw); ok {
			result.Items = append(result.Items, item)
		} else if s.Name == "" {
			panic(fmt.Sprintf("stub: an output item of %d bytes is not a JSON object", len(raw)))
		}
	}
	result.Response = x.stage.request.response(result.ID, output, result.Usage, s)
	return result
}
