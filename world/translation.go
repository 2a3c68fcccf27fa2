package world

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// Translation is what a scenario says to its agents in another language.
type Translation struct {
	// Personas are the texts of all personas, in the order of the file. Names stay as they are.
	Personas []Persona `toml:"personas"`
	// Goals are the texts of all goals by their ids.
	Goals map[string]string `toml:"goals"`
}

// IsLanguageCode reports whether a text has the form of a language's code.
func IsLanguageCode(code string) bool { return languageCode.MatchString(code) }

// In returns the scenario with its texts in a language, by its code, as it is if it has none in it.
func (s Scenario) In(language string) Scenario {
	said, ok := s.Texts[language]
	if !ok {
		return s
	}
	s.Personas = slices.Clone(s.Personas)
	for i, p := range said.Personas {
		p.Name = s.Personas[i].Name
		s.Personas[i] = p
	}
	s.Goals = slices.Clone(s.Goals)
	for i, g := range s.Goals {
		s.Goals[i].Text = said.Goals[g.ID]
	}
	return s
}

// languageCode is the form of a language's code.
var languageCode = regexp.MustCompile(`^[a-z]{2}$`)

// CheckTexts demands that each translation is whole: a prompt in two languages is worse than one in one. It
// is for scenarios as they are written. [Scenario.Check] leaves it out, since a program may play one with
// other goals.
func (s Scenario) CheckTexts() error {
	var all wrongs
	for _, code := range slices.Sorted(maps.Keys(s.Texts)) {
		said, field := s.Texts[code], "texts."+code
		all.when(!IsLanguageCode(code), "%s: a language is a code of two letters", field)
		if len(said.Personas) != len(s.Personas) {
			all.when(true, "%s.personas: %d of %d personas", field, len(said.Personas), len(s.Personas))
			continue
		}
		for i, p := range said.Personas {
			name := fmt.Sprintf("%s.personas[%d]", field, i)
			all.when(p.Name != "", "%s.name: names are the same in all languages", name)
			all = append(all, p.Check(name), translated(name+".text", s.Personas[i].Text, p.Text),
				translated(name+".short_term_goal", s.Personas[i].ShortTermGoal, p.ShortTermGoal),
				translated(name+".long_term_goal", s.Personas[i].LongTermGoal, p.LongTermGoal))
		}
		for _, g := range s.Goals {
			name := field + ".goals." + g.ID
			all = append(all, checkText(name, said.Goals[g.ID], textMax), translated(name, g.Text, said.Goals[g.ID]))
		}
		for _, id := range slices.Sorted(maps.Keys(said.Goals)) {
			known := slices.ContainsFunc(s.Goals, func(g Goal) bool { return g.ID == id })
			all.when(!known, "%s.goals.%s: there is no such goal", field, id)
		}
	}
	return errors.Join(all...)
}

// translated refuses a text that only one of two languages has.
func translated(field, text, said string) error {
	if (text == "") != (said == "") {
		return fmt.Errorf("%s: only one of the languages has this text", field)
	}
	return nil
}
