package settings

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

// EnvPrefix starts the environment variables that belong to this program. The variables
// of OpenAI's own tools come after ours, so that a machine set up for those works here,
// and a key of its own can still be given to this program.
const EnvPrefix = "AGENT_WORLD_LLM_"

// CapMax bounds a cap. It keeps a slip of the keyboard from passing for one.
const CapMax = 1_000_000_000_000

// Standard returns every setting of a run, in the order they are shown: the fields of
// [Config] that have a tag cli.
//
// To add one, add its field to [trace.Settings], or to [Process] when it changes nothing
// about how a run goes: the flag, the variables, the key of the file, the check of its
// range, its place in --help, "help settings" and --print-config all come from the tags.
// Rules, held by a test:
//
//  1. Flags, variables and keys are unique.
//  2. A row has a fallback or says in absent what holds without.
//  3. A fallback is itself a valid value.
//  4. A secret has no flag: command lines are visible to other users.
func Standard() Table { return slices.Clone(standardOnce()) }

// standardOnce reads the tags, which takes a millisecond, once.
var standardOnce = sync.OnceValue(func() Table {
	var all Table
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if f.Type == reflect.TypeFor[trace.Caps]() {
			all = append(all, Caps()...)
		}
		places := strings.Fields(f.Tag.Get("cli"))
		if len(places) == 0 {
			continue
		}
		s := Setting{
			Flag: strings.TrimPrefix(places[0], "-"), Key: places[1], Env: places[2:], Shapes: f.Index[0] == 0,
			Fallback: f.Tag.Get("default"), Absent: f.Tag.Get("absent"), Choices: strings.Fields(f.Tag.Get("choices")),
			Doc:  f.Tag.Get("doc"),
			Into: func(c *Config) any { return reflect.ValueOf(c).Elem().FieldByIndex(f.Index).Addr().Interface() },
		}
		for i, name := range s.Env {
			if !strings.HasPrefix(name, "OPENAI_") {
				s.Env[i] = EnvPrefix + name
			}
		}
		s.Kind = cmp.Or(Kind(f.Tag.Get("kind")), kindOfType[f.Type])
		if len(s.Choices) > 0 {
			s.Kind = KindChoice
		}
		s.Min, _ = strconv.ParseInt(f.Tag.Get("min"), 10, 64)
		s.Max, _ = strconv.ParseInt(f.Tag.Get("max"), 10, 64)
		s.Removable = s.Absent == None || s.Kind == KindNumber && s.Shapes || s.Key == "llm.max_output_tokens"
		switch {
		case s.Key == "llm.scripted_mode":
			s.Kind, s.Choices = KindChoice, stub.Modes()
		case s.Kind == KindAgents || s.Kind == KindGates || s.Kind == KindSeats:
			s.Separator = " "
		case s.Kind == KindChecks:
			s.Separator = ","
		case s.Kind == KindMillis && s.Fallback != "":
			// As people write it: 180s, 500ms.
			if whole, ok := strings.CutSuffix(s.Fallback, "000"); ok {
				s.Fallback = whole + "s"
			} else {
				s.Fallback += "ms"
			}
		}
		at := len(all)
		if after := f.Tag.Get("after"); after != "" {
			at = 1 + slices.IndexFunc(all, func(s Setting) bool { return s.Key == after })
		}
		all = slices.Insert(all, at, s)
	}
	return all
})

// kindOfType is the kind of a field whose tag names none.
var kindOfType = map[reflect.Type]Kind{
	reflect.TypeFor[string]():             KindText,
	reflect.TypeFor[openai.Secret]():      KindSecret,
	reflect.TypeFor[[]trace.AgentModel](): KindAgents,
	reflect.TypeFor[[]trace.AgentSeat]():  KindSeats,
	reflect.TypeFor[[]string]():           KindChecks,
	reflect.TypeFor[json.Number]():        KindNumber,
	reflect.TypeFor[json.RawMessage]():    KindJSON,
	reflect.TypeFor[bool]():               KindSwitch,
	reflect.TypeFor[uint64]():             KindSeed,
	reflect.TypeFor[int]():                KindCount,
	reflect.TypeFor[int64]():              KindCount,
}

// Caps bound what a run may spend: each unit of [trace.Limit] at each place of
// [trace.Caps].
func Caps() Table {
	var all Table
	for place, at := range [][2]string{{"", "the whole run"}, {"agent_", "each agent over the run"},
		{"tick_", "each tick"}} {
		for unit, of := range [][2]string{{"calls", "model calls"}, {"tokens", "tokens, input and output"},
			{"cost", "money spent on tokens"}} {
			s := Setting{Key: "llm.cap_" + at[0] + of[0], Kind: KindCount, Absent: "none", Min: 1, Max: CapMax, Removable: true,
				Shapes: true,
				Doc:    "most " + of[1] + ", of " + at[1],
				Into: func(c *Config) any {
					return reflect.ValueOf(&c.Caps).Elem().Field(place).Field(unit).Addr().Interface()
				}}
			s.Flag, s.Env = strings.ReplaceAll(s.Name(), "_", "-"), []string{EnvPrefix + strings.ToUpper(s.Name())}
			if of[0] == "cost" {
				s.Kind = KindMoney
			}
			all = append(all, s)
		}
	}
	return all
}
