package behavior_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/words"
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
		runtime, err := behavior.NewRuntime(behavior.Config{}.In(w, s.Rules), s.Industry(), modules.New())
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
	ring, _, _ := scenario.Embedded("task_cooperation_ring_40")
	stores, _, _ := scenario.Embedded("task_cooperation_stores_80")
	type texts struct{ both, alone, ring, stores []string }
	for language, needed := range map[string]texts{
		words.English: {
			both: []string{
				"each tick after actions, asleep too, takes", // what is paid first
				"only ends steps and sleep",                  // what low power does not do
				"shutdown at 0 ends all",                     // nor is shutdown an event to be named
				"asked again if it would fail",               // what a dry run is for
				"execute_until is of the first step, its ignore of all",
				"[] none",                          // an order without an event
				"Modules, which look something up", // which tools these are: none has the word in its name
			},
			alone: []string{
				"ready when such a tick starts, so acting in tick 40 is too late", // when a product counts
				"tick 38 the last in which the shortest batch can start",
				"mine_compound(amount g): 1 electricity per started kg, at most 5000 g.",
				"electricity each.",                                   // there is no maximum
				"Here, at most 8 of yours in all.",                    // several factories
				"Free: what your plants here store, in tens; price 1", // what has no price, and what its field holds
				"power_low ends it and further steps unless in ignore",
			},
			ring: []string{
				"If line texts has new ones, plan alone first", // an offer that is listed needs no plan
				"arrives as a message, as offers do",           // so it ends steps and sleep
				"till taken (order_filled)",                    // and this does not
				"message_received and power_low end it and further steps unless in ignore",
				"You start with plenty of hardware.",
			},
			stores: []string{"what the agent with least holds when all have acted in tick 80"},
		},
		"zh": {
			both:  []string{"只终止步骤和休眠", "停机：步骤和休眠终止", "不行再问", "execute_until 只管第一步，其 ignore 管各步", "[] 为无", "模块，即查询工具"},
			alone: []string{"第 40 回合才行动已来不及", "耗时最短的批次最晚在第 38 回合开工", "每 hardware 需", "共最多 8 座", "遇 power_low 整串终止"},
			ring: []string{"“消息”行有新的，先单独 plan", "同提议，如消息送达", "托管至成交",
				"遇 message_received、power_low 整串终止", "你起初有大量 hardware。"},
			stores: []string{"计第 80 回合全体行动之后持有最少者的持有量"},
		},
	} {
		cfg := behavior.Config{Settings: trace.Settings{ChainSteps: 3, Language: language}}
		alone, _ := playerReads(t, cfg, workshop(t), world.Wait{}, world.Harvest{MaxAmount: 1}, world.Wait{})
		traders, _ := playerReads(t, cfg, ring.In(language))
		keepers, _ := playerReads(t, cfg, stores.In(language))
		for _, c := range []struct {
			text   string
			needed []string
		}{
			{alone, append(needed.both, needed.alone...)}, {traders, append(needed.both, needed.ring...)}, {keepers, needed.stores},
		} {
			for _, needed := range c.needed {
				if !strings.Contains(c.text, needed) {
					t.Errorf("%s: no %q in\n%s", language, needed, c.text)
				}
			}
		}
		for _, riddle := range []string{"mine, refine", "standing order", "order of tick", "more hardware than you can use", "持续行动", "多得用不完"} {
			if strings.Contains(alone+traders, riddle) {
				t.Errorf("%q is told", riddle)
			}
		}
	}
}
