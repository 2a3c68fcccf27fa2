package doctor

import (
	"context"
	"fmt"

	"example.com/agentworld/llmclient"
)

// kept is how an endpoint kept to a narrowed choice.
type kept string

const (
	keptWell   kept = "only the allowed function was called"
	keptOther  kept = "a function was called that was not allowed"
	keptText   kept = "answered in text instead of a call"
	keptSilent kept = "no function was called, and nothing was said"
	keptCut    kept = cutDetail
	keptAgain  kept = "the answer repeated itself until it was cut"
	keptFailed kept = "refused"
)

const againAdvice = "more room would not help: set a {llm.temperature} above 0, or take another model"

// called reports whether a call came at all.
func (k kept) called() bool { return k == keptWell || k == keptOther }

// choice is one form of asking for a call, and its outcome.
type choice struct {
	check string
	kept  kept
	// call is one that came, nil without one, and items are the conversation with it.
	call    *llmclient.Item
	items   []llmclient.Item
	failure *llmclient.Failure
}

// choose asks for a call of weigh in some form.
func (x *examination) choose(ctx context.Context, check string, r llmclient.Request) choice {
	answer := x.ask(ctx, r)
	got := choice{check: check, failure: answer.Failure}
	if answer.Failure != nil {
		got.kept = keptFailed
		return got
	}
	calls, text := contents(*answer.Reply)
	switch {
	case answer.Kind() == llmclient.AnswerEndless:
		got.kept = keptAgain
	case len(calls) > 0:
		got.kept = keptWell
		for _, c := range calls {
			if c.Name != weigh.Name {
				got.kept = keptOther
			}
		}
		got.call, got.items = &calls[0], append(append([]llmclient.Item{}, r.Input...), answer.Reply.Items...)
		x.callIDs(calls)
		x.strict(calls)
	case answer.Kind() == llmclient.AnswerTruncated:
		got.kept = keptCut
	case text != "":
		got.kept = keptText
	default:
		got.kept = keptSilent
	}
	return got
}

// choices tries the forms in which a run asks for calls, and says which of them it will send. It
// returns the first call that came, nil without one, and the items of that conversation.
func (x *examination) choices(ctx context.Context) (*llmclient.Item, []llmclient.Item) {
	const otherwise = "If count may not be called now, leave that line out and follow this one instead:"
	opening := user(countStones, otherwise, weighBasalt)
	list := x.request(llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{weigh.Name}}, opening)
	word := x.request(llmclient.ToolChoice{Mode: llmclient.ChoiceRequired}, user(weighBasalt))
	alone := x.request(llmclient.ToolChoice{Mode: llmclient.ChoiceRequired}, opening)
	alone.Tools = tools[:1]
	var tried []choice
	for _, form := range []struct {
		check   string
		request llmclient.Request
	}{{CheckAllowed, list}, {CheckRequired, word}, {CheckAlone, alone}} {
		if x.hopeless() {
			break
		}
		tried = append(tried, x.choose(ctx, form.check, form.request))
	}
	var first *choice
	for i := range tried {
		x.judgeChoice(tried[i])
		if first == nil && tried[i].call != nil {
			first = &tried[i]
		}
	}
	if first == nil {
		x.noCalls(tried)
		return nil, nil
	}
	x.found.add(CheckTools, Pass, "called", "")
	x.found.add(CheckSent, Pass, sends(tried), "")
	return first.call, first.items
}

// judgeChoice notes the outcome of one form.
func (x *examination) judgeChoice(c choice) {
	switch c.kept {
	case keptWell:
		x.found.add(c.check, Pass, string(c.kept), "")
	case keptFailed:
		_, advice := Advice(*c.failure, x.how)
		x.found.add(c.check, Warn, c.failure.Text(), advice)
	case keptCut:
		x.found.add(c.check, Warn, cutDetail, cutAdvice)
	case keptAgain:
		x.found.add(c.check, Warn, string(c.kept), againAdvice)
	case keptOther:
		x.found.add(c.check, Warn, string(c.kept),
			"{run.protocol} lean narrows least; narrowing is enforced here too, and each such call costs a repair")
	default:
		x.found.add(c.check, Warn, string(c.kept), "nothing: if this form brings no call, a run tries the next one")
	}
}

// sends says which form a run will settle on, given the outcomes.
func sends(tried []choice) string {
	works := map[string]kept{}
	for _, c := range tried {
		works[c.check] = c.kept
	}
	switch {
	case works[CheckAllowed] == keptWell:
		return "a run sends the list of allowed tools"
	case !works[CheckAllowed].called() && works[CheckRequired].called():
		return "a run goes from the list of allowed tools to a plain \"required\""
	case works[CheckAlone].called():
		return "a run goes from the list of allowed tools to only these tools"
	case works[CheckAllowed].called():
		return "a run sends the list of allowed tools, which is not kept"
	}
	return "a run leaves the choice to the model (\"auto\")"
}

// noCalls notes that no form brought a call.
func (x *examination) noCalls(tried []choice) {
	if len(tried) == 0 {
		return
	}
	advice := "choose a model with function calling, or switch it on in the server " +
		"(vLLM: --enable-auto-tool-choice with a --tool-call-parser)"
	detail := string(tried[0].kept)
	switch c := tried[0]; c.kept {
	case keptFailed:
		_, own := Advice(*c.failure, x.how)
		detail, advice = c.failure.Text(), own
		if c.failure.Kind == llmclient.ErrBadRequest {
			advice = "the endpoint refuses a request with function tools; use a server version or model that takes them"
		}
	case keptCut:
		advice = cutAdvice
	case keptAgain:
		advice = againAdvice
	}
	x.found.add(CheckTools, Fail, detail, advice)
}

// withoutTools sends a request without any tool, as a run does where "none" is not kept.
func (x *examination) withoutTools(ctx context.Context) {
	r := x.request(llmclient.ToolChoice{}, user("Say "+readyWord))
	r.Tools = nil
	answer := x.ask(ctx, r)
	if answer.Failure != nil {
		_, advice := Advice(*answer.Failure, x.how)
		x.found.add(CheckNone, Warn, "without tools: "+answer.Failure.Text(), advice)
		return
	}
	if calls, _ := contents(*answer.Reply); len(calls) > 0 {
		detail := fmt.Sprintf("%d called without any tool", len(calls))
		x.found.add(CheckNone, Warn, detail, "nothing: such calls are vetoed here")
	}
}
