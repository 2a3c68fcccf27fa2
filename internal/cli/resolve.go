package cli

import (
	"fmt"
	"strings"
)

// value is the text of one setting and where it came from. Values are kept next
// to the config that they become, because errors and announcements name origins. The
// origin shows the user which setting is wrong.
type value struct {
	setting setting
	// text is trimmed; empty when only the zero value holds.
	text   string
	origin origin
}

// origin is a place a value can come from.
type origin struct {
	// rank orders the kinds of places; see the constants.
	rank rank
	// at is the flag, variable or file line.
	at string
}

// rank is the kind of a place, strongest first.
type rank int

// The ranks. A value from a lower one hides those of the higher ones.
const (
	fromArgument rank = iota
	fromFlag
	fromRun // another run, which is forked, or the one that is resumed
	fromEnv
	fromFile
	fromDefault
)

// String names the place for --print-config.
func (o origin) String() string {
	switch o.rank {
	case fromArgument:
		return "argument"
	case fromFlag:
		return "flag " + o.at
	case fromRun:
		return "the run"
	case fromEnv:
		return "environment " + o.at
	case fromFile:
		return o.at
	case fromDefault:
		return "default"
	}
	panic(fmt.Sprintf("unknown rank %d", o.rank))
}

// where names the value's place for an error.
func (v value) where() string {
	switch v.origin.rank {
	case fromArgument, fromDefault:
		return v.setting.name()
	case fromFile:
		return v.origin.at + ": " + v.setting.key
	}
	return v.origin.String()
}

// source looks a setting up in one place; ok is false when the place does not set
// it.
type source func(setting) (value, bool)

// resolve takes each setting from the first source that has it, in the order of
// the table; sources are given strongest first. A value taken away is an empty text
// from where that was said.
func resolve(all settings, sources ...source) []value {
	values := make([]value, len(all))
	for i, s := range all {
		values[i] = value{s, s.fallback, origin{rank: fromDefault}}
		for _, look := range sources {
			if v, ok := look(s); ok {
				if s.removable && v.text == noneText {
					v.text = ""
				}
				values[i] = v
				break
			}
		}
	}
	return values
}

// argumentSource is the scenario given as a bare word.
func argumentSource(scenario string) source {
	return func(s setting) (value, bool) {
		return value{s, scenario, origin{rank: fromArgument}}, s.flag == "scenario" && scenario != ""
	}
}

// flagSource reads the flags the user gave; given holds them by name. None is
// blank: gather has refused that.
func flagSource(given map[string]string) source {
	return func(s setting) (value, bool) {
		text, ok := given[s.flag]
		return value{s, strings.TrimSpace(text), origin{fromFlag, "--" + s.flag}}, ok && s.flag != ""
	}
}

// envSource reads the environment. A blank variable counts as unset, because that
// is what a shell script makes of a value it does not have.
func envSource(lookup func(string) (string, bool)) source {
	return func(s setting) (value, bool) {
		for _, name := range s.env {
			text, _ := lookup(name)
			text = strings.TrimSpace(text)
			if text != "" {
				return value{s, text, origin{fromEnv, name}}, true
			}
		}
		return value{}, false
	}
}

// find returns the value of the setting with a file key, for checks that look at
// one setting's origin. It panics on a key the table does not have.
func find(values []value, key string) value {
	for _, v := range values {
		if v.setting.key == key {
			return v
		}
	}
	panic("no setting has the key " + key)
}
