package scenario

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/world"
)

// PersonasBytesMax bounds a file of personas.
const PersonasBytesMax = 4 << 20

// PersonasFile is the file of personas that the text of a scenario names, empty if it names none or cannot be
// read.
func PersonasFile(text []byte) string {
	var stated struct {
		PersonasFile string `toml:"personas_file"`
	}
	if toml.Unmarshal(text, &stated) != nil {
		return "" // Parse says what is wrong with it
	}
	return stated.PersonasFile
}

// WithPersonas returns the text of a scenario with the personas of the file that it names in place of the
// file's name, so that the text is whole. A name that ends in .csv is a table with a header line of the
// columns name, text, short_term_goal and long_term_goal, each of which may be left out, and zh.text and so on
// for another language; any other name is TOML with [[personas]] and [[texts.zh.personas]] as in a scenario.
// The error begins with the field.
func WithPersonas(text []byte, file string, data []byte) ([]byte, error) {
	wrong := func(err error) error { return fmt.Errorf("personas_file: %s: %w", file, err) }
	var people people
	var err error
	if strings.EqualFold(path.Ext(file), ".csv") {
		people, err = fromCSV(data)
	} else {
		err = document.DecodeTOML(data, document.Limits{Bytes: PersonasBytesMax, Values: valuesMax}, &people)
	}
	if err == nil {
		err = people.check()
	}
	if err != nil {
		return nil, wrong(err)
	}
	if slices.Contains(statedKeys(text), "personas") {
		return nil, wrong(errors.New("the scenario has personas of its own; allowed: one of them"))
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := document.Lines(text)["personas_file"]
	if at < 1 || at > len(lines) {
		return nil, wrong(errors.New("give it on a line of its own"))
	}
	lines[at-1] = fmt.Appendf(nil, "# The personas at the end are those of %q.\n", file)
	whole := append(bytes.Join(lines, nil), '\n')
	whole = people.append(whole)
	if PersonasFile(whole) != "" || toml.Unmarshal(whole, new(map[string]any)) != nil {
		return nil, wrong(errors.New("give it on a line of its own"))
	}
	return whole, nil
}

// statedKeys are the keys at the top of a scenario's text.
func statedKeys(text []byte) []string {
	var top map[string]any
	if toml.Unmarshal(text, &top) != nil {
		return nil
	}
	return slices.Collect(maps.Keys(top))
}

// people are personas and their texts in other languages, as a scenario has them.
type people struct {
	Personas []world.Persona       `toml:"personas"`
	Texts    map[string]translated `toml:"texts"`
}

// translated are the texts of all personas in one language.
type translated struct {
	Personas []world.Persona `toml:"personas"`
}

// check joins what is wrong, by the row of the table.
func (p people) check() error {
	if len(p.Personas) == 0 {
		return errors.New("it has no personas")
	}
	var all []error
	for i, one := range p.Personas {
		all = append(all, one.Check(fmt.Sprintf("personas[%d]", i)))
	}
	return errors.Join(all...)
}

// append writes the tables to the end of a scenario's text.
func (p people) append(text []byte) []byte {
	table := func(name string, list []world.Persona) {
		for _, one := range list {
			said, err := toml.Marshal(one)
			if err != nil {
				panic("scenario: a persona cannot be written: " + err.Error())
			}
			text = fmt.Appendf(text, "\n[[%s]]\n%s", name, said)
		}
	}
	table("personas", p.Personas)
	for _, code := range slices.Sorted(maps.Keys(p.Texts)) {
		table("texts."+code+".personas", p.Texts[code].Personas)
	}
	return text
}

// fromCSV reads a table of personas.
func fromCSV(data []byte) (p people, err error) {
	if len(data) > PersonasBytesMax {
		return p, fmt.Errorf("has more than the %d bytes that are allowed", PersonasBytesMax)
	}
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))).ReadAll()
	if err != nil {
		return p, err
	}
	if len(rows) == 0 {
		return p, nil
	}
	p.Texts = map[string]translated{}
	for _, row := range rows[1:] {
		of := map[string]*world.Persona{"": {}}
		for i, column := range rows[0] {
			code, field, other := strings.Cut(column, ".")
			if !other {
				code, field = "", column
			}
			if of[code] == nil {
				of[code] = &world.Persona{}
			}
			into := map[string]*string{
				"text": &of[code].Text, "short_term_goal": &of[code].ShortTermGoal, "long_term_goal": &of[code].LongTermGoal,
			}
			if code == "" {
				into["name"] = &of[code].Name
			}
			if into[field] == nil || other && !world.IsLanguageCode(code) {
				return p, fmt.Errorf("there is no column %q; allowed: name, text, short_term_goal, long_term_goal, and zh.text "+
					"and so on for another language", column)
			}
			*into[field] = row[i]
		}
		p.Personas = append(p.Personas, *of[""])
		delete(of, "")
		for code, said := range of {
			p.Texts[code] = translated{append(p.Texts[code].Personas, *said)}
		}
	}
	return p, nil
}
