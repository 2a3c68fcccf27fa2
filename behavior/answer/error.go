package answer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Problem says why an answer, or a call in it, could not be used. Problems are counted
// by kind, apart from the repairs that saved an answer.
type Problem string

// The problems.
const (
	EmptyOutput Problem = "empty_output"
	Refusal     Problem = "refusal"
	Truncated   Problem = "truncated"
	Filtered    Problem = "content_filter"
	Incomplete  Problem = "incomplete"
	// MalformedCall: the server could not read what its model wrote, or refused its call.
	MalformedCall Problem = "malformed_call"
	// Endless: white space, or one piece again and again, until the answer was cut.
	Endless       Problem = "endless"
	NoJSON        Problem = "no_json"
	TooLarge      Problem = "too_large"
	UnknownShape  Problem = "unknown_shape"
	InvalidArgs   Problem = "invalid_arguments"
	Several       Problem = "several_decisions"
	UnknownTool   Problem = "unknown_tool"
	NotAllowedNow Problem = "not_allowed_now"
)

// ArgumentError says why arguments of a call were refused before anything ran.
// It is data for the model, which can mend the call.
//
// Invariant: its texts are made of names from schemas, type names, numbers, fixed
// words and ids of what the agent sees. Of what a model wrote only the short name of an unknown
// field comes back through it, to that model.
type ArgumentError struct {
	// Path locates the fault from the root of the arguments, such as
	// "until[0].event"; empty for the arguments as a whole. For a field that the schema
	// does not know the path ends at the object that holds it.
	Path string `json:"path"`
	// Expected says what would have been right.
	Expected Phrase `json:"expected"`
	// Got says what was there instead.
	Got Phrase `json:"got"`
	// NotJSON says that the text could not be read at all, so that showing the
	// schema helps more than showing the fault.
	NotJSON bool `json:"-"`
	// NotObject says that the arguments as a whole are JSON, but no object.
	NotObject bool `json:"-"`
	// Cut is the number, from 1, of the first step of a chain that could not be read, and is left out with all
	// that follow it: the action before it is whole. 0 says that there is no action.
	Cut int `json:"-"`
	// Also are the other faults of the same arguments, so that one answer can mend all.
	Also []*ArgumentError `json:"also,omitempty"`
}

// faultsMax bounds the faults that one error lists.
const faultsMax = 8

// Faults makes one error of several, nil ones aside, in their order.
func Faults(list ...*ArgumentError) *ArgumentError {
	var all []*ArgumentError
	for _, e := range list {
		if e != nil && len(all) < faultsMax {
			alone := *e
			alone.Also = nil
			all = append(append(all, &alone), e.Also...)
		}
	}
	if len(all) == 0 {
		return nil
	}
	all[0].Also = all[1:min(len(all), faultsMax)]
	return all[0]
}

// Error implements error.
func (e *ArgumentError) Error() string {
	where := e.Path
	if where == "" {
		where = "arguments"
	}
	return fmt.Sprintf("%s: expected %s, got %s", where, e.Expected, e.Got)
}

// Phrase is what an [ArgumentError] says: an English form with named places such as {most}, and
// what goes into them, in their order. A language has a text of its own for each form.
type Phrase struct {
	Form   string
	Values []any
}

// Noun is a word in a [Phrase] that a language may have a word of its own for. Every other
// value is a name or a number.
type Noun string

func say(form string, values ...any) Phrase { return Phrase{form, values} }

// In returns the values with what a language has for each [Noun].
func (p Phrase) In(noun func(string) string) []any {
	values := slices.Clone(p.Values)
	for i, value := range values {
		if n, ok := value.(Noun); ok {
			values[i] = noun(string(n))
		}
	}
	return values
}

// String returns the phrase in its form.
func (p Phrase) String() string {
	said, rest := "", p.Form
	for _, value := range p.Values {
		before, place, _ := strings.Cut(rest, "{")
		said += before + fmt.Sprint(value)
		_, rest, _ = strings.Cut(place, "}")
	}
	return said + rest
}

// MarshalText implements [encoding.TextMarshaler].
func (p Phrase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Inside returns the error as seen from an object that holds the value under
// name. The value's own text being no JSON says nothing about the arguments.
func (e *ArgumentError) Inside(name string) *ArgumentError {
	inside := &ArgumentError{Path: name, Expected: e.Expected, Got: e.Got, Cut: e.Cut}
	if e.Path != "" {
		inside.Path = below(name, e.Path)
	}
	for _, other := range e.Also {
		inside.Also = append(inside.Also, other.Inside(name))
	}
	return inside
}

// mismatch returns the error for a value of the wrong type or content.
func mismatch(path string, expected Phrase, got Value) *ArgumentError {
	return &ArgumentError{Path: path, Expected: expected, Got: got.describe()}
}

// notJSON returns the error for a text without one object.
func notJSON(got Phrase) *ArgumentError {
	return &ArgumentError{Expected: say("one JSON object"), Got: got, NotJSON: true}
}

// missing returns the error for a field that has to be there.
func missing(path string, expected Phrase) *ArgumentError {
	return &ArgumentError{Path: path, Expected: expected, Got: say("nothing")}
}

// TooMany returns the error for a list of n elements that may have fewer.
func TooMany(path string, most, n int) *ArgumentError {
	return &ArgumentError{Path: path, Expected: say("at most {most} elements", most), Got: say("{number}", n)}
}

func oneOf(names []string) Phrase { return say("one of {names}", strings.Join(names, ", ")) }

// below returns the path of a field inside the object at path.
func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// unknownField returns the error for an object that holds a field it may not hold.
func unknownField(path, name string, known []string) *ArgumentError {
	e := &ArgumentError{Path: path, Expected: say("only the fields {fields}", strings.Join(known, ", ")),
		Got: say("another field")}
	if fieldName.MatchString(name) {
		e.Got = say(`the field "{field}"`, name)
	}
	return e
}

// fieldName matches the names of unknown fields that an error repeats: too short to say much.
var fieldName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,24}$`)
