package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
)

// itemsMax bounds the output items of one reply. A real reply has a handful; the
// bound keeps a hostile body of tiny items from growing in memory.
const itemsMax = 1024

// decode judges a success: it holds a reply, or it is a failure of some kind.
func (c *Client) decode(x exchange) outcome {
	// failure explains x by what and, where there is one, the server's own words.
	failure := func(kind llmclient.ErrorKind, p problem, what string) outcome {
		message := fmt.Sprintf("HTTP %d: %s", x.status, what)
		if p.message != "" {
			message += ": " + p.message
		}
		return outcome{failure: &llmclient.Failure{
			Kind: kind, Status: x.status, Code: c.scrub.label(p.name()), Message: c.scrub.message(message),
		}}
	}
	r := llmclient.MembersOf(x.body) // each undecoded: one of an unexpected type must not spoil the others
	if !llmclient.Given(r["output"]) && !llmclient.Given(r["choices"]) && x.unwrap() {
		r = llmclient.MembersOf(x.body)
	}
	if r == nil {
		got := failure(llmclient.ErrMalformed, problem{}, "expected a response, got "+x.describe())
		if x.proxy != "" && x.isPage() {
			got.failure.Message = c.scrub.message(got.failure.Message + x.through())
		}
		return got
	}
	object := llmclient.TextOf(r["object"])
	status := strings.ToLower(c.scrub.label(llmclient.TextOf(r["status"])))
	said := errorValue(r["error"], 0)
	joined := "" // the text at the top level counts only if it is a string
	if text := r["output_text"]; len(text) > 0 && text[0] == '"' {
		joined = llmclient.TextOf(text)
	}
	// Some servers send an empty error beside a good output.
	errored := llmclient.Given(r["error"]) && (said.says() || !llmclient.Given(r["output"]))
	if !errored && object != "response" && !llmclient.Given(r["output"]) && !llmclient.Given(r["choices"]) {
		if p := readProblem(x.body); p.message != "" && !strings.HasPrefix(p.message, "{") {
			errored, said = true, p
		}
	}
	said.readSizes()
	switch kind := replyless[status]; {
	case kind == llmclient.ErrFailedResponse:
		return c.unsuccessful(x, said, failure(kind, said, "the response has status "+status))
	case kind != "":
		return failure(kind, said, "the response has status "+status)
	case errored && object == "response":
		return c.unsuccessful(x, said, failure(llmclient.ErrFailedResponse, said, "the response holds an error"))
	case errored:
		return c.unsuccessful(x, said, failure(llmclient.ErrErrorObject, said, "a success status with an error object"))
	case object == "response":
	// Another API says so, or sends nothing that could be the output of a response. The
	// type alone does not decide, because servers give the object other names or none.
	case strings.HasPrefix(object, "chat."), !llmclient.Given(r["output"]) &&
		(llmclient.Given(r["choices"]) || joined == ""):
		if strings.HasPrefix(object, "chat.") || llmclient.Given(r["choices"]) {
			return failure(llmclient.ErrChatCompletions, said,
				"the endpoint answers in Chat Completions (\"choices\"), not in the Responses API")
		}
		came := "an object without output"
		if object != "" {
			// Quoting is left to the reader: an escaped character could hide a secret from
			// the scrubber.
			came = "an object of type \"" + object + "\""
		}
		return failure(llmclient.ErrForeignObject, said,
			"expected a response, got "+came+"; the endpoint may not support the Responses API")
	}
	items, nonObjects, fault := c.outputItems(r["output"], x.items)
	if fault != "" {
		return failure(llmclient.ErrMalformed, problem{}, fault)
	}
	if joined != "" && !slices.ContainsFunc(items, func(it llmclient.Item) bool {
		return it.Kind == llmclient.KindMessage || it.Kind == llmclient.KindFunctionCall
	}) {
		// This server sends its text only at the top level.
		items = append(items, llmclient.Message("assistant", c.scrub.known(joined)))
	}
	// A reply without a status counts as completed unless it says why it is not.
	details := r["incomplete_details"]
	reason := llmclient.TextOf(llmclient.MembersOf(details)["reason"])
	if bytes.HasPrefix(details, []byte(`"`)) { // the reason alone
		reason = llmclient.TextOf(details)
	}
	// What ended the model's writing has other names where servers pass on other APIs.
	for _, word := range []string{reason, status, llmclient.TextOf(r["finish_reason"]),
		llmclient.TextOf(r["stop_reason"])} {
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
		reason = reasonUnknown
	}
	usage := usageOf(r)
	usage.ServiceTier = servedTier(strings.ToLower(c.scrub.label(llmclient.TextOf(r["service_tier"]))), x.tier)
	reply := &llmclient.Reply{
		ID: c.scrub.label(llmclient.TextOf(r["id"])), Model: c.scrub.label(llmclient.TextOf(r["model"])),
		Status: status, IncompleteReason: c.scrub.label(reason),
		Items: items, NonObjects: nonObjects, Repairs: x.repairs, Usage: usage,
	}
	readEnding(reply, x.outputMax)
	return outcome{reply: reply}
}

// unsuccessful judges an error under a success status by what it says. as is the failure where that
// is no more than that something was wrong.
func (c *Client) unsuccessful(x exchange, said problem, as outcome) outcome {
	if strings.Contains(strings.ToLower(said.message), "unexpected endpoint") {
		said.status = http.StatusNotFound
	}
	got := c.judged(x, said, as.failure.Message)
	if got.failure == nil || got.failure.Kind != llmclient.ErrBadRequest {
		return got
	}
	as.refused = got.refused // some servers refuse under a success status
	return as
}

// reasonLength is the API's word for an answer that was cut for length.
const reasonLength = "max_output_tokens"

// reasonUnknown is that of an incomplete answer which gives none.
const reasonUnknown = "unknown"

// reasonFilter is the API's word for an answer that a filter stopped.
const reasonFilter = "content_filter"

// endings are the words for an end that was not the model's own, and the API's.
var endings = map[string]string{
	"max_output_tokens": reasonLength, "max_tokens": reasonLength, "length": reasonLength, "model_length": reasonLength,
	"max_completion_tokens": reasonLength, "max_new_tokens": reasonLength, "token_limit": reasonLength,
	"context_length": reasonLength, "context_length_exceeded": reasonLength, "context_window": reasonLength,
	"max_context_window": reasonLength, "model_context_window_exceeded": reasonLength,
	"content_filter": reasonFilter, "content_filtered": reasonFilter, "safety": reasonFilter, "recitation": reasonFilter,
	"prohibited_content": reasonFilter, "blocklist": reasonFilter, "spii": reasonFilter, "sensitive": reasonFilter,
	"guardrail_intervened": reasonFilter, "refusal": reasonFilter,
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
func (c *Client) outputItems(output json.RawMessage, streamed []json.RawMessage) (items []llmclient.Item,
	nonObjects int, fault string) {
	raws, ok := llmclient.Elements(output, itemsMax)
	switch {
	case !llmclient.Given(output):
	case output[0] == '"': // the text alone
		return []llmclient.Item{llmclient.Message("assistant", c.scrub.known(llmclient.TextOf(output)))}, 0, ""
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
