package words

import (
	"embed"
	"slices"
)

// English is the code of the language that is used where none is chosen. Its file says what the
// tables of the others hold.
const English = "en"

// Language is everything that is said to a model in one language. It is immutable.
type Language struct {
	// Code is the language's code in settings, such as "en".
	Code string

	// Of a turn.
	Instructions Instructions
	Tools        Tools
	Headings     Headings
	Goals        Goals
	Lessons      Lessons
	Advice       Advice
	Steps        Steps

	// Of an observation.
	Lines       Lines
	Observation Observation
	Allowed     Allowed
	Options     Options
	Terms       Terms
	Market      Market

	// Of what came of decisions.
	History History
	Asides  Asides
	News    News
	Memory  Memory

	// Of modules.
	Modules Modules
	Rules   Rules

	// Of other turns.
	Reflection Reflection
	Interview  Interview

	// Feedback says what was wrong with a call, by the code of the feedback; Unusable what was
	// wrong with a whole answer, by the problem; Policy why a rule refused an action, by the reason.
	Feedback, Unusable, Policy Table
	// ModuleDocs say what each module gives, by its dotted name.
	ModuleDocs Table
	// Actions say what each action does and costs, ActionsAlone those that differ where agents can have
	// nothing to do with each other. Their values are the numbers of its spec.
	Actions, ActionsAlone Table
	// StopEvents say when each stop event of a standing order holds, FactoryKinds what a kind does.
	StopEvents, FactoryKinds Table
	// Codes are words for states and reasons. One that has none is a name, such as that of a stop event.
	Codes Table
	// Nouns are words for kinds of ids and units. One that has none is an identifier.
	Nouns Table
	// Faults are what was expected in arguments and what was there instead, by the English forms in
	// which errors are made and recorded.
	Faults Table

	// texts are all texts, each after its name and ended by a zero; tables are the tables by name.
	texts  string
	tables map[string]Table
}

// Texts returns all texts with their names, each ended by a zero. Its digest names a wording.
func (l *Language) Texts() string { return l.texts }

// Noun is the word for a kind of id or a unit, and an identifier itself.
func (l *Language) Noun(name string) string { return l.Nouns.wordOr(name) }

// Word is the word for the code of a state or a reason, and a name itself.
func (l *Language) Word(code string) string { return l.Codes.wordOr(code) }

//go:embed *.toml
var files embed.FS

// languageFile is an embedded file with what was read from it.
type languageFile struct {
	name string
	data []byte
	*Language
}

// languageFiles are the embedded files and languages what they hold, English first.
var languageFiles, languages = embedded()

// embedded reads the files. They are part of the program, so that a fault in one is a bug.
func embedded() (all []languageFile, languages []*Language) {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("words: " + err.Error())
	}
	names := []string{"english.toml"}
	for _, e := range entries {
		if e.Name() != names[0] {
			names = append(names, e.Name())
		}
	}
	var english *Language
	for _, name := range names {
		f := languageFile{name: name}
		f.data, err = files.ReadFile(name)
		if err == nil {
			f.Language, err = read(f.data, english)
		}
		if err != nil {
			panic("words: " + name + ": " + err.Error())
		}
		if english == nil {
			english = f.Language
		}
		all, languages = append(all, f), append(languages, f.Language)
	}
	return all, languages
}

// fileOf is the file of a language that exists.
func fileOf(code string) languageFile {
	return languageFiles[slices.IndexFunc(languageFiles, func(f languageFile) bool { return f.Code == code })]
}

// Languages returns the code of every language, English first.
func Languages() []string {
	var codes []string
	for _, l := range languages {
		codes = append(codes, l.Code)
	}
	return codes
}

// In returns a language by its code; empty is English. It panics for one that does not exist:
// settings are checked before any text is made.
func In(code string) *Language {
	if code == "" {
		code = English
	}
	i := slices.IndexFunc(languages, func(l *Language) bool { return l.Code == code })
	if i < 0 {
		panic("words: no texts in the language " + code)
	}
	return languages[i]
}
