package openai

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/providers.md")

// providersPage holds the table between two comments.
const providersPage = "../../docs/providers.md"

// tolerance is one row of the page: what a server does, and how it is read.
type tolerance struct {
	what, becomes string
	// status and body are the answer; headers are "Name", "value", ...
	status  int
	body    string
	headers []string
	// holds says whether the answer is what the row says.
	holds func(llmclient.Answer) bool
}

// The answers below need these.
const (
	actCall = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"act","arguments":"{\"a\":1}","status":"completed"}`
	hiText  = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}`
)

// callWith returns whether an answer is a call of act with arguments that hold what.
func callWith(what string) func(llmclient.Answer) bool {
	return func(a llmclient.Answer) bool {
		if a.Kind() != llmclient.AnswerCalls {
			return false
		}
		for _, it := range a.Reply.Items {
			if it.Kind == llmclient.KindFunctionCall && it.Name == "act" && strings.Contains(it.Text, what) {
				return true
			}
		}
		return false
	}
}

// textOf returns whether an answer is a text of these words.
func textOf(words string) func(llmclient.Answer) bool {
	return func(a llmclient.Answer) bool {
		return a.Kind() == llmclient.AnswerText && a.Reply.Items[0].Text == words
	}
}

func failsAs(kind llmclient.ErrorKind) func(llmclient.Answer) bool {
	return func(a llmclient.Answer) bool { return kindOf(a) == kind && a.Failure.Message != "" }
}

// pairsUp returns whether the calls of an answer can be answered once they are paired:
// each gets an id of its own and an output.
func pairsUp(calls int) func(llmclient.Answer) bool {
	return func(a llmclient.Answer) bool {
		if a.Reply == nil {
			return false
		}
		items, _ := llmclient.PairItems(a.Reply.Items, "none")
		ids := map[string]bool{}
		for _, it := range items {
			if it.Kind == llmclient.KindFunctionOutput {
				ids[it.CallID] = true
			}
		}
		_, faults := llmclient.PairItems(items, "none")
		return len(faults) == 0 && len(ids) == calls && !ids[""]
	}
}

// readBy returns whether an answer was read by one repair.
func readBy(repair string) func(llmclient.Answer) bool {
	return func(a llmclient.Answer) bool {
		return a.Kind() == llmclient.AnswerCalls && slices.Equal(a.Reply.Repairs, []string{repair})
	}
}

// both returns whether an answer is as two rows say.
func both(a, b func(llmclient.Answer) bool) func(llmclient.Answer) bool {
	return func(answer llmclient.Answer) bool { return a(answer) && b(answer) }
}

// tolerances is the table. Its rows are the page's rows.
var tolerances = []tolerance{
	{"`status` is missing", "a completed answer", 200, `{"object":"response","output":[` + actCall + `]}`, nil, callWith(`"a":1`)},
	{"`status` is a word of its own", "a completed answer; the word is recorded", 200, `{"status":"done","output":[` + actCall + `]}`, nil, callWith(`"a":1`)},
	{"`id`, `object`, `model` or `created_at` are missing", "read without them", 200, `{"status":"completed","output":[` + actCall + `]}`, nil, callWith(`"a":1`)},
	{"`object` has another name", "read, unless it is one of Chat Completions", 200, `{"object":"realtime.response","output":[` + actCall + `]}`, nil, callWith(`"a":1`)},
	{"`usage` is missing, null or no object", "counts of 0; caps on tokens cannot hold", 200, `{"output":[` + actCall + `],"usage":"free"}`, nil,
		both(callWith(`"a":1`), func(a llmclient.Answer) bool { return a.Reply.Usage == llmclient.Usage{} })},
	{"counts in `usage` are texts or fractions", "read as numbers", 200, `{"output":[` + actCall + `],"usage":{"input_tokens":"5","output_tokens":6.0}}`, nil,
		func(a llmclient.Answer) bool {
			return a.Reply != nil && a.Reply.Usage.Input == 5 && a.Reply.Usage.Output == 6
		}},
	{"counts are negative or beyond any model", "counted as not reported", 200, `{"output":[` + actCall + `],"usage":{"input_tokens":-1,"output_tokens":1e99}}`, nil,
		func(a llmclient.Answer) bool { return a.Reply != nil && a.Reply.Usage == llmclient.Usage{} }},
	{"`call_id` is missing or null", "an id is made and sent back with the output", 200, `{"output":[{"type":"function_call","name":"act","arguments":"{\"a\":1}"}]}`, nil, both(callWith(`"a":1`), pairsUp(1))},
	{"two calls share a `call_id`", "the second gets an id of its own", 200, `{"output":[` + actCall + `,` + actCall + `]}`, nil, pairsUp(2)},
	{"`call_id` is a number", "its digits are the id", 200, `{"output":[{"type":"function_call","call_id":7,"name":"act","arguments":"{\"a\":1}"}]}`, nil,
		func(a llmclient.Answer) bool { return a.Reply != nil && a.Reply.Items[0].CallID == "7" }},
	{"`arguments` is an object instead of a text", "its JSON is the text", 200, `{"output":[{"type":"function_call","call_id":"c1","name":"act","arguments":{"a":1}}]}`, nil, callWith(`"a":1`)},
	{"`arguments` is missing, null or empty", "a call without arguments; the schema decides", 200, `{"output":[{"type":"function_call","call_id":"c1","name":"act","arguments":null}]}`, nil, callWith("")},
	{"`content` of a message is a plain text", "that text", 200, `{"output":[{"type":"message","role":"assistant","content":"hi"}]}`, nil, textOf("hi")},
	{"`annotations` or `logprobs` of a text are missing", "read without them", 200, `{"output":[` + hiText + `]}`, nil, textOf("hi")},
	{"text only in `output_text` at the top", "made into a message", 200, `{"output":[],"output_text":"hi"}`, nil, textOf("hi")},
	{"text only in `output_text`, beside reasoning", "made into a message", 200, `{"output":[{"type":"reasoning","id":"rs_1","summary":[]}],"output_text":"hi"}`, nil,
		func(a llmclient.Answer) bool { return a.Kind() == llmclient.AnswerText }},
	{"`output` is one item, or a text", "that item, or a message with that text", 200, `{"output":` + actCall + `}`, nil, callWith(`"a":1`)},
	{"items under `items` or `tool_calls`, or without a response", "read; `response_wrapped`", 200, `[` + actCall + `]`, nil, readBy("response_wrapped")},
	{"a response in a list, or under `response`, `data`, `result`, `body`", "read; `response_wrapped`", 200, `{"code":0,"data":{"output":[` + actCall + `]}}`, nil, readBy("response_wrapped")},
	{"comments or other words before or after the JSON", "skipped; `response_wrapped`", 200, ": PROCESSING\n\n" + `{"output":[` + actCall + `]}` + "\n[DONE]", nil, readBy("response_wrapped")},
	{"an event a line", "the final response; `event_stream`", 200,
		`{"type":"response.created","response":{"output":[]}}` + "\n" + `{"type":"response.completed","response":{"output":[` + actCall + `]}}`, nil, readBy("event_stream")},
	{"`status`, `finish_reason`, `stop_reason`: `length` or `max_tokens`", "truncated; not used", 200, `{"output":[` + actCall + `],"finish_reason":"length"}`, nil,
		func(a llmclient.Answer) bool { return a.Kind() == llmclient.AnswerTruncated }},
	{"`status` in capitals", "as in small letters", 200, `{"status":"INCOMPLETE","incomplete_details":{"reason":"MAX_TOKENS"},"output":[` + actCall + `]}`, nil,
		func(a llmclient.Answer) bool { return a.Kind() == llmclient.AnswerTruncated }},
	{"`usage` has the names of Chat Completions", "read", 200, `{"output":[` + actCall + `],"usage":{"prompt_tokens":5,"completion_tokens":6}}`, nil,
		func(a llmclient.Answer) bool {
			return a.Reply != nil && a.Reply.Usage.Input == 5 && a.Reply.Usage.Output == 6
		}},
	{"items of unknown kinds", "kept, sent back byte for byte, counted", 200, `{"output":[{"type":"telepathy","x":1.50},` + actCall + `]}`, nil,
		both(callWith(`"a":1`), func(a llmclient.Answer) bool { return string(a.Reply.Items[0].Raw) == `{"type":"telepathy","x":1.50}` })},
	{"elements of `output` that are no objects", "left out and counted", 200, `{"output":[null,"hi",` + actCall + `]}`, nil,
		both(callWith(`"a":1`), func(a llmclient.Answer) bool { return a.Reply.NonObjects == 2 })},
	{"`output` is null in a response", "an empty answer, requested again", 200, `{"object":"response","output":null}`, nil,
		func(a llmclient.Answer) bool { return a.Kind() == llmclient.AnswerEmpty }},
	{"`incomplete_details` without `status`", "incomplete, for the reason given", 200, `{"output":[],"incomplete_details":{"reason":"max_output_tokens"}}`, nil,
		func(a llmclient.Answer) bool { return a.Kind() == llmclient.AnswerTruncated }},
	{"`error` is an empty object beside an output", "no error", 200, `{"error":{},"output":[` + actCall + `]}`, nil, callWith(`"a":1`)},
	{"the content type is wrong or missing", "not looked at", 200, `{"output":[` + actCall + `]}`, []string{"Content-Type", "text/html"}, callWith(`"a":1`)},
	{"another status of success, such as 201", "a success", 201, `{"output":[` + actCall + `]}`, nil, callWith(`"a":1`)},
	{"a 200 with the body `null`", "`malformed_body`", 200, `null`, nil, failsAs(llmclient.ErrMalformed)},
	{"a byte order mark before the JSON", "removed; `byte_order_mark`", 200, "\xef\xbb\xbf" + `{"output":[` + actCall + `]}`, nil, readBy("byte_order_mark")},
	{"a content encoding that was not requested", "`malformed_body`, which names it", 200, `?`, []string{"Content-Encoding", "br"},
		both(failsAs(llmclient.ErrMalformed), func(a llmclient.Answer) bool { return strings.Contains(a.Failure.Message, "encoding br") })},
	{"an event stream, not requested", "its final response; `event_stream`", 200,
		`data: {"type":"response.completed","response":{"output":[` + actCall + `]}}`, nil, readBy("event_stream")},
	{"a body larger than window or 2 MiB, and the request, allow", "`body_too_large`", 200, strings.Repeat(" ", BodyBytesMax+1), nil, failsAs(llmclient.ErrTooLarge)},
	{"400, 422 or 501 that names a field no user set", "sent without it from now on; `without_...`", 400,
		`{"error":{"message":"Unknown parameter: 'include'."}}`, nil, both(failsAs(llmclient.ErrBadRequest), func(a llmclient.Answer) bool { return a.Attempts == 2 })},
	{"425", "tried again", 425, ``, nil, both(failsAs(llmclient.ErrBadRequest), func(a llmclient.Answer) bool { return a.Attempts == 1+RetriesDefault })},
	{"a 200 with a web page, a broken stream or cut JSON", "`malformed_body`", 200, `<html>`, nil, failsAs(llmclient.ErrMalformed)},
	{"a 200 with an error object or a text under `error`", "`error_object`", 200, `{"error":"no luck"}`, nil, failsAs(llmclient.ErrErrorObject)},
	{"a 200 with `message`, `msg`, `errors` or `detail`", "`error_object`, or as its words say", 200,
		`{"success":false,"errors":[{"code":7,"message":"no luck"}]}`, nil,
		both(failsAs(llmclient.ErrErrorObject), func(a llmclient.Answer) bool { return strings.HasSuffix(a.Failure.Message, "no luck") })},
	{"a 200 with an answer of Chat Completions", "`chat_completions`", 200, `{"object":"chat.completion","choices":[]}`, nil, failsAs(llmclient.ErrChatCompletions)},
	{"a response of status `failed`, `cancelled`, `queued` or `in_progress`", "a failure of that name", 200, `{"object":"response","status":"queued"}`, nil, failsAs(llmclient.ErrUnfinishedResponse)},
	{"an error as a text, a list, `detail`, or fields at the top", "its words are the message", 400, `[{"error":{"message":"listed"}}]`, nil,
		both(failsAs(llmclient.ErrBadRequest), func(a llmclient.Answer) bool { return a.Failure.Message == "HTTP 400: listed" })},
	{"402 for an account without credit", "`insufficient_quota`", 402, `{"error":"pay"}`, nil, failsAs(llmclient.ErrQuota)},
	{"400 for an unknown model, by its code, or its words and the model's name", "`model_not_found`", 400, `{"error":{"code":"model_not_found"}}`, nil, failsAs(llmclient.ErrModelNotFound)},
	{"529 for an overload", "like 503: tried again, with half the calls in flight", 529, ``, nil,
		both(failsAs(llmclient.ErrServer), func(a llmclient.Answer) bool { return a.Attempts == 1+RetriesDefault })},
	{"`Retry-After` over ten minutes, negative, or counted from 1970", "ignored; the usual wait", 429, ``, []string{"Retry-After", "1795334400"},
		both(failsAs(llmclient.ErrRateLimited), func(a llmclient.Answer) bool { return a.Attempts == 1+RetriesDefault })},
	{"`Retry-After` as seconds, a duration or a date; `Retry-After-Ms`", "all its agents wait", 429, ``, []string{"Retry-After", "0.01"},
		both(failsAs(llmclient.ErrRateLimited), func(a llmclient.Answer) bool { return a.Attempts == 1+RetriesDefault })},
	{"`X-Should-Retry: false`", "not tried again", 500, ``, []string{"X-Should-Retry", "false"},
		both(failsAs(llmclient.ErrServer), func(a llmclient.Answer) bool { return a.Attempts == 1 })},
	{"the key in an answer, plain, base64, hexadecimal or escaped", "removed before it is stored", 401, `{"error":"Incorrect key ` + testKey + `"}`, nil,
		both(failsAs(llmclient.ErrAuth), func(a llmclient.Answer) bool { return !strings.Contains(fmt.Sprint(a.Failure), testKey[4:]) })},
}

// TestTolerances serves every row of the table over HTTP.
func TestTolerances(t *testing.T) {
	for _, row := range tolerances {
		answer, _, _ := ask(t, says(row.status, row.body, row.headers...))
		if !row.holds(answer) {
			t.Errorf("%s: not %q but %+v %+v", row.what, row.becomes, answer.Reply, answer.Failure)
		}
	}
}

// TestTolerancesArePublished holds the page to the table; -update writes it.
func TestTolerancesArePublished(t *testing.T) {
	var b strings.Builder
	b.WriteString("| what a server does | how it is read |\n|---|---|\n")
	for _, row := range tolerances {
		fmt.Fprintf(&b, "| %s | %s |\n", row.what, row.becomes)
	}
	published(t, "tolerances", b.String())
}
