package settings

import (
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
	var agents []document.Key
	var wrong []error
	said := false // what is allowed at the top, which is long
	refuse := func(key document.Key, format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%s:%d: %s", name, key.Line, fmt.Sprintf(format, args...)))
	}
	for _, key := range fileKeys(data) {
		key.Path = all.inTable(key.Path)
		table := key.Path[0]
		rest := strings.Join(key.Path[1:], ".")
		path := strings.Join(key.Path, ".")
		if table == AgentsTable && rest != "" {
			agents = append(agents, key)
			continue
		}
		s, ok := all.ByKey(path)
		if !ok || s.Kind == KindAgents || len(key.Path) != 2 {
			// The keys of the table the user wrote in are listed, or of both where there is no
			// such table.
			if allowed := all.Keys(table); rest != "" && len(allowed) > 0 {
				refuse(key, "unknown key %s in [%s]; %sallowed: %s", openai.Quoted(rest), table, DidYouMean(rest, allowed),
					strings.Join(allowed, ", "))
				continue
			}
			mean := ""
			if inRun, ok := all.ByKey("run." + table); ok && rest == "" &&
				!slices.Contains([]unstable.Kind{unstable.Table, unstable.ArrayTable}, key.Kind) {
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
		number := key.Kind == unstable.Integer &&
			slices.Contains([]Kind{KindCount, KindSeed, KindMillis, KindMoney, KindNumber}, s.Kind) ||
			key.Kind == unstable.Float && s.Kind == KindNumber
		if key.Kind != unstable.String && !number && !(key.Kind == unstable.Bool && s.Kind == KindSwitch) {
			refuse(key, "%s: the value has the wrong type; allowed: %s", path,
				cmp.Or(kindWords[s.Kind].file, "a text in quotes"))
			continue
		}
		if held, twice := file.entries[path]; twice {
			refuse(key, "%s is set in line %d, too; allowed: once", path, held.line)
			continue
		}
		file.entries[path] = entry{key.Text, key.Line}
	}
	if len(agents) > 0 {
		text, err := agentsText(name, agents)
		if err != nil {
			wrong = append(wrong, err)
		}
		file.entries[AgentsTable] = entry{text, agents[0].Line}
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
func agentsText(name string, keys []document.Key) (string, error) {
	var all []trace.AgentModel
	var lines []int
	for _, key := range keys {
		path := strings.Join(key.Path[1:], ".")
		agent, field := key.Path[1], key.Path[len(key.Path)-1]
		at := slices.IndexFunc(all, func(a trace.AgentModel) bool { return a.Agent == agent })
		if at < 0 {
			at = len(all)
			all = append(all, trace.AgentModel{Agent: agent})
			lines = append(lines, key.Line)
		}
		a := &all[at]
		into := map[string]*string{"model": &a.Model, "base_url": &a.BaseURL, "key_env": &a.KeyEnv}[field]
		if into == nil || len(key.Path) != 3 {
			return "", fmt.Errorf("%s:%d: unknown key %s in [%s]; allowed: [%s.\"ID\"] with %s; a key is given by the name of "+
				"the variable that holds it",
				name, key.Line, openai.Quoted(path), AgentsTable, AgentsTable, strings.Join(AgentKeys, ", "))
		}
		if key.Kind != unstable.String || key.Text == "" || strings.ContainsAny(agent+key.Text, " \t\r\n=") &&
			field != "base_url" {
			return "", fmt.Errorf("%s:%d: %s.%s: the value has the wrong type; allowed: a text in quotes without spaces", name,
				key.Line, AgentsTable, path)
		}
		*into = key.Text
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

// fileKeys lists the keys of a valid document that are or should be settings, in order. The header of a table
// without settings is one: an empty table of another name would go unnoticed.
func fileKeys(data []byte) (keys []document.Key) {
	for _, key := range document.Keys(data) {
		known := key.Path[0] == AgentsTable || len(key.Path) == 1 && (key.Path[0] == "llm" || key.Path[0] == "run")
		if key.Element || key.Kind == unstable.InlineTable || key.Kind == unstable.Table && known {
			continue
		}
		key.Text = strings.TrimSpace(key.Text)
		if n, err := strconv.ParseInt(key.Text, 0, 64); err == nil && key.Kind == unstable.Integer {
			key.Text = strconv.FormatInt(n, 10)
		}
		keys = append(keys, key)
	}
	return keys
}
