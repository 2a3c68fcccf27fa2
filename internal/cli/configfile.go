package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// configName is the configuration file looked for in the working directory.
const configName = "config.toml"

// agentsTable is the table that holds a table for each agent with a model of its own.
// It is the only one whose keys are not known beforehand.
const agentsTable = "agents"

// configBytesMax bounds a configuration file.
const configBytesMax = 1 << 20

// configFile holds the settings a configuration file sets. The file is TOML with
// two tables for the run, whose keys are the last parts of the settings' keys:
//
//	[llm]
//	model = "gpt-5"
//	timeout_ms = 30000
//
//	[run]
//	scenario = "llm_bootstrap"
//	ticks = 30
//
// and a table for each agent with a model of its own; see parseAgentModels.
//
// Unknown tables and keys are errors: a misspelt key that is passed over would
// make a run other than the user asked for.
type configFile struct {
	// name is the path as the user knows it.
	name string
	// entries are by key, "table.key".
	entries map[string]entry
}

// entry is one value of the file as text, and the line of its key.
type entry struct {
	text string
	line int
}

// loadConfigFile reads the file the user named, or config.toml in the working
// directory where there is one. Given by name, the file must exist.
func (m *Main) loadConfigFile(named string, all settings) (configFile, error) {
	name := named
	if name == "" {
		name = configName
	}
	data, err := readBounded(m.path(name), configBytesMax)
	if errors.Is(err, fs.ErrNotExist) && named == "" {
		return configFile{}, nil
	}
	if err != nil {
		return configFile{}, badInput("configuration file %s cannot be read: %v; allowed: a readable TOML file with the tables [llm] and [run]", name, cause(err))
	}
	return parseConfigFile(name, data, all)
}

// parseConfigFile reads a configuration file and refuses what is not a setting.
// Blank texts count as unset.
//
// The types are checked here, where the file's line is known; the ranges are
// checked by newConfig, together with those of all other sources. Errors are bad
// input, name file and line, and never repeat a value, which may be a key.
func parseConfigFile(name string, data []byte, all settings) (configFile, error) {
	var document map[string]any
	if err := toml.Unmarshal(data, &document); err != nil {
		// The decoder's longer form, which quotes the document, is not used: the line at
		// fault may be the one with the key.
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, column := d.Position()
			return configFile{}, badInput("%s:%d:%d: %s", name, row, column, oneLine(strings.TrimPrefix(d.Error(), "toml: ")))
		}
		return configFile{}, badInput("%s: %s", name, oneLine(err.Error()))
	}
	file := configFile{name, map[string]entry{}}
	for _, key := range keyLines(data) {
		if strings.HasPrefix(key.path, agentsTable+".") {
			continue // they make one value; see agentEntry
		}
		s, ok := all.byKey(key.path)
		if !ok || s.kind == kindAgents {
			// The keys of the table the user wrote in are listed, or of both where there is no
			// such table.
			table, rest, nested := strings.Cut(key.path, ".")
			if allowed := all.keys(table); nested && len(allowed) > 0 {
				return configFile{}, badInput("%s:%d: unknown key %s in [%s]; allowed: %s", name, key.line, shown(rest), table, strings.Join(allowed, ", "))
			}
			return configFile{}, badInput("%s:%d: unknown table or top-level key %s; allowed: [llm] with %s; [run] with %s; [%s.\"ID\"] with %s", name, key.line,
				shown(table), strings.Join(all.keys("llm"), ", "), strings.Join(all.keys("run"), ", "), agentsTable, strings.Join(agentKeys, ", "))
		}
		// A quoted key that holds a dot is not found, which is right: no setting has one.
		var v any = document
		for part := range strings.SplitSeq(key.path, ".") {
			table, _ := v.(map[string]any)
			v = table[part]
		}
		text, err := fileText(s, v)
		if err != nil {
			return configFile{}, badInput("%s:%d: %s: %v", name, key.line, key.path, err)
		}
		file.entries[key.path] = entry{strings.TrimSpace(text), key.line}
	}
	agents, err := agentEntry(name, document, keyLines(data))
	if err != nil {
		return configFile{}, err
	}
	if agents.text != "" {
		file.entries[agentsTable] = agents
	}
	return file, nil
}

// source makes the file's settings available to resolve.
func (f configFile) source() source {
	return func(s setting) (value, bool) {
		e, ok := f.entries[s.key]
		at := fmt.Sprintf("%s:%d", f.name, e.line)
		return value{s, e.text, origin{fromFile, at}}, ok && e.text != ""
	}
}

// fileText returns a file's value as the text a flag would have. The type must
// fit the setting, so that a forgotten pair of quotes is found here.
func fileText(s setting, v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case int64:
		if slices.Contains([]kind{kindCount, kindSeed, kindMillis, kindMoney}, s.kind) {
			return strconv.FormatInt(v, 10), nil
		}
	case bool:
		if s.kind == kindSwitch {
			return strconv.FormatBool(v), nil
		}
	}
	return "", fmt.Errorf("the value has the wrong type; allowed: %s", cmp.Or(kindWords[s.kind].file, "a text in quotes"))
}

// keyLine is a key of the document, dotted from the top, and the line it stands
// on, counted from 1.
type keyLine struct {
	path string
	line int
}

// keyLines lists the keys of a valid TOML document that hold a value, in order,
// and the tables that hold no settings.
// The decoder gives positions only with its errors, so the lines come from a walk
// of the syntax.
func keyLines(data []byte) []keyLine {
	p := &unstable.Parser{}
	p.Reset(data)
	var keys []keyLine
	table := ""
	for p.NextExpression() {
		node := p.Expression()
		path, line := keyOf(p, node)
		switch node.Kind {
		case unstable.Table:
			table = path
			if path != "llm" && path != "run" && path != agentsTable && !strings.HasPrefix(path, agentsTable+".") {
				// An empty table of another name would go unnoticed.
				keys = append(keys, keyLine{path, line})
			}
		case unstable.ArrayTable:
			keys = append(keys, keyLine{path, line})
		case unstable.KeyValue:
			keys = append(keys, valueLines(p, node, joinKey(table, path), line)...)
		}
	}
	return keys
}

// valueLines is the key of a plain value, or the keys inside an inline table,
// which all count as standing on the table's line.
func valueLines(p *unstable.Parser, node *unstable.Node, path string, line int) []keyLine {
	if node.Value().Kind != unstable.InlineTable {
		return []keyLine{{path, line}}
	}
	var keys []keyLine
	for it := node.Value().Children(); it.Next(); {
		inner, _ := keyOf(p, it.Node())
		keys = append(keys, valueLines(p, it.Node(), joinKey(path, inner), line)...)
	}
	return keys
}

// keyOf returns the dotted key of a table or of a key with its value, and the line
// of the key's first part.
func keyOf(p *unstable.Parser, node *unstable.Node) (path string, line int) {
	for it := node.Key(); it.Next(); {
		if path == "" {
			line = p.Shape(it.Node().Raw).Start.Line
		}
		path = joinKey(path, string(it.Node().Data))
	}
	return path, line
}

// joinKey returns the path of a key within a table; table is empty at the top.
func joinKey(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}
