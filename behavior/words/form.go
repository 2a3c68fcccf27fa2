package words

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Form is a text with places for values, written as "{amount}".
type Form struct {
	pieces []piece
	// tail is the text after the last place.
	tail string
	// places are the names of the values, in the order in which a caller gives them.
	places []string
}

// piece is a text and the number of the value that follows it.
type piece struct {
	text  string
	value int
}

// Of returns the form of a text whose values come in the order in which it first names them. It
// panics for a text with a brace that is no place: it is for texts of the program.
func Of(text string) Form {
	f, err := parse(text)
	if err != nil {
		panic("words: " + err.Error())
	}
	return f
}

// parse reads a form. A place is letters, digits and underscores between braces.
func parse(text string) (Form, error) {
	var f Form
	rest := text
	for {
		at := strings.IndexAny(rest, "{}")
		if at < 0 {
			f.tail = rest
			return f, nil
		}
		name, after, closed := strings.Cut(rest[at+1:], "}")
		if rest[at] == '}' || !closed || !isName(name) {
			return Form{}, fmt.Errorf("a brace that is no place in %q; allowed: places such as {amount}", text)
		}
		value := slices.Index(f.places, name)
		if value < 0 {
			value = len(f.places)
			f.places = append(f.places, name)
		}
		f.pieces = append(f.pieces, piece{rest[:at], value})
		rest = after
	}
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// with returns f with its values in the order of the places. The error names a place that has no
// value, or a value that has no place.
func (f Form) with(places []string) (Form, error) {
	for _, p := range f.places {
		if !slices.Contains(places, p) {
			return Form{}, fmt.Errorf("no value fills {%s}; allowed: %s", p, placesText(places))
		}
	}
	for _, p := range places {
		if !slices.Contains(f.places, p) {
			return Form{}, fmt.Errorf("{%s} is left out; allowed: a text with %s", p, placesText(places))
		}
	}
	ordered := Form{tail: f.tail, places: places}
	for _, p := range f.pieces {
		ordered.pieces = append(ordered.pieces, piece{p.text, slices.Index(places, f.places[p.value])})
	}
	return ordered, nil
}

// placesText are places as a text has them.
func placesText(places []string) string {
	if len(places) == 0 {
		return "no place"
	}
	return "{" + strings.Join(places, "} {") + "}"
}

// Places are the names of the values that the form takes, in their order.
func (f Form) Places() []string { return slices.Clone(f.places) }

// Append appends the text with its values, texts and numbers, one for each of [Form.Places].
func (f Form) Append(b []byte, values ...any) []byte {
	if len(values) != len(f.places) {
		panic("words: a text with places for " + strings.Join(f.places, ", ") + " has another number of values")
	}
	for _, p := range f.pieces {
		b = Append(append(b, p.text...), values[p.value])
	}
	return append(b, f.tail...)
}

// Change is a number that is shown with its sign.
type Change int64

// Append appends texts and numbers. It keeps none of them, so that a caller allocates none.
func Append(b []byte, values ...any) []byte {
	for _, value := range values {
		switch v := value.(type) {
		case string:
			b = append(b, v...)
		case int64:
			b = strconv.AppendInt(b, v, 10)
		case int:
			b = strconv.AppendInt(b, int64(v), 10)
		case Change:
			if v >= 0 {
				b = append(b, '+')
			}
			b = strconv.AppendInt(b, int64(v), 10)
		default:
			// A code, a slot: a string of a type of its own.
			text := reflect.ValueOf(value)
			if text.Kind() != reflect.String {
				panic("words: a value that is neither a text nor a number")
			}
			b = append(b, text.String()...)
		}
	}
	return b
}

// Text returns the text with its values, as [Form.Append] does.
func (f Form) Text(values ...any) string {
	var room [128]byte
	return string(f.Append(room[:0], values...))
}

// Lead is the text before the first value, all of it without one.
func (f Form) Lead() string {
	if len(f.pieces) == 0 {
		return f.tail
	}
	return f.pieces[0].text
}

// Trail is the text after the last value, all of it without one.
func (f Form) Trail() string { return f.tail }

// Table has a text for each of some things by name.
type Table map[string]Form

// wordOr returns the text about a name, and the name itself if there is none.
func (t Table) wordOr(name string) string {
	if _, ok := t[name]; !ok {
		return name
	}
	return t.Text(name)
}

// Text returns the text about a name with its values. It panics where there is none, which a test
// of the package that names the thing rules out.
func (t Table) Text(name string, values ...any) string {
	form, ok := t[name]
	if !ok {
		panic("words: no text about " + name)
	}
	return form.Text(values...)
}

// Numbered is the text about a name with numbers by the names of its places. A place without a number is
// a bug, and the program panics.
func (t Table) Numbered(name string, numbers map[string]int64) string {
	var values []any
	for _, place := range t[name].Places() {
		number, ok := numbers[place]
		if !ok {
			panic("words: the text about " + name + " has a place for " + place + ", of which there is no number")
		}
		values = append(values, number)
	}
	return t.Text(name, values...)
}
