package behavior

import (
	"example.com/agentworld/trace"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
)

// promptVersion counts changes of what is said that PromptVersion cannot see: the
// form of lines, and the results and errors of modules.
const promptVersion = 12

// PromptVersion names the wording of prompts in a protocol and a language: a count
// and a digest of instructions, tools and the table of the language, so that a
// changed text cannot keep an old name. It is part of a trace's header, because
// other wording means other requests. A language that does not exist, which a
// damaged trace may name, has a version that no run has.
func PromptVersion(p Protocol, l modules.Language) string {
	if !slices.Contains(modules.Languages(), l) {
		return "unknown language"
	}
	w := wordsOf(l)
	text := w.instructions(Config{Settings: trace.Settings{Protocol: p}}.WithDefaults(), "", world.Persona{}) + fmt.Sprintf("%q", *w)
	for _, t := range slices.Concat(w.protocolTools(p, world.DefaultRules()), modules.New().In(l).Tools()) {
		text += string(t.Wire())
	}
	return fmt.Sprintf("%d-%s", promptVersion, llmclient.Hash([]byte(text))[:8])
}

// instructions is the stable policy text of one agent: purpose, persona, rules and
// protocol. It holds nothing that changes from tick to tick; the actions stand in
// the tool that takes them.
func (w *wording) instructions(c Config, systemPrompt string, persona world.Persona) string {
	if systemPrompt == "" {
		systemPrompt = w.systemPrompt
	}
	protocol := fmt.Sprintf(w.fullProtocol, c.ModuleCallsMax)
	if c.Protocol == ProtocolLean {
		protocol = w.leanProtocol
	}
	parts := []string{systemPrompt}
	if persona.Text != "" {
		parts = append(parts, w.personaLabel+persona.Text)
	}
	return strings.Join(append(parts, w.rules, protocol+"\n"+w.closing), "\n\n")
}
