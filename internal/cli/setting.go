package cli

import "strings"

// kind says how the text of a setting is read and what it may hold. Those that the type
// of a field does not tell are named in its tag.
type kind string

// The kinds of settings.
const (
	kindText kind = "text" // free text; blank means unset
	kindPath kind = "path" // a path
	// a path of a file with the value, read when the plan is made; a JSON text for prompt switches
	kindFile   kind = "file"
	kindDir    kind = "dir"    // a directory of files with the value, read when the plan is made
	kindChecks kind = "checks" // names of checks of the guard
	kindSecret kind = "secret" // text that is never shown
	kindURL    kind = "url"    // the base URL of a Responses endpoint
	kindCount  kind = "count"  // a whole number from min to max
	kindNumber kind = "number" // a number from min to max, kept as it is written
	kindJSON   kind = "json"   // a JSON object
	kindSeed   kind = "seed"   // a whole number from 0 to 2^64-1
	kindMillis kind = "millis" // a duration such as 30s, or a plain number of milliseconds
	kindSwitch kind = "switch" // true or false
	kindAgents kind = "agents" // any number of agents with models of their own; see parseAgentModels
	kindChoice kind = "choice" // one of the setting's choices
	kindGates  kind = "gates"  // conditions on metrics of the report, with spaces between
	kindMoney  kind = "money"  // an amount such as 2.50, in the currency of the prices
)

// kindWords are what help calls the value of a flag, a text without a word of its own, and
// what a configuration file takes, a text in quotes without.
var kindWords = map[kind]struct{ flag, file string }{
	kindPath:   {flag: "file"},
	kindFile:   {flag: "file"},
	kindDir:    {flag: "dir"},
	kindURL:    {flag: "url"},
	kindAgents: {flag: "agent=model"},
	kindCount:  {"number", "a whole number"},
	kindSeed:   {"number", "a whole number"},
	kindNumber: {"number", "a number"},
	kindJSON:   {flag: "json"},
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
	// separator joins the texts of a flag that is given more than once; if it is empty, another
	// text is refused.
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
