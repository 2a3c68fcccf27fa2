package answer

import (
	"regexp"
	"slices"
	"strings"
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
		if openBraces(text[:m.start]) == 0 && (colon || m.kind == labelFinish) && !cited(text, m.start, m.end) {
			marks = append(marks, m)
		}
	}
	return marks
}

// acts reports whether a label begins what the model decided to do.
func (m mark) acts() bool { return m.kind == labelAction || m.kind == labelFinish }

// labelled looks for the first line that names an action. Only that one counts:
// what comes after it, observations above all, the model made up, and it is
// discarded. said is the text that is left to read when there is no such line, or
// when objects come before it.
func (v *Vocabulary) labelled(text string, r *Reading) (said string, calls []Call, problem Problem) {
	marks := marksIn(text)
	if len(marks) == 0 {
		return text, nil, ""
	}
	from, undecided := marks[0].start, false
	ahead := v.holdsCall(text[:from])
	for i, m := range marks {
		if i > 0 && marks[i-1].kind == labelThought {
			// A thought may continue after its line or have ended. So it is unclear whether the
			// decision is what follows that line or the action.
			_, behind, _ := strings.Cut(text[marks[i-1].end:m.start], "\n")
			undecided = undecided || v.holdsCall(behind)
		}
		// If an action line is still to come, an object under a label of thoughts or observations
		// is not the decision. Only text before all labels is meant to be carried out.
		before := text[:marks[0].start]
		switch {
		case m.kind == labelObservation:
			if !slices.ContainsFunc(marks[i:], mark.acts) {
				ahead, from = ahead || v.holdsCall(text[from:m.start]), m.start
			}
			if !ahead {
				continue
			}
			before = text[:m.start]
		case !m.acts():
			continue
		case ahead:
		case undecided:
			return "", nil, Several
		default:
			content := text[m.end:]
			if i+1 < len(marks) && m.kind == labelAction {
				content = text[m.end:marks[i+1].start]
			}
			calls, used, problem := v.labelledCall(m, content, text, marks[i+1:])
			r.use(used...)
			later := slices.IndexFunc(marks[i+1:], func(m mark) bool { return m.kind != labelInput })
			if problem == "" && later >= 0 {
				r.use(LaterDiscarded)
				r.Kept = text[:marks[i+1+later].start]
			}
			return "", calls, problem
		}
		r.use(LaterDiscarded)
		r.Kept = text[:m.start]
		return before, nil, ""
	}
	return text, nil, ""
}

// holdsCall reports whether there is an object or a written call to read in a text.
func (v *Vocabulary) holdsCall(text string) bool {
	f, _ := findObjects(text)
	calls, _, _ := v.writtenCalls(text)
	return len(f.objects)+len(calls) > 0
}

// labelledCall reads the content of an action's line, with the input from a line of its own
// if there is one, or what a model calls the end: a decision, as an object or as a line of
// its own.
func (v *Vocabulary) labelledCall(m mark, content, text string, after []mark) ([]Call, []Repair, Problem) {
	line := ActionLine
	name, input := v.actionName(content)
	objects := name == "" || !v.knows(name) && v.holdsCall(content)
	if ends := strings.EqualFold(name, "finish"); ends || m.kind == labelFinish {
		if m.kind != labelFinish {
			content = input
		}
		line = FinishLine
		after = nil
		content = strings.TrimSpace(content)
		if end := strings.LastIndexByte(content, ']'); end > 0 && content[0] == '[' {
			content = content[1:end]
		}
		name, input = v.actionName(content)
		objects = strings.Contains(content, "{") && !actionStart.MatchString(content)
	}
	switch {
	case objects:
		// The line holds an object, perhaps with a sentence, or nothing that could be
		// called.
		calls, lenient, problem := v.objectsIn(content)
		return calls, append(lenient, line), problem
	case line == FinishLine && !v.knows(name):
		return nil, nil, NoJSON
	case strings.TrimSpace(input) == "" && len(after) > 0 && after[0].kind == labelInput:
		end := len(text)
		if len(after) > 1 {
			end = after[1].start
		}
		return v.inputCall(name, text[after[0].end:end], []Repair{line})
	}
	inner, lenient, problem := bracketed(input, len(after) > 0)
	if problem != "" {
		return nil, nil, problem
	}
	return v.inputCall(name, inner, append([]Repair{line}, lenient...))
}

// actionStart matches the name of an action with its bracket, and actionWord the
// name alone.
var (
	actionStart = regexp.MustCompile("^[\\s`*\"']*([\\pL\\pN_.-]+)[`*\"']*\\s*[\\[({]")
	actionWord  = regexp.MustCompile("^[\\s`*\"']*([\\pL\\pN_.-]+)[`*\"'.。]*")
	actionWords = regexp.MustCompile(
		"^[\\s`*\"']*([\\pL\\pN_.-]+(?: [\\pL\\pN_.-]+){1,5})[`*\"'.。]*[ \\t]*(?:[\\[({\\n]|$)")
)

// actionName takes the name at the start of a line, which may have blanks in it; input is
// what follows it.
func (v *Vocabulary) actionName(content string) (name, input string) {
	if at := actionWords.FindStringSubmatchIndex(content); at != nil && v.knows(content[at[2]:at[3]]) {
		return content[at[2]:at[3]], strings.TrimLeft(content[at[3]:], "`*\"'.。")
	}
	at := actionWord.FindStringSubmatchIndex(content)
	if at == nil {
		return "", content
	}
	return strings.TrimRight(content[at[2]:at[3]], "."), content[at[1]:]
}

// bracketed returns what is between the brackets at the start of input, or the
// whole input when there are none. A bracket that does not close before the text
// ends means that the text was cut. One that is forgotten on a line, with more text
// after that line, encloses the line.
func bracketed(input string, more bool) (inner string, used []Repair, problem Problem) {
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
		return "", nil, Truncated
	case strings.ContainsAny(rest, "])}"):
		return "", nil, UnknownShape
	}
	return strings.TrimSpace(line)[1:], []Repair{BracketAdded}, ""
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
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// inputCall is the call of a tool or action with an input.
func (v *Vocabulary) inputCall(name, input string, used []Repair) ([]Call, []Repair, Problem) {
	args, more, problem := v.inputOf(name, input)
	if problem != "" {
		return nil, nil, problem
	}
	return []Call{v.namedCall(name, args, nil)}, append(used, more...), ""
}

// inputOf reads the input of a tool or action as its arguments: a list of named values, an
// object, or the bare value of the one argument that it must have. With none or several that is
// passed on as it is, for the argument error to say what is missing.
func (v *Vocabulary) inputOf(name, input string) (args Value, used []Repair, problem Problem) {
	input = strings.TrimSpace(input)
	if args, used, end := readKeywords(input + ")"); end == len(input)+1 &&
		(input == "" || keywordStart.MatchString(input)) {
		return args, used, ""
	}
	f, problem := findObjects(input)
	switch {
	case problem != "":
		return Value{}, nil, problem
	case len(f.objects) == 1:
		return f.objects[0], slices.Concat(f.used, around(f.rest)), ""
	case len(f.objects) > 1:
		return Value{}, nil, Several
	}
	if v.beginsField(name, input) {
		args, used, whole := fieldLines(input)
		if !whole {
			return Value{}, nil, NoJSON // what is nested has no form that could be read
		}
		return args, append(used, CallSyntax), ""
	}
	value, used, ok := literal(input)
	if !ok {
		value, used = stringOf(strings.Trim(input, "\"'`“”")), nil
	}
	var needed []string
	if tool, _, isTool := v.named(name); isTool {
		schema := v.schemaOf(tool)
		for _, property := range schema.Field("required").Items {
			if !strings.Contains(string(schema.Field("properties").Field(property.Text).Field("type").JSON()), "null") {
				needed = append(needed, property.Text)
			}
		}
	} else if !isStanding(name) {
		for _, p := range actionSpec(name).Params {
			needed = append(needed, p.Slot().String())
		}
	}
	if len(needed) != 1 {
		needed = []string{bareInput}
	}
	return objectOf(Field{needed[0], value}), append(used, BareInput), ""
}

// fieldLine matches a line that begins with the name of a field.
var fieldLine = regexp.MustCompile(`^[ \t]*([a-z][a-z0-9_]{0,39}):(?:[ \t]+(.*))?$`)

// beginsField reports whether an input begins with a line for a field of a tool or action, or for
// its reason.
func (v *Vocabulary) beginsField(name, input string) bool {
	line, _, _ := strings.Cut(input, "\n")
	at := fieldLine.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
	if at == nil {
		return false
	}
	tool, _, isTool := v.named(name)
	return isField(at[1]) || slices.Contains(argumentKeys, at[1]) || slices.Contains(reasonKeys, at[1]) || isTool &&
		v.schemaOf(tool).Field("properties").has(at[1])
}

// fieldLines reads an input of which every line is a field with its value.
func fieldLines(input string) (args Value, used []Repair, whole bool) {
	args = Value{Kind: Object}
	for line := range strings.SplitSeq(input, "\n") {
		at := fieldLine.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
		if at == nil || at[2] == "" || args.has(at[1]) {
			return args, nil, false
		}
		used = append(used, args.setText(at[1], at[2])...)
	}
	return args, used, true
}

// bareInput is the field of an input that names no argument.
const bareInput = "input"

// keywordStart matches where a named argument begins.
var keywordStart = regexp.MustCompile(`^[\pL\pN_.-]+\s*=`)
