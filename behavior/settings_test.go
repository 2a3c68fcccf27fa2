package behavior_test

import (
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/trace"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
)

// TestInstructionsSayTheLimitThatHolds gives agents another number of module calls than
// the default one.
func TestInstructionsSayTheLimitThatHolds(t *testing.T) {
	for language, want := range map[string]string{words.English: "(at most 5 calls a tick)", "zh": "（每回合最多 5 次）"} {
		runtime, err := behavior.NewRuntime(behavior.Config{Settings: trace.Settings{ModuleCallsMax: 5, Language: language}}, world.DefaultRules().Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		if text := runtime.Agent("agent-1", world.Persona{}).Instructions(); !strings.Contains(text, want) {
			t.Errorf("the instructions do not say %q: %s", want, text)
		}
	}
}
