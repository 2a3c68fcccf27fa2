package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/agentworld/llmclient"
)

// itemsMax bounds the output items of one reply. A real reply has a handful; the
// bound keeps a hostile body of tiny items from growing in memory.
const itemsMax = 1024

// Statuses of a response.
const (
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
)

// reasonUnknown stands for the reason of an incomplete response that names none.
const reasonUnknown = "unknown"

// decoder reads the body of a successful exchange.
type decoder struct {
	scrub scrubber
}

// response holds the fields of a response that matter, each undecoded: a field of
// an unexpected type must not spoil the others.
type response struct {
	Object     json.RawMessage `json:"object"`
	ID         json.RawMessage `json:"id"`
	Model      json.RawMessage `json:"model"`
	Status     json.RawMessage `json:"status"`
	Output     json.RawMessage `json:"output"`
	OutputText json.RawMessage `json:"output_text"`
	Error      json.RawMessage `json:"error"`
	Incomplete json.RawMessage `json:"incomplete_details"`
	Usage      json.RawMessage `json:"usage"`
	Choices    json.RawMessage `json:"choices"`
}

// outputText returns the text at the top level, empty unless it is a string.
func (r *response) outputText() (joined string) {
	if json.Unmarshal(r.OutputText, &joined) != nil {
		return ""
	}
	return joined
}

// decode returns the reply in x, or the failure that the body amounts to.
func (d decoder) decode(x exchange) (*llmclient.Reply, *llmclient.Failure) {
	var r *response
	if err := json.Unmarshal(x.body, &r); err != nil || r == nil {
		return nil, d.failure(x, llmclient.ErrMalformed, problem{}, "expected a response, got "+x.describe())
	}
	if failure := d.notReply(x, r); failure != nil {
		return nil, failure
	}
	items, nonObjects, fault := d.outputItems(r)
	if fault != "" {
		return nil, d.failure(x, llmclient.ErrMalformed, problem{}, fault)
	}
	status, reason := ending(r)
	return &llmclient.Reply{
		ID: d.scrub.label(text(r.ID)), Model: d.scrub.label(text(r.Model)),
		Status: d.scrub.label(status), IncompleteReason: d.scrub.label(reason),
		Items: items, NonObjects: nonObjects, Usage: readUsage(r.Usage),
	}, nil
}

// notReply returns the failure of a JSON object that carries no reply, nil when
// it does. A response that failed also has an error, and says more with it.
func (d decoder) notReply(x exchange, r *response) *llmclient.Failure {
	object, status, problem := text(r.Object), text(r.Status), errorValue(r.Error)
	// Some servers send an empty error beside a good output.
	errored := given(r.Error) && (problem != noProblem || !given(r.Output))
	if kind := endedWithout(status); kind != "" {
		return d.failure(x, kind, problem, "the response has status "+status)
	}
	switch {
	case errored && object == "response":
		return d.failure(x, llmclient.ErrFailedResponse, problem, "the response holds an error")
	case errored:
		return d.failure(x, llmclient.ErrErrorObject, problem, "a success status with an error object")
	case foreign(object, r):
		return d.failure(x, llmclient.ErrForeignObject, problem,
			fmt.Sprintf("expected a response, got %s; the endpoint may not support the Responses API", foreignText(object)))
	}
	return nil
}

// endedWithout returns the failure that a response's status stands for, empty for
// a status with which there may be a reply.
func endedWithout(status string) llmclient.ErrorKind {
	switch status {
	case "failed":
		return llmclient.ErrFailedResponse
	case "cancelled":
		return llmclient.ErrCancelledResponse
	case "in_progress", "queued":
		return llmclient.ErrUnfinishedResponse
	}
	return ""
}

// foreign reports whether r belongs to another API: it says so, or it has nothing
// that could be the output of a response. The type alone does not decide, because
// servers give the object other names or none.
func foreign(object string, r *response) bool {
	if object == "response" {
		return false
	}
	return strings.HasPrefix(object, "chat.") || !given(r.Output) && (given(r.Choices) || r.outputText() == "")
}

// foreignText names what came, by the type it gives itself.
func foreignText(object string) string {
	if object == "" {
		return "an object without output"
	}
	// Quoting is left to the reader: an escaped character could hide a secret from
	// the scrubber.
	return "an object of type \"" + object + "\""
}

// failure explains x by what and, where there is one, the server's own words.
func (d decoder) failure(x exchange, kind llmclient.ErrorKind, p problem, what string) *llmclient.Failure {
	message := fmt.Sprintf("HTTP %d: %s", x.status, what)
	if p.message != "" {
		message += ": " + p.message
	}
	return &llmclient.Failure{Kind: kind, Status: x.status, Code: d.scrub.label(p.name()), Message: d.scrub.message(message)}
}

// outputItems returns the output items in order, how many elements of the output
// were no objects, or what is wrong with the output as a whole. One stray element
// does not spoil the others: it is left out and counted. A server that sends its
// text only at the top level gets it made into an item. The configured secrets
// are taken out: a model or server that repeats the key must not bring it into a
// trace. Everything else stays byte for byte.
func (d decoder) outputItems(r *response) (items []llmclient.Item, nonObjects int, fault string) {
	var raws []json.RawMessage
	if given(r.Output) && json.Unmarshal(r.Output, &raws) != nil {
		return nil, 0, "the output is not a list"
	}
	if len(raws) > itemsMax {
		return nil, 0, fmt.Sprintf("the output has %d items, more than %d", len(raws), itemsMax)
	}
	for _, raw := range raws {
		item, ok := llmclient.ParseItem(json.RawMessage(d.scrub.known(string(raw))))
		if !ok {
			nonObjects++
			continue
		}
		items = append(items, item)
	}
	if joined := r.outputText(); len(items) == 0 && joined != "" {
		items = append(items, llmclient.Message("assistant", d.scrub.known(joined)))
	}
	return items, nonObjects, ""
}

// ending returns the status of a reply and why it is incomplete. A reply without
// a status counts as completed unless it says why it is not.
func ending(r *response) (status, reason string) {
	var details fields
	if json.Unmarshal(r.Incomplete, &details) == nil {
		reason = text(details["reason"])
	}
	status = text(r.Status)
	switch {
	case status == "" && reason != "":
		status = statusIncomplete
	case status == "":
		status = statusCompleted
	case status == statusIncomplete && reason == "":
		reason = reasonUnknown
	}
	return status, reason
}

// given reports whether a field is present and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// readUsage reads the token counts; what is absent or unreadable stays zero.
func readUsage(raw json.RawMessage) llmclient.Usage {
	var usage, input, output fields
	if json.Unmarshal(raw, &usage) != nil {
		return llmclient.Usage{}
	}
	_ = json.Unmarshal(usage["input_tokens_details"], &input)
	_ = json.Unmarshal(usage["output_tokens_details"], &output)
	return llmclient.Usage{
		Input:     count(usage["input_tokens"]),
		Cached:    count(input["cached_tokens"]),
		Output:    count(usage["output_tokens"]),
		Reasoning: count(output["reasoning_tokens"]),
		Total:     count(usage["total_tokens"]),
	}
}

// count reads a token count, which some servers write as a fraction or a text. A
// count that no model can reach is a fault of the server and would spoil the sums
// over a run, so it counts as not reported.
func count(raw json.RawMessage) int64 {
	n, err := strconv.ParseFloat(text(raw), 64)
	if err != nil || math.IsNaN(n) || n < 0 || n > math.MaxInt32 {
		return 0
	}
	return int64(n)
}
