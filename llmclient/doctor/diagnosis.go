package doctor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
)

// contents are the calls of a reply and its joined text.
func contents(r llmclient.Reply) (calls []llmclient.Item, text string) {
	for _, it := range r.Items {
		switch it.Kind {
		case llmclient.KindFunctionCall:
			calls = append(calls, it)
		case llmclient.KindMessage:
			text += it.Text
		}
	}
	return calls, text
}

// Advice returns the check that a failure of the first call belongs to, and what to change.
// It names a setting by its key, as in [Result]. set are the sampling settings that may be
// at fault.
func Advice(f llmclient.Failure, set ...llmclient.Sampling) (check, advice string) {
	check, advice = CheckProtocol, "check the endpoint ({llm.base_url})"
	switch f.Kind {
	case llmclient.ErrDNS, llmclient.ErrConnection:
		check, advice = CheckConnection,
			"check the endpoint ({llm.base_url}): is the server running, and are scheme, host and port right?"
	case llmclient.ErrTLS:
		check, advice = CheckConnection,
			"the certificate or the scheme is wrong: use http:// for a server without TLS and https:// for one with it "+
				"({llm.base_url}); name the authority of a private certificate with SSL_CERT_FILE; check the clock"
	case llmclient.ErrProxy:
		check, advice = CheckConnection,
			"the proxy of HTTPS_PROXY or HTTP_PROXY is not there or refuses: correct or unset it, or list the endpoint's "+
				"host in NO_PROXY"
	case llmclient.ErrTimeout, llmclient.ErrDeadline:
		check, advice = CheckLatency, "the answer took too long: try a smaller model, or more time with {llm.timeout_ms}"
	case llmclient.ErrAuth, llmclient.ErrForbidden:
		check, advice = CheckKey, "set the key of this endpoint in the environment or in the configuration file; see help "+
			"settings"
	case llmclient.ErrQuota:
		check, advice = CheckKey, "the key is known, but the account has no credit or its budget is spent: add credit, or "+
			"use another key"
	case llmclient.ErrModelNotFound:
		check, advice = CheckModel, "choose a model that the endpoint has and this key may use ({llm.model}); GET /models "+
			"often lists them; Ollama: ollama pull; Azure: the name of the deployment"
	case llmclient.ErrContext:
		check, advice = CheckWindow, windowAdvice
		if f.WindowTokens > 0 {
			advice = fmt.Sprintf("the server's window has %d tokens: start it with a larger one "+
				"(llama.cpp: -c, divided by its slots; Ollama: num_ctx), or set {llm.context_window} %d",
				f.WindowTokens, f.WindowTokens)
		}
	case llmclient.ErrMalformedCall:
		advice = "the server cannot read its own model's calls: check its chat template and tool parser, " +
			"try a newer version, or another model"
	case llmclient.ErrPromptFilter:
		advice = "a filter of the provider stopped the prompt: change {llm.system_prompt} or the filter's settings, " +
			"or use another provider"
	case llmclient.ErrStoreRefused:
		advice = "the endpoint wants to store what is sent: use another one, or allow that with {llm.allow_store}"
	case llmclient.ErrRateLimited:
		check, advice = CheckConnection,
			"the endpoint is busy: try again later, and bound a run with {llm.max_requests_per_minute}"
	case llmclient.ErrForeignObject, llmclient.ErrChatCompletions:
		advice = "the endpoint speaks another API, such as Chat Completions: use a server, version or gateway (such as " +
			"LiteLLM) with the Responses API"
	case llmclient.ErrMalformed:
		advice = "no response of the API came: {llm.base_url} most likely leads to a web page, or lacks the path of the " +
			"API, often /v1"
	case llmclient.ErrTooLarge:
		advice = "the body is larger than an answer within {llm.context_window} can be: does {llm.base_url} lead to a model?"
	case llmclient.ErrWrongPath:
		advice = "there is no Responses API at this address: check the path of {llm.base_url}, often /v1; a server with " +
			"Chat Completions alone needs a newer version or a gateway such as LiteLLM"
	case llmclient.ErrBadRequest:
		advice = "the endpoint refuses the request; what it says may name a setting of the server"
		if setting := refusedSetting(f.Message, set); setting != "" {
			check, advice = CheckSampling,
				"the model does not take {llm."+setting+
					"} as it is sent: leave it out, for this model alone with {llm.sampling_json}, or change it"
		}
		if strings.Contains(f.Message, "max_output_tokens") {
			advice += "; a cap on tokens or cost sends a length even if none is set"
		}
	case llmclient.ErrServer:
		advice = "the endpoint reports a fault of its own: see its log, try again later, or try another model"
	case llmclient.ErrUnfinishedResponse:
		advice = "the endpoint answers in the background, which a run does not wait for: switch that off in the server or " +
			"gateway"
	}
	return check, advice
}

// failed notes the failure of the first call.
func (x *examination) failed(f llmclient.Failure) {
	check, advice := Advice(f, x.how)
	if check == CheckLatency {
		advice += fmt.Sprintf(" (more than %s)", x.timeout)
	}
	x.found.add(check, Fail, f.Text(), advice)
	if check != CheckConnection && f.Kind != llmclient.ErrTimeout {
		x.found.add(CheckConnection, Pass, "reached "+x.client.URL(), "")
	}
	// a login page accepts no key
	if f.Status != 0 && (check == CheckModel || check == CheckWindow || check == CheckProtocol && f.Status < 300 &&
		f.Kind != llmclient.ErrMalformed) {
		x.found.add(CheckKey, Pass, "accepted, or none is wanted", "")
	}
}

// callIDs notes whether outputs can be bound to the calls.
func (x *examination) callIDs(calls []llmclient.Item) {
	seen := map[string]bool{}
	for _, c := range calls {
		switch {
		case c.CallID == "":
			x.found.add(CheckCallIDs, Warn, "a call has no call_id", "nothing: one is made here and sent back in its place")
		case seen[c.CallID]:
			x.found.add(CheckCallIDs, Warn, "two calls of an answer share a call_id",
				"nothing: the second gets another one here")
		default:
			x.found.add(CheckCallIDs, Pass, "there, and different", "")
		}
		seen[c.CallID] = true
	}
}

// strict notes whether arguments keep to the schemas.
func (x *examination) strict(calls []llmclient.Item) {
	for _, c := range calls {
		if fault := schemaFault(c); fault != "" {
			x.found.add(CheckStrict, Warn, fault,
				"schemas are checked here too, and what does not fit costs a repair; more of them with {llm.max_repair_rounds}, "+
					"or another model")
			continue
		}
		x.found.add(CheckStrict, Pass, "arguments fit", "")
	}
}

// schemaFault says how the arguments of a call break the schema of its tool, empty if they
// do not.
func schemaFault(call llmclient.Item) string {
	at := slices.IndexFunc(tools, func(t llmclient.Tool) bool { return t.Name == call.Name })
	if at < 0 {
		return "there is no function " + call.Name
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(tools[at].Parameters, &s); err != nil {
		panic("doctor: the schema of a probe is not a schema: " + err.Error())
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		panic("doctor: the schema of a probe does not resolve: " + err.Error())
	}
	var value any
	if json.Unmarshal([]byte(call.Text), &value) != nil {
		return "the arguments are not JSON"
	}
	if resolved.Validate(value) != nil {
		// The validator's text repeats arguments, which are the model's words.
		return "the arguments do not fit the schema"
	}
	return ""
}

// usage notes which counts the endpoint reports. Of the parts zero is a count, absence is not.
func (x *examination) usage(r llmclient.Reply) {
	if r.Usage.Input == 0 || r.Usage.Output == 0 {
		x.found.add(CheckUsage, Warn, "tokens are not reported",
			"caps and cost cannot count tokens at this endpoint: bound a run by its number of calls and ticks")
		return
	}
	var have struct {
		Usage struct {
			InputParts  map[string]*json.RawMessage `json:"input_tokens_details"`
			OutputParts map[string]*json.RawMessage `json:"output_tokens_details"`
		} `json:"usage"`
	}
	_ = json.Unmarshal(x.response, &have)
	detail := fmt.Sprintf("%d in (%d cached), %d out (%d reasoning)", r.Usage.Input, r.Usage.Cached, r.Usage.Output,
		r.Usage.Reasoning)
	if r.Usage.ServiceTier != "" {
		detail += ", tier " + r.Usage.ServiceTier
	}
	for name, part := range map[string]*json.RawMessage{"cached": have.Usage.InputParts["cached_tokens"],
		"reasoning": have.Usage.OutputParts["reasoning_tokens"]} {
		if part == nil {
			detail = strings.Replace(detail, fmt.Sprintf("(0 %s)", name), "("+name+" not reported)", 1)
		}
	}
	x.found.add(CheckUsage, Pass, detail, "")
}

// refusedSetting is the setting of sampling that a refusal names, empty for none. A length
// may be sent although none is set.
func refusedSetting(message string, set []llmclient.Sampling) string {
	for _, how := range append(set, llmclient.Sampling{MaxOutputTokens: 1}) {
		var own, extra map[string]json.RawMessage
		_ = json.Unmarshal(llmclient.Marshal(how), &own)
		_ = json.Unmarshal(how.ExtraBody, &extra) // none has no members
		for _, setting := range []string{"temperature", "top_p", "max_output_tokens", "reasoning_effort", "service_tier"} {
			if name, _, _ := strings.Cut(setting, "_effort"); own[setting] != nil && strings.Contains(message, name) {
				return setting
			}
		}
		for name := range extra {
			if strings.Contains(message, name) {
				return "extra_body"
			}
		}
	}
	return ""
}

// conceded notes what the endpoint refused of a request and was sent without.
func (x *examination) conceded(r llmclient.Reply) {
	for _, repair := range r.Repairs {
		name, without := strings.CutPrefix(repair, openai.RepairWithout)
		if !without {
			continue
		}
		if name == "foreign_call_ids" {
			x.found.add(CheckLongID, Pass,
				"refused, as the API's own limit has it; a run sends one only where the server made it", "")
			continue
		}
		check := map[string]string{"strict": CheckStrict, "array_bounds": CheckStrict, "allowed_tools": CheckAllowed,
			"tool_choice": CheckAllowed, "required": CheckRequired,
			"reasoning_items": CheckReasoning, "reasoning_ids": CheckReasoning, "item_ids": CheckReasoning,
			"developer_role": CheckFeedback}[name]
		check = cmp.Or(check, CheckProtocol)
		x.found.add(check, Warn, "the endpoint refuses "+name,
			"nothing: a run goes without, after one refused request, and counts it as "+repair)
	}
}

// OtherModel reports whether an endpoint answers under the name of another model than the
// one asked for. An endpoint may put an owner before the name, and a date or "latest"
// after it.
func OtherModel(asked, answered string) bool {
	base := func(name string) string {
		return latest.ReplaceAllString(strings.ToLower(name[strings.LastIndex(name, "/")+1:]), "")
	}
	a, b := base(asked), base(answered)
	return a != "" && b != "" && a != b && dated.ReplaceAllString(a, "") != b && dated.ReplaceAllString(b, "") != a
}

var latest, dated = regexp.MustCompile(`[-@:]latest$`), regexp.MustCompile(`[-@:](20\d\d-?\d\d-?\d\d|\d{4})$`)

// thinking notes how much of its answers the model thinks, and what that needs.
func (x *examination) thinking() {
	status := Pass
	detail := fmt.Sprintf("up to %d tokens of reasoning in an answer of %d", x.thought, x.longest)
	advice := ""
	need := max(4*x.longest, int64(x.room), 1024)
	switch {
	case x.cut:
		status, detail = Warn, detail+", and one was cut for length"
		advice = fmt.Sprintf(
			"set {llm.max_output_tokens} to at least %d, or a lower {llm.reasoning_effort}: in a run such answers are asked "+
				"for twice", need)
	case x.thought >= thinkingTokens && int64(x.how.MaxOutputTokens) < need:
		status = Warn
		advice = fmt.Sprintf(
			"a run's questions are harder: set {llm.max_output_tokens} to at least %d, give {llm.timeout_ms} and "+
				"{llm.decision_deadline_ms} time for that, or set a lower {llm.reasoning_effort}", need)
	}
	if x.longest > 0 || x.cut {
		x.found.add(CheckThinking, status, detail, advice)
	}
}

// thinkingTokens is how much reasoning about a probe makes a model one that thinks.
const thinkingTokens = 200

// latency sums up how long the calls took.
func (x *examination) latency() {
	if _, failed := x.found[CheckLatency]; failed || len(x.took) == 0 {
		return
	}
	sorted := slices.Sorted(slices.Values(x.took))
	median, most := sorted[len(sorted)/2], sorted[len(sorted)-1]
	detail := fmt.Sprintf("median %d ms, most %d ms, over %s", median, most, plaintext.Count(len(sorted), "call"))
	if time.Duration(most)*time.Millisecond >= x.slow {
		x.found.add(CheckLatency, Warn, detail,
			"a decision takes about four calls: allow for it with {llm.timeout_ms} and {llm.decision_deadline_ms}, or use "+
				"{run.protocol} lean")
		return
	}
	x.found.add(CheckLatency, Pass, detail, "")
}
