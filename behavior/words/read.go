package words

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/agentworld/internal/document"
)

// Read reads the file of a language. The error names every text that is missing, unknown, or has
// other places than the embedded English one. The caller bounds the size of the data.
func Read(data []byte) (*Language, error) { return read(data, languages[0]) }

// read reads a file whose tables are to be like those of english; nil reads English itself.
func read(data []byte, english *Language) (*Language, error) {
	whole, err := tree(data)
	if err != nil {
		return nil, err
	}
	return fromTree(whole, english)
}

// fromTree makes a language of the tables and texts of a file.
func fromTree(whole map[string]any, english *Language) (*Language, error) {
	r := reader{english: english, tables: map[string]Table{}}
	l := &Language{}
	r.section("", reflect.ValueOf(l).Elem(), whole)
	if len(r.faults) > 0 {
		return nil, fmt.Errorf("read texts: %w", errors.Join(r.faults...))
	}
	l.texts, l.tables = r.texts.String(), r.tables
	return l, nil
}

// reader fills a [Language] and collects what is wrong.
type reader struct {
	english *Language
	tables  map[string]Table
	texts   strings.Builder
	faults  []error
}

func (r *reader) fault(name string, err error) {
	r.faults = append(r.faults, fmt.Errorf("%s: %w", name, err))
}

var (
	errMissing = errors.New("the text is missing; allowed: a text in quotes that is not blank")
	errZero    = errors.New("the text has the character 0, which is none; allowed: all others")
	errTable   = errors.New("here is no table; allowed: a table of texts by their names")
)

// unknown refuses a name that no text has, where some have others.
func (r *reader) unknown(within, name string, known []string) {
	r.fault(within+strconv.Quote(name), fmt.Errorf("there is no text of this name; %s",
		document.Offer(name, known, "words export")))
}

// entries are those of a table. They are nil, and whole is false, if something else has its name.
func (r *reader) entries(name string, from any) (entries map[string]any, whole bool) {
	entries, whole = from.(map[string]any)
	if !whole && from != nil {
		r.fault(name, errTable)
		return nil, false
	}
	return entries, true
}

// section fills the fields of a struct from the entries of the same names.
func (r *reader) section(name string, into reflect.Value, from map[string]any) {
	var known []string
	for i := range into.NumField() {
		field := into.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		key := keyOf(field.Name)
		known = append(known, key)
		entry := name + key
		switch v := into.Field(i).Addr().Interface().(type) {
		case *string:
			*v = r.form(entry, from[key], nil).Text()
		case *Form:
			*v = r.form(entry, from[key], strings.Split(field.Tag.Get("places"), ","))
		case *Table:
			if entries, whole := r.entries(entry, from[key]); whole {
				*v = r.table(entry, entries)
			}
		default:
			if entries, whole := r.entries(entry, from[key]); whole {
				r.section(entry+".", into.Field(i), entries)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(from)) {
		if !slices.Contains(known, key) {
			r.unknown(name, key, known)
		}
	}
}

// keyOf is the name of a field in a file: "all_done" for AllDone, "not_json" for NotJSON.
func keyOf(field string) string {
	var key strings.Builder
	lower := false
	for _, c := range field {
		if lower && unicode.IsUpper(c) {
			key.WriteByte('_')
		}
		lower = unicode.IsLower(c)
		key.WriteRune(unicode.ToLower(c))
	}
	return key.String()
}

// form reads a text that has the places.
func (r *reader) form(name string, from any, places []string) Form {
	f, ok := r.parsed(name, from)
	if !ok {
		return Form{}
	}
	ordered, err := f.with(places)
	if err != nil {
		r.fault(name, err)
		return Form{places: places}
	}
	return ordered
}

// parsed reads a text with any places.
func (r *reader) parsed(name string, from any) (Form, bool) {
	text, _ := from.(string)
	if strings.TrimSpace(text) == "" {
		r.fault(name, errMissing)
		return Form{}, false
	}
	if strings.ContainsRune(text, 0) {
		r.fault(name, errZero)
		return Form{}, false
	}
	r.texts.WriteString(name + "=" + text + "\x00")
	f, err := parse(text)
	if err != nil {
		r.fault(name, err)
	}
	return f, err == nil
}

// table reads texts by name. The names and places are those of the English table, whatever they
// are in English itself.
func (r *reader) table(name string, from map[string]any) Table {
	table := Table{}
	r.tables[name] = table
	if r.english == nil {
		for _, key := range slices.Sorted(maps.Keys(from)) {
			table[key], _ = r.parsed(name+"."+strconv.Quote(key), from[key])
		}
		return table
	}
	like := r.english.tables[name]
	for _, key := range slices.Sorted(maps.Keys(like)) {
		table[key] = r.form(name+"."+strconv.Quote(key), from[key], like[key].places)
	}
	for _, key := range slices.Sorted(maps.Keys(from)) {
		if _, known := like[key]; !known {
			r.unknown(name+".", key, slices.Sorted(maps.Keys(like)))
		}
	}
	return table
}
