package words

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"example.com/agentworld/internal/document"
)

// ReplacementBytesMax bounds a file of replacements, replacementValuesMax the values in it.
const (
	ReplacementBytesMax  = 256 << 10
	replacementValuesMax = 5000
)

// Replacement is a text of a user in place of one of the program.
type Replacement struct {
	// Name is the text's name in the file, such as "instructions.closing".
	Name string
	// Was is the program's text, Is the user's.
	Was, Is string
}

// File returns the file of a language as it is part of the program, and its name. It panics for a language
// that does not exist.
func File(code string) (name string, data []byte) {
	f := fileOf(In(code).Code)
	return f.name, f.data
}

// With returns a language in which the texts of a TOML file replace those of the same names; an empty file
// replaces none. A text must have the places of the one that it replaces, as often and in the same order:
// what frames the words of others, names their sender or says their trust stays where it is. The error names
// each text that is unknown or has other places.
func With(code, file string) (*Language, error) {
	if file == "" {
		return In(code), nil
	}
	own, err := parsedFile(code, file)
	if err != nil {
		return nil, err
	}
	whole, err := tree(fileOf(In(code).Code).data)
	if err != nil {
		panic("words: " + err.Error()) // it was read when the program started
	}
	put(whole, own)
	l, err := fromTree(whole, languages[0])
	if err != nil {
		return nil, err
	}
	return l, moved(In(code), l)
}

// Replacements lists the texts of a file that differ from those of the program, by name. The error is that
// of [With].
func Replacements(code, file string) ([]Replacement, error) {
	l, err := With(code, file)
	if err != nil {
		return nil, err
	}
	was, is := In(code).byName(), l.byName()
	var list []Replacement
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if was[name] != is[name] {
			list = append(list, Replacement{name, was[name], is[name]})
		}
	}
	return list, nil
}

// parsedFile reads the file of a user, whose code, if it has one, is that of the language.
func parsedFile(code, file string) (own map[string]any, err error) {
	limits := document.Limits{Bytes: ReplacementBytesMax, Values: replacementValuesMax}
	if err := document.DecodeTOML([]byte(file), limits, &own); err != nil {
		return nil, fmt.Errorf("read texts: %w", err)
	}
	if of, ok := own["code"]; ok && of != In(code).Code {
		return nil, fmt.Errorf("read texts: code: %q is another language; allowed: %q", fmt.Sprint(of), In(code).Code)
	}
	return own, nil
}

func tree(data []byte) (whole map[string]any, err error) {
	if err := toml.Unmarshal(data, &whole); err != nil {
		return nil, fmt.Errorf("read texts: %w", err)
	}
	return whole, nil
}

// put writes the entries of one tree into another, tables entry by entry.
func put(into, from map[string]any) {
	for key, value := range from {
		table, isTable := value.(map[string]any)
		whole, isWhole := into[key].(map[string]any)
		if isTable && isWhole {
			put(whole, table)
			continue
		}
		into[key] = value
	}
}

// byName are the texts by name, as the file has them.
func (l *Language) byName() map[string]string {
	all := map[string]string{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(l.texts, "\x00"), "\x00") {
		name, text, _ := strings.Cut(entry, "=")
		all[name] = text
	}
	return all
}

// moved names the texts whose places are not where those of the program are.
func moved(was, is *Language) error {
	before := was.byName()
	after := is.byName()
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(after)) {
		want, got := placesIn(before[name]), placesIn(after[name])
		if !slices.Equal(want, got) {
			faults = append(faults, fmt.Errorf("%s: the places are %s; allowed: %s, in this order", name,
				strconv.Quote(strings.Join(got, " ")), strconv.Quote(strings.Join(want, " "))))
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("read texts: %w", errors.Join(faults...))
	}
	return nil
}

// placesIn are the places of a text in the order in which it has them, each as often as it stands there.
func placesIn(text string) (names []string) {
	f, err := parse(text)
	if err != nil {
		panic("words: a text that was read has " + err.Error())
	}
	for _, p := range f.pieces {
		names = append(names, "{"+f.places[p.value]+"}")
	}
	return names
}
