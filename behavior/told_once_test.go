package behavior_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TestTopicsListWhatToolsTake: the events that a topic explains are those that the tools list, in a world
// that needs few of them too.
func TestTopicsListWhatToolsTake(t *testing.T) {
	for _, name := range []string{"task_production_chips_40", "llm_bootstrap"} {
		s, _, _ := scenario.Embedded(name)
		w, err := world.New(s, s.Seed)
		if err != nil {
			t.Fatal(err)
		}
		runtime, err := behavior.NewRuntime(behavior.Config{Needless: w.Needless(s.Rules, w.Forbidden()...)}, s.Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		w.Advance()
		env := modules.Env{View: w.View(0), ResultCharsMax: 9000}
		var result struct{ Result []string }
		output := runtime.Registry().Call(env, "c", "world_rules", `{"topic":"stop_events"}`).Output
		if err := json.Unmarshal([]byte(output), &result); err != nil {
			t.Fatal(err)
		}
		var told, listed []string
		for _, line := range result.Result {
			if event, _, _ := strings.Cut(line, ": "); event != "max_ticks" && event != "ignore" {
				told = append(told, event)
			}
		}
		for _, tool := range runtime.Tools() {
			if m := regexp.MustCompile(`"event":\{"type":"string","enum":\[([^\]]*)\]`).FindSubmatch(tool.Parameters); m != nil {
				listed = strings.Split(strings.ReplaceAll(string(m[1]), `"`, ""), ",")
			}
		}
		if len(listed) == 0 || !slices.Equal(told, listed) {
			t.Errorf("%s: told %q, listed %q", name, told, listed)
		}
	}
}

// TestAPlayerReadsHowItIsCounted: each text says what players had to guess of ticks, steps, limits and lines.
func TestAPlayerReadsHowItIsCounted(t *testing.T) {
	cfg := behavior.Config{Settings: trace.Settings{ChainSteps: 3}}
	alone, _ := playerReads(t, cfg, workshop(t), world.Wait{}, world.Harvest{MaxAmount: 1}, world.Wait{})
	ring, _, _ := scenario.Embedded("task_cooperation_ring_40")
	traders, _ := playerReads(t, cfg, ring)
	for _, c := range []struct {
		text   string
		needed []string
	}{
		{alone, []string{
			"ready when one of these ticks starts, so tick 40 is too late", // when a product counts
			"each tick after actions, asleep too, takes",                   // what is paid first
			"only end steps and sleep",                                     // neither is an order
			"asked again if it would fail",                                 // what a dry run is for
			"execute_until and its ignore are of the first step",
			"mine_compound(amount g): 1 electricity per started kg, at most 5000 g.",
		}},
		{traders, []string{"asked again if it would fail", "execute_until and its ignore are of the first step"}},
	} {
		for _, needed := range c.needed {
			if !strings.Contains(c.text, needed) {
				t.Errorf("no %q in\n%s", needed, c.text)
			}
		}
	}
	for _, riddle := range []string{"mine, refine", "standing order", "order of tick"} {
		if strings.Contains(alone+traders, riddle) {
			t.Errorf("%q is told", riddle)
		}
	}
}
