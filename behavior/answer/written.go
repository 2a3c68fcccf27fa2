package answer

import (
	"regexp"
)

// The syntaxes in which chat templates have models write down a call, when the
// call's name is outside of the object with its arguments. A name that is not
// registered makes them plain text.
var beforeObject = []*regexp.Regexp{
	// <function=NAME>{...}</function>, <invoke name="NAME">{...}</invoke>
	regexp.MustCompile(`<(?:function=|(?:\w{1,20}:)?\w{1,20} name=)["']?([\w.-]+)["']?\s*>\s*$`),
	// <tool_name>NAME</tool_name><arguments>{...}, <tool_call>NAME, then the object
	regexp.MustCompile(`<(?:(?:tool_|function_)?name|tool|function)>\s*([\w.-]+)\s*</\w{1,20}>\s*(?:<\w{1,20}>)?\s*$`),
	regexp.MustCompile(`<(?:` + bars + `)?tool_call(?:` + bars + `)?>\s*([\w.-]+)\s*$`),
	// <|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{...},
	// NAME<｜tool▁sep｜>{...}, or function<｜tool▁sep｜>NAME and a fenced object
	regexp.MustCompile("tool[▁_]sep" + bars + ">([\\w.-]+)\\s*(?:```json)?\\s*$"),
	regexp.MustCompile(`(?:functions\.)?([\w.-]+)(?::\d+)?\s*<` + bars +
		`tool[▁_](?:sep|call_argument_begin)` + bars + `>\s*$`),
	// [TOOL_CALLS]NAME[CALL_ID]ID[ARGS]{...}
	regexp.MustCompile(`\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*\w{1,64}\s*)?(?:\[ARGS\])?\s*$`),
	// [NAME]{...}, [tool_call: NAME {...}], [tool_call: NAME({...})]
	regexp.MustCompile(`(?i)\[\s*(?:(?:tool|function)[ _]?(?:calls?|use|request)\s*[:=]\s*)?([\w.-]+)\s*[\](]?\s*$`),
	// call:NAME{...}, <NAME>{...}</NAME>, functions.NAME:0{...}
	regexp.MustCompile(`(?:call:|<|functions\.)([\w.-]+)(?:>|:\d+)?\s*$`),
	// NAME({...}), and NAME: {...} or NAME {...} on a line of its own
	regexp.MustCompile(`(?m)(?:^|[\s` + "`" + `(])([\w.-]+)\(\s*$`),
	regexp.MustCompile("(?m)^[\\s`*>#/]*([\\w.-]+)[`*]*[ \\t]*(?::|[=-]>)?[\\s`*]*$"),
	// the tool `NAME` with the arguments:
	regexp.MustCompile("(?i)(?:tool|function)[\\s`*\"]+([\\w.-]+)[`*\"]*[^{}\\n]{0,40}[\\s`*]*$"),
}

// endMarks are what closes those syntaxes after the object.
var endMarks = regexp.MustCompile(`</[\w.:-]+>|<` + bars + `[^|｜‖<>]{1,40}` + bars + `>|\[/?END[\w ]*\]|[)\]]`)

// beforeMax is how much of the text in front of an object is looked at.
const beforeMax = 240

// calledName matches the call of a programming language, calledNext the next one of a list.
var (
	calledName = regexp.MustCompile(
		"(?m)^(?:[\\s`]|<\\|?\\w{1,40}\\|?>)*(?:\\w+ *[=:] *)?(?:print[(])?[\\[]?([\\w.-]+)[(]")
	calledNext = regexp.MustCompile(`^\s*,\s*([\w.-]+)[(]`)
)

// writtenCalls reads the calls that are written without one object of arguments, each with
// its own arguments and no others'. spans are where they begin and end. Several are several
// decisions, however they are written. A value between tags that is JSON is taken as such, any
// other as a string.
func (v *Vocabulary) writtenCalls(text string) (calls []Call, spans [][2]int, problem Problem) {
	take := func(c Call, start, end int) {
		calls, spans = append(calls, c), append(spans, [2]int{start, end})
	}
	problem = v.taggedCalls(text, take)
	if problem != "" {
		return nil, nil, problem
	}
	if len(calls) == 0 {
		for _, at := range calledName.FindAllStringSubmatchIndex(text, CallsMax+1) {
			start := at[2]
			open := at[1]
			name := text[at[2]:at[3]]
			for len(calls) <= CallsMax && (len(spans) == 0 || start >= spans[len(spans)-1][1]) {
				args, used, end := readKeywords(text[open:])
				if end == 0 || !v.knows(name) || insideObject(text[:start]) || cited(text, start, open+end) {
					break
				}
				end += open
				take(v.namedCall(name, args, used), start, end)
				next := calledNext.FindStringSubmatchIndex(text[end:])
				if next == nil {
					break
				}
				start = end + next[2]
				open = end + next[1]
				name = text[end+next[2] : end+next[3]]
			}
		}
	}
	if len(calls) > CallsMax {
		return nil, nil, TooLarge
	}
	return calls, spans, ""
}
