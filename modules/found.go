package modules

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Bounds on looking for objects in a text. They keep the work linear in its length:
// a brace that turns out to stand in prose is passed over a bounded number of times,
// and no object may be longer than arguments may be.
const (
	objectsMax  = 16
	restartsMax = 16
)

// Found is what a text holds that was to be JSON and is perhaps more or less.
type Found struct {
	// Objects are the outermost JSON objects in order, as strict JSON: whatever was
	// forgiven in their syntax is mended, and no object names a field twice.
	Objects []json.RawMessage
	// Befores are the texts in front of each object, from the end of the one before.
	Befores []string
	// Leniencies are what it took to read them, but not what stood around them.
	Leniencies []Leniency
	// Rest is the text around the objects.
	Rest string
	// Problem says why nothing of the text may be used, empty when it may.
	Problem FindProblem
}

// FindProblem says why a text that holds objects may not be used.
type FindProblem string

// The problems.
const (
	// FindCut: an object breaks off. Half an answer is not an answer, and what is
	// whole inside of it is not the answer either.
	FindCut FindProblem = "cut"
	// FindBroken: something begins as an object does and cannot be read. What stands
	// beside it is not used, since it may be the lesser part of what was meant.
	FindBroken FindProblem = "broken"
	// FindDeep: an object is nested too deep or is too long.
	FindDeep FindProblem = "deep"
	// FindList: the objects are several elements of one list.
	FindList FindProblem = "list"
)

// objectStart matches a brace that begins an object rather than standing in prose.
var objectStart = regexp.MustCompile(`^\{[\s{]*(?:["'“”‘’＂}]|<\|"\|>|<escape>|[\pL\pN_-]+\s*[:：])`)

// FindObjects looks for JSON objects in a text of at most a few hundred kilobytes;
// its work is linear in the length.
func FindObjects(text string) Found {
	f := finder{text: text}
	var rest strings.Builder
	for from := 0; ; {
		start := f.nextBracket(from)
		if start < 0 || len(f.found.Objects) >= objectsMax {
			rest.WriteString(text[from:])
			break
		}
		end := f.read(start)
		if f.found.Problem != "" {
			return Found{Problem: f.found.Problem}
		}
		if end == start {
			// Not an object after all: the bracket is prose.
			rest.WriteString(text[from : start+1])
			from = start + 1
			continue
		}
		rest.WriteString(text[from:start] + " ")
		from = end
	}
	f.found.Rest = rest.String()
	return f.found
}

// finder is the state of one search.
type finder struct {
	text     string
	found    Found
	restarts int
	// last is where the last object ended.
	last int
}

// nextBracket returns where the next object, or the next list that begins with one,
// may begin; -1 when there is none.
func (f *finder) nextBracket(from int) int {
	for i := from; i < len(f.text); i++ {
		if f.text[i] == '{' || f.text[i] == '[' && strings.HasPrefix(strings.TrimLeft(f.text[i+1:], " \t\r\n"), "{") {
			return i
		}
	}
	return -1
}

// read tries to read an object or a list of one at start and returns where it ends,
// start itself when there is none.
func (f *finder) read(start int) (end int) {
	if f.restarts > restartsMax {
		f.found.Problem = FindDeep
		return start
	}
	window := f.text[start:min(len(f.text), start+argumentsBytesMax+1)]
	r := newReader(window, argumentsDepthMax)
	v := r.value(1)
	switch {
	case r.state == readWhole && v.kind == kindArray:
		return f.list(start, r, v)
	case r.state == readWhole:
		return f.take(start, r, v)
	case r.state == readDeep || r.state == readCut && len(window) > argumentsBytesMax:
		f.found.Problem = FindDeep
	case !objectStart.MatchString(strings.TrimLeft(window, "[ \t\r\n")) || window[0] == '[' && r.state == readBroken:
		f.restarts++
	case r.state == readCut:
		f.found.Problem = FindCut
	default:
		f.found.Problem = FindBroken
	}
	return start
}

// list takes a list of one object apart. A list of several objects is an answer
// that does not say which of them it means.
func (f *finder) list(start int, r *reader, v value) int {
	switch others := slices.ContainsFunc(v.items, func(item value) bool { return item.kind != kindObject }); {
	case isListOfOne(v):
		r.use(ListOfOne)
		return f.take(start, r, v.items[0])
	case !others:
		f.found.Problem = FindList
	}
	f.restarts++
	return start
}

// take keeps an object that was read.
func (f *finder) take(start int, r *reader, v value) int {
	if v.kind != kindObject {
		f.restarts++
		return start
	}
	f.found.Objects = append(f.found.Objects, v.json())
	f.found.Befores = append(f.found.Befores, f.text[f.last:start])
	f.found.Leniencies = append(f.found.Leniencies, r.used...)
	f.last = start + r.at
	return f.last
}

// The marks that may stand around an object without meaning anything more. Those of
// calls are the tags with which chat templates wrap a call.
var (
	fenceMark = regexp.MustCompile("(?:```|~~~)[A-Za-z0-9_-]*")
	callMark  = regexp.MustCompile(`</?(?:tool_calls?|function_calls?|tool_use|start_function_call|end_function_call)>|` +
		`<\|/?(?:tool_call|tool_calls|tool_call_begin|tool_call_end|python_tag|eom_id|eot_id|call|im_end)\|>|\[/?TOOL_CALLS\]|` +
		`<｜tool▁calls?▁(?:begin|end)｜>`)
)

// Surroundings names what stood around an object, given that text. Nothing and
// space are no leniency.
func Surroundings(rest string) (used []Leniency) {
	strip := func(l Leniency, mark *regexp.Regexp) {
		if stripped := mark.ReplaceAllString(rest, ""); stripped != rest {
			used, rest = append(used, l), stripped
		}
	}
	strip(Unfenced, fenceMark)
	strip(CallSyntax, callMark)
	if visible := strings.Map(dropInvisible, rest); visible != rest {
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

// dropInvisible removes characters that take no room; for [strings.Map].
func dropInvisible(c rune) rune {
	if isInvisible(c) {
		return -1
	}
	return c
}

// ReadObject reads a text that should be one JSON object, as the arguments of a
// call should be. Around the object there may be what [Surroundings] names, and it
// may be a JSON string that holds the object. Several objects, a list of several and
// a value of another kind are refused.
func ReadObject(text string) (json.RawMessage, []Leniency, *ArgumentError) {
	v, used, fault := parseArguments([]byte(text))
	if fault != nil {
		return nil, used, fault
	}
	if v.kind != kindObject {
		return nil, used, &ArgumentError{Expected: "a JSON object", Got: v.describe(), NotObject: true}
	}
	return v.json(), used, nil
}

// searched looks for the one object in a text that is not JSON as a whole.
func searched(text string) (v value, used []Leniency, fault *ArgumentError) {
	notJSON := func(got string) *ArgumentError {
		return &ArgumentError{Expected: "one JSON object", Got: got, NotJSON: true}
	}
	found := FindObjects(text)
	switch {
	case found.Problem == FindCut:
		return value{}, nil, notJSON("an object that breaks off")
	case found.Problem == FindDeep:
		return value{}, nil, notJSON("one that is too long or nested too deep")
	case found.Problem == FindList || len(found.Objects) > 1:
		return value{}, nil, notJSON("several objects")
	case len(found.Objects) == 0:
		return value{}, nil, notJSON("text that is not JSON")
	}
	return parseOwn(found.Objects[0]), append(found.Leniencies, Surroundings(found.Rest)...), nil
}

// DecodeString returns the text inside of a text that is one JSON string as a whole
// and holds something like an object. ok is false for every other text.
func DecodeString(text string) (inner string, ok bool) {
	r := newReader(text, 1)
	if r.next() != '"' {
		return "", false
	}
	inner, _ = r.quoted()
	if r.state != readWhole || r.next() != 0 || !strings.Contains(inner, "{") {
		return "", false
	}
	return inner, true
}

// ReadKeywords reads the arguments of a call in the syntax of a programming language,
// from behind its opening bracket: name=value, name='value'. ok is false when the
// bracket does not close or something else stands in it. length is how much of the
// text it took.
func ReadKeywords(text string) (object json.RawMessage, used []Leniency, length int, ok bool) {
	r := newReader(text[:min(len(text), argumentsBytesMax)], argumentsDepthMax)
	r.keywords = true
	v := r.object(1)
	if r.state != readWhole || r.text[r.at-1] != ')' {
		return nil, nil, 0, false
	}
	used = slices.DeleteFunc(r.used, func(l Leniency) bool { return l == UnquotedKey || l == SingleQuotes })
	return v.json(), used, r.at, true
}
