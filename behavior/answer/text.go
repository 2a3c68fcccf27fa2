package answer

import (
	"regexp"
	"slices"
	"strings"
)

// The bounds of an answer. What is beyond them was not meant to be a decision; the bound
// on its lines keeps the search for labels short.
const (
	// CallsMax bounds the calls of one answer, [TextBytesMax] and textLinesMax its text.
	CallsMax     = 16
	TextBytesMax = 256 << 10
	textLinesMax = 2000
)

// Reading is what a text means.
type Reading struct {
	// Calls are the calls, each with its own repairs; Repairs are those of the text as a
	// whole.
	Calls   []Call
	Repairs []Repair
	// Problem says why the text cannot be used, empty when it can.
	Problem Problem
	// Kept is the text up to the steps that the model made up, empty where it made up
	// none.
	Kept string
}

// Read finds the calls that a text means. The order of the steps is the order of trust. What was
// only thought about is removed first. Then Read looks for a line that names an action, then for
// objects, then for calls in other syntaxes.
func (v *Vocabulary) Read(text string) Reading {
	r := Reading{Repairs: []Repair{TextInsteadOfCall}}
	r.Calls, r.Problem = v.read(text, &r)
	if r.Problem == "" {
		return r
	}
	// One that is too long to look for labels stays as it is.
	r.Kept = ""
	if len(text) <= TextBytesMax && strings.Count(text, "\n") <= textLinesMax {
		marks := marksIn(text)
		i := slices.IndexFunc(marks, func(m mark) bool { return m.kind == labelObservation })
		if i >= 0 && strings.TrimSpace(text[:marks[i].start]) != "" {
			r.Kept = text[:marks[i].start]
		}
	}
	return r
}

func (v *Vocabulary) read(text string, r *Reading) (calls []Call, problem Problem) {
	if len(text) > TextBytesMax {
		return nil, TooLarge
	}
	if at := resultMadeUp(text); at >= 0 {
		text, r.Kept = text[:at], text[:at]
		r.use(LaterDiscarded)
	}
	said, whole := WithoutThinking(text)
	switch {
	case !whole:
		return nil, Truncated
	case strings.Count(said, "\n") > textLinesMax:
		return nil, TooLarge
	case said != text:
		r.use(ThinkingRemoved)
	}
	if visible := strings.TrimLeftFunc(said, isInvisible); visible != said {
		said = visible
		r.use(InvisibleRemoved)
	}
	if q := (reader{text: said, depthMax: 1}); q.next() == '"' {
		// The text may be one JSON string as a whole that holds something like an object.
		if inner, _ := q.quoted(); q.state == readWhole && q.next() == 0 && strings.Contains(inner, "{") {
			said = inner
			r.use(DoubleEncoded)
		}
	}
	if plain, escape := unescaped(said); escape != "" {
		said = plain
		r.use(escape)
	}
	said, calls, problem = v.labelled(said, r)
	if problem != "" || calls != nil {
		return calls, problem
	}
	calls, used, problem := v.objectsIn(said)
	if problem == NoJSON {
		calls, used, problem = v.line(said)
	}
	r.use(used...)
	return calls, problem
}

// decisionLine matches a line with a label that a decision may follow.
var decisionLine = regexp.MustCompile(
	`(?i)^[\s*_#-]*(?:(?:my |final )*(?:decision|action|answer|choice|finish|决定)[\s*_]*[:：=(\[]|.*\\boxed\{)`)

// line reads a text that ends in an action with its values, or in the name of a candidate. It
// follows a label in the last line, or is the whole text.
func (v *Vocabulary) line(text string) (calls []Call, used []Repair, problem Problem) {
	said := strings.TrimSpace(text)
	start := strings.LastIndexByte(said, '\n') + 1
	last := said[start:]
	if len(last) > beforeMax {
		return nil, nil, NoJSON
	}
	label := decisionLine.FindString(last)
	if cited(said, start, start+len(label)) {
		return nil, nil, NoJSON
	}
	if label != "" {
		said = last[len(label):]
		if closed := strings.LastIndexAny(said, ")]}"); closed >= 0 && !strings.ContainsAny(label[len(label)-1:], ":=：") {
			said = said[:closed]
		}
	}
	o, _ := actionIn(stringOf(strings.Trim(said, " \t*_`\"'.。")))
	if _, ok := numberOf(o); ok {
		o = objectOf(Field{"candidate", o})
	} else if _, _, e := decodeAction(o, Names{}, nil); e != nil && (label == "" || o.Kind != Object) {
		return nil, nil, NoJSON
	}
	c, ok := v.decisionCall(o, nil)
	if !ok {
		return nil, nil, NoJSON
	}
	return []Call{c}, []Repair{FinishLine}, ""
}

// use records repairs of the whole text, each once.
func (r *Reading) use(used ...Repair) {
	for _, u := range used {
		if !slices.Contains(r.Repairs, u) {
			r.Repairs = append(r.Repairs, u)
		}
	}
}

// objectsIn returns the calls that a text holds: written down in full, or as JSON objects.
func (v *Vocabulary) objectsIn(text string) (calls []Call, used []Repair, problem Problem) {
	calls, spans, problem := v.writtenCalls(text)
	if problem != "" {
		return nil, nil, problem
	}
	// What is inside of a written call belongs to it.
	blank := []byte(text)
	for _, span := range spans {
		copy(blank[span[0]:span[1]], strings.Repeat(" ", span[1]-span[0]))
	}
	f, problem := findObjects(string(blank))
	switch {
	case problem != "":
		return nil, nil, problem
	case len(f.objects)+len(calls) == 0:
		return nil, nil, NoJSON
	}
	meant, bare := make([][]Call, len(f.objects)), make([]bool, len(f.objects))
	candidates, draft := v.looseCandidates(f)
	for i, o := range f.objects {
		switch {
		case candidates[i]:
			if draft != nil {
				meant[i], draft = []Call{*draft}, nil
			}
			continue
		case f.listed && !v.isCall(o):
			// A list of several objects does not say which of them it means.
			return nil, nil, Several
		}
		if call, mark, ok := v.namedBefore(o, f.befores[i]); ok {
			meant[i] = []Call{call}
			f.used = append(f.used, CallSyntax)
			f.rest = endMarks.ReplaceAllString(strings.Replace(f.rest, mark, "", 1), "")
		} else {
			meant[i], bare[i] = v.callsOf(o, wrappersMax), !v.isCall(o)
		}
	}
	if argumentTag.MatchString(f.rest) && slices.Contains(bare, true) {
		// What is left between tags of arguments is the value of one whose name was lost.
		return nil, nil, UnknownShape
	}
	// Where a decision is called by its name, an object without one is part of what is said about it.
	decides := func(c Call) bool { return c.Tool == v.Decides && c.Tool != "" }
	named := slices.ContainsFunc(calls, decides)
	for i, more := range meant {
		named = named || !bare[i] && slices.ContainsFunc(more, decides)
	}
	passed, ignored := 0, false
	for i, more := range meant {
		if named && bare[i] && slices.ContainsFunc(more, decides) {
			more = nil
		}
		ignored = ignored || len(more) == 0 && !candidates[i]
		for passed < len(spans) && spans[passed][0] < f.starts[i] {
			passed++
		}
		// The calls stay in the order of the text.
		calls = slices.Insert(calls, len(calls)-len(spans)+passed, more...)
	}
	if len(calls) == 0 {
		return nil, nil, UnknownShape
	}
	if ignored {
		f.used = append(f.used, ObjectIgnored)
	}
	if len(spans) > 0 {
		f.used = append(f.used, CallSyntax)
	}
	return calls, append(f.used, around(f.rest)...), ""
}

// candidatesMark matches what is before candidates that are in no object: their field, or the word
// for one and its number. A word for the one that was chosen is none.
var (
	candidatesMark = regexp.MustCompile(
		"(?i)(?:candidates?|candidate[ _-]?actions?|decision[ _-]?draft|draft|options?|候选(?:动作)?)" +
			"[\"'`*_]*\\s*#?\\d{0,2}[\"'`*_]*\\s*[:：=.)-]?[\\s*`]*[\\[(]*\\s*(?:```\\w*)?\\s*$")
	chosenMark = regexp.MustCompile(
		`(?i)(?:chosen|choose|selected|select|final|best|commit\w*|pick\w*)[\w\s"'*:_-]{0,40}$`)
)

// looseCandidates finds the objects of a text that are candidates of a draft outside of any object.
// The text does not say which of them to take. draft is the call of all of them, nil without any.
func (v *Vocabulary) looseCandidates(f found) (is []bool, draft *Call) {
	is = make([]bool, len(f.objects))
	var list []Value
	for i, o := range f.objects {
		if i > 0 && f.starts[i] == f.starts[i-1] {
			is[i] = is[i-1] // of one list
		} else if v.Decides != "" {
			before := f.befores[i][max(0, len(f.befores[i])-beforeMax):]
			at := candidatesMark.FindStringIndex(before)
			is[i] = at != nil && !chosenMark.MatchString(before[:at[0]])
		}
		o, _ := actionIn(o)
		is[i] = is[i] && namedIn(o, ActionField) != "" && !v.isCall(o)
		if is[i] {
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		return is, nil
	}
	call := textCall(ToolDraft, objectOf(Field{"candidates", arrayOf(list...)}), DraftShorthand)
	if v.Tool(ToolDraft) == NoTool {
		call.Tool = v.Decides
	}
	return is, &call
}

// namedBefore is the call of an object that does not say itself what it is: the arguments of a tool
// named before it. mark is the text that names it.
func (v *Vocabulary) namedBefore(o Value, before string) (c Call, mark string, ok bool) {
	before = before[max(0, len(before)-beforeMax):]
	name, mark := recipientOf(before)
	addressed := name != ""
	for j := 0; j < len(beforeObject) && name == ""; j++ {
		if at := beforeObject[j].FindStringSubmatchIndex(before); at != nil {
			name, mark = before[at[2]:at[3]], before[at[0]:]
		}
	}
	if isParallel(name) {
		return Call{}, "", false // what is in it says itself what it is
	}
	decides := ownName(o) == "" || slices.Contains([]string{ToolDecision, ToolTurn, ToolDraft}, bareOf(name))
	switch {
	case name == "" || v.isCall(o):
		return Call{}, "", false
	case v.knows(name) && (decides || addressed):
		return v.namedCall(name, o, nil), mark, true
	case addressed && strings.Contains(mark, "functions"):
		return textCall(NoTool, o), mark, true
	}
	return Call{}, "", false
}

// thinkingMark matches the marks between which models think aloud.
var thinkingMark = regexp.MustCompile(`(?i)<\|?(/?)(?:\w{1,20}:)?(?:begin_(?:of_)?|start_(?:of_)?|(end_(?:of_)?))?` +
	`(think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|(?:inner_)?monologue)(?:\s[^<>]{0,40})?\|?>|[\[◁](/?)(think)[\]▷]`)

// readMark returns what a mark names, and whether it ends it; text is where at was found.
func readMark(text string, at []int) (name string, ends bool) {
	part := func(group int) string { return text[max(0, at[2*group]):max(0, at[2*group+1])] }
	return strings.ToLower(part(3) + part(5)), part(1)+part(2)+part(4) != ""
}

// thoughtsMax bounds the blocks of thinking that are taken out.
const thoughtsMax = 16

// WithoutThinking takes out what was only thought about; it must not be taken for
// a decision. whole is false when the thinking never ends. A closing mark alone
// ends thinking that began before the text did, as some templates have it. A mark
// inside of an object is part of a value.
func WithoutThinking(text string) (said string, whole bool) {
	text, whole = withoutAnalysis(text)
	if !whole {
		return "", false
	}
	from := 0
	for range thoughtsMax {
		at := thinkingMark.FindStringSubmatchIndex(text[from:])
		if at == nil {
			return text, true
		}
		name, ends := readMark(text[from:], at)
		start, behind := from+at[0], from+at[1]
		switch {
		case insideObject(text[:start]):
			from = start + 1
		case ends:
			text, from = text[behind:], 0
		default:
			for other := ""; !ends || other != name; {
				at = thinkingMark.FindStringSubmatchIndex(text[behind:])
				if at == nil {
					return "", false
				}
				other, ends = readMark(text[behind:], at)
				behind += at[1]
			}
			text, from = text[:start]+text[behind:], start
		}
	}
	return text, false
}

// insideObject reports whether a text ends inside of an object. A brace that begins
// none is prose, and hides nothing.
func insideObject(text string) bool {
	if openBraces(text) <= 0 {
		return false
	}
	depth, begun := 0, 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '}':
			depth = max(0, depth-1)
		case text[i] != '{':
		case depth > 0:
			depth++
		default:
			begun++
			if begun > marksMax || beginsObject(text[i:]) {
				depth++
			}
		}
	}
	return depth > 0
}

// openBraces is how many braces more a text opens than it closes.
func openBraces(text string) int { return strings.Count(text, "{") - strings.Count(text, "}") }

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
