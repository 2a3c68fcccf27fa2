package doctor

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
)

// CallsMax is the most calls of an examination. Each is one HTTP request, unless the
// endpoint refuses a part of it that a run goes without, or cuts an answer for length.
const CallsMax = 9 + turnCallsMax

// TimeoutDefault bounds one call where the configuration has no timeout.
const TimeoutDefault = 60 * time.Second

// Options say what to examine.
type Options struct {
	// Config is the endpoint with its key. Its retries and limiter are not used: a
	// fault must show.
	Config openai.Config
	Model  string
	// Sampling is how the run would ask.
	Sampling llmclient.Sampling
	// Turn is a turn of a run that is played last; nil plays none.
	Turn Turn
	// CountTokens counts the tokens of a text as a run does, to judge those that the endpoint reports. Nil
	// judges only their sum.
	CountTokens func(text string) int
	// SlowAfter is the latency from which a call is slow; 0 means ten seconds.
	SlowAfter time.Duration
}

// slowAfterDefault is long for one step of a decision, which takes about four.
const slowAfterDefault = 10 * time.Second

// examination is the state of one call of [Examine].
type examination struct {
	client  *openai.Client
	model   string
	how     llmclient.Sampling
	slow    time.Duration
	timeout time.Duration
	count   func(text string) int
	found   findings
	// replied says that a reply came, first is the failure of the first call while none has, and failures
	// counts those calls.
	replied  bool
	first    *llmclient.Failure
	failures int
	// calls is how many requests were sent, response the body of the last answer.
	calls    int
	response []byte
	// took are the latencies of the calls in milliseconds.
	took []int64
	// longest is the most that an answer took, thought how much of that was reasoning, cut
	// says that one was cut for length.
	longest, thought int64
	cut              bool
	// windowTokens is the model's context window, 0 for unknown; room is the length that is asked
	// for since an answer was cut, 0 for what is set.
	windowTokens, room int
}

// Examine sends its calls and returns what they showed. Everything that a server
// does is a finding. The error says which setting cannot work.
func Examine(ctx context.Context, o Options) (Report, error) {
	if err := o.Sampling.Validate(); err != nil {
		return Report{}, err
	}
	config := o.Config
	if config.Timeout == 0 {
		config.Timeout = TimeoutDefault
	}
	// One attempt per call: a timeout as long as the patient one is not repeated.
	config.DefaultTimeout = config.Timeout
	config.RetriesMax = -1
	config.Limiter = nil
	config.Steady = true
	x := &examination{
		model: o.Model, how: o.Sampling, slow: cmp.Or(o.SlowAfter, slowAfterDefault), timeout: config.Timeout,
		count: o.CountTokens, found: findings{}, windowTokens: config.WindowTokens,
	}
	config.Response = func(body []byte) { x.response = bytes.Clone(body) }
	client, err := openai.New(config)
	if err != nil {
		return Report{}, err
	}
	defer client.Close()
	x.client = client
	x.all(ctx, o.Turn, config)
	x.latency()
	x.thinking()
	r := Report{Endpoint: client.URL(), Model: o.Model, Calls: x.calls}
	for _, check := range checks {
		found, ok := x.found[check]
		if !ok {
			found = Result{Check: check, Status: Skip, Detail: "not reached"}
		}
		r.Results = append(r.Results, found)
	}
	return r, nil
}

// all makes the calls, as far as those before leave hope for them.
func (x *examination) all(ctx context.Context, turn Turn, config openai.Config) {
	x.text(ctx)
	call, items := x.choices(ctx)
	if call != nil {
		x.roundTrip(ctx, *call, items)
		x.longID(ctx)
		x.parallel(ctx)
	}
	if !x.hopeless() {
		x.window(ctx)
	}
	if x.replied && x.first != nil {
		// The other calls show that this was about what the first one asked.
		_, advice := Advice(*x.first, x.how)
		x.found.add(CheckNone, Fail, x.first.Text(), advice)
	} else if x.first != nil {
		x.failed(*x.first)
	}
	if turn != nil && call != nil {
		x.turn(ctx, turn, config)
	}
}

// shared are the kinds of failures that every call would share.
var shared = []llmclient.ErrorKind{
	llmclient.ErrConnection, llmclient.ErrProxy, llmclient.ErrWrongPath, llmclient.ErrForeignObject,
	llmclient.ErrChatCompletions, llmclient.ErrMalformed, llmclient.ErrTimeout, llmclient.ErrDeadline,
	llmclient.ErrRateLimited, llmclient.ErrTooLarge, llmclient.ErrInterrupted,
}

// hopeless reports whether no other call can fare better: without any reply, after a failure that all
// calls share, or after three of any kind.
func (x *examination) hopeless() bool {
	if x.replied || x.first == nil {
		return false
	}
	check, _ := Advice(*x.first, x.how)
	return x.first.Kind.Fatal() || slices.Contains(shared, x.first.Kind) || check == CheckSampling || x.failures >= 3
}

// ask sends a request and notes what any answer shows. If the answer is cut for length, it
// asks again with four times the room, as in a run. Later requests also ask for that room.
func (x *examination) ask(ctx context.Context, r llmclient.Request) llmclient.Answer {
	r.Sampling.MaxOutputTokens = max(r.Sampling.MaxOutputTokens, x.room)
	answer := x.send(ctx, r)
	if answer.Kind() != llmclient.AnswerTruncated {
		return answer
	}
	used := int(cmp.Or(max(answer.Reply.Usage.Output, answer.Reply.Usage.Reasoning), int64(r.Sampling.MaxOutputTokens),
		cutUnsaid))
	x.room = max(4*used, 1024)
	if x.windowTokens > 0 {
		x.room = min(x.room, x.windowTokens-len(r.Body())/charsPerToken)
	}
	if x.room <= max(used, r.Sampling.MaxOutputTokens) {
		return answer
	}
	r.Sampling.MaxOutputTokens = x.room
	return x.send(ctx, r)
}

// send sends one request.
func (x *examination) send(ctx context.Context, r llmclient.Request) llmclient.Answer {
	answer := x.client.Respond(ctx, r)
	x.calls += answer.Attempts
	// Of a call that never got to the endpoint the time it took says nothing.
	if f := answer.Failure; f == nil || f.Kind != llmclient.ErrDNS && f.Kind != llmclient.ErrTLS &&
		f.Kind != llmclient.ErrConnection {
		x.took = append(x.took, answer.LatencyMS)
	}
	if answer.Reply != nil {
		x.doubtUsage(r, *answer.Reply)
	}
	if r := answer.Reply; r != nil {
		x.longest, x.thought = max(x.longest, r.Usage.Output, r.Usage.Reasoning), max(x.thought, r.Usage.Reasoning)
		x.cut = x.cut || answer.Kind() == llmclient.AnswerTruncated
		x.conceded(*r)
		x.reached(*r)
		return answer
	}
	x.failures++
	if x.first == nil && !x.replied {
		x.first = answer.Failure
	}
	return answer
}

// refused notes the failure of an answer, if it is one, as the finding of a check. badRequest is the
// advice about a request that the endpoint does not take.
func (x *examination) refused(a llmclient.Answer, check string, status Status, badRequest string) bool {
	if a.Failure == nil {
		return false
	}
	_, advice := Advice(*a.Failure, x.how)
	if a.Failure.Kind == llmclient.ErrBadRequest {
		advice = badRequest
	}
	x.found.add(check, status, a.Failure.Text(), advice)
	return true
}

// reached notes what the first reply shows of the endpoint.
func (x *examination) reached(r llmclient.Reply) {
	if x.replied {
		return
	}
	x.replied = true
	x.found.add(CheckConnection, Pass, "reached "+x.client.URL(), "")
	x.found.add(CheckKey, Pass, "accepted, or none is wanted", "")
	x.found.add(CheckProtocol, Pass, "answers with a response, status "+r.Status, "")
	x.found.add(CheckSampling, Pass, "takes what is set: "+string(llmclient.Marshal(x.how)), "")
	status := Pass
	detail := "answers as " + cmp.Or(r.Model, x.model)
	advice := ""
	if OtherModel(x.model, r.Model) {
		status, advice = Warn, "nothing, if {llm.model} is another name for that model; else the endpoint lets another "+
			"one answer"
	}
	x.found.add(CheckModel, status, detail, advice)
	x.usage(r)
}

// text asks for a word with calling forbidden.
func (x *examination) text(ctx context.Context) {
	answer := x.ask(ctx, x.request(llmclient.ToolChoice{Mode: llmclient.ChoiceNone}, user("Say "+readyWord)))
	if answer.Failure != nil {
		return
	}
	calls, text := contents(*answer.Reply)
	switch {
	case len(calls) > 0:
		x.found.add(CheckNone, Warn, "a function was called although calling was forbidden",
			"nothing: such calls are vetoed here, and a run sends no tools then if that helps; "+
				"in a reason step each costs a further call")
		x.withoutTools(ctx)
	case answer.Kind() == llmclient.AnswerTruncated:
		x.found.add(CheckNone, Warn, cutDetail, cutAdvice)
	case !strings.Contains(strings.ToLower(text), readyWord):
		x.found.add(CheckNone, Warn, "no function was called, but the text is not the one asked for",
			"a larger model may follow instructions better")
	default:
		x.found.add(CheckNone, Pass, "answered in text", "")
	}
}

// roundTrip sends the answer's own items back with results, and a message of the engine, as a run does.
func (x *examination) roundTrip(ctx context.Context, call llmclient.Item, items []llmclient.Item) {
	paired, _ := llmclient.PairItems(items, `{"code":"none"}`)
	reasons := false
	for i, it := range paired {
		reasons = reasons || it.Kind == llmclient.KindReasoning
		if it.Kind == llmclient.KindFunctionOutput {
			paired[i] = llmclient.FunctionOutput(it.CallID, `{"code":"`+codeWord+`"}`)
		}
	}
	feedback := llmclient.Message("developer", "That was right. Go on.")
	paired = append(paired, feedback, user("Say the code of the last result"))
	answer := x.ask(ctx, x.request(llmclient.ToolChoice{Mode: llmclient.ChoiceNone}, paired...))
	if x.refused(answer, CheckRoundTrip, Fail, "the endpoint does not take its own items back; a run sends all of them, "+
		"reasoning included: use a server version that does") {
		return
	}
	x.found.add(CheckFeedback, Pass, "taken with the role developer", "")
	if reasons {
		x.found.add(CheckReasoning, Pass, "its own reasoning was taken back", "")
	} else {
		x.found.add(CheckReasoning, Pass, "no reasoning comes with its answers", "")
	}
	if _, text := contents(*answer.Reply); strings.Contains(text, codeWord) {
		x.found.add(CheckRoundTrip, Pass, "the result of "+call.Name+" came back", "")
		return
	}
	x.found.add(CheckRoundTrip, Warn, "the result was accepted, but the answer does not show it",
		"module calls may be of little use to this model; a larger one may do better")
}

// longID sends a call back whose id is as long as some gateways make them.
func (x *examination) longID(ctx context.Context) {
	id := strings.Repeat("longsignature", longIDTimes)
	items := []llmclient.Item{
		user(weighBasalt), llmclient.FunctionCall(id, weigh.Name, `{"stone":"basalt","grams":7,"note":null}`),
		llmclient.FunctionOutput(id, `{"code":"`+codeWord+`"}`), user("Say the code of the last result"),
	}
	answer := x.ask(ctx, x.request(llmclient.ToolChoice{Mode: llmclient.ChoiceNone}, items...))
	if answer.Failure != nil {
		x.found.add(CheckLongID, Warn, answer.Failure.Text(),
			"nothing, unless a gateway makes such ids of its own; then use a server version that takes them back")
		return
	}
	x.found.add(CheckLongID, Pass, fmt.Sprintf("an id of %d characters was taken back", len(id)), "")
}

// longIDTimes is how often the long id repeats its word.
const longIDTimes = 23

// parallel asks for two calls in one answer.
func (x *examination) parallel(ctx context.Context) {
	answer := x.ask(ctx, x.request(llmclient.ToolChoice{Mode: llmclient.ChoiceRequired}, user(weighBasalt, weighOlivine)))
	if x.refused(answer, CheckParallel, Warn, "nothing: a run gets by with one call at a time") {
		return
	}
	calls, _ := contents(*answer.Reply)
	x.callIDs(calls)
	x.strict(calls)
	if len(calls) < 2 {
		x.found.add(CheckParallel, Warn, fmt.Sprintf("%d of 2 calls in one answer", len(calls)),
			"nothing: a run gets by with one call at a time, at the price of more calls")
		return
	}
	x.found.add(CheckParallel, Pass, fmt.Sprintf("%d calls in one answer", len(calls)), "")
}

// window sends a prompt as long as the longest of a run.
func (x *examination) window(ctx context.Context) {
	r := x.request(llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{count.Name}}, longPrompt())
	answer := x.ask(ctx, r)
	if x.refused(answer, CheckWindow, Fail, windowAdvice) {
		return
	}
	calls, text := contents(*answer.Reply)
	x.callIDs(calls)
	x.strict(calls)
	chars, said := int64(len(r.Body())), text
	for _, c := range calls {
		said += c.Text
	}
	input := answer.Reply.Usage.Input
	switch {
	case input > 0 && input < chars/charsPerTokenMost:
		x.found.add(CheckWindow, Fail,
			fmt.Sprintf("%d characters were sent and only %d tokens read: the prompt was cut", chars, input), windowAdvice)
	case answer.Kind() == llmclient.AnswerTruncated:
		x.found.add(CheckWindow, Warn, cutDetail, cutAdvice)
	case !strings.Contains(said, keyWord):
		x.found.add(CheckWindow, Warn, fmt.Sprintf("the beginning of a prompt of %d characters was not found again", chars),
			windowAdvice)
	default:
		x.found.add(CheckWindow, Pass, fmt.Sprintf("read a prompt of %d characters to its beginning", chars), "")
	}
}

// The finding about an answer that was cut even with more room.
const (
	cutDetail = "the answer was cut for length, also with more room"
	cutAdvice = "set a higher {llm.max_output_tokens}, or a lower {llm.reasoning_effort}"
)

const windowAdvice = "give the model a larger context in the server (Ollama: num_ctx) and tell " +
	"{llm.context_window}; {llm.prompt_profile} compact needs less"

// cutUnsaid is the assumed length in tokens of an answer that was cut at an unknown place.
const cutUnsaid = 4096

// charsPerToken is how many characters a token has at least in such a text.
const charsPerToken = 3

// charsPerTokenMost is more characters than any usual vocabulary has in a token of
// such text, on average; a prompt of fewer tokens cannot have been read whole.
const charsPerTokenMost = 8
