package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// SuiteMark says which suite a batch plays, and which frozen form of it.
type SuiteMark struct {
	// Name is the name of the suite.
	Name string `json:"name"`
	// Hash is that of worlds, seeds, rules and settings: 16 hexadecimal digits. Batches with another one have
	// played something else, whatever their names are.
	Hash string `json:"hash"`
}

// String is the mark for people.
func (m SuiteMark) String() string { return fmt.Sprintf("suite %s, hash %s", m.Name, m.Hash) }

// ofPlayer are the settings by which players of a suite may differ: which model it is, how it is reached and
// asked, what its prompts say, or which seat plays. They are no part of a suite's hash.
var ofPlayer = []string{
	"model", "model_source", "base_url", "agent_models", "seats", "seat_timeout_ms", "timeout_ms",
	"decision_deadline_ms", "context_window_tokens", "max_output_tokens", "reasoning_effort", "service_tier",
	"temperature", "top_p", "extra_body", "sampling", "prices", "estimate", "max_degraded_pct",
	"system_prompt", "short_term_goal", "long_term_goal", "prompt_profile", "language", "words", "prompt_switches",
	"playbook", "playbook_bullets", "playbook_size",
}

// ofInstance are the settings that follow from the instance.
var ofInstance = []string{"scenario", "scenario_toml", "ticks", "seed", "scripted_seed", "fault_seed"}

// setting is the name and the value of a setting, as records have them.
type setting struct {
	Name  string
	Value string
}

// settingsBut are all settings but some, by their names in records.
func settingsBut(s trace.Settings, but ...[]string) (list []setting) {
	v := reflect.ValueOf(s)
	left := slices.Concat(but...)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if slices.Contains(left, name) {
			continue
		}
		value := string(llmclient.Marshal(v.Field(i).Interface()))
		if v.Field(i).Kind() == reflect.String && v.Field(i).IsZero() {
			value = `""` // also of a number as text
		}
		list = append(list, setting{name, value})
	}
	return list
}

// differingSettings names the settings that are not the same in two lists of the same settings, as "NAME is X, not Y".
func differingSettings(have, want []setting) (list []string) {
	for i, one := range have {
		if one != want[i] {
			list = append(list, fmt.Sprintf("%s is %s, not %s", one.Name, oneValue(one.Value), oneValue(want[i].Value)))
		}
	}
	return list
}

// oneValue is a value of a setting for people.
func oneValue(v string) string {
	if v == "null" || v == `""` {
		return "unset"
	}
	return one(v)
}

// Unfrozen names what settings have otherwise than a suite has it: everybody plays it under the same ones. It
// is empty for a player of the suite.
func Unfrozen(s trace.Settings) []string {
	return differingSettings(settingsBut(s, ofPlayer, ofInstance),
		settingsBut(trace.DefaultSettings(), ofPlayer, ofInstance))
}

// Mixed names the settings by which two runs of one player differ, beside what follows from their instances.
func Mixed(a, b trace.Settings) []string {
	return differingSettings(settingsBut(a, ofInstance), settingsBut(b, ofInstance))
}

// WorldHash is the hash of what a scenario makes its worlds of: not of titles, comments and translations.
func WorldHash(s world.Scenario) string {
	s.Aliases = nil
	s.Name = ""
	s.Text = ""
	s.Seed = 0
	s.Texts = nil
	sum := sha256.Sum256(llmclient.Marshal(s))
	return hex.EncodeToString(sum[:8])
}

// MarkOf is the mark of a suite as this program plays it.
func MarkOf(s scenario.Suite) *SuiteMark {
	var worlds []string
	for _, task := range s.Tasks {
		worlds = append(worlds, WorldHash(s.World(task)))
	}
	return markOf(s, worlds, world.RulesVersion, trace.DefaultSettings())
}

// markOf is the mark of a suite with the worlds of its tasks, a version of the rules, and settings.
func markOf(suite scenario.Suite, worlds []string, rules string, s trace.Settings) *SuiteMark {
	sum := sha256.Sum256(llmclient.Marshal(struct {
		Worlds   []string
		Seeds    []uint64
		Rules    string
		Settings []setting
	}{worlds, suite.Seeds, rules, settingsBut(s, ofPlayer, ofInstance)}))
	return &SuiteMark{suite.Name, hex.EncodeToString(sum[:8])}
}

// mark is the mark of what was played of a suite in a directory, by the first run of each task. A task without
// a run has the world of this program.
func (d Dir) mark(suite scenario.Suite, results []Result) (*SuiteMark, error) {
	worlds := make([]string, len(suite.Tasks))
	played := trace.DefaultSettings()
	rules := world.RulesVersion
	for _, c := range results {
		i := slices.Index(suite.Tasks, c.Scenario)
		if i < 0 || worlds[i] != "" || !c.Scored() {
			continue
		}
		h, err := run.Dir(d.Run(c.ID, c.Attempt)).Header()
		if err != nil {
			continue // another run may tell
		}
		s := h.Settings
		w, err := scenario.Parse(s.Scenario, []byte(s.ScenarioTOML))
		if err != nil {
			return nil, fmt.Errorf("read the world of cell %s: %w", c.ID, err)
		}
		played = s
		worlds[i] = WorldHash(w)
	}
	for i, task := range suite.Tasks {
		if worlds[i] == "" {
			worlds[i] = WorldHash(suite.World(task))
		}
	}
	if len(results) > 0 {
		rules = results[0].Versions.Rules
	}
	return markOf(suite, worlds, rules, played), nil
}

// MarkdownTable is a table for a page, empty without rows. Its texts make no markup.
func MarkdownTable(t plaintext.Table) string {
	var b strings.Builder
	writeMarkdown(&b, t)
	return b.String()
}
