package answer

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
)

// reader reads one JSON value, and forgives mistakes of syntax that leave no doubt
// about what was meant. Each forgiven mistake is recorded under its name, once per
// value. What is written is never completed: a value that breaks off, a bracket of
// the wrong kind and a number that is none end the reading.
//
// Two things hold for every text, and a fuzz test checks them: valid JSON is read
// without any repair, and what is read without any repair is valid JSON.
type reader struct {
	text string
	at   int
	// keywords says that names and values of the outermost object are separated as
	// in a call of a programming language: name=value.
	keywords bool
	depthMax int
	used     []Repair
	// state says why reading ended early; it is empty while reading continues.
	state readState
}

// readState says how the reading of a value ended.
type readState string

// The ends of reading.
const (
	// readWhole: the value is complete.
	readWhole readState = ""
	// readCut: the text ended before the value did.
	readCut readState = "cut"
	// readBroken: something is where it cannot be.
	readBroken readState = "broken"
	// readDeep: the value is nested deeper than the bound.
	readDeep readState = "deep"
)

// use records a repair once.
func (r *reader) use(l Repair) {
	if !slices.Contains(r.used, l) {
		r.used = append(r.used, l)
	}
}

// fail ends the reading; the first reason stays.
func (r *reader) fail(state readState) Value {
	if r.state == readWhole {
		r.state = state
	}
	return Value{Kind: Null}
}

// rest is the text not read yet.
func (r *reader) rest() string { return r.text[r.at:] }

// next returns the next character after space and comments without taking it; 0
// at the end of the text.
func (r *reader) next() rune {
	for r.at < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.rest())
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		case isInvisible(c):
			r.use(InvisibleRemoved)
		case unicode.IsSpace(c):
			r.use(WidePunctuation)
		case strings.HasPrefix(r.rest(), "//") || c == '#':
			r.use(Comment)
			size = lengthUntil(r.rest(), "\n")
		case strings.HasPrefix(r.rest(), "/*"):
			r.use(Comment)
			size = lengthUntil(r.rest(), "*/")
		default:
			return c
		}
		r.at += size
	}
	return 0
}

// lengthUntil returns how long s is up to and with mark, all of it when there is
// none.
func lengthUntil(s, mark string) int {
	if i := strings.Index(s[1:], mark); i >= 0 {
		return 1 + i + len(mark)
	}
	return len(s)
}

// isInvisible reports characters that take no room and mean nothing.
func isInvisible(c rune) bool {
	return c == '\ufeff' || c >= '\u200b' && c <= '\u200d' || c == '\u2060'
}

func withoutInvisible(text string) string {
	return strings.Map(func(c rune) rune {
		if isInvisible(c) {
			return -1
		}
		return c
	}, text)
}

func (r *reader) value(depth int) Value {
	if depth > r.depthMax {
		return r.fail(readDeep)
	}
	c := r.next()
	switch {
	case c == 0:
		return r.fail(readCut)
	case c == '{':
		r.at++
		return r.object(depth)
	case c == '[':
		r.at++
		v := Value{Kind: Array}
		for r.state == readWhole {
			if r.separator(len(v.Items) > 0) == ']' {
				r.at++
				return v
			}
			v.Items = append(v.Items, r.value(depth+1))
		}
		return Value{Kind: Null}
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	if text, quoted := r.quoted(); quoted {
		return Value{Kind: String, Text: text}
	}
	return r.word()
}

// number reads a number as it is written. It must be one by JSON's own grammar:
// what else a row of digits and signs could mean is not for this reader to say.
func (r *reader) number() Value {
	n := len(r.rest()) - len(strings.TrimLeft(r.rest(), "+-.0123456789eE"))
	literal := r.rest()[:n]
	if !isNumber(literal) {
		return r.fail(readBroken)
	}
	r.at += n
	if c, _ := utf8.DecodeRuneInString(r.rest()); isWordRune(c) {
		return r.fail(readBroken)
	}
	return Value{Kind: Number, Text: literal}
}

// word reads a value without quotes: a literal of JSON or of another language, or else one word,
// which is read as a string.
func (r *reader) word() Value {
	word := r.takeWord()
	switch word {
	case "":
		return r.fail(readBroken)
	case "true", "false":
		return Value{Kind: Boolean, Text: word}
	case "null":
		return Value{Kind: Null}
	case "True", "False":
		r.use(ForeignLiteral)
		return Value{Kind: Boolean, Text: strings.ToLower(word)}
	case "None", "undefined":
		r.use(ForeignLiteral)
		return Value{Kind: Null}
	}
	r.use(UnquotedText)
	return Value{Kind: String, Text: word}
}

// takeWord takes letters, digits and the signs that occur in names.
func (r *reader) takeWord() string {
	n := strings.IndexFunc(r.rest(), func(c rune) bool { return !isWordRune(c) })
	if n < 0 {
		n = len(r.rest())
	}
	word := r.rest()[:n]
	r.at += n
	return word
}

// isWordRune reports whether c may be in a name without quotes.
func isWordRune(c rune) bool {
	return c == '_' || c == '-' || c == '.' || c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

// object reads the fields of an object whose brace was taken.
func (r *reader) object(depth int) Value {
	o := Value{Kind: Object}
	at := map[string]int{}
	for r.state == readWhole {
		c := r.separator(len(o.Fields) > 0)
		switch {
		case c == '}' || c == ')' && r.keywords && depth == 1:
			r.at++
			return o
		case c == '{' && len(o.Fields) == 0:
			// An object alone in a second pair of braces: templates with doubled braces
			// teach models to write that.
			r.use(DoubledBraces)
			inner := r.value(depth + 1)
			if r.state != readWhole || r.next() != '}' {
				return r.failHere()
			}
			r.at++
			return inner
		}
		name := r.key()
		switch c := r.next(); {
		case c == ':' || c == '=' && r.keywords:
			r.at++
		case c == '：':
			r.use(WidePunctuation)
			r.at += len("：")
		default:
			r.failHere()
		}
		read := r.value(depth + 1)
		if r.state != readWhole {
			break
		}
		if i, twice := at[name]; twice {
			// The last value counts, as most decoders have it.
			r.use(DuplicateKey)
			o.Fields[i].Value = read
			continue
		}
		at[name] = len(o.Fields)
		o.Fields = append(o.Fields, Field{name, read})
	}
	return Value{Kind: Null}
}

// failHere ends the reading at a character that cannot be here, or at the end.
func (r *reader) failHere() Value {
	if r.next() == 0 {
		return r.fail(readCut)
	}
	return r.fail(readBroken)
}

// separator takes the commas before an element and returns the character after
// them. One comma between two elements is as it should be.
func (r *reader) separator(between bool) rune {
	commas := 0
	for ; r.next() == ','; commas++ {
		r.at++
	}
	c := r.next()
	switch last := c == '}' || c == ']' || c == ')'; {
	case c == 0:
		r.fail(readCut)
	case commas > 1 || commas == 1 && (last || !between):
		r.use(ExtraComma)
	case commas == 0 && between && !last:
		r.use(MissingComma)
	}
	return c
}

// key reads the name of a field. Invisible characters in it are dropped: a name is
// looked up, never shown or stored.
func (r *reader) key() string {
	name, quoted := r.quoted()
	if !quoted {
		name = r.takeWord()
		if name == "" {
			r.failHere()
			return ""
		}
		r.use(UnquotedKey)
	}
	if visible := withoutInvisible(name); visible != name {
		r.use(InvisibleRemoved)
		return visible
	}
	return name
}

// quotes lists the pairs of quotes that begin and end a string. The tokens of chat
// templates are an exact table: anything that only looks like one is data.
var quotes = []struct {
	open   string
	close  []string
	repair Repair
}{
	{`"`, []string{`"`}, ""},
	{`'`, []string{`'`}, SingleQuotes},
	{"“", []string{"”", "“"}, WidePunctuation},
	{"”", []string{"”"}, WidePunctuation},
	{"‘", []string{"’", "‘"}, WidePunctuation},
	{"’", []string{"’"}, WidePunctuation},
	{"＂", []string{"＂"}, WidePunctuation},
	{`<|"|>`, []string{`<|"|>`}, QuoteToken},
	{`<escape>`, []string{`<escape>`}, QuoteToken},
}

// quoted takes a string in any of the known quotes. ok is false when none begins
// here.
func (r *reader) quoted() (text string, ok bool) {
	for _, q := range quotes {
		if !strings.HasPrefix(r.rest(), q.open) {
			continue
		}
		if q.repair != "" {
			r.use(q.repair)
		}
		start := r.at + len(q.open)
		for end := start; end < len(r.text); end++ {
			if r.text[end] == '\\' {
				end++
				continue
			}
			if mark := first(q.close, func(mark string) bool { return strings.HasPrefix(r.text[end:], mark) }); mark != "" {
				r.at = end + len(mark)
				return r.unescape(r.text[start:end]), true
			}
		}
		r.fail(readCut)
		r.at = len(r.text)
		return "", true
	}
	return "", false
}

// unescape decodes the content of a string. Line breaks that should have been escaped are kept,
// and an escape that JSON does not have gives its character.
func (r *reader) unescape(content string) string {
	if text, ok := llmclient.Unescape(content); ok {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\\' && i+1 < len(content) && !strings.ContainsRune(`"\/bfnrtu`, rune(content[i+1])):
			// The quotes of the other kind are the usual case: \' in JSON.
			r.use(EscapeRepaired)
		case c == '\\' && i+1 < len(content):
			b.WriteString(content[i : i+2])
			i++
		case c < ' ':
			r.use(EscapeRepaired)
			escaped, _ := json.Marshal(string(rune(c)))
			b.Write(escaped[1 : len(escaped)-1])
		case c == '"':
			b.WriteString(`\"`)
		default:
			b.WriteByte(c)
		}
	}
	text, ok := llmclient.Unescape(b.String())
	if !ok {
		r.fail(readBroken)
	}
	return text
}

// The bounds of one argument text. Nothing a model means to say comes near them; they
// keep a flood of brackets or digits from costing time and stack.
const (
	argumentsBytesMax = 64 << 10
	argumentsDepthMax = 16
)

// The bounds of the search for objects in a text. They keep the work linear in its
// length: a brace that turns out to be prose is passed over a bounded number of times.
const (
	objectsMax  = 16
	restartsMax = 16
)

// found is what a text holds that was to be JSON and is perhaps more or less.
type found struct {
	// objects are the outermost objects in order, starts where they begin, befores the
	// texts in front of each, from the end of the one before.
	objects []Value
	starts  []int
	befores []string
	// listed says that several objects were in one list.
	listed bool
	// used is what it took to read them; rest is the text around them.
	used []Repair
	rest string
}

// objectStart matches what follows the brace of an object, and no brace in prose.
var objectStart = regexp.MustCompile("^(?:[\"'`}＂]|[\\p{Pi}\\p{Pf}]|<\\|\"\\|>|<escape>|[\\pL\\pN_.-]+\\s*[:：])")

// beginningMax is how much of an object is looked at to tell it from prose.
const beginningMax = 4 << 10

// bracket matches where an object, or a list that begins with one, may begin.
var bracket = regexp.MustCompile(`\{|\[[ \t\r\n]*\{`)

// beginsObject reports whether a text that starts with a bracket starts an object,
// or a list of one, rather than prose. What the reader would pass over, comments
// above all, is passed over here too: an object that breaks off must not be taken
// for prose because of it.
func beginsObject(text string) bool {
	r := reader{text: text[:min(len(text), beginningMax)], depthMax: 1}
	for c := r.next(); c == '{' || c == '[' || c == ','; c = r.next() {
		r.at++
	}
	return objectStart.MatchString(r.rest())
}

// findObjects looks for JSON objects in a text of at most a few hundred kilobytes. If there is a
// problem, nothing of the text may be used. Half an answer is not an answer, and the objects that
// can be read may be the lesser part of what was meant.
func findObjects(text string) (f found, problem Problem) {
	var rest strings.Builder
	last, restarts := 0, 0
	for from := 0; ; {
		next := bracket.FindStringIndex(text[from:])
		if next == nil {
			rest.WriteString(text[from:])
			f.rest = rest.String()
			return f, ""
		}
		start := from + next[0]
		switch {
		case len(f.objects) >= objectsMax, restarts > restartsMax:
			// What is not looked at could be another decision.
			return found{}, TooLarge
		}
		window := text[start:min(len(text), start+argumentsBytesMax+1)]
		r := reader{text: window, depthMax: argumentsDepthMax}
		v := r.value(1)
		if v.isListOfOne() {
			r.use(ListOfOne)
			v = v.Items[0]
		}
		items := v.Items
		if v.Kind == Object {
			items = []Value{v}
		}
		switch {
		case len(items) > 0 && !slices.ContainsFunc(items, func(item Value) bool { return item.Kind != Object }):
			if cited(text, start, start+r.at) {
				rest.WriteString(text[from : start+r.at])
				from = start + r.at
				continue
			}
			// A comment on what was read is passed over with it.
			after := reader{text: window[r.at:]}
			if after.next(); slices.Contains(after.used, Comment) {
				r.use(Comment)
				r.at += after.at
			}
			f.listed = f.listed || len(items) > 1
			for _, item := range items {
				f.objects = append(f.objects, item)
				f.starts = append(f.starts, start)
				f.befores = append(f.befores, text[min(last, start):start])
				last = start + r.at
			}
			f.used = append(f.used, r.used...)
			rest.WriteString(text[from:start] + " ")
			from = last
			continue
		case r.state == readDeep || r.state == readCut && len(window) > argumentsBytesMax:
			return found{}, TooLarge
		case r.state == readWhole, !beginsObject(window), window[0] == '[' && r.state == readBroken:
			// Not an object after all: the bracket is prose.
		case r.state == readCut:
			return found{}, Truncated
		default:
			return found{}, UnknownShape
		}
		restarts++
		rest.WriteString(text[from : start+1])
		from = start + 1
	}
}

// quotations are the marks between which a text quotes another.
var quotations = [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"}}

// cited reports whether a text only quotes what it has from start to end: between quotation
// marks, or in a line of a block quote. What is written as a value is none, and neither is a
// text that is in quotation marks as a whole.
func cited(text string, start, end int) bool {
	before, after := text[:start], text[end:]
	line := strings.TrimLeft(before[strings.LastIndexByte(before, '\n')+1:], " \t")
	if strings.HasPrefix(line, ">") && !strings.HasPrefix(line, ">>>") {
		return true
	}
	return slices.ContainsFunc(quotations, func(marks [2]string) bool {
		opens := strings.LastIndex(before, marks[0])
		if opens < 0 || !strings.Contains(after, marks[1]) || strings.HasSuffix(before[:opens], "=") {
			return false
		}
		if opens == len(before)-len(marks[0]) && strings.TrimSpace(before) == marks[0] &&
			strings.TrimSpace(after) == marks[1] {
			return false
		}
		if marks[0] == marks[1] {
			odd := func(s string) bool { return (strings.Count(s, `"`)-strings.Count(s, `\"`))%2 == 1 }
			return odd(before) && odd(after)
		}
		return opens > strings.LastIndex(before, marks[1])
	})
}

// isListOfOne reports a list whose only element is an object.
func (v Value) isListOfOne() bool { return len(v.Items) == 1 && v.Items[0].Kind == Object }

// The marks that may be around an object without meaning anything more. Those of
// calls are the tags with which chat templates wrap a call.
var (
	fenceMark = regexp.MustCompile("(?:```|~~~)[A-Za-z0-9_-]*")
	callMark  = regexp.MustCompile(
		`</?(?:tool_calls?|function_calls?|tools?|tool_use|use_tool|start_function_call|end_function_call)>|` +
			`<` + bars + `channel` + bars + `>\w*|</?` + bars + `/?[\w▁]{1,40}` + bars + `>|` +
			`</?` + tagSpace + `(?:tool_calls|function_calls|calls)>|` +
			`\[/?(?:TOOL_CALLS|TOOL_REQUEST|END_TOOL_REQUEST)\]`)
)

// around names what was around the objects of a text, given that rest of it. Space or no text
// needs no repair.
func around(rest string) (used []Repair) {
	strip := func(r Repair, mark *regexp.Regexp) {
		if stripped := mark.ReplaceAllString(rest, ""); stripped != rest {
			used, rest = append(used, r), stripped
		}
	}
	strip(Unfenced, fenceMark)
	strip(CallSyntax, callMark)
	if visible := withoutInvisible(rest); visible != rest {
		used, rest = append(used, InvisibleRemoved), visible
	}
	r := reader{text: rest, depthMax: 1}
	rest = strings.TrimSpace(rest)
	switch {
	case rest == "":
	case r.next() == 0:
		used = append(used, r.used...)
	case strings.Trim(rest, "{}[]() \t\r\n") == "":
		used = append(used, StrayBracket)
	default:
		used = append(used, ProseAround)
	}
	return used
}

// ReadObject reads a text that should be one JSON object, as the arguments of a call should be.
// Marks and prose may be around the object, and it may be inside a JSON string. Several objects,
// a list of several and a value of another kind are refused: an empty object must never replace
// what a model wrote.
func ReadObject(text string) (Value, []Repair, *ArgumentError) {
	v, used, fault := read(text)
	if fault == nil && v.Kind != Object {
		fault = &ArgumentError{Expected: say("a JSON object"), Got: v.describe(), NotObject: true}
	}
	return v, used, fault
}

// read reads one argument text: one JSON value within the bounds, or one object with
// the mistakes that [ReadObject] forgives.
func read(raw string) (v Value, used []Repair, fault *ArgumentError) {
	if len(raw) > argumentsBytesMax {
		return Value{}, nil, &ArgumentError{
			Expected: say("at most {most} bytes", argumentsBytesMax), Got: say("{count} bytes", len(raw)), NotJSON: true,
		}
	}
	v, used, fault = readOnce(raw)
	if fault != nil {
		return v, used, fault
	}
	v, more, fault := open(v)
	return v, append(used, more...), fault
}

// open returns what is inside of a string that holds JSON, or of a list of one object,
// and any other value as it is.
func open(v Value) (Value, []Repair, *ArgumentError) {
	switch {
	case v.isListOfOne():
		return v.Items[0], []Repair{ListOfOne}, nil
	case v.Kind != String || !strings.ContainsAny(v.Text, "{["):
		return v, nil, nil
	}
	inner, used, fault := readOnce(v.Text)
	if inner.isListOfOne() {
		inner, used = inner.Items[0], append(used, ListOfOne)
	}
	return inner, append([]Repair{DoubleEncoded}, used...), fault
}

// readOnce reads a text as one value, or else looks for the one object in it. A
// single word is no value: a sentence of one word is prose all the same.
func readOnce(text string) (Value, []Repair, *ArgumentError) {
	r := reader{text: text, depthMax: argumentsDepthMax}
	v := r.value(1)
	whole := r.state == readWhole && r.next() == 0
	switch {
	case r.state == readDeep:
		return Value{}, nil, &ArgumentError{
			Expected: say("at most {most} levels of nesting", argumentsDepthMax), Got: say("more levels"), NotJSON: true,
		}
	case whole && (v.Kind == Object || v.Kind == Array || !slices.Contains(r.used, UnquotedText)):
		return v, r.used, nil
	}
	if plain, escape := unescaped(text); escape != "" {
		v, used, fault := readOnce(plain)
		return v, append(used, escape), fault
	}
	if keywordStart.MatchString(text) {
		if v, used, end := readKeywords(text + ")"); end == len(text)+1 {
			return v, append(used, CallSyntax), nil
		}
	}
	f, problem := findObjects(text)
	if last := len(f.objects) - 1; last > 0 &&
		slices.IndexFunc(f.objects, func(o Value) bool { return len(o.Fields) > 0 }) == last {
		// Empty ones are what some servers begin with when they join pieces.
		f.objects, f.used = f.objects[last:], append(f.used, ObjectIgnored)
	}
	if len(f.objects) > 1 && !slices.ContainsFunc(f.objects, func(o Value) bool { return !o.equal(f.objects[0]) }) {
		f.objects, f.used = f.objects[:1], append(f.used, ObjectIgnored)
	}
	switch {
	case problem == Truncated:
		return Value{}, nil, notJSON(say("an object that breaks off"))
	case problem == TooLarge:
		return Value{}, nil, notJSON(say("one that is too long or nested too deep"))
	case problem == Several || len(f.objects) > 1:
		return Value{}, nil, notJSON(say("several objects"))
	case len(f.objects) == 0:
		return Value{}, nil, notJSON(say("text that is not JSON"))
	}
	return f.objects[0], append(f.used, around(f.rest)...), nil
}

// unescaped undoes what was done to all quotes of a text: escapes without the quotes of a
// string around it, or entities of HTML.
func unescaped(text string) (plain string, used Repair) {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, `{\"`) && json.Unmarshal([]byte(`"`+text+`"`), &plain) == nil:
		return plain, DoubleEncoded
	case strings.Contains(text, "&quot;") && !strings.Contains(text, `"`):
		return html.UnescapeString(text), EscapeRepaired
	}
	return text, ""
}

// literal reads a text that is one value as a whole, with what it takes. A word without
// quotes is none.
func literal(text string) (v Value, used []Repair, ok bool) {
	r := reader{text: text, depthMax: argumentsDepthMax}
	v = r.value(1)
	return v, r.used, r.next() == 0 && r.state == readWhole && !slices.Contains(r.used, UnquotedText)
}

// readKeywords reads the arguments of a call in the syntax of a programming language,
// from after its opening bracket: name=value, name='value'. end is where they end, 0 when
// the bracket does not close or something else is in it.
func readKeywords(text string) (object Value, used []Repair, end int) {
	r := reader{text: text[:min(len(text), argumentsBytesMax)], depthMax: argumentsDepthMax, keywords: true}
	v := r.object(1)
	if r.state != readWhole || r.text[r.at-1] != ')' {
		return Value{}, nil, 0
	}
	return v, slices.DeleteFunc(r.used, func(u Repair) bool { return u == UnquotedKey || u == SingleQuotes }), r.at
}

// IsObject reports whether a text is a JSON object as it is.
func IsObject(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") && json.Valid([]byte(text))
}
