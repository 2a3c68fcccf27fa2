package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/llmclient"
)

// itemsMax bounds the output items of one reply. A real reply has a handful; the
// bound keeps a hostile body of tiny items from growing in memory.
const itemsMax = 1024

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
	Finish     json.RawMessage `json:"finish_reason"`
	Stop       json.RawMessage `json:"stop_reason"`
}

// decode returns the reply in x, or the failure that the body amounts to.
func (c *Client) decode(x exchange) (*llmclient.Reply, *llmclient.Failure) {
	// failure explains x by what and, where there is one, the server's own words.
	failure := func(kind llmclient.ErrorKind, p problem, what string) *llmclient.Failure {
		message := fmt.Sprintf("HTTP %d: %s", x.status, what)
		if p.message != "" {
			message += ": " + p.message
		}
		return &llmclient.Failure{Kind: kind, Status: x.status, Code: c.scrub.label(p.name()), Message: c.scrub.message(message)}
	}
	var r *response
	err := json.Unmarshal(x.body, &r)
	if (err != nil || r == nil || !given(r.Output) && !given(r.Choices)) && x.unwrap() {
		r = nil
		err = json.Unmarshal(x.body, &r)
	}
	if err != nil || r == nil {
		return nil, failure(llmclient.ErrMalformed, problem{}, "expected a response, got "+x.describe())
	}
	object, status, said := text(r.Object), text(r.Status), errorValue(r.Error)
	if plain := strings.ToLower(status); replyless[plain] != "" || plain == "incomplete" || plain == "completed" {
		status = plain
	}
	// The text at the top level counts only if it is a string.
	var joined string
	if json.Unmarshal(r.OutputText, &joined) != nil {
		joined = ""
	}
	// Some servers send an empty error beside a good output.
	errored := given(r.Error) && (said != problem{} || !given(r.Output))
	if !errored && object != "response" && !given(r.Output) && !given(r.Choices) {
		if p := readProblem(x.body); p.message != "" && !strings.HasPrefix(p.message, "{") {
			errored, said = true, p
		}
	}
	switch kind := replyless[status]; {
	case kind != "":
		return nil, failure(kind, said, "the response has status "+status)
	case errored && object == "response":
		return nil, failure(llmclient.ErrFailedResponse, said, "the response holds an error")
	case errored:
		// Some servers refuse under a success status.
		y := x
		if y.status, _ = strconv.Atoi(said.code); y.status < 400 || y.status > 499 {
			y.status = http.StatusBadRequest
			if strings.Contains(strings.ToLower(said.message), "unexpected endpoint") {
				y.status = http.StatusNotFound
			}
		}
		switch kind, _ := y.kind(said); kind {
		case llmclient.ErrModelNotFound, llmclient.ErrContext, llmclient.ErrWrongPath, llmclient.ErrAuth, llmclient.ErrQuota:
			return nil, failure(kind, said, "a success status with an error object")
		}
		return nil, failure(llmclient.ErrErrorObject, said, "a success status with an error object")
	case object == "response":
	// Another API says so, or sends nothing that could be the output of a response. The
	// type alone does not decide, because servers give the object other names or none.
	case strings.HasPrefix(object, "chat."), !given(r.Output) && (given(r.Choices) || joined == ""):
		if strings.HasPrefix(object, "chat.") || given(r.Choices) {
			return nil, failure(llmclient.ErrChatCompletions, said, "the endpoint answers in Chat Completions (\"choices\"), not in the Responses API")
		}
		came := "an object without output"
		if object != "" {
			// Quoting is left to the reader: an escaped character could hide a secret from
			// the scrubber.
			came = "an object of type \"" + object + "\""
		}
		return nil, failure(llmclient.ErrForeignObject, said, "expected a response, got "+came+"; the endpoint may not support the Responses API")
	}
	items, nonObjects, fault := c.outputItems(r.Output, x.items)
	if fault != "" {
		return nil, failure(llmclient.ErrMalformed, problem{}, fault)
	}
	if joined != "" && !slices.ContainsFunc(items, func(it llmclient.Item) bool {
		return it.Kind == llmclient.KindMessage || it.Kind == llmclient.KindFunctionCall
	}) {
		// This server sends its text only at the top level.
		items = append(items, llmclient.Message("assistant", c.scrub.known(joined)))
	}
	// A reply without a status counts as completed unless it says why it is not.
	var details fields
	reason := ""
	if json.Unmarshal(r.Incomplete, &details) == nil {
		reason = text(details["reason"])
	}
	// What ended the model's writing has other names where servers pass on other APIs.
	for _, word := range []string{reason, status, text(r.Finish), text(r.Stop)} {
		if known := endings[strings.ToLower(word)]; known != "" {
			status, reason = "incomplete", known
			break
		}
	}
	switch {
	case status == "" && reason != "":
		status = "incomplete"
	case status == "":
		status = "completed"
	case status == "incomplete" && reason == "":
		reason = "unknown"
	}
	return &llmclient.Reply{
		ID: c.scrub.label(text(r.ID)), Model: c.scrub.label(text(r.Model)),
		Status: c.scrub.label(status), IncompleteReason: c.scrub.label(reason),
		Items: items, NonObjects: nonObjects, Repairs: x.repairs, Usage: readUsage(r.Usage),
	}, nil
}

// endings are the words for an end that was not the model's own, and the API's.
var endings = map[string]string{
	"max_output_tokens": "max_output_tokens", "max_tokens": "max_output_tokens", "length": "max_output_tokens", "model_length": "max_output_tokens",
	"content_filter": "content_filter", "safety": "content_filter",
}

// replyless are the statuses of a response with which there is no reply.
var replyless = map[string]llmclient.ErrorKind{
	"failed": llmclient.ErrFailedResponse, "cancelled": llmclient.ErrCancelledResponse,
	"in_progress": llmclient.ErrUnfinishedResponse, "queued": llmclient.ErrUnfinishedResponse,
}

// outputItems returns the output items in order, how many elements of the output
// were no objects, or what is wrong with the output as a whole. One stray element
// does not spoil the others: it is left out and counted. The configured secrets
// are taken out: a model or server that repeats the key must not bring it into a
// trace. Everything else stays byte for byte.
func (c *Client) outputItems(output json.RawMessage, streamed []json.RawMessage) (items []llmclient.Item, nonObjects int, fault string) {
	raws, ok := llmclient.Elements(output, itemsMax)
	switch {
	case !given(output):
	case output[0] == '"': // the text alone
		return []llmclient.Item{llmclient.Message("assistant", c.scrub.known(text(output)))}, 0, ""
	case output[0] == '{': // the one item
		raws = []json.RawMessage{output}
	case output[0] != '[':
		return nil, 0, "the output is not a list"
	case !ok:
		return nil, 0, fmt.Sprintf("the output has more than %d items", itemsMax)
	}
	if len(raws) == 0 {
		raws = streamed // some servers send the items before the final response alone
	}
	for _, raw := range raws {
		item, ok := llmclient.ParseItem(json.RawMessage(c.scrub.known(string(raw))))
		if !ok {
			nonObjects++
			continue
		}
		items = append(items, item)
	}
	return items, nonObjects, ""
}

// given reports whether a field is present and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// readUsage reads the token counts; what is absent or unreadable stays zero.
func readUsage(raw json.RawMessage) llmclient.Usage {
	var usage, input, output fields
	if json.Unmarshal(raw, &usage) != nil || usage == nil {
		return llmclient.Usage{}
	}
	_ = json.Unmarshal(usage["input_tokens_details"], &input)
	_ = json.Unmarshal(usage["output_tokens_details"], &output)
	// Some servers keep the names of Chat Completions.
	for name, other := range map[string]string{"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"} {
		if !given(usage[name]) {
			usage[name] = usage[other]
		}
	}
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
