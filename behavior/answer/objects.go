package answer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

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
	// objects are the outermost objects in order, befores the texts in front of each,
	// from the end of the one before.
	objects []Value
	befores []string
	// used is what it took to read them; rest is the text around them.
	used []Repair
	rest string
}

// objectStart matches what follows the brace of an object, and no brace in prose.
var objectStart = regexp.MustCompile("^(?:[\"'`}＂]|[\\p{Pi}\\p{Pf}]|<\\|\"\\|>|<escape>|[\\pL\\pN_.-]+\\s*[:：])")

// beginsObject reports whether a text that starts with a bracket starts an object,
// or a list of one, rather than prose. What the reader would pass over, comments
// above all, is passed over here too: an object that breaks off must not be taken
// for prose because of it.
func beginsObject(text string) bool {
	r := reader{text: text, depthMax: 1}
	for c := r.next(); c == '{' || c == '[' || c == ','; c = r.next() {
		r.at++
	}
	return objectStart.MatchString(r.rest())
}

// nextBracket returns where the next object, or the next list that begins with one,
// may begin; -1 when there is none.
func nextBracket(text string, from int) int {
	for i := from; i < len(text); i++ {
		if text[i] == '{' || text[i] == '[' && strings.HasPrefix(strings.TrimLeft(text[i+1:], " \t\r\n"), "{") {
			return i
		}
	}
	return -1
}

// findObjects looks for JSON objects in a text of at most a few hundred kilobytes. With
// a problem nothing of the text may be used: half an answer is not an answer, and what
// stands beside an object that cannot be read may be the lesser part of what was meant.
func findObjects(text string) (f found, problem Problem) {
	var rest strings.Builder
	last, restarts := 0, 0
	for from := 0; ; {
		start := nextBracket(text, from)
		switch {
		case start < 0:
			rest.WriteString(text[from:])
			f.rest = rest.String()
			return f, ""
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
		switch {
		case v.Kind == Object:
			f.objects, f.befores = append(f.objects, v), append(f.befores, text[last:start])
			f.used = append(f.used, r.used...)
			rest.WriteString(text[from:start] + " ")
			last = start + r.at
			from = last
			continue
		case v.Kind == Array && !slices.ContainsFunc(v.Items, func(item Value) bool { return item.Kind != Object }):
			// A list of several objects does not say which of them it means.
			return found{}, Several
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

// isListOfOne reports a list whose only element is an object.
func (v Value) isListOfOne() bool { return len(v.Items) == 1 && v.Items[0].Kind == Object }

// The marks that may stand around an object without meaning anything more. Those of
// calls are the tags with which chat templates wrap a call.
var (
	fenceMark = regexp.MustCompile("(?:```|~~~)[A-Za-z0-9_-]*")
	callMark  = regexp.MustCompile(`</?(?:tool_calls?|function_calls?|tool_use|start_function_call|end_function_call)>|` +
		`<\|/?(?:tool_call|tool_calls|tool_call_begin|tool_call_end|python_tag|eom_id|eot_id|call|im_end)\|>|\[/?TOOL_CALLS\]|` +
		`<｜tool▁calls?▁(?:begin|end)｜>`)
)

// around names what stood around the objects of a text, given that rest of it. Nothing
// and space need no repair.
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
	switch rest = strings.TrimSpace(rest); {
	case rest == "":
	case strings.Trim(rest, "{}[]() \t\r\n") == "":
		used = append(used, StrayBracket)
	default:
		used = append(used, ProseAround)
	}
	return used
}

// ReadObject reads a text that should be one JSON object, as the arguments of a call
// should be. Marks and prose may be around the object, and it may be inside a JSON
// string. Several objects, a list of several and a value of another kind are refused:
// an empty object must never stand in for what a model wrote.
func ReadObject(text string) (Value, []Repair, *ArgumentError) {
	v, used, fault := read(text)
	if fault == nil && v.Kind != Object {
		fault = &ArgumentError{Expected: "a JSON object", Got: v.describe(), NotObject: true}
	}
	return v, used, fault
}

// read reads one argument text: one JSON value within the bounds, or one object with
// the mistakes that [ReadObject] forgives.
func read(raw string) (v Value, used []Repair, fault *ArgumentError) {
	if len(raw) > argumentsBytesMax {
		return Value{}, nil, &ArgumentError{
			Expected: fmt.Sprintf("at most %d bytes", argumentsBytesMax), Got: fmt.Sprintf("%d bytes", len(raw)), NotJSON: true,
		}
	}
	if v, used, fault = readOnce(raw); fault != nil {
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
			Expected: fmt.Sprintf("at most %d levels of nesting", argumentsDepthMax), Got: "more levels", NotJSON: true,
		}
	case whole && (v.Kind == Object || v.Kind == Array || !slices.Contains(r.used, UnquotedText)):
		return v, r.used, nil
	}
	f, problem := findObjects(text)
	switch {
	case problem == Truncated:
		return Value{}, nil, notJSON("an object that breaks off")
	case problem == TooLarge:
		return Value{}, nil, notJSON("one that is too long or nested too deep")
	case problem == Several || len(f.objects) > 1:
		return Value{}, nil, notJSON("several objects")
	case len(f.objects) == 0:
		return Value{}, nil, notJSON("text that is not JSON")
	}
	return f.objects[0], append(f.used, around(f.rest)...), nil
}

// unquote returns the text inside of a text that is one JSON string as a whole and
// holds something like an object. ok is false for every other text.
func unquote(text string) (inner string, ok bool) {
	r := reader{text: text, depthMax: 1}
	if r.next() != '"' {
		return "", false
	}
	inner, _ = r.quoted()
	return inner, r.state == readWhole && r.next() == 0 && strings.Contains(inner, "{")
}

// readKeywords reads the arguments of a call in the syntax of a programming language,
// from behind its opening bracket: name=value, name='value'. ok is false when the
// bracket does not close or something else stands in it.
func readKeywords(text string) (object Value, used []Repair, ok bool) {
	r := reader{text: text[:min(len(text), argumentsBytesMax)], depthMax: argumentsDepthMax, keywords: true}
	v := r.object(1)
	if r.state != readWhole || r.text[r.at-1] != ')' {
		return Value{}, nil, false
	}
	return v, slices.DeleteFunc(r.used, func(u Repair) bool { return u == UnquotedKey || u == SingleQuotes }), true
}

// IsObject reports whether a text is a JSON object as it is.
func IsObject(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") && json.Valid([]byte(text))
}
