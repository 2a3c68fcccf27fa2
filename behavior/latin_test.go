package behavior_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

var latinWord = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_.-]*`)

// TestChineseHoldsOnlyNamesInLatin reads what agents of several worlds read in Chinese: instructions, tools,
// the rules that they can look up and the opening of some ticks. A word in Latin letters is a name that a
// tool has or takes, an id, or a unit.
func TestChineseHoldsOnlyNamesInLatin(t *testing.T) {
	for _, name := range []string{"llm_bootstrap", "two_bases", "task_cooperation_ring_40", "task_survival_two_hops_150",
		"task_production_chips_40"} {
		s, _, _ := scenario.Embedded(name)
		s.Personas = nil
		for i := range s.Goals {
			s.Goals[i].Text = ""
		}
		w, err := world.New(s, s.Seed)
		if err != nil {
			t.Fatal(err)
		}
		cfg := behavior.Config{Settings: trace.Settings{Language: "zh", ChainSteps: 3}, Needless: w.Needless(s.Rules, w.Forbidden()...)}
		cfg.NoTexts = w.Agents() == 1
		runtime, err := behavior.NewRuntime(cfg, s.Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		allowed := append(slices.Concat(world.Resources(), answer.EventNames()), "id", "km", "kg", "g", "source", "buy", "sell", "anyone",
			"market", "wreck", "ledge", "works") // the last are places
		text := runtime.Agent("agent-1", world.Persona{}).Instructions()
		for _, tool := range runtime.Tools() {
			allowed = append(allowed, tool.Name)
			allowed = append(allowed, namesIn(tool.Parameters)...)
			text += "\n" + tool.Description
		}
		for _, a := range s.Industry().Actions() {
			allowed = append(allowed, a.Name)
		}
		agent := runtime.Agent(w.AgentID(0), w.Persona(0), w.PolicyRules(0)...)
		for range 3 {
			w.Advance()
			for _, item := range agent.Begin(w.View(0)).Next().(behavior.Ask).Request.Input {
				text += "\n" + item.Text
			}
		}
		for _, topic := range []string{"recipes", "power", "travel", "market", "stop_events"} {
			r := runtime.Registry().Call(modules.Env{View: w.View(0)}, "c", "world_rules",
				`{"topic":"`+topic+`"}`)
			var result struct{ Result []string }
			if err := json.Unmarshal([]byte(r.Output), &result); err != nil {
				t.Fatal(err)
			}
			text += "\n" + strings.Join(result.Result, "\n")
		}
		var strange []string
		for _, word := range latinWord.FindAllString(text, -1) {
			word = strings.Trim(word, ".-")
			isID := strings.ContainsAny(word, "-.") || regexp.MustCompile(`\d$`).MatchString(word)
			if !isID && !slices.Contains(allowed, word) && !slices.Contains(strange, word) && !strings.Contains(text, `"`+word) {
				strange = append(strange, word)
			}
		}
		if len(strange) > 0 {
			t.Errorf("%s: %q", name, strange)
		}
	}
}

// namesIn are the names of fields and the values that a schema lists.
func namesIn(schema json.RawMessage) []string {
	return latinWord.FindAllString(string(schema), -1)
}
