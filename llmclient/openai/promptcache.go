package openai

import (
	"regexp"

	"example.com/agentworld/llmclient"
)

// The fields by which requests speak of the provider's prompt cache, and what comes with them.
const (
	// fieldBreakpoints are the marks in the input and the mode that goes with them. Without marks the
	// mode would turn caching off, so neither is sent alone.
	fieldBreakpoints = "prompt_cache_breakpoint"
	// fieldOutputLists are outputs of calls that are lists, as a mark needs.
	fieldOutputLists = "output_lists"
	// fieldCommon is the message that all agents have in common, apart from the agent's own.
	fieldCommon = "common_message"
)

// withoutBreakpoints takes out the marks of the prompt cache.
func withoutBreakpoints(r *llmclient.Request) (there bool) {
	there = len(r.Breakpoints) > 0
	r.Breakpoints = nil
	return there
}

// withoutOutputLists sends outputs as strings, and marks messages only.
func withoutOutputLists(r *llmclient.Request) (there bool) {
	if r.PlainOutputs {
		return false
	}
	for _, at := range r.Breakpoints {
		there = there || r.Input[at].Kind == llmclient.KindFunctionOutput
	}
	r.PlainOutputs = true
	return there
}

// withoutCommon puts messages of the user that follow each other at the beginning into one, for a
// template in which roles alternate. Marks would be at other places then and are left out.
func withoutCommon(r *llmclient.Request) (there bool) {
	for len(r.Input) > 1 && isUsers(r.Input[0]) && isUsers(r.Input[1]) {
		joined := llmclient.Message("user", r.Input[0].Text+"\n"+r.Input[1].Text)
		r.Input = append([]llmclient.Item{joined}, r.Input[2:]...)
		r.Breakpoints, there = nil, true
	}
	return there
}

func isUsers(it llmclient.Item) bool { return it.Kind == llmclient.KindMessage && it.Role == "user" }

// How servers refuse marks and lists. A server that checks an item against every type there is says
// of all of them that they do not fit, first that the input is no string.
var (
	saysBreakpoint = regexp.MustCompile(
		`\bprompt cache (breakpoint|option)s?\b|\b(explicit|cache) breakpoints?\b|\bcache control\b|\bprompt caching\b`)
	saysAlternate  = regexp.MustCompile(`\b(must|should|to) alternate\b|alternating`)
	saysOutputList = regexp.MustCompile(
		`\boutput\b.{0,80}\b(string|str|text)\b|\b(array|list|sequence)\b.{0,80}\boutput\b|` +
			`\btool (message|result|output)s?\b.{0,60}\b(string|text|array|list)\b|\btool.{0,30}字符串`)
	saysList = regexp.MustCompile(
		`\b(should|must|has to) be an? (valid )?(string|str|text)\b|\bexpected (an? )?(string|str)\b([^ ]| [^w]|$)|\bof type (string|str)\b|\binput text\b`)
)
