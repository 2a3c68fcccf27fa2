package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/tools"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// promptCost says what each call of a model holds, if the scenario adds to the industry or the program has tools,
// and how much of it is about that. The protocol is the default one, in English. A tool of a server that the
// scenario names is not counted: nothing is started for it.
func promptCost(s world.Scenario, linked []tools.Tool) (lines []string) {
	w, err := world.New(s, s.Seed)
	if err != nil {
		return nil // which is told already
	}
	offered, _ := tools.NewSet(linked...).Offer(nil, s.AgentIDs())
	if len(s.Products)+len(s.FactoryKinds)+len(s.Recipes) > 0 {
		all := heldText(w, s, s.Industry(), offered)
		lines = append(lines, fmt.Sprintf("prompt: each call holds %s of instructions, tools and rules, %s of them about "+
			"what the scenario adds", sizeOf(all, ""), sizeOf(all, heldText(w, s, s.Rules.Industry(), offered))))
	}
	if len(offered) > 0 {
		lines = append(lines, toolsCost(w, s, offered))
	}
	for _, t := range s.Tools {
		if !slices.ContainsFunc(linked, func(of tools.Tool) bool { return of.Name == t.Name }) {
			lines = append(lines, fmt.Sprintf("tools: %s is not part of this program; what it adds to each call is not counted",
				t.Name))
		}
	}
	return lines
}

// toolsCostOf says what each tool of the user's adds to each call of a run, empty without any.
func toolsCostOf(settings trace.Settings) string {
	s, err := scenario.Parse(settings.Scenario, []byte(settings.ScenarioTOML))
	if err != nil || len(settings.Tools) == 0 {
		return ""
	}
	w, err := world.New(s, s.Seed)
	if err != nil {
		return ""
	}
	return toolsCost(w, s, settings.Tools)
}

// toolsCost says what each tool of the user's adds to each call of a model in a world.
func toolsCost(w *world.World, s world.Scenario, offered []trace.Tool) string {
	all := heldText(w, s, s.Industry(), offered)
	var each []string
	for i, t := range offered {
		others := slices.Delete(slices.Clone(offered), i, i+1)
		each = append(each, t.Name+" "+sizeOf(all, heldText(w, s, s.Industry(), others)))
	}
	return fmt.Sprintf("tools: %s to each call: %s", plaintext.Count(len(offered), "tool of yours adds"),
		strings.Join(each, "; "))
}

// heldText is what all calls in a world hold, if agents know of an industry and are offered tools.
func heldText(w *world.World, s world.Scenario, industry *world.Industry, offered []trace.Tool) string {
	cfg := behavior.Config{Settings: trace.DefaultSettings()}.In(w, s.Rules)
	cfg.Tools = offered
	runtime, err := behavior.NewRuntime(cfg, industry, modules.New())
	if err != nil {
		panic("cli: default settings are refused: " + err.Error())
	}
	return runtime.StaticText()
}

// sizeOf is how much longer a text is than another one, in characters and tokens.
func sizeOf(text, than string) string {
	return fmt.Sprintf("%d characters (%d tokens)", utf8.RuneCountInString(text)-utf8.RuneCountInString(than),
		tokens.Count(text)-tokens.Count(than))
}
