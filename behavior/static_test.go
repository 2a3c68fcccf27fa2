package behavior_test

import (
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/trace"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// Every call carries the static text, so its size in characters is a promise too. A
// failure means text to cut, not a limit to raise. What the world offers may take its part: each
// action and each tool, requests and offers with their slots, and the steps that follow an action. A
// plan lists actions in the slots of a candidate: 460 characters are the slots' schema again.
const (
	toolCharsMax         = 1435
	actionCharsMax       = 130
	eachToolCharsMax     = 330
	typedCharsMax        = 340
	thenCharsMax         = 1130
	instructionsCharsMax = 920
)

// TestStaticTextIsShort bounds the tool list of every embedded scenario, since it holds rules. It
// bounds the instructions without a persona, which is the scenario's.
func TestStaticTextIsShort(t *testing.T) {
	for _, name := range scenario.Names() {
		scenario, _, _ := scenario.Embedded(name)
		w, err := world.New(scenario, scenario.Seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, cfg := range staticConfigs() {
			cfg = cfg.In(w, scenario.Rules)
			runtime, err := behavior.NewRuntime(cfg, scenario.Industry(), modules.New())
			if err != nil {
				t.Fatal(err)
			}
			tools := 0
			for _, tool := range runtime.Tools() {
				tools += utf8.RuneCount(tool.Wire())
			}
			described := len(answer.ActionNames(cfg.Needless...))
			limit := toolCharsMax + actionCharsMax*described + eachToolCharsMax*len(runtime.Tools())
			if scenario.Terms {
				limit += typedCharsMax
			}
			if cfg.ChainSteps > 0 {
				limit += thenCharsMax
			}
			if tools > limit {
				t.Errorf("%s %s, %s: the tools take %d characters, at most %d are allowed", cfg.Protocol, cfg.Language, name, tools, limit)
			}
			if n := utf8.RuneCountInString(runtime.Agent("agent-1", world.Persona{}).Instructions()); n > instructionsCharsMax {
				t.Errorf("%s %s, %s: the instructions take %d characters, at most %d are allowed", cfg.Protocol, cfg.Language, name, n, instructionsCharsMax)
			}
		}
	}
}

// untyped are the actions that are needless in a world without requests and offers.
var untyped = []string{"request", "offer", "accept_offer", "decline", "cancel_offer"}

// staticConfigs has every protocol in every language, with requests and offers and without.
func staticConfigs() (list []behavior.Config) {
	for _, protocol := range []behavior.Protocol{behavior.ProtocolFull, behavior.ProtocolLean} {
		for _, language := range words.Languages() {
			settings := trace.Settings{Protocol: protocol, Language: language}
			list = append(list, behavior.Config{Settings: settings, Needless: untyped}, behavior.Config{Settings: settings})
			settings.ChainSteps = world.ThenMax
			list = append(list, behavior.Config{Settings: settings, Needless: untyped}, behavior.Config{Settings: settings})
		}
	}
	return list
}

// hasActions reports whether a text describes the actions.
func hasActions(text string) bool { return strings.Contains(text, "mine_compound(") }

// TestStaticTextDescribesEachActionOnce: repeated, the actions would cost every call
// a thousand characters.
func TestStaticTextDescribesEachActionOnce(t *testing.T) {
	takes := map[behavior.Protocol]string{behavior.ProtocolFull: "decision_draft", behavior.ProtocolLean: "turn"}
	for _, cfg := range staticConfigs() {
		protocol := cfg.Protocol
		runtime, err := behavior.NewRuntime(cfg, world.DefaultRules().Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range runtime.Tools() {
			if got, want := hasActions(tool.Description), tool.Name == takes[protocol]; got != want {
				t.Errorf("%s: the description of %s lists the actions: %v, want %v", protocol, tool.Name, got, want)
			}
		}
		if hasActions(runtime.Agent("agent-1", world.Persona{}).Instructions()) {
			t.Errorf("%s: the instructions list the actions again", protocol)
		}
	}
}
