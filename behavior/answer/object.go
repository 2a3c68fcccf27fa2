package answer

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
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
