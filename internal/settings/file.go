package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
)

// AgentsTable is the table that holds a table for each agent with a model of its own.
// It is the only one whose keys are not known beforehand.
const AgentsTable = "agents"

// FileLimits bound a configuration file.
var FileLimits = document.Limits{Bytes: 1 << 20, Values: 20_000}

// File holds the settings a configuration file sets. The file is TOML with
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
// and a table for each agent with a model of its own; see [ParseAgentModels]. Settings of [llm] may
// also stand at the top, under their keys or variables.
//
// Unknown tables and keys are errors: a misspelt key that is passed over would
// make a run other than the user asked for.
type File struct {
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

// ParseFile reads a configuration file and refuses what is not a setting.
// Blank texts count as unset.
//
// The types are checked here, where the file's line is known; the ranges are
// checked by [New], together with those of all other sources. The error joins one for each
// problem. Each names file and line, and never repeats a value, which may be a key.
func ParseFile(name string, data []byte, all Table) (File, error) {
	if err := document.CheckTOML(data, FileLimits); err != nil {
		bad, _ := errors.AsType[*document.Error](err)
		return File{}, fmt.Errorf("%s:%d: %s", name, bad.Line, bad.Problem)
	}
	var anything any
	if err := toml.Unmarshal(data, &anything); err != nil {
		// The decoder's longer form, which quotes the document, is not used: the line at
		// fault may be the one with the key.
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, column := d.Position()
			return File{}, fmt.Errorf("%s:%d:%d: %s", name, row, column, strings.TrimPrefix(d.Error(), "toml: "))
		}
		return File{}, fmt.Errorf("%s: %s", name, err.Error())
	}
	file := File{name, map[string]entry{}}
	var agents []fileKey
	var wrong []error
	said := false // what is allowed at the top, which is long
	refuse := func(key fileKey, format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%s:%d: %s", name, key.line, fmt.Sprintf(format, args...)))
	}
	for _, key := range fileKeys(data) {
		key.parts = all.inTable(key.parts)
		table := key.parts[0]
		rest := strings.Join(key.parts[1:], ".")
		path := strings.Join(key.parts, ".")
		if table == AgentsTable && rest != "" {
			agents = append(agents, key)
			continue
		}
		s, ok := all.ByKey(path)
		if !ok || s.Kind == KindAgents || len(key.parts) != 2 {
			// The keys of the table the user wrote in are listed, or of both where there is no
			// such table.
			if allowed := all.Keys(table); rest != "" && len(allowed) > 0 {
				refuse(key, "unknown key %s in [%s]; %sallowed: %s", openai.Quoted(rest), table, DidYouMean(rest, allowed),
					strings.Join(allowed, ", "))
				continue
			}
			mean := ""
			if inRun, ok := all.ByKey("run." + table); ok && rest == "" && key.kind != unstable.Invalid {
				mean = fmt.Sprintf("; did you mean %s in [run]?", strings.TrimPrefix(inRun.Key, "run."))
			}
			if said || mean != "" {
				refuse(key, "unknown table or top-level key %s%s", openai.Quoted(table), mean)
				continue
			}
			said = true
			refuse(key, "unknown table or top-level key %s; allowed: [llm] with %s; [run] with %s; [%s.\"ID\"] with %s",
				openai.Quoted(table), strings.Join(all.Keys("llm"), ", "), strings.Join(all.Keys("run"), ", "), AgentsTable,
				strings.Join(AgentKeys, ", "))
			continue
		}
		// The type must fit the setting, so that a forgotten pair of quotes is found here.
		number := key.kind == unstable.Integer &&
			slices.Contains([]Kind{KindCount, KindSeed, KindMillis, KindMoney, KindNumber}, s.Kind) ||
			key.kind == unstable.Float && s.Kind == KindNumber
		if key.kind != unstable.String && !number && !(key.kind == unstable.Bool && s.Kind == KindSwitch) {
			refuse(key, "%s: the value has the wrong type; allowed: %s", path,
				cmp.Or(kindWords[s.Kind].file, "a text in quotes"))
			continue
		}
		if held, twice := file.entries[path]; twice {
			refuse(key, "%s is set in line %d, too; allowed: once", path, held.line)
			continue
		}
		file.entries[path] = entry{key.text, key.line}
	}
	if len(agents) > 0 {
		text, err := agentsText(name, agents)
		if err != nil {
			wrong = append(wrong, err)
		}
		file.entries[AgentsTable] = entry{text, agents[0].line}
	}
	return file, errors.Join(wrong...)
}

// inTable is the path of a setting that stands outside of all tables, under the name of its
// variable or its key in [llm], as older files have it; other paths stay as they are.
func (all Table) inTable(path []string) []string {
	if len(path) != 1 {
		return path
	}
	for _, s := range all {
		if table, key, _ := strings.Cut(s.Key, "."); s.Kind != KindAgents &&
			(slices.Contains(s.Env, path[0]) || table == "llm" && key == path[0]) {
			return []string{table, key}
		}
	}
	return path
}

// Source makes the file's settings available to resolve.
func (f File) Source() Source {
	return func(s Setting) (Value, bool) {
		e, ok := f.entries[s.Key]
		at := fmt.Sprintf("%s:%d", f.name, e.line)
		return Value{s, e.text, Origin{FromFile, at}}, ok && e.text != ""
	}
}

// agentsText makes one text of the tables of agents, in the order of the file. The text
// reads back as the same models, or it would be refused here, where the line is known.
func agentsText(name string, keys []fileKey) (string, error) {
	var all []trace.AgentModel
	var lines []int
	for _, key := range keys {
		path := strings.Join(key.parts[1:], ".")
		agent, field := key.parts[1], key.parts[len(key.parts)-1]
		at := slices.IndexFunc(all, func(a trace.AgentModel) bool { return a.Agent == agent })
		if at < 0 {
			at = len(all)
			all = append(all, trace.AgentModel{Agent: agent})
			lines = append(lines, key.line)
		}
		a := &all[at]
		into := map[string]*string{"model": &a.Model, "base_url": &a.BaseURL, "key_env": &a.KeyEnv}[field]
		if into == nil || len(key.parts) != 3 {
			return "", fmt.Errorf("%s:%d: unknown key %s in [%s]; allowed: [%s.\"ID\"] with %s; a key is given by the name of "+
				"the variable that holds it",
				name, key.line, openai.Quoted(path), AgentsTable, AgentsTable, strings.Join(AgentKeys, ", "))
		}
		if key.kind != unstable.String || key.text == "" || strings.ContainsAny(agent+key.text, " \t\r\n=") &&
			field != "base_url" {
			return "", fmt.Errorf("%s:%d: %s.%s: the value has the wrong type; allowed: a text in quotes without spaces", name,
				key.line, AgentsTable, path)
		}
		*into = key.text
	}
	for i, a := range all {
		if a.BaseURL != "" {
			if _, err := openai.ParseBaseURL(a.BaseURL); err != nil {
				return "", fmt.Errorf("%s:%d: agent %s: %w", name, lines[i], openai.Quoted(a.Agent), err)
			}
		}
		b, err := parseAgentModel(AgentModelsText([]trace.AgentModel{a}))
		if err != nil {
			return "", fmt.Errorf("%s:%d: %w", name, lines[i], err)
		}
		if b != a {
			return "", fmt.Errorf("%s:%d: agent %s: the model or its endpoint holds what belongs elsewhere; allowed: a plain "+
				"name of a model and a URL",
				name, lines[i], openai.Quoted(a.Agent))
		}
	}
	return AgentModelsText(all), nil
}

// fileKey is a key of the document with its value, or a table that holds no settings,
// which has none.
type fileKey struct {
	// parts are the path from the top, line is the line of the key, counted from 1.
	parts []string
	line  int
	// kind is the value's, text what a flag would have for it.
	kind unstable.Kind
	text string
}

// fileKeys lists the keys of a valid TOML document in order. The decoder gives positions
// only with its errors, so that the syntax is walked.
func fileKeys(data []byte) []fileKey {
	p := &unstable.Parser{}
	p.Reset(data)
	var keys []fileKey
	line, counted := 1, 0 // keys come in order, and each is looked for from the last one on
	// add adds a key, or the keys inside an inline table, which all count as standing on the
	// table's line.
	var add func(node *unstable.Node, key fileKey)
	add = func(node *unstable.Node, key fileKey) {
		key.parts = slices.Clone(key.parts)
		for it := node.Key(); it.Next(); {
			if key.line == 0 {
				at := int(it.Node().Raw.Offset)
				line, counted = line+bytes.Count(data[counted:at], []byte("\n")), at
				key.line = line
			}
			key.parts = append(key.parts, string(it.Node().Data))
		}
		if node.Kind == unstable.KeyValue {
			value := node.Value()
			if value.Kind == unstable.InlineTable {
				for it := value.Children(); it.Next(); {
					add(it.Node(), key)
				}
				return
			}
			key.kind, key.text = value.Kind, strings.TrimSpace(string(value.Data))
			if n, err := strconv.ParseInt(key.text, 0, 64); err == nil && value.Kind == unstable.Integer {
				key.text = strconv.FormatInt(n, 10)
			}
		}
		keys = append(keys, key)
	}
	var table []string
	for p.NextExpression() {
		node := p.Expression()
		if node.Kind == unstable.KeyValue {
			add(node, fileKey{parts: table})
			continue
		}
		at := len(keys)
		add(node, fileKey{})
		if node.Kind == unstable.Table {
			// An empty table of another name would go unnoticed.
			table = keys[at].parts
			if table[0] == AgentsTable || len(table) == 1 && (table[0] == "llm" || table[0] == "run") {
				keys = keys[:at]
			}
		}
	}
	return keys
}
