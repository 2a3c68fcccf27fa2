package behavior_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TestNobodyAsksForWhatEveryPromptHolds puts an agent to each place of a small world that sees all of it. What
// the module of observations would list is in the prompt, so the module is not offered.
func TestNobodyAsksForWhatEveryPromptHolds(t *testing.T) {
	s, _, _ := scenario.Embedded("llm_bootstrap")
	s.VisibilityKM = 1000
	for i := range s.Places {
		s.Agents.Spawn = slices.Repeat([]string{s.Places[i].ID}, len(s.Agents.Spawn))
		for _, language := range words.Languages() {
			text, tools := playerReads(t, behavior.Config{Settings: trace.Settings{Language: language}}, s, world.Wait{}, world.Wait{})
			if slices.Contains(tools, "environment_current_observation") {
				t.Fatalf("%s: the module is offered", language)
			}
			for j, p := range s.Places {
				if j != i && !strings.Contains(text, p.ID+" ") {
					t.Errorf("%s: an agent at %s does not read of %s:\n%s", language, s.Places[i].ID, p.ID, text)
				}
			}
			for _, id := range s.AgentIDs() {
				if !strings.Contains(text, id) {
					t.Errorf("%s: nothing says where %s is:\n%s", language, id, text)
				}
			}
		}
	}
}

// TestWhoMayMissSomethingMayAsk changes one thing that a prompt may then leave out.
func TestWhoMayMissSomethingMayAsk(t *testing.T) {
	small := func() (behavior.Config, world.Scenario) {
		s, _, _ := scenario.Embedded("llm_bootstrap")
		return behavior.Config{}, s
	}
	for name, change := range map[string]func(*behavior.Config, *world.Scenario){
		"a short profile": func(c *behavior.Config, _ *world.Scenario) { c.PromptProfile = behavior.ProfileCompact },
		"a small window":  func(c *behavior.Config, _ *world.Scenario) { c.ContextWindowTokens = 16000 },
		"terms of others": func(_ *behavior.Config, s *world.Scenario) { s.Terms = true },
		"more agents":     func(_ *behavior.Config, s *world.Scenario) { s.Agents.Count = 8 },
		"more places": func(_ *behavior.Config, s *world.Scenario) {
			further := s.Places[len(s.Places)-1]
			further.ID = "frag-further"
			further.Position.X += 200_000
			s.Places = append(s.Places, further)
		},
	} {
		c, s := small()
		change(&c, &s)
		if _, tools := playerReads(t, c, s); !slices.Contains(tools, "environment_current_observation") {
			t.Errorf("%s: nobody can ask for what is left out", name)
		}
	}
	// A world of which the size is not told may be of any.
	runtime, err := behavior.NewRuntime(behavior.Config{Needless: untyped}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(runtime.Tools(), func(tool llmclient.Tool) bool { return tool.Name == "environment_current_observation" }) {
		t.Error("the module is not offered in a world of unknown size")
	}
}
