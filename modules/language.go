package modules

// Language is the language of everything the program itself says to a model.
// Identifiers (names of actions, tools, fields, resources, codes, ids) are the same
// in all of them, and so is what a scenario or an agent wrote.
type Language = string

// The languages.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// Languages returns every language, the default first.
func Languages() []Language { return []Language{English, Chinese} }

// wordsOf returns the table of a language. It panics for one that does not exist:
// configurations are checked before anything is said.
func wordsOf(l Language) *wording {
	switch l {
	case English, "":
		return &english
	case Chinese:
		return &chinese
	}
	panic("modules: no wording in the language " + l)
}
