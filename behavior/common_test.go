package behavior_test

import (
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// commonCharsMax bounds the common item, which every call carries. The longest is that of a
// scenario with all recipes.
const commonCharsMax = 670

// TestAgentsShareTheirPrefix: a provider caches instructions, tools and the first item once for all
// agents. What is an agent's own follows, also after the agent looked up rules.
func TestAgentsShareTheirPrefix(t *testing.T) {
	for _, cfg := range staticConfigs() {
		for _, window := range []int{behavior.ContextWindowMin, 0} {
			cfg.ContextWindowTokens = window
			checkPrefix(t, cfg)
		}
	}
}

func checkPrefix(t *testing.T, cfg behavior.Config) {
	t.Helper()
	s, _, _ := scenario.Embedded("llm_bootstrap")
	w, err := world.New(s, 5)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	cfg.CountTokens = func(text string) int { return len(text) / 4 }
	runtime, err := behavior.NewRuntime(cfg, s.Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	var first llmclient.Request
	for n := range w.Agents() {
		persona := w.Persona(n)
		m := runtime.Agent(w.AgentID(n), persona, w.PolicyRules(n)...)
		if n == 1 {
			m.Learn(1, behavior.Decision{Executed: world.Wait{}, Looked: []string{"power"}}, world.Outcome{Action: world.Wait{}, Accepted: true})
		}
		r := firstAsk(t, m.Begin(w.View(n))).Request
		if n == 0 {
			first = r
		}
		common, own := r.Input[0], r.Input[1]
		if r.Instructions != first.Instructions || string(llmclient.ToolList(r.Tools)) != string(llmclient.ToolList(first.Tools)) || string(common.Raw) != string(first.Input[0].Raw) {
			t.Errorf("%s, %s: instructions, tools or the common item of %s are its own", cfg.Protocol, cfg.Language, w.AgentID(n))
		}
		for _, text := range []string{persona.Text, persona.ShortTermGoal, persona.LongTermGoal} {
			if text == "" || strings.Contains(r.Instructions+common.Text, text) || !strings.Contains(own.Text, text) {
				t.Errorf("%s, %s: %q of %s is not in its own message alone", cfg.Protocol, cfg.Language, text, w.AgentID(n))
			}
		}
		if strings.Contains(common.Text, "agent-") {
			t.Errorf("the common item names an agent: %s", common.Text)
		}
		rules := strings.Contains(common.Text, "recipe.assembler.control_chip")
		if large := cfg.ContextWindowTokens != behavior.ContextWindowMin; rules != large || large && strings.Contains(own.Text, "recipe.assembler.motor_mk1 12") {
			t.Errorf("window %d: the recipes are in the common item: %v", cfg.ContextWindowTokens, rules)
		}
		if n := len([]rune(common.Text)); n > commonCharsMax {
			t.Errorf("%s, %s: the common item takes %d characters, at most %d are allowed", cfg.Protocol, cfg.Language, n, commonCharsMax)
		}
	}
}
