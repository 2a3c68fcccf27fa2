package cli

import (
	"cmp"
	"strings"
)

// kind says how the text of a setting is read and what it may hold. Those that the type
// of a field does not tell are named in its tag.
type kind string

// The kinds of settings.
const (
	// kindText is free text; blank means unset.
	kindText kind = "text"
	// kindPath is a path.
	kindPath kind = "path"
	// kindFile is the path of a file that holds the value or, for the prompt switches,
	// also a JSON text. It is read when the settings are checked against each other.
	kindFile kind = "file"
	// kindLayers are names of layers of the guard.
	kindLayers kind = "layers"
	// kindSecret is text that is never shown.
	kindSecret kind = "secret"
	// kindURL is the base URL of a Responses endpoint.
	kindURL kind = "url"
	// kindCount is a whole number from min to max.
	kindCount kind = "count"
	// kindSeed is a whole number from 0 to 2^64-1.
	kindSeed kind = "seed"
	// kindMillis is a duration such as 30s, or a plain number of milliseconds.
	kindMillis kind = "millis"
	// kindSwitch is true or false.
	kindSwitch kind = "switch"
	// kindAgents is any number of agents with models of their own; see parseAgentModels.
	kindAgents kind = "agents"
	// kindChoice is one of the setting's choices.
	kindChoice kind = "choice"
	// kindMoney is an amount of money such as 2.50, in the currency of the prices.
	kindMoney kind = "money"
)

// kindWords are what help calls the value of a flag, a text without a word of its own, and
// what a configuration file takes, a text in quotes without.
var kindWords = map[kind]struct{ flag, file string }{
	kindPath:   {flag: "file"},
	kindFile:   {flag: "file"},
	kindURL:    {flag: "url"},
	kindAgents: {flag: "agent=model"},
	kindCount:  {"number", "a whole number"},
	kindSeed:   {"number", "a whole number"},
	kindMillis: {"duration", "a whole number of milliseconds, or a duration in quotes"},
	kindSwitch: {"bool", "true or false"},
	kindMoney:  {"amount", "a whole number, or an amount in quotes"},
}

// setting describes one value of a run: where it may come from, what it may be and where
// it goes. The table of settings is the single source of flags, environment names, file
// keys, checks, help and --print-config.
type setting struct {
	// flag is the flag's name without dashes; empty when there is no flag.
	flag string
	// env are the environment variables that hold it, strongest first.
	env []string
	// key is the place in the configuration file, "table.key".
	key  string
	kind kind
	// fallback is the text used when no source has one; empty leaves the config
	// field at its zero value.
	fallback string
	// absent describes the zero value where fallback is empty, for display.
	absent string
	// min and max bound a kindCount, or a kindMillis in milliseconds.
	min, max int64
	// shapes says that the setting is part of [trace.Settings].
	shapes bool
	// removable says that the word noneText sets the value to none, also where a weaker
	// source has one.
	removable bool
	// choices are the texts a kindChoice may have.
	choices []string
	// separator stands between the texts of a flag that is given more than once; empty
	// keeps the last one.
	separator string
	// doc is one line for help.
	doc string
	// into returns the address of the config field the value goes to.
	into func(*config) any
}

// noneText is the word that takes a value away.
const noneText = "none"

// name returns the setting's short name: its flag, or its key where it has none.
func (s setting) name() string {
	if s.flag != "" {
		return s.flag
	}
	_, key, _ := strings.Cut(s.key, ".")
	return key
}

// usage returns the flag's help line: what it is, its default and its variables.
func (s setting) usage() string {
	text := s.doc
	if d := cmp.Or(s.fallback, s.absent); d != "" {
		text += " (default " + d + ")"
	}
	if len(s.env) > 0 {
		text += " [$" + strings.Join(s.env, ", $") + "]"
	}
	return text
}

// settings is a list of settings in the order they are shown.
type settings []setting

// byKey returns the setting with a file key.
func (all settings) byKey(key string) (setting, bool) {
	for _, s := range all {
		if s.key == key {
			return s, true
		}
	}
	return setting{}, false
}

// keys lists the file keys of one table, or of all tables when table is empty.
func (all settings) keys(table string) []string {
	var keys []string
	for _, s := range all {
		if table == "" {
			keys = append(keys, s.key)
		} else if rest, ok := strings.CutPrefix(s.key, table+"."); ok {
			keys = append(keys, rest)
		}
	}
	return keys
}
