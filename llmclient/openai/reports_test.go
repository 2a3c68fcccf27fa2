package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/llmclient"
)

// reportedCase is one row of the page: what a server was seen to do, what comes of it, and where it is
// known from.
type reportedCase struct {
	what, becomes, known string
	// serve answers the nth request, from 1, with this body.
	serve func(n int, body string) (status int, answer string)
	// asks is how many calls are made one after the other, 0 for one. request makes them, nil for
	// full.
	asks    int
	request func() llmclient.Request
	holds   func(p played) bool
}

// played is what came of a row.
type played struct {
	answers []llmclient.Answer
	bodies  []string // of the requests as the server saw them
	noted   []string
}

// last is the last answer.
func (p played) last() llmclient.Answer { return p.answers[len(p.answers)-1] }

// mended reports whether the first call took more than one attempt, all others one, and all brought
// replies that say what they went without.
func (p played) mended(without ...string) bool {
	for i, a := range p.answers {
		if a.Reply == nil || !slices.Equal(a.Reply.Repairs, without) || (a.Attempts == 1) != (i > 0) {
			return false
		}
	}
	return true
}

// failed reports whether the last call ended in a failure of a kind and status after so many attempts.
func (p played) failed(kind llmclient.ErrorKind, status, attempts int) bool {
	a := p.last()
	return a.Failure != nil && a.Failure.Kind == kind && a.Failure.Status == status && a.Attempts == attempts
}

// never reports whether no request but the first n held some text.
func (p played) never(text string, n int) bool {
	return !slices.ContainsFunc(p.bodies[n:], func(body string) bool { return strings.Contains(body, text) })
}

// The output of an answer.
const (
	lookCall = `{"type":"function_call","id":"fc_2","call_id":"c2","name":"look","arguments":"{}","status":"completed"}`
	noText   = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":""}]}`
)

// answers is a response with this output that took 40 tokens.
func answers(output ...string) string {
	return `{"object":"response","status":"completed","output":[` + strings.Join(output, ",") + `],"usage":{"input_tokens":9,"output_tokens":40}}`
}

// always answers every request the same.
func always(status int, body string) func(int, string) (int, string) {
	return func(int, string) (int, string) { return status, body }
}

// refusing refuses requests that hold some text, and answers others.
func refusingText(has string, status int, body string) func(int, string) (int, string) {
	return func(_ int, sent string) (int, string) {
		if strings.Contains(sent, has) {
			return status, body
		}
		return 200, goodOne
	}
}

// marked is a request in a later round of a turn whose prompt a provider is asked to keep.
func marked() llmclient.Request {
	r := full()
	r.Input = append([]llmclient.Item{llmclient.Message("user", "common")}, r.Input...)
	r.Breakpoints = []int{0, 1, len(r.Input) - 1}
	return r
}

// narrowed is a request that may call one tool of two, and has to.
func narrowed() llmclient.Request {
	r := full()
	r.Tools = append(r.Tools, llmclient.Tool{Name: "look", Parameters: json.RawMessage(`{"type":"object"}`)})
	r.Input = r.Input[:1]
	return r
}

// fedBack is a request in a later round of a turn, with a message of the engine in the middle.
func fedBack() llmclient.Request {
	r := full()
	r.Input = append(r.Input, llmclient.Message("developer", "Call act."))
	return r
}

// longIDed is a request with a call whose id has 300 characters, and one whose id had to be made.
func longIDed() llmclient.Request {
	r := full()
	long := strings.Repeat("sig", 100)
	items := []llmclient.Item{r.Input[0], llmclient.FunctionCall(long, "act", "{}"), llmclient.FunctionOutput(long, "{}"), llmclient.FunctionCall("", "act", "{}"), llmclient.FunctionCall(long, "act", "{}")}
	r.Input, _ = llmclient.PairItems(items, "lost")
	return r
}

// bounded is a request that asks for at most 40 tokens.
func bounded() llmclient.Request {
	r := narrowed()
	r.Sampling.MaxOutputTokens = 40
	return r
}

// made matches a call id as all servers take it.
var made = regexp.MustCompile(`"call_id":"([A-Za-z0-9]{9})"`)

const (
	developerRole = `"role":"developer"`
	lostItem      = `{"error":{"message":"Item with id 'rs_1' not found. Items are not persisted when ` + "`store`" + ` is set to false. Try again with ` + "`store`" + ` set to true, or remove this item from your input.","type":"invalid_request_error","param":"input"}}`
)

var reports = []reportedCase{
	{"a `developer` message in the middle is refused, as 400 or 500", "sent as `user` from now on; `without_developer_role`", "vLLM 41114, llama.cpp 20215, LiteLLM 39852",
		refusingText(developerRole, 500, `{"error":{"code":500,"message":"Jinja Exception: System message must be at the beginning.","type":"server_error"}}`), 2, fedBack,
		func(p played) bool { return p.mended("without_developer_role") && p.never(developerRole, 1) }},
	{"the same in words that nobody knows", "the same, tried once", "GLM gateways",
		refusingText(developerRole, 400, `{"error":{"code":"1214","message":"请求有误"}}`), 2, fedBack,
		func(p played) bool { return p.mended("without_developer_role") && len(p.bodies) == 3 }},
	{"roles that have to alternate", "messages that follow each other at the beginning become one; `without_common_message`", "templates of Gemma and Mistral",
		func(_ int, body string) (int, string) {
			if strings.Count(body, `"role":"user"`) > 1 {
				return 400, `{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}`
			}
			return 200, goodOne
		}, 2, marked, func(p played) bool {
			return p.mended("without_common_message") && strings.Contains(p.bodies[1], `common\n`)
		}},
	{"marks of the prompt cache are refused by name, in the input or as an option", "sent without marks and option; `without_prompt_cache_breakpoint`", "tingly-box 1548, CLIProxyAPI 5068",
		refusingText(`"prompt_cache_options"`, 400, `{"error":{"message":"Unsupported parameter(s): prompt_cache_options"}}`), 2, marked,
		func(p played) bool {
			return p.mended("without_prompt_cache_breakpoint") && p.never("cache_options", 1) && p.never("breakpoint", 1) && p.never(`"mode":"explicit"`, 1)
		}},
	{"the output of a call that is a list is refused", "sent as a string; messages stay marked; `without_output_lists`", "deepagents 202, llama.cpp 23542",
		refusingText(`"output":[`, 400, `{"error":{"message":"Invalid type for function_call_output.output: expected string, received list.","param":"input"}}`), 2, marked,
		func(p played) bool {
			return p.mended("without_output_lists") && strings.Count(p.bodies[1], "prompt_cache_breakpoint") == 2
		}},
	{"the same without a word about it, as 400 or, from a server that works, 500", "the same, tried once; then without marks", "sglang 33867",
		refusingText(`"output":[`, 400, `{"error":{"message":"..."}}`), 2, marked, func(p played) bool { return p.mended("without_output_lists") }},
	{"a `call_id` of hundreds of characters", "comes back as it came", "LiteLLM 38270, 34387",
		always(200, goodOne), 1, longIDed, func(p played) bool { return strings.Count(p.bodies[0], strings.Repeat("sig", 100)) == 2 }},
	{"call ids other than nine letters and digits are refused", "those made here fit", "opencode 1680, ironclaw 1241",
		always(200, goodOne), 1, longIDed, func(p played) bool { return len(made.FindAllString(p.bodies[0], -1)) == 4 }},
	{"and an id of its own is refused all the same", "all of them are made here; `without_foreign_call_ids`", "Mistral behind gateways",
		refusingText("sigsig", 400, `{"error":{"message":"Tool call id was sigsig but must be a-z, A-Z, 0-9, with a length of 9.","code":3280}}`), 2, longIDed,
		func(p played) bool {
			return p.mended("without_foreign_call_ids") && len(made.FindAllString(p.bodies[1], -1)) == 6
		}},
	{"200 with an error whose code is 429, 502 or 504", "as that status", "inspect_ai 3188, opencode 22448",
		always(200, `{"error":{"code":429,"message":"Rate limit exceeded"}}`), 1, nil, func(p played) bool { return p.failed(llmclient.ErrRateLimited, 429, 1+RetriesDefault) }},
	{"`status: failed` with `server_error` or `rate_limit_exceeded`", "as that status", "inspect-robots 448",
		always(200, `{"object":"response","status":"failed","error":{"code":"server_error","message":"no luck"},"output":[]}`), 1, nil,
		func(p played) bool { return p.failed(llmclient.ErrServer, 500, 1+RetriesDefault) }},
	{"400 that reasoning \"must be passed back\"", "never read as a refusal of it", "rikkahub 1690, KohakuTerrarium 322",
		always(400, `{"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API."}}`), 1, nil,
		func(p played) bool {
			return p.failed(llmclient.ErrBadRequest, 400, 1) && strings.Contains(p.bodies[0], "rs_1")
		}},
	{"\"Item with id 'rs_1' not found\" under `store: false`", "the item without its id, then not at all; `store` stays", "bifrost 5410, oh-my-pi 11928",
		refusingText(`"type":"reasoning"`, 404, lostItem), 2, nil, func(p played) bool {
			if !p.mended("without_reasoning_items") || len(p.bodies) != 4 {
				return false
			}
			withoutID := strings.Contains(p.bodies[1], `"type":"reasoning"`) && !strings.Contains(p.bodies[1], "rs_1")
			return withoutID && strings.Contains(p.bodies[3], `"store":false`)
		}},
	{"reasoning \"was not issued to this caller\", \"could not be verified\"", "once without it, kept; `without_reasoning_items`", "9router 4061, experiential 965",
		refusingText(`"type":"reasoning"`, 403, `{"error":{"message":"encrypted reasoning was not issued to this caller"}}`), 2, nil,
		func(p played) bool { return p.mended("without_reasoning_items") && p.never("rs_1", 1) }},
	{"`item['content'] is not an array` for a reasoning item", "the same", "llama.cpp",
		refusingText(`"type":"reasoning"`, 400, `{"error":{"code":400,"message":"item['content'] is not an array","type":"invalid_request_error"}}`), 2, nil,
		func(p played) bool { return p.mended("without_reasoning_items") }},
	{"`store: false` is refused", "`store_refused`, which ends the run; given up with `--allow-store` alone", "gateways that keep conversations",
		refusingText(`"store":false`, 400, `{"error":{"message":"store must be true for this model","param":"store"}}`), 1, nil,
		func(p played) bool {
			return p.failed(llmclient.ErrStoreRefused, 400, 1) && p.last().Failure.Kind.Fatal()
		}},
	{"an object as `tool_choice` is refused, `required` is answered with nothing", "`auto` after two empty answers", "LM Studio 1904, oh-my-pi 6925",
		func(_ int, body string) (int, string) {
			switch {
			case strings.Contains(body, `"allowed_tools"`):
				return 400, `{"error":"Invalid tool_choice type: 'object'. Supported string values: none, auto, required"}`
			case strings.Contains(body, `"tool_choice":"required"`):
				return 200, answers()
			}
			return 200, answers(actCall)
		}, 4, narrowed, func(p played) bool {
			kinds := []llmclient.AnswerKind{p.answers[0].Kind(), p.answers[1].Kind(), p.answers[2].Kind(), p.answers[3].Kind()}
			return slices.Equal(kinds, []llmclient.AnswerKind{llmclient.AnswerBilledEmpty, llmclient.AnswerBilledEmpty, llmclient.AnswerCalls, llmclient.AnswerCalls}) &&
				len(p.bodies) == 5 && slices.Equal(p.last().Reply.Repairs, []string{"without_allowed_tools", "without_required"}) && len(p.noted) == 2
		}},
	{"400 `tool_use_failed` with `failed_generation`", "`malformed_call`: once more, then repaired like an answer", "OpenHands 10187, groq-typescript 28",
		always(400, `{"error":{"message":"Failed to call a function. Please adjust your prompt.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=act>{\"a\""}}`), 1, nil,
		func(p played) bool { return p.failed(llmclient.ErrMalformedCall, 400, 2) && p.last().Failure.Came() }},
	{"400 `content_filter` for the prompt", "`prompt_filter`; says nothing about the endpoint", "TinyTroupe 85, parlant 699",
		always(400, `{"error":{"message":"The response was filtered due to the prompt triggering the content management policy.","param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`), 1, nil,
		func(p played) bool {
			return p.failed(llmclient.ErrPromptFilter, 400, 1) && p.last().Failure.Neutral() && p.last().Failure.Code == "content_filter"
		}},
	{"the reason stands in `error.metadata.raw`", "judged by it", "open-webui 293",
		refusingText(`"strict"`, 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Unknown parameter: 'tools[0].strict'.\",\"code\":null}}","provider_name":"acme"}}}`), 2, nil,
		func(p played) bool { return p.mended("without_strict") }},
	{"white space, or one piece again and again, to the limit", "`endless`: not asked again with more room", "vLLM 40080",
		always(200, strings.Replace(strings.Replace(answers(actCall), `{\"a\":1}`, `{\"a\":`+strings.Repeat(`\n \t`, 60), 1), `"completed","output"`, `"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output"`, 1)), 1, bounded,
		func(p played) bool { return p.last().Kind() == llmclient.AnswerEndless }},
	{"an overlooked `tool_choice`: text in place of a call, or calls of other tools", "after two of three `required`, then only the allowed tools; undone if two more are no better", "llama.cpp, Ollama",
		func(_ int, body string) (int, string) {
			if strings.Contains(body, `"name":"look"`) {
				return 200, answers(lookCall)
			}
			return 200, answers(actCall)
		}, 6, narrowed, func(p played) bool {
			return !strings.Contains(p.bodies[1], `"tool_choice":"required"`) && strings.Contains(p.bodies[2], `"tool_choice":"required"`) && strings.Contains(p.bodies[3], `"name":"look"`) &&
				!strings.Contains(p.bodies[4], `"name":"look"`) && slices.Equal(p.last().Reply.Repairs, []string{"without_other_tools"}) && len(p.noted) == 1
		}},
	{"the same, and nothing helps", "sent as before", "llama.cpp, Ollama",
		always(200, answers(hiText)), 8, narrowed, func(p played) bool {
			return p.bodies[7] == p.bodies[0] && !strings.Contains(p.bodies[4], `"name":"look"`) && len(p.noted) == 0
		}},
	{"an answer that used all its room says `completed`", "cut, whatever its status says; `cut_unsaid`", "llama.cpp, Ollama, responses.js",
		always(200, answers(strings.Replace(actCall, `{\"a\":1}`, `{\"a\":`, 1))), 1, bounded, func(p played) bool {
			return p.last().Kind() == llmclient.AnswerTruncated && slices.Equal(p.last().Reply.Repairs, []string{"cut_unsaid"})
		}},
	{"500 `invalid tool call arguments ... unexpected end of JSON input`", "cut; `cut_as_error`", "Ollama",
		always(500, `{"error":{"message":"invalid tool call arguments for \"plan\": unexpected end of JSON input","type":"api_error","param":null,"code":null}}`), 1, nil,
		func(p played) bool { return p.last().Kind() == llmclient.AnswerTruncated && p.last().Attempts == 1 }},
	{"500 for output that does not match its own format (`peg-native`), `Failed to parse`", "`malformed_call`", "llama.cpp",
		always(500, `{"error":{"code":500,"message":"The model produced output that does not match the expected peg-native format","type":"server_error"}}`), 1, nil,
		func(p played) bool { return p.failed(llmclient.ErrMalformedCall, 500, 2) }},
	{"400 whose message is the JSON of the server below", "judged by that; its sizes are named", "Ollama",
		always(400, `{"error":{"message":"{\"error\":{\"code\":400,\"message\":\"the request is larger than what fits\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":2698,\"n_ctx\":2048}}","type":"api_error"}}`), 1, nil,
		func(p played) bool {
			f := p.last().Failure
			return p.failed(llmclient.ErrContext, 400, 1) && f.WindowTokens == 2048 && f.PromptTokens == 2698 && strings.Contains(f.Message, "window of 2048 tokens")
		}},
	{"200, `status: failed` and a message that begins with a status", "as that status", "responses.js",
		always(200, `{"object":"response","status":"failed","error":{"code":"server_error","message":"400 request (2698 tokens) exceeds the available context size (2048 tokens), try increasing it"},"output":[]}`), 1, nil,
		func(p played) bool {
			f := p.last().Failure
			return p.failed(llmclient.ErrContext, 400, 1) && f.WindowTokens == 2048 && f.PromptTokens == 2698
		}},
	{"503 `server busy, please try again`", "tried again, with half the calls in flight", "Ollama",
		always(503, `{"error":{"message":"server busy, please try again.  maximum pending requests exceeded"}}`), 1, nil,
		func(p played) bool { return p.failed(llmclient.ErrServer, 503, 1+RetriesDefault) }},
}

// elsewhere are rows that tests of their own show.
var elsewhere = []struct {
	what, becomes, known string
	test                 func(*testing.T)
}{
	{"every answer takes longer than the short limit", "the limit learns: each answer is paid for once", "hindsight 1567", TestTheShortLimitLearns},
	{"a proxy's page in the server's place, such as a 403", "`proxy`, which is named", "LiteLLM 2127", TestProxyPages},
	{"an overload that is said under a success status", "half the calls in flight", "inspect_ai 3188", TestLimiterFeelsErrorsInASuccess},
	{"a concession that does not help", "undone; the next one is tried", "48 calls lost for one misread word", TestConcessionsThatDoNotHelpAreUndone},
}

// play serves the requests of a row.
func (row reportedCase) play(t *testing.T) played {
	t.Helper()
	var p played
	server := newProvider(t, func(http.ResponseWriter, *http.Request) { t.Error("unreachable") })
	server.handlers = []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
		sent := server.requests()
		status, body := row.serve(len(sent), string(sent[len(sent)-1].body))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}}
	client, _ := newClient(t, Config{BaseURL: server.URL, Noted: func(text string) { p.noted = append(p.noted, text) }})
	for range max(row.asks, 1) {
		r := full()
		if row.request != nil {
			r = row.request()
		}
		p.answers = append(p.answers, client.Respond(t.Context(), r))
		check(t, p.last())
	}
	for _, arrived := range server.requests() {
		p.bodies = append(p.bodies, string(arrived.body))
	}
	return p
}

// TestReports plays every row of the table over HTTP.
func TestReports(t *testing.T) {
	for _, row := range reports {
		if p := row.play(t); !row.holds(p) {
			t.Errorf("%s: not %q after %d requests but %+v %+v, noted %q", row.what, row.becomes, len(p.bodies), p.last().Reply, p.last().Failure, p.noted)
		}
	}
}

// TestReportsArePublished holds the page to the table; -update writes it.
func TestReportsArePublished(t *testing.T) {
	var b strings.Builder
	b.WriteString("| what a server does | what comes of it | known from |\n|---|---|---|\n")
	for _, row := range reports {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", row.what, row.becomes, row.known)
	}
	for _, row := range elsewhere {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", row.what, row.becomes, row.known)
	}
	published(t, "reports", b.String())
}

// published holds a part of the page to what a test makes; -update writes it.
func published(t *testing.T, name, text string) {
	t.Helper()
	begin, end := "<!-- "+name+": made by a test -->\n", "<!-- end of "+name+" -->\n"
	page, err := os.ReadFile(providersPage)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(page), begin)
	shown, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table of %s", providersPage, name)
	}
	if *update {
		if err := os.WriteFile(providersPage, []byte(head+begin+text+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != text {
		t.Errorf("the table of %s of %s is not up to date; run go test ./llmclient/openai -update", name, providersPage)
	}
}

// TestErrorsInASuccess: each status that an error under a success status names is that status.
func TestErrorsInASuccess(t *testing.T) {
	for _, c := range []struct {
		body   string
		kind   llmclient.ErrorKind
		status int
	}{
		{`{"error":{"code":502,"message":"Upstream"}}`, llmclient.ErrServer, 502},
		{`{"error":{"code":"504","message":"Upstream"}}`, llmclient.ErrServer, 504},
		{`{"error":{"status":"UNAVAILABLE","message":"later"}}`, llmclient.ErrServer, 503},
		{`{"error":"429 Too Many Requests"}`, llmclient.ErrRateLimited, 429},
		{`{"error":{"message":"Error code: 401 - {'error': {'message': 'no key'}}"}}`, llmclient.ErrAuth, 401},
		{`{"status":"failed","error":{"code":"rate_limit_exceeded","message":"x"}}`, llmclient.ErrRateLimited, 429},
		{`{"status":"failed","error":{"code":"insufficient_quota","message":"x"}}`, llmclient.ErrQuota, 400},
		{`{"status":"failed","error":{"code":"invalid_prompt","message":"x"}}`, llmclient.ErrPromptFilter, 400},
		{`{"object":"response","output":[],"error":{"code":"vector_store_timeout","message":"timed out"}}`, llmclient.ErrServer, 504},
		{`{"error":{"message":"512 tokens are missing"}}`, llmclient.ErrErrorObject, 200},
	} {
		answer, _, _ := ask(t, says(200, c.body))
		if f := answer.Failure; f == nil || f.Kind != c.kind || f.Status != c.status {
			t.Errorf("%s: %+v, want %s %d", c.body, f, c.kind, c.status)
		}
	}
}

// TestGatewaysPassOnTheReason: what the server below said decides, not the gateway's own words.
func TestGatewaysPassOnTheReason(t *testing.T) {
	for _, c := range []struct {
		status  int
		body    string
		kind    llmclient.ErrorKind
		message string
	}{
		{500, `{"error":{"message":"litellm.RateLimitError: AcmeException - {\"error\":{\"code\":429,\"message\":\"slow down\"}}"}}`, llmclient.ErrRateLimited, "slow down"},
		{502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":{"error":{"message":"prompt is too long: 9000 tokens > 8192 maximum","code":400}}}}}`, llmclient.ErrContext, "prompt is too long"},
		{400, `{"error":{"message":"400: {\"detail\":{\"error\":{\"message\":\"The model does not exist\",\"code\":\"model_not_found\"}}}"}}`, llmclient.ErrModelNotFound, "The model does not exist"},
		{400, `{"error":{"message":"bad","innererror":{"message":"deeper","cause":{"message":"deepest"}}}}`, llmclient.ErrBadRequest, "deepest"},
		{400, `{"error":{"message":"` + strings.Repeat(`{\"message\":`, 400) + `"}}`, llmclient.ErrBadRequest, "message"},
	} {
		p := newProvider(t, says(c.status, c.body))
		client, _ := newClient(t, Config{BaseURL: p.URL, RetriesMax: -1})
		answer := client.Respond(t.Context(), request())
		check(t, answer)
		if kindOf(answer) != c.kind || !strings.Contains(answer.Failure.Message, c.message) {
			t.Errorf("%s: %+v, want %s about %q", c.body, answer.Failure, c.kind, c.message)
		}
	}
}

// TestProxyPages: a page that a proxy sends in the server's place names the proxy, and what a server
// says itself does not.
func TestProxyPages(t *testing.T) {
	const page = "<html><title>Access denied</title></html>"
	for _, c := range []struct {
		status  int
		body    string
		headers []string
		proxied bool
		kind    llmclient.ErrorKind
	}{
		{403, page, nil, true, llmclient.ErrProxy},
		{502, page, nil, true, llmclient.ErrProxy},
		{403, page, nil, false, llmclient.ErrForbidden},
		{403, `{"error":{"message":"no"}}`, nil, true, llmclient.ErrForbidden},
		{403, "denied", []string{"Server", "squid/6.1"}, false, llmclient.ErrProxy},
		{403, "<html><title>Internet Security by Zscaler</title></html>", nil, false, llmclient.ErrProxy},
		{511, "log in", nil, false, llmclient.ErrProxy},
		{200, page, nil, true, llmclient.ErrMalformed},
	} {
		proxy := newProvider(t, says(c.status, c.body, c.headers...))
		client, _ := newClient(t, Config{BaseURL: "http://model.example/v1", RetriesMax: -1})
		if !c.proxied {
			client, _ = newClient(t, Config{BaseURL: proxy.URL, RetriesMax: -1})
		} else {
			at, err := url.Parse(strings.Replace(proxy.URL, "http://", "http://user:secret@", 1))
			if err != nil {
				t.Fatal(err)
			}
			client.carrier.Transport.(*http.Transport).Proxy = http.ProxyURL(at)
		}
		answer := client.Respond(t.Context(), request())
		names := strings.Contains(answer.Failure.Message, "proxy "+proxy.URL)
		if kindOf(answer) != c.kind || names != (c.proxied && strings.HasPrefix(c.body, "<")) || strings.Contains(answer.Failure.Message, "secret") {
			t.Errorf("%d %s: %+v, want %s", c.status, c.body, answer.Failure, c.kind)
		}
	}
}

// TestTheShortLimitLearns: an answer that takes longer than the short limit is paid for twice once,
// and not again; quick answers of another model change nothing.
func TestTheShortLimitLearns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := carries(func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			wait := 30 * time.Second
			if strings.Contains(string(body), `"quick"`) {
				wait = time.Second
			}
			select {
			case <-r.Context().Done():
				return nil, r.Context().Err()
			case <-time.After(wait):
			}
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(goodOne)), Header: http.Header{}, Request: r}, nil
		})
		var noted []string
		client, err := New(Config{BaseURL: "http://model.test", Timeout: 20 * time.Second, HTTPClient: slow, Noted: func(text string) { noted = append(noted, text) }})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{2, 1, 1} {
			if answer := client.Respond(t.Context(), request()); answer.Reply == nil || answer.Attempts != want {
				t.Errorf("call %d: %d attempts, want %d", i, answer.Attempts, want)
			}
		}
		// Where not even the long limit is enough, the long limit is the first one from then on.
		client.config.DefaultTimeout = 25 * time.Second
		for _, want := range []int{2, 1} {
			r := request()
			r.Model = "slower"
			if answer := client.Respond(t.Context(), r); kindOf(answer) != llmclient.ErrTimeout || answer.Attempts != want {
				t.Errorf("%+v after %d attempts, want a timeout after %d", answer.Failure, answer.Attempts, want)
			}
		}
		r := request()
		r.Model = "quick"
		if answer := client.Respond(t.Context(), r); answer.Attempts != 1 || client.learned("quick") != 0 || len(noted) != 2 {
			t.Errorf("%d attempts, %s learned, noted %q", answer.Attempts, client.learned("quick"), noted)
		}
	})
}

// TestLimiterFeelsErrorsInASuccess: an overload that is said under a success status is one.
func TestLimiterFeelsErrorsInASuccess(t *testing.T) {
	c, _ := newClient(t, Config{BaseURL: "http://model.test"})
	for body, overloaded := range map[string]bool{
		`{"error":{"code":429,"message":"slow"}}`: true, `{"error":{"code":"overloaded","message":"x"}}`: true,
		`{"status":"failed","error":{"code":"server_error"}}`: false, goodOne: false,
	} {
		x := exchange{status: 200, body: []byte(body), whole: true}
		if got := c.pressure(x, c.outcome(t.Context(), x)); got.Overloaded != overloaded {
			t.Errorf("%s: overloaded %v", body, got.Overloaded)
		}
	}
}
