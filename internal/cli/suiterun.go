package cli

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// playerSettings are the settings that "batch run SUITE" takes as flags: who plays, and how a model is asked.
var playerSettings = []string{
	"llm.model", "llm.base_url", "run.seats", "llm.reasoning_effort", "llm.temperature", "llm.top_p",
	"llm.max_output_tokens", "llm.context_window", "llm.service_tier", "llm.prompt_profile", "llm.prompt_language",
}

// addPlayerFlags gives a command the flags of [playerSettings].
func addPlayerFlags(flags *pflag.FlagSet) {
	addFlags(flags, slices.DeleteFunc(settingTable(), func(s settings.Setting) bool {
		return !slices.Contains(playerSettings, s.Key)
	}))
}

// batchText is the text of a batch file: that of the file, or for the name of a suite one of the suite with what
// the flags set. A file goes before a suite of the same name.
func batchText(m *Main, name string, flags *pflag.FlagSet, repeats int) (text []byte, err error) {
	given, err := givenFlags(flags)
	if err != nil {
		return nil, err
	}
	switch {
	case isSuite(m, name):
		m.fromEnvironment(given)
		return suiteText(name, given, repeats), nil
	case len(given) > 0 || repeats != 0:
		return nil, badInput("flags of a player and --repeats are for suites; a batch file has them as [settings.llm] or "+
			"[settings.run] and repeats, and %s is no suite; allowed: %s", shown(name), strings.Join(suiteNames(), ", "))
	}
	text, err = run.ReadRegular(m.path(name), 1<<20)
	if err != nil {
		return nil, badInput("the batch file %s cannot be read: %w; allowed: a readable TOML file, or %s", shown(name),
			cause(err), strings.Join(suiteNames(), ", "))
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), nil
}

// isSuite says that a name is that of a suite, and not of a file.
func isSuite(m *Main, name string) bool {
	_, known := scenario.SuiteNamed(name)
	if !known {
		return false
	}
	_, err := os.Stat(m.path(name))
	return os.IsNotExist(err)
}

// fromEnvironment adds what the environment says of a player, so that the file of the batch says it.
func (m *Main) fromEnvironment(given map[string]string) {
	source := settings.Environment(m.LookupEnv)
	for _, s := range settingTable() {
		if _, known := given[s.Flag]; known || !slices.Contains(playerSettings, s.Key) {
			continue
		}
		if v, ok := source(s); ok {
			given[s.Flag] = v.Text
		}
	}
}

// suiteNames are the names of all suites.
func suiteNames() (names []string) {
	for _, s := range scenario.Suites() {
		names = append(names, s.Name)
	}
	return names
}

// suiteText is the batch file of a suite with settings by their flags.
func suiteText(suite string, given map[string]string, repeats int) []byte {
	player := "embedded"
	var text strings.Builder
	tables := map[string][]string{}
	for _, s := range settingTable() {
		value, ok := given[s.Flag]
		if !ok || s.Flag == "" {
			continue
		}
		table, key, _ := strings.Cut(s.Key, ".")
		tables[table] = append(tables[table], fmt.Sprintf("%s = %s\n", key, llmclient.Marshal(strings.TrimSpace(value))))
		switch s.Key {
		case "llm.model":
			player = path.Base(value)
		case "run.seats":
			_, player, _ = strings.Cut(value, "=")
		}
	}
	name := fileSafe(suite + "-" + player)
	text.WriteString(fmt.Sprintf("name = %s\nsuite = %s\n", llmclient.Marshal(name[:min(len(name), 64)]),
		llmclient.Marshal(suite)))
	if repeats > 0 {
		text.WriteString(fmt.Sprintf("repeats = %d\n", repeats))
	}
	for _, table := range []string{"llm", "run"} {
		if len(tables[table]) > 0 {
			text.WriteString(fmt.Sprintf("\n[settings.%s]\n%s", table, strings.Join(tables[table], "")))
		}
	}
	return []byte(text.String())
}

// fileSafe is a name with hyphens in place of what names of batches have not.
func fileSafe(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", r) {
			return r
		}
		return '-'
	}, name)
}

// notOfSuite says which settings of a cell a suite does not allow, as a problem of its file; empty for a cell of
// no suite.
func notOfSuite(place string, mark *batch.SuiteMark, s trace.Settings) string {
	if mark == nil {
		return ""
	}
	differ := batch.Unfrozen(s)
	if len(differ) == 0 {
		return ""
	}
	return fmt.Sprintf("%sthe suite %s is played under the settings that it was frozen with: %s; allowed: settings of "+
		"the model, its prompts and seats; settings come from the environment and config.toml, too", place, mark.Name,
		strings.Join(differ, ", "))
}

// expected says what the cells of a batch that asks a live model are expected to take, by the first
// prompts of one cell of each scenario and arm.
func (b *plannedBatch) expected() (string, error) {
	type kind struct{ scenario, arm string }
	expected := map[kind]trace.Usage{}
	var all trace.Usage
	for _, c := range b.planned.Cells {
		k := kind{c.Scenario, c.Arm()}
		of, known := expected[k]
		if !known {
			var err error
			of, err = b.expect(c)
			if err != nil {
				return "", err
			}
			expected[k] = of
		}
		all.Calls += of.Calls
		all.InputTokens += of.InputTokens
		all.OutputTokens += of.OutputTokens
		all.Cost += of.Cost
	}
	cost := "cost unknown, as a model has no price"
	switch {
	case !b.live:
		cost = "free, as no model of a provider is asked"
	case b.currency != "":
		cost = fmt.Sprintf("%s %s without discounts for cached input", all.Cost, b.currency)
	}
	return fmt.Sprintf("expected: %s for %s, by the first prompts; %s\n", takes(all),
		plaintext.Count(len(b.planned.Cells), "cell"), cost), nil
}
