package modules

import (
	"example.com/agentworld/memory"
	"example.com/agentworld/world"
)

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
// configurations are checked before any text is made.
func wordsOf(l Language) *wording {
	switch l {
	case English, "":
		return &english
	case Chinese:
		return &chinese
	}
	panic("modules: no wording in the language " + l)
}

// wording is everything this package says to a model in one language. A table per
// language fills every field; what is said about actions, stop events and kinds of
// factory comes from the world's registry in English and from maps elsewhere.
type wording struct {
	// docs describe the modules by their dotted names.
	docs map[string]string
	// registry says what the world's registry says, nil where its own words do.
	registry registryWording
	// nouns are the words after a slot: kinds of ids, units and the resource; one
	// that is missing is an identifier and stays as it is.
	nouns map[string]string
	// lineStart separates an identifier and the text about it.
	lineStart string

	// The fixed texts of failures. Each says whether anything ran.
	notJSON, notObject, invalid, unknown, execution string
	// reason leads to the code of why a module could not answer.
	reason string
	// adjusted has the slot, the amount after clamping and the one before.
	adjusted string

	// recipes introduces the inputs of a batch of each, perTick the numbers of every tick.
	recipes, perTick string
	rules            ruleWording
	// faults are the forms of what argument errors say, by the English ones; nil where
	// those are used.
	faults map[string]string
	// memory are the words around a remembered text.
	memory memory.Words
	// score follows a memory that was searched for, with the verb %d.
	score string
}

// registryWording are the registry's docs in another language than its own, by
// name. Costs come from the rules, so that no text can contradict them.
type registryWording struct {
	actions map[string]func(world.Rules) string
	events  map[string]string
	kinds   map[string]string
}

// ruleWording are the lines of the module world.rules as formats; the numbers are
// in the order in which rules.go gives them.
type ruleWording struct {
	build, recipe, anyFactory, noWear, wear, queue                   string
	capacity, powerState, shutdown, harvest, heat, shedding          string
	journeyCost, journeyTicks, onTheWay, ranDry, messages, kept      string
	plant, plantWear, plantPrice, trades, orders, handedOver, quotes string
	standingMost, standingIgnore, and                                string
}

// docOf is what is said of a name of the world's registry: the registry's own words
// where a language has none of its own.
func docOf(texts map[string]string, name, own string) string {
	if texts == nil {
		return own
	}
	return named(texts, name)
}

// noun is the word for a kind of id, a unit or the resource.
func (w *wording) noun(name string) string {
	if noun, ok := w.nouns[name]; ok {
		return noun
	}
	return name
}

// named returns the text for a name. It panics where there is none, which a test rules
// out.
func named(texts map[string]string, name string) string {
	text, ok := texts[name]
	if !ok {
		panic("modules: no wording for " + name)
	}
	return text
}
