package cli

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/trace"
)

// envPrefix starts the environment variables that belong to this program. The variables
// of OpenAI's own tools come after ours, so that a machine set up for those works here,
// and a key of its own can still be given to this program.
const envPrefix = "AGENT_WORLD_LLM_"

// capMax bounds a cap. It keeps a slip of the keyboard from passing for one.
const capMax = 1_000_000_000_000

// settingTable returns every setting of a run, in the order they are shown: the fields of
// config that have a tag cli.
//
// To add one, add its field to [trace.Settings], or to process when it changes nothing
// about how a run goes: the flag, the variables, the key of the file, the check of its
// range, its place in --help, "help settings" and --print-config all come from the tags.
// Rules, held by a test:
//
//  1. Flags, variables and keys are unique.
//  2. A row has a fallback or says in absent what holds without.
//  3. A fallback is itself a valid value.
//  4. A secret has no flag: command lines are visible to other users.
func settingTable() settings { return slices.Clone(settingsOnce()) }

// settingsOnce reads the tags, which takes a millisecond, once.
var settingsOnce = sync.OnceValue(func() settings {
	var all settings
	for _, f := range reflect.VisibleFields(reflect.TypeFor[config]()) {
		if f.Type == reflect.TypeFor[trace.Caps]() {
			all = append(all, capSettings()...)
		}
		places := strings.Fields(f.Tag.Get("cli"))
		if len(places) == 0 {
			continue
		}
		s := setting{
			flag: strings.TrimPrefix(places[0], "-"), key: places[1], env: places[2:], shapes: f.Index[0] == 0,
			fallback: f.Tag.Get("default"), absent: f.Tag.Get("absent"), choices: strings.Fields(f.Tag.Get("choices")),
			doc:  f.Tag.Get("doc"),
			into: func(c *config) any { return reflect.ValueOf(c).Elem().FieldByIndex(f.Index).Addr().Interface() },
		}
		for i, name := range s.env {
			if !strings.HasPrefix(name, "OPENAI_") {
				s.env[i] = envPrefix + name
			}
		}
		s.kind = cmp.Or(kind(f.Tag.Get("kind")), kindOfType[f.Type])
		if len(s.choices) > 0 {
			s.kind = kindChoice
		}
		s.min, _ = strconv.ParseInt(f.Tag.Get("min"), 10, 64)
		s.max, _ = strconv.ParseInt(f.Tag.Get("max"), 10, 64)
		s.removable = s.absent == noneText || s.kind == kindNumber && s.shapes || s.key == "llm.max_output_tokens"
		switch {
		case s.key == "llm.scripted_mode":
			s.kind, s.choices = kindChoice, stub.Modes()
		case s.kind == kindAgents || s.kind == kindGates:
			s.separator = " "
		case s.kind == kindChecks:
			s.separator = ","
		case s.kind == kindMillis && s.fallback != "":
			// As people write it: 180s, 500ms.
			if whole, ok := strings.CutSuffix(s.fallback, "000"); ok {
				s.fallback = whole + "s"
			} else {
				s.fallback += "ms"
			}
		}
		at := len(all)
		if after := f.Tag.Get("after"); after != "" {
			at = 1 + slices.IndexFunc(all, func(s setting) bool { return s.key == after })
		}
		all = slices.Insert(all, at, s)
	}
	return all
})

// kindOfType is the kind of a field whose tag names none.
var kindOfType = map[reflect.Type]kind{
	reflect.TypeFor[string]():             kindText,
	reflect.TypeFor[openai.Secret]():      kindSecret,
	reflect.TypeFor[[]trace.AgentModel](): kindAgents,
	reflect.TypeFor[[]string]():           kindChecks,
	reflect.TypeFor[json.Number]():        kindNumber,
	reflect.TypeFor[json.RawMessage]():    kindJSON,
	reflect.TypeFor[bool]():               kindSwitch,
	reflect.TypeFor[uint64]():             kindSeed,
	reflect.TypeFor[int]():                kindCount,
	reflect.TypeFor[int64]():              kindCount,
}

// capSettings bound what a run may spend: each unit of [trace.Limit] at each place of
// [trace.Caps].
func capSettings() settings {
	var all settings
	for place, at := range [][2]string{{"", "the whole run"}, {"agent_", "each agent over the run"},
		{"tick_", "each tick"}} {
		for unit, of := range [][2]string{{"calls", "model calls"}, {"tokens", "tokens, input and output"},
			{"cost", "money spent on tokens"}} {
			s := setting{key: "llm.cap_" + at[0] + of[0], kind: kindCount, absent: "none", min: 1, max: capMax, removable: true,
				shapes: true,
				doc:    "most " + of[1] + ", of " + at[1],
				into: func(c *config) any {
					return reflect.ValueOf(&c.Caps).Elem().Field(place).Field(unit).Addr().Interface()
				}}
			s.flag, s.env = strings.ReplaceAll(s.name(), "_", "-"), []string{envPrefix + strings.ToUpper(s.name())}
			if of[0] == "cost" {
				s.kind = kindMoney
			}
			all = append(all, s)
		}
	}
	return all
}
