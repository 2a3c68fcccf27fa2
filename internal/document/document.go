// Package document bounds the TOML and JSON that users write, before they are parsed, and
// decodes TOML. A parser recurses with each bracket, and compares each key with those
// before it. Without bounds a file of a few megabytes would keep it busy for minutes.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Limits are the bounds of a kind of document.
type Limits struct {
	// Bytes bounds the text.
	Bytes int
	// Values bounds keys, tables and elements of arrays together.
	Values int
}

// The bounds of every document.
const (
	// DepthMax bounds brackets inside each other, and the parts of a dotted key.
	DepthMax = 100
	// KeysMax bounds the keys of a TOML document, except that the tables of an array, as in
	// [[places]], count one at a time.
	KeysMax = 5_000
	// LinesMax bounds lines: a decoder that says where an error is splits the text into them.
	LinesMax = 500_000
)

// comparisonsMax bounds for how many pairs of keys a TOML parser looks whether they are
// the same: it looks through all keys for each. An inline table has only its own.
const comparisonsMax = 30_000_000

// Error says where a document cannot be read, and why.
type Error struct {
	// Line is the number of the line, from 1.
	Line int
	// Key is the path of the key at fault, empty where that is none.
	Key []string
	// Unknown says that the key is not one of this kind of document.
	Unknown bool
	// Allowed are the keys that could stand there instead of an unknown one, sorted.
	Allowed []string
	// Problem says what is wrong, without names of this program's types.
	Problem string
	// Type says that a value has a type that its key cannot have.
	Type bool
	// Others are further ones: values of a wrong type, then unknown keys, each in the order of lines.
	Others []*Error
}

// Error returns "line 12: key: problem".
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text()) }

// Text is the error without the line.
func (e *Error) Text() string {
	if len(e.Key) == 0 || e.Unknown {
		return e.Problem
	}
	return strings.Join(e.Key, ".") + ": " + e.Problem
}

// DecodeTOML decodes a document into the struct that into points to. Every failure is an [*Error],
// keys that the struct has no field for among them. What can be decoded is, also if there is one.
func DecodeTOML(data []byte, l Limits, into any) error {
	if err := CheckTOML(data, l); err != nil {
		return err
	}
	var all []*Error
	rest, before := data, reflect.New(reflect.TypeOf(into).Elem()).Elem()
	before.Set(reflect.ValueOf(into).Elem())
	for len(all) < errorsMost {
		err := toml.Unmarshal(rest, into)
		if err == nil {
			break
		}
		bad, ok := errors.AsType[*toml.DecodeError](err)
		if !ok {
			return &Error{Line: 1, Problem: strings.TrimPrefix(err.Error(), "toml: ")}
		}
		line, _ := bad.Position()
		// What follows " into " are names of this program's types.
		problem, _, mistyped := strings.Cut(strings.TrimPrefix(bad.Error(), "toml: "), " into ")
		if mistyped {
			problem = strings.Replace(problem, "cannot decode TOML ", "cannot be a TOML ", 1)
		}
		all = append(all, &Error{Line: line, Key: bad.Key(), Problem: problem, Type: mistyped})
		if !mistyped {
			break // where the syntax ends, nothing can be read
		}
		// The decoder stops at the first value of a wrong type. Without its lines it continues.
		var cut bool
		rest, cut = without(rest, line)
		if !cut {
			break
		}
		reflect.ValueOf(into).Elem().Set(before)
	}
	if len(all) == 0 || all[len(all)-1].Type {
		// The decoder's own search for unknown keys describes each of them with a copy of the document.
		w := walker{data: data}
		w.parser.Reset(data)
		all = append(all, w.unknown(reflect.TypeOf(into))...)
	}
	if len(all) == 0 {
		return nil
	}
	all[0].Others = all[1:]
	return all[0]
}

// without returns a valid document with blank lines in place of the key and value that the line is
// part of, false if there is none.
func without(data []byte, line int) (rest []byte, cut bool) {
	p := &unstable.Parser{}
	p.Reset(data)
	from, to := -1, len(data)
	for p.NextExpression() {
		node := p.Expression()
		it := node.Key()
		if !it.Next() {
			continue
		}
		at := int(it.Node().Raw.Offset)
		if 1+bytes.Count(data[:at], []byte("\n")) > line {
			to = bytes.LastIndexByte(data[:at], '\n') + 1
			break
		}
		from = -1
		if node.Kind == unstable.KeyValue {
			from = bytes.LastIndexByte(data[:at], '\n') + 1
		}
	}
	if from < 0 {
		return data, false
	}
	return slices.Concat(data[:from], bytes.Repeat([]byte("\n"), bytes.Count(data[from:to], []byte("\n"))), data[to:]),
		true
}

// Lines are the lines of the keys and tables of a valid document by their paths, such as
// "places[2].id" for a key of the third table of a list. Keys within inline tables are left out, and
// keys of more than [DepthMax] parts.
func Lines(data []byte) map[string]int {
	p := &unstable.Parser{}
	p.Reset(data)
	lines, elements := map[string]int{}, map[string]int{} // elements counts the tables of each list
	table := ""
	line := 1
	counted := 0
	for p.NextExpression() {
		node, path := p.Expression(), ""
		if node.Kind == unstable.KeyValue {
			path = table
		}
		parts := 0
		for it := node.Key(); it.Next(); {
			parts++
			if parts > DepthMax {
				break // a path of so many parts would be copied for each of them
			}
			at := max(counted, int(it.Node().Raw.Offset))
			line, counted = line+bytes.Count(data[counted:at], []byte("\n")), at
			if path != "" {
				path += "."
			}
			path += string(it.Node().Data)
			if node.Kind == unstable.ArrayTable && it.IsLast() {
				elements[path]++
			}
			// The name of a list in a header means its newest table.
			if n := elements[path]; n > 0 && node.Kind != unstable.KeyValue {
				path = fmt.Sprintf("%s[%d]", path, n-1)
			}
		}
		if lines[path] == 0 {
			lines[path] = line
		}
		if node.Kind != unstable.KeyValue {
			table = path
		}
	}
	return lines
}

// walker looks for the keys of a valid document that a type has no field for.
type walker struct {
	data   []byte
	parser unstable.Parser
	// offset is where the last key is.
	offset uint32
	// allowed are the keys of the table in which the last unknown one was.
	allowed []string
	// fields are the types of the keys of each struct seen.
	fields map[reflect.Type]map[string]reflect.Type
}

// unknown returns an error for each of the keys, at most [errorsMost].
func (w *walker) unknown(t reflect.Type) (all []*Error) {
	table, path := t, []string(nil)
	for w.parser.NextExpression() {
		node, missing := w.parser.Expression(), []string(nil)
		if node.Kind == unstable.KeyValue {
			if table != nil || len(path) == 0 {
				missing = w.keyValue(node, table, path)
			}
		} else if node.Kind == unstable.Table || node.Kind == unstable.ArrayTable {
			table, path, missing = w.descend(node, t, nil)
		}
		if missing != nil && len(all) < errorsMost {
			all = append(all, &Error{Line: 1 + bytes.Count(w.data[:w.offset], []byte("\n")), Key: missing, Unknown: true,
				Allowed: w.allowed, Problem: fmt.Sprintf("unknown field %q", strings.Join(missing, "."))})
		}
	}
	return all
}

// errorsMost bounds how many values of a wrong type are named, and how many unknown keys.
const errorsMost = 20

// descend follows a key from a type to that of its value, nil for one that takes anything.
// missing is the path of a key with a part that is no field.
func (w *walker) descend(node *unstable.Node, t reflect.Type, path []string) (value reflect.Type, whole,
	missing []string) {
	whole, known := append(whole, path...), true
	for it := node.Key(); it.Next(); {
		part := string(it.Node().Data)
		whole = append(whole, part)
		if !known {
			continue
		}
		w.offset = it.Node().Raw.Offset
		t, known = w.field(t, part)
	}
	if !known {
		return nil, nil, whole
	}
	return t, whole, nil
}

func (w *walker) keyValue(node *unstable.Node, t reflect.Type, path []string) []string {
	t, path, missing := w.descend(node, t, path)
	if missing != nil || t == nil {
		return missing
	}
	return w.value(node.Value(), t, path)
}

// value looks into inline tables, also those in arrays.
func (w *walker) value(node *unstable.Node, t reflect.Type, path []string) (missing []string) {
	for it := node.Children(); (node.Kind == unstable.InlineTable || node.Kind == unstable.Array) && missing == nil &&
		it.Next(); {
		if child := it.Node(); child.Kind == unstable.KeyValue {
			missing = w.keyValue(child, t, path)
		} else {
			missing = w.value(child, t, path)
		}
	}
	return missing
}

// field returns the type of a key's value in a table of type t, nil if any type is allowed.
func (w *walker) field(t reflect.Type, key string) (value reflect.Type, known bool) {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		t = t.Elem()
	}
	switch {
	case t == nil || t.Kind() == reflect.Interface:
		return nil, true
	case t.Kind() == reflect.Map:
		return t.Elem(), true
	case t.Kind() != reflect.Struct:
		return nil, true // the decoder refused a table there
	}
	if w.fields[t] == nil {
		if w.fields == nil {
			w.fields = map[reflect.Type]map[string]reflect.Type{}
		}
		w.fields[t] = map[string]reflect.Type{}
		collect(t, w.fields[t])
	}
	value, known = w.fields[t][strings.ToLower(key)]
	if !known {
		w.allowed = slices.Sorted(maps.Keys(w.fields[t]))
	}
	return value, known
}

// collect adds the keys of a struct as the decoder finds them: in small letters, those of
// embedded structs too.
func collect(t reflect.Type, fields map[string]reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			collect(f.Type, fields)
		case name == "":
			fields[strings.ToLower(f.Name)] = f.Type
		default:
			fields[strings.ToLower(name)] = f.Type
		}
	}
}
