package settings

import (
	"cmp"
	"strings"
)

// Kind says how the text of a setting is read and what it may hold. Those that the type
// of a field does not tell are named in its tag.
type Kind string

// The kinds of settings.
const (
	KindText Kind = "text" // free text; blank means unset
	KindPath Kind = "path" // a path
	// a path of a file with the value, read when the plan is made; a JSON text for prompt switches
	KindFile   Kind = "file"
	KindDir    Kind = "dir"    // a directory of files with the value, read when the plan is made
	KindChecks Kind = "checks" // names of checks of the guard
	KindSecret Kind = "secret" // text that is never shown
	KindURL    Kind = "url"    // the base URL of a Responses endpoint
	KindCount  Kind = "count"  // a whole number from min to max
	KindNumber Kind = "number" // a number from min to max, kept as it is written
	KindJSON   Kind = "json"   // a JSON object
	KindSeed   Kind = "seed"   // a whole number from 0 to 2^64-1
	KindMillis Kind = "millis" // a duration such as 30s, or a plain number of milliseconds
	KindSwitch Kind = "switch" // true or false
	KindAgents Kind = "agents" // any number of agents with models of their own; see [ParseAgentModels]
	KindChoice Kind = "choice" // one of the setting's choices
	KindGates  Kind = "gates"  // conditions on metrics of the report, with spaces between
	KindMoney  Kind = "money"  // an amount such as 2.50, in the currency of the prices
)

// kindWords are what help calls the value of a flag, a text without a word of its own, and
// what a configuration file takes, a text in quotes without.
var kindWords = map[Kind]struct{ flag, file string }{
	KindPath:   {flag: "file"},
	KindFile:   {flag: "file"},
	KindDir:    {flag: "dir"},
	KindURL:    {flag: "url"},
	KindAgents: {flag: "agent=model"},
	KindCount:  {"number", "a whole number"},
	KindSeed:   {"number", "a whole number"},
	KindNumber: {"number", "a number"},
	KindJSON:   {flag: "json"},
	KindMillis: {"duration", "a whole number of milliseconds, or a duration in quotes"},
	KindSwitch: {"bool", "true or false"},
	KindMoney:  {"amount", "a whole number, or an amount in quotes"},
}

// Word is what help calls the value of a flag.
func (k Kind) Word() string { return cmp.Or(kindWords[k].flag, "text") }

// Setting describes one value of a run: where it may come from, what it may be and where
// it goes. The table of settings is the single source of flags, environment names, file
// keys, checks, help and --print-config.
type Setting struct {
	// Flag is the flag's name without dashes; empty when there is no flag.
	Flag string
	// Env are the environment variables that hold it, strongest first.
	Env []string
	// Key is the place in the configuration file, "table.key".
	Key  string
	Kind Kind
	// Fallback is the text used when no source has one; empty leaves the field at its zero value.
	Fallback string
	// Absent describes the zero value where Fallback is empty, for display.
	Absent string
	// Min and max bound a KindCount, or a KindMillis in milliseconds.
	Min, Max int64
	// Shapes says that the setting is part of [trace.Settings].
	Shapes bool
	// Removable says that the word [None] sets the value to none, also where a weaker
	// source has one.
	Removable bool
	// Choices are the texts a KindChoice may have.
	Choices []string
	// Separator joins the texts of a flag that is given more than once; if it is empty, another
	// text is refused.
	Separator string
	// Doc is one line for help.
	Doc string
	// Into returns the address the value goes to: of a field of Config, or elsewhere.
	Into func(*Config) any
}

// None is the word that takes a value away.
const None = "none"

// Name returns the setting's short name: its flag, or its key where it has none.
func (s Setting) Name() string {
	if s.Flag != "" {
		return s.Flag
	}
	_, key, _ := strings.Cut(s.Key, ".")
	return key
}

// Table is a list of settings in the order they are shown.
type Table []Setting

// ByKey returns the setting with a file key.
func (all Table) ByKey(key string) (Setting, bool) {
	for _, s := range all {
		if s.Key == key {
			return s, true
		}
	}
	return Setting{}, false
}

// Keys lists the file keys of one table, or of all tables when table is empty.
func (all Table) Keys(table string) []string {
	var keys []string
	for _, s := range all {
		if table == "" {
			keys = append(keys, s.Key)
		} else if rest, ok := strings.CutPrefix(s.Key, table+"."); ok {
			keys = append(keys, rest)
		}
	}
	return keys
}
