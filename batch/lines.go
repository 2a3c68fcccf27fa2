package batch

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/llmclient"
)

// fileLines are the keys of a file in order, with their lines.
type fileLines []document.Key

// of is the line of a key, or of the first one below it; 0 if there is none.
func (l fileLines) of(path ...string) int {
	for _, one := range l {
		if len(one.Path) >= len(path) && slices.Equal(one.Path[:len(path)], path) {
			return one.Line
		}
	}
	return 0
}

// gate is the line of a gate, of so many: its table's, or that of the list.
func (l fileLines) gate(i, of int) int {
	var tables []int
	for _, one := range l {
		if slices.Equal(one.Path, []string{"gates"}) {
			tables = append(tables, one.Line)
		}
	}
	if len(tables) == of {
		return tables[i]
	}
	return l.of("gates")
}

// below are the next parts of the keys below a path, in order.
func (l fileLines) below(path ...string) (names []string) {
	for _, one := range l {
		if len(one.Path) > len(path) && slices.Equal(one.Path[:len(path)], path) &&
			!slices.Contains(names, one.Path[len(path)]) {
			names = append(names, one.Path[len(path)])
		}
	}
	return names
}

// unknown reports the keys that are not of a batch file, and whether one of them is decisive.
func (l fileLines) unknown(wrong func(int, string, ...any)) (some bool) {
	tables := map[string]reflect.Type{"budget": reflect.TypeFor[Budget](), "compare": reflect.TypeFor[Compare](),
		"gates": reflect.TypeFor[Gate]()}
	for _, one := range l {
		allowed := keysOf(reflect.TypeFor[fileTOML](), one.Path[:1])
		if len(one.Path) > 1 && allowed == nil {
			allowed = keysOf(tables[one.Path[0]], one.Path[1:2])
		}
		if len(one.Path) > 2 && one.Path[0] == "metrics" {
			allowed = keysOf(reflect.TypeFor[Metric](), one.Path[2:3])
		}
		if allowed != nil {
			wrong(one.Line, "unknown key %s; allowed: %s", strings.Join(one.Path, "."), strings.Join(allowed, ", "))
			some = some || decisive(one.Path)
		}
	}
	return some
}

// decisive says that comparison and gates cannot be checked if a key is wrong.
func decisive(key []string) bool {
	return len(key) > 1 && key[0] != "budget" && key[0] != "settings"
}

// settings are those of a table, in the order of the file.
func (l fileLines) settings(path []string, tables map[string]map[string]any,
	wrong func(int, string, ...any)) (list []Setting) {
	for _, table := range l.below(path...) {
		if table == WorldTable {
			list = append(list, l.fields(append(slices.Clone(path), table), WorldTable, tables[table])...)
			continue
		}
		for _, key := range l.below(append(slices.Clone(path), table)...) {
			line := l.of(append(slices.Clone(path), table, key)...)
			var text string
			switch v := tables[table][key].(type) {
			case string:
				text = strings.TrimSpace(v)
			case int64:
				text = strconv.FormatInt(v, 10)
			case float64:
				text = strconv.FormatFloat(v, 'g', -1, 64)
			case bool:
				text = strconv.FormatBool(v)
			default:
				wrong(line, "%s.%s: the value has the wrong type; allowed: a text in quotes, a number, true or false", table, key)
				continue
			}
			list = append(list, Setting{table + "." + key, text, line})
		}
	}
	return list
}

// fields are those of the scenario in a table and the tables below it.
func (l fileLines) fields(path []string, name string, table map[string]any) (list []Setting) {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		at, full := append(slices.Clone(path), key), name+"."+key
		if below, ok := table[key].(map[string]any); ok {
			list = append(list, l.fields(at, full, below)...)
			continue
		}
		list = append(list, Setting{full, string(llmclient.Marshal(table[key])), l.of(at...)})
	}
	return list
}
