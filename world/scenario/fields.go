package scenario

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Field is another value of one field of a scenario.
type Field struct {
	// Path names it as a file does, with points between, such as "rules.idle_draw". An entry of a list is named by its
	// id or name, such as "places.hub.compound_g" or "personas.Ada.text".
	Path string
	// Value is the value as JSON: whole numbers, texts, true and false, and lists and tables of them.
	Value string
}

// WithFields returns the text of a scenario with other values of some fields. Comments are gone. The error names
// a field that is nowhere; what a value must be is for [Parse] to say.
func WithFields(text []byte, fields []Field) ([]byte, error) {
	var whole map[string]any
	if err := toml.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("change fields: %w", err)
	}
	for _, f := range fields {
		value, err := f.value()
		if err == nil {
			err = put(whole, strings.Split(f.Path, "."), value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	changed, err := toml.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("change fields: %w", err)
	}
	return changed, nil
}

// value is the value as a decoder of TOML has it.
func (f Field) value() (value any, err error) {
	d := json.NewDecoder(strings.NewReader(f.Value))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return plainNumbers(value)
}

// plainNumbers replaces the numbers of JSON in a value.
func plainNumbers(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case json.Number:
		whole, err := v.Int64()
		if err != nil {
			return v.Float64()
		}
		return whole, nil
	case []any:
		for i := range v {
			v[i], err = plainNumbers(v[i])
			if err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			v[key], err = plainNumbers(v[key])
			if err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// put gives a field below a table or a list a value.
func put(below any, path []string, value any) error {
	step, last := path[0], len(path) == 1
	switch below := below.(type) {
	case map[string]any:
		if last {
			below[step] = value
			return nil
		}
		if below[step] == nil {
			below[step] = map[string]any{}
		}
		return put(below[step], path[1:], value)
	case []any:
		for i, entry := range below {
			table, ok := entry.(map[string]any)
			if !ok || table["id"] != step && table["name"] != step {
				continue
			}
			if last {
				below[i] = value
				return nil
			}
			return put(table, path[1:], value)
		}
		return fmt.Errorf("nothing in the list has the id or name %q", step)
	}
	return fmt.Errorf("%q is below a value that is no table and no list", step)
}
