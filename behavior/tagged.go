package behavior

import (
	"encoding/json"
	"regexp"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
)

// The syntaxes in which chat templates have models write down a call, when the
// call's name stands outside of the object with its arguments. A name that is not
// registered makes them plain text.
var beforeObject = []*regexp.Regexp{
	// <function=NAME>{...}</function>
	regexp.MustCompile(`<function=([\w.-]+)>\s*$`),
	// <|channel|>commentary to=functions.NAME ...<|message|>{...}
	regexp.MustCompile(`(?:<\|[^|<>]{1,40}\|>\w*\s*)*to=(?:functions\.)?([\w.-]+)[^{}]*<\|message\|>\s*$`),
	// <|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{...}
	regexp.MustCompile(`functions\.([\w.-]+):\d+\s*(?:<\|tool_call_argument_begin\|>)?\s*$`),
	// function<｜tool▁sep｜>NAME, then a fenced object
	regexp.MustCompile("tool▁sep｜>([\\w.-]+)\\s*(?:```json)?\\s*$"),
	// [TOOL_CALLS]NAME[ARGS]{...}
	regexp.MustCompile(`\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[ARGS\])?\s*$`),
	// call:NAME{...}
	regexp.MustCompile(`call:([\w.-]+)\s*$`),
	// <NAME>{...}</NAME>
	regexp.MustCompile(`<([\w.-]+)>\s*$`),
	// NAME({...}), and NAME: {...} or NAME {...} on a line of its own
	regexp.MustCompile(`(?m)(?:^|[\s` + "`" + `(])([\w.-]+)\(\s*$`),
	regexp.MustCompile("(?m)^[\\s`*]*([\\w.-]+)[`*]*[ \\t]*:?[\\s`*]*$"),
}

// endMarks are what closes those syntaxes behind the object.
var endMarks = regexp.MustCompile(`</[\w.-]+>|<\|[^|<>]{1,40}\|>|<｜[^｜]{1,40}｜>|\)`)

// beforeMax is how much of the text in front of an object is looked at.
const beforeMax = 240

// nameBefore returns the name that the text in front of an object gives to it, and
// the part of that text that does so.
func nameBefore(before string) (name, mark string) {
	before = before[max(0, len(before)-beforeMax):]
	for _, syntax := range beforeObject {
		if at := syntax.FindStringSubmatchIndex(before); at != nil {
			return before[at[2]:at[3]], before[at[0]:]
		}
	}
	return "", ""
}

// The syntaxes in which every argument stands in a tag of its own, and the one of
// programming languages.
var (
	taggedName = regexp.MustCompile(`<(?:invoke name="([\w.-]+)"|function=([\w.-]+)|function name="([\w.-]+)")\s*>|<tool_call>\s*([\w.-]+)\s*(?:\n|<arg_key>)`)
	taggedArg  = regexp.MustCompile(`(?s)<(?:parameter name="|parameter=)([\w.-]+)"?>(.*?)</parameter>|<arg_key>\s*([\w.-]+)\s*</arg_key>\s*<arg_value>(.*?)</arg_value>`)
	taggedEnd  = regexp.MustCompile(`</(?:invoke|function|tool_call)>`)
	calledName = regexp.MustCompile("(?m)^[\\s`]*(?:print[(])?([\\w.-]+)[(]")
)

// taggedArgsMax bounds the arguments that are read from tags.
const taggedArgsMax = 32

// writtenCalls reads the calls that are written without any object, each with its
// own arguments and no others'; none when no registered name is called. Several are
// several decisions, however they are written.
func (t *Turn) writtenCalls(text string) (calls []slot, kind ParseKind) {
	names := taggedName.FindAllStringSubmatchIndex(text, callsPerAnswerMax+1)
	for i, at := range names {
		own := text[at[0]:]
		if i+1 < len(names) {
			own = text[at[0]:names[i+1][0]]
		}
		name, end := firstGroup(text, at), taggedEnd.FindStringIndex(own)
		switch {
		case !t.knows(name):
		case end == nil:
			// Without its end the call may lack arguments.
			return nil, ParseNoJSON
		default:
			f, lenient := taggedArgs(own[:end[0]])
			calls = append(calls, t.namedCall(name, f, lenient))
		}
	}
	if len(calls) > 0 {
		return calls, ""
	}
	for _, at := range calledName.FindAllStringSubmatchIndex(text, callsPerAnswerMax+1) {
		name := text[at[2]:at[3]]
		if !t.knows(name) {
			continue
		}
		object, used, _, ok := modules.ReadKeywords(text[at[1]:])
		var f fields
		if ok && json.Unmarshal(object, &f) == nil {
			calls = append(calls, t.namedCall(name, f, leniencyNames(used)))
		}
	}
	return calls, ""
}

// firstGroup returns the first group that took part in a match.
func firstGroup(text string, at []int) string {
	for i := 2; i+1 < len(at); i += 2 {
		if at[i] >= 0 {
			return text[at[i]:at[i+1]]
		}
	}
	return ""
}

// taggedArgs collects the arguments between tags. A value that is JSON is taken as
// such, any other as a string; of two under one name the last counts, as in JSON.
func taggedArgs(text string) (f fields, leniencies []string) {
	f = fields{}
	for _, groups := range taggedArg.FindAllStringSubmatch(text, taggedArgsMax) {
		key, value := groups[1]+groups[3], strings.TrimSpace(groups[2]+groups[4])
		if f[key] != nil && len(leniencies) == 0 {
			leniencies = []string{string(modules.DuplicateKey)}
		}
		f[key] = llmclient.Marshal(value)
		if json.Valid([]byte(value)) {
			f[key] = json.RawMessage(value)
		}
	}
	return f, leniencies
}
