package scripted

import (
	"fmt"

	"agentworld/llmclient"
)

// Result is the answer to one request.
type Result struct {
	// ID is the response id.
	ID string
	// Items is the output: optionally one reasoning item and then one or more
	// function calls, or one message.
	Items []llmclient.Item
	// Usage is simulated: a token for every started four bytes of the body and of
	// each output item, plus the reasoning tokens. Cached is always 0, because
	// which prefix a provider would still hold is not in the request.
	Usage llmclient.Usage
	// Response is the whole Responses object as it travels.
	Response []byte
}

// Decide is the policy: it answers the body of a Responses request. It is a pure
// function of seed and body; equal arguments give equal bytes. The error, if any,
// is a [*RequestError].
func Decide(seed uint64, body []byte) (Result, error) {
	r, refused := parseRequest(body)
	if refused != nil {
		return Result{}, refused
	}
	a := newStage(seed, r).answer()
	mark := newStamp(seed, body)
	output := mark.items(a)
	result := Result{ID: mark.id("resp_", 0), Usage: usage(body, output, a.reasoningTokens)}
	for _, raw := range output {
		item, ok := llmclient.ParseItem(raw)
		if !ok {
			panic(fmt.Sprintf("scripted: an output item of %d bytes is not a JSON object", len(raw)))
		}
		result.Items = append(result.Items, item)
	}
	result.Response = response(result.ID, r.echo, output, result.Usage)
	return result, nil
}
