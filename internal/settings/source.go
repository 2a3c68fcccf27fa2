package settings

import (
	"fmt"
	"strings"
)

// Value is the text of one setting and where it came from. Values are kept next
// to the config that they become, because errors and announcements name origins. The
// origin shows the user which setting is wrong.
type Value struct {
	Setting Setting
	// Text is trimmed; empty when only the zero value holds.
	Text   string
	Origin Origin
}

// Values are the values of all settings of a table, in its order.
type Values []Value

// Origin is a place a value can come from.
type Origin struct {
	// Rank orders the kinds of places; see the constants.
	Rank Rank
	// At is the flag, variable or file line.
	At string
}

// Rank is the kind of a place, strongest first.
type Rank int

// The ranks. A value from a lower one hides those of the higher ones.
const (
	FromArgument Rank = iota
	FromFlag
	FromRun // another run, which is forked, or the one that is resumed
	FromEnv
	FromFile
	FromDefault
)

// String names the place for --print-config.
func (o Origin) String() string {
	switch o.Rank {
	case FromArgument:
		return "argument"
	case FromFlag:
		return "flag " + o.At
	case FromRun:
		return "the run"
	case FromEnv:
		return "environment " + o.At
	case FromFile:
		return o.At
	case FromDefault:
		return "default"
	}
	panic(fmt.Sprintf("unknown rank %d", o.Rank))
}

// Where names the value's place for an error.
func (v Value) Where() string {
	switch v.Origin.Rank {
	case FromArgument, FromDefault:
		return v.Setting.Name()
	case FromFile:
		return v.Origin.At + ": " + v.Setting.Key
	}
	return v.Origin.String()
}

// Source looks a setting up in one place; ok is false when the place does not set
// it.
type Source func(Setting) (Value, bool)

// Resolve takes each setting from the first source that has it, in the order of
// the table; sources are given strongest first. A value taken away is an empty text
// from where that was said.
func Resolve(all Table, sources ...Source) Values {
	values := make(Values, len(all))
	for i, s := range all {
		values[i] = Value{s, s.Fallback, Origin{Rank: FromDefault}}
		for _, look := range sources {
			if v, ok := look(s); ok {
				if s.Removable && v.Text == None {
					v.Text = ""
				}
				values[i] = v
				break
			}
		}
	}
	return values
}

// Argument is the scenario given as a bare word.
func Argument(scenario string) Source {
	return func(s Setting) (Value, bool) {
		return Value{s, scenario, Origin{Rank: FromArgument}}, s.Flag == "scenario" && scenario != ""
	}
}

// Flags reads the flags the user gave; given holds them by name. None is
// blank: gather has refused that.
func Flags(given map[string]string) Source {
	return func(s Setting) (Value, bool) {
		text, ok := given[s.Flag]
		return Value{s, strings.TrimSpace(text), Origin{FromFlag, "--" + s.Flag}}, ok && s.Flag != ""
	}
}

// Environment reads the environment. A blank variable counts as unset, because that
// is what a shell script makes of a value it does not have.
func Environment(lookup func(string) (string, bool)) Source {
	return func(s Setting) (Value, bool) {
		for _, name := range s.Env {
			text, _ := lookup(name)
			text = strings.TrimSpace(text)
			if text != "" {
				return Value{s, text, Origin{FromEnv, name}}, true
			}
		}
		return Value{}, false
	}
}

// Find returns the value of the setting with a file key, for checks that look at
// one setting's origin. It panics on a key the table does not have.
func (values Values) Find(key string) Value {
	for _, v := range values {
		if v.Setting.Key == key {
			return v
		}
	}
	panic("no setting has the key " + key)
}
