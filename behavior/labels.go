package behavior

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
)

// The leniencies of reading labelled lines, an older way of asking models for
// actions that many were trained on:
//
//	Thought: there is nothing left to mine
//	Action: move_agent[llm-outpost]
const (
	lenActionLine     = "action_line"
	lenFinishLine     = "finish_line"
	lenBareInput      = "bare_input"
	lenLaterDiscarded = "later_steps_discarded"
	lenBracketAdded   = "unbalanced_bracket"
)

// label matches a label at the start of a line: in English or Chinese, in any case,
// with or without emphasis, with either colon. "Finish" needs no colon.
var label = regexp.MustCompile(`(?im)^[\t #*_-]{0,12}(?:` +
	`(thought|reasoning|思考|想法)|` +
	`(action[ _]?input|arguments|parameters|输入|参数|行动输入)|` +
	`(action|tool|行动|动作|工具)|` +
	`(observation|tool result|观察|结果)|` +
	`(finish|final answer|final decision|完成|结束|最终答案)` +
	`)[\t *_]*(?:[:：][\s*_]*|(\[)|$)`)

// The groups of label.
const (
	labelThought = iota + 1
	labelInput
	labelAction
	labelObservation
	labelFinish
	labelBracket
)

// mark is one label found in a text.
type mark struct {
	kind int
	// start and end are where the label begins and where its content does.
	start, end int
}

// marksMax bounds the labels that are looked at.
const marksMax = 64

// marksIn finds the labels of a text. One inside of an object is a field of it.
func marksIn(text string) (marks []mark) {
	for _, at := range label.FindAllStringSubmatchIndex(text, marksMax) {
		m := mark{start: at[0], end: at[1]}
		for kind := labelThought; kind <= labelFinish; kind++ {
			if at[2*kind] >= 0 {
				m.kind = kind
			}
		}
		bracket := at[2*labelBracket] >= 0
		if bracket {
			m.end--
		}
		colon := strings.ContainsAny(text[m.start:m.end], ":：")
		if openBraces(text[:m.start]) == 0 && (colon || m.kind == labelFinish) {
			marks = append(marks, m)
		}
	}
	return marks
}

// labelled looks for the first line that names an action. Only that one counts:
// what comes after it, observations above all, the model made up, and it is
// discarded. said is the text that is left to read when there is no such line, or
// when objects stand before it.
func (t *Turn) labelled(text string) (said string, calls []slot, leniencies []string, kind ParseKind) {
	marks := marksIn(text)
	for i, m := range marks {
		if observed(text, marks, i) {
			return text[:m.start], nil, []string{lenLaterDiscarded}, ""
		}
		if m.kind != labelAction && m.kind != labelFinish {
			continue
		}
		if before := text[:m.start]; holdsObject(spoken(before, marks[:i])) {
			return spoken(before, marks[:i]), nil, []string{lenLaterDiscarded}, ""
		}
		if undecided(text, marks[:i+1]) {
			return "", nil, nil, ParseSeveral
		}
		content := text[m.end:]
		if i+1 < len(marks) && m.kind == labelAction {
			content = text[m.end:marks[i+1].start]
		}
		call, lenient, kind := t.labelledCall(m, content, text, marks[i+1:])
		if kind == "" && laterSteps(marks[i+1:]) {
			lenient = append(lenient, lenLaterDiscarded)
		}
		return "", call, lenient, kind
	}
	return text, nil, nil, ""
}

// spoken is a text without what stands under the given labels of thoughts and
// observations: with an action line behind them, an object there is none that the
// model decided on.
func spoken(text string, marks []mark) string {
	if len(marks) == 0 {
		return text
	}
	return text[:marks[0].start]
}

// observed reports whether mark i begins an observation behind an object that was to
// be carried out first: with an action line still to come, only an object before all
// labels is meant to be.
func observed(text string, marks []mark, i int) bool {
	if marks[i].kind != labelObservation {
		return false
	}
	before := text[:marks[i].start]
	if slices.ContainsFunc(marks[i:], func(m mark) bool { return m.kind == labelAction || m.kind == labelFinish }) {
		before = spoken(before, marks[:i])
	}
	return holdsObject(before)
}

// told is a text up to the first observation in it; one with too many lines to look
// for labels stays as it is.
func told(text string) string {
	if strings.Count(text, "\n") > textLinesMax {
		return text
	}
	for _, m := range marksIn(text) {
		if m.kind == labelObservation {
			return text[:m.start]
		}
	}
	return text
}

// undecided reports whether an object stands behind the line of a thought, where the
// thought may go on or have ended, before the action of the last mark: which of the
// two is the decision nobody can say.
func undecided(text string, marks []mark) bool {
	for i, m := range marks[:len(marks)-1] {
		_, behind, _ := strings.Cut(text[m.end:marks[i+1].start], "\n")
		if m.kind == labelThought && holdsObject(behind) {
			return true
		}
	}
	return false
}

// holdsObject reports whether there is an object to read in a text.
func holdsObject(text string) bool {
	return strings.Contains(text, "{") && len(modules.FindObjects(text).Objects) > 0
}

// keptText returns a text up to the steps behind its first action, which the model
// made up.
func keptText(text string) string {
	said, _ := withoutThinking(text)
	acted, marks := false, marksIn(said)
	for i, m := range marks {
		switch {
		case acted && m.kind != labelInput || observed(said, marks, i):
			return said[:m.start]
		case m.kind == labelAction || m.kind == labelFinish:
			if holdsObject(spoken(said[:m.start], marks[:i])) {
				return said[:m.start]
			}
			acted = true
		}
	}
	return said
}

// laterSteps reports whether anything but the action's own input follows it.
func laterSteps(marks []mark) bool {
	for _, m := range marks {
		if m.kind != labelInput {
			return true
		}
	}
	return false
}

// labelledCall reads the content of an action's line, with the input from a line of
// its own if there is one.
func (t *Turn) labelledCall(m mark, content, text string, after []mark) ([]slot, []string, ParseKind) {
	if m.kind == labelFinish {
		return t.finishLine(content)
	}
	name, input := actionName(content)
	if strings.EqualFold(name, "finish") {
		return t.finishLine(input)
	}
	if name == "" || !t.knows(name) && holdsObject(content) {
		// The line holds an object, perhaps with a sentence, or nothing that could be
		// called.
		calls, lenient, kind := t.objectsIn(content)
		return calls, append(lenient, lenActionLine), kind
	}
	if strings.TrimSpace(input) == "" && len(after) > 0 && after[0].kind == labelInput {
		end := len(text)
		if len(after) > 1 {
			end = after[1].start
		}
		return t.inputCall(name, text[after[0].end:end], []string{lenActionLine})
	}
	inner, lenient, kind := bracketed(input, len(after) > 0)
	if kind != "" {
		return nil, nil, kind
	}
	return t.inputCall(name, inner, append([]string{lenActionLine}, lenient...))
}

// finishLine reads what a model calls the end: a decision, as an object or as a
// line of its own.
func (t *Turn) finishLine(content string) ([]slot, []string, ParseKind) {
	content = strings.TrimSpace(content)
	if strings.HasPrefix(content, "[") {
		if end := strings.LastIndexByte(content, ']'); end > 0 {
			content = content[1:end]
		}
	}
	if strings.Contains(content, "{") && !actionStart.MatchString(content) {
		calls, lenient, kind := t.objectsIn(content)
		return calls, append(lenient, lenFinishLine), kind
	}
	name, input := actionName(content)
	if !t.knows(name) {
		return nil, nil, ParseNoJSON
	}
	inner, lenient, kind := bracketed(input, false)
	if kind != "" {
		return nil, nil, kind
	}
	return t.inputCall(name, inner, append([]string{lenFinishLine}, lenient...))
}

// actionStart matches the name of an action with its bracket, and actionWord the
// name alone.
var (
	actionStart = regexp.MustCompile("^[\\s`*\"']*([\\pL\\pN_.-]+)[`*\"']*\\s*[\\[({]")
	actionWord  = regexp.MustCompile("^[\\s`*\"']*([\\pL\\pN_.-]+)[`*\"'.。]*")
)

// actionName takes the name at the start of a line; input is what follows it.
func actionName(content string) (name, input string) {
	at := actionWord.FindStringSubmatchIndex(content)
	if at == nil {
		return "", content
	}
	return strings.TrimRight(content[at[2]:at[3]], "."), content[at[1]:]
}

// bracketed returns what stands between the brackets at the start of input, or the
// whole input when there are none. A bracket that does not close before the text
// ends means that the text was cut. One that is forgotten on a line, with more text
// behind that line, encloses the line.
func bracketed(input string, more bool) (inner string, leniencies []string, kind ParseKind) {
	input = strings.TrimSpace(input)
	if input == "" || !strings.ContainsRune("[(", rune(input[0])) {
		return input, nil, ""
	}
	if end := closing(input); end > 0 {
		return input[1:end], nil, ""
	}
	line, rest, several := strings.Cut(input, "\n")
	switch {
	case !several && !more:
		return "", nil, ParseTruncated
	case strings.ContainsAny(rest, "])}"):
		return "", nil, ParseUnknownShape
	}
	return strings.TrimSpace(line)[1:], []string{lenBracketAdded}, ""
}

// closing returns where the bracket that s starts with closes, -1 when it does not.
// Brackets in double quotes do not count.
func closing(s string) int {
	depth, inString := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case strings.IndexByte("[({", c) >= 0:
			depth++
		case strings.IndexByte("])}", c) >= 0:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// inputCall is the call of a tool or action with an input that is an object, a list
// of named values, or one bare value.
func (t *Turn) inputCall(name, input string, leniencies []string) ([]slot, []string, ParseKind) {
	input = strings.TrimSpace(input)
	found := modules.FindObjects(input)
	switch {
	case found.Problem != "":
		return nil, nil, problemKind(found.Problem)
	case len(found.Objects) == 1:
		var f fields
		if json.Unmarshal(found.Objects[0], &f) == nil {
			leniencies = append(leniencies, leniencyNames(found.Leniencies)...)
			leniencies = append(leniencies, leniencyNames(modules.Surroundings(found.Rest))...)
			return []slot{t.namedCall(name, f, nil)}, leniencies, ""
		}
	case len(found.Objects) > 1:
		return nil, nil, ParseSeveral
	case input == "":
		return []slot{t.namedCall(name, fields{}, nil)}, leniencies, ""
	}
	if object, used, _, ok := modules.ReadKeywords(input + ")"); ok && strings.Contains(input, "=") {
		var f fields
		if json.Unmarshal(object, &f) == nil {
			return []slot{t.namedCall(name, f, leniencyNames(used))}, leniencies, ""
		}
	}
	return []slot{t.bareCallOf(name, input)}, append(leniencies, lenBareInput), ""
}

// bareCallOf gives a bare value to the one parameter that a tool or action must
// have. With none or several, the value is passed on as it is, for the argument
// error to say what is missing.
func (t *Turn) bareCallOf(name, input string) slot {
	value := llmclient.Marshal(strings.Trim(input, "\"'`“”"))
	if json.Valid([]byte(input)) {
		value = json.RawMessage(input)
	}
	only := ""
	tool, _, isTool := t.toolNamed(name)
	if isTool {
		only = t.onlyRequired(tool)
	} else {
		only = modules.OnlyParameter(name)
	}
	if only == "" {
		only = "input"
	}
	return t.namedCall(name, fields{only: value}, nil)
}

// onlyRequired returns the one property of a tool that must not be null, "" when
// there are none or several.
func (t *Turn) onlyRequired(tool string) string {
	var schema struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	for _, known := range t.mind.tools {
		if known.Name == tool && json.Unmarshal(known.Parameters, &schema) != nil {
			return ""
		}
	}
	only := ""
	for _, name := range schema.Required {
		if strings.Contains(string(schema.Properties[name].Type), "null") {
			continue
		}
		if only != "" {
			return ""
		}
		only = name
	}
	return only
}
