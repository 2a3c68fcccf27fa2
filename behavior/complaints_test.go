package behavior_test

import (
	"encoding/json"
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

// playerReads is what a player of agent-1 reads after some ticks, in which it did what it is given.
func playerReads(t *testing.T, cfg behavior.Config, s world.Scenario, deeds ...world.Action) (text string, tools []string) {
	t.Helper()
	w, err := world.New(s, s.Seed)
	if err != nil {
		t.Fatal(err)
	}
	cfg = cfg.In(w, s.Rules)
	cfg.NoTexts = w.Agents() == 1
	runtime, err := behavior.NewRuntime(cfg, s.Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	for _, do := range deeds {
		w.Apply([]world.Intent{{Agent: 0, Action: do}})
		w.Advance()
	}
	ask := runtime.Agent(w.AgentID(0), w.Persona(0)).Begin(w.View(0)).Next().(behavior.Ask)
	text = ask.Request.Instructions
	for _, tool := range ask.Request.Tools {
		text += "\n" + tool.Description + "\n" + string(tool.Parameters)
		tools = append(tools, tool.Name)
	}
	for _, item := range ask.Request.Input {
		text += "\n" + item.Text
	}
	return text, tools
}

// workshop is a world of one agent that can build and make at once, with a plant beside it.
func workshop(t *testing.T) world.Scenario {
	t.Helper()
	s, _, _ := scenario.Embedded("task_production_chips_40")
	s.Rules.PowerCapacity = 500
	s.Agents.Stock = [][]world.Amount{{{Resource: world.Electricity, Amount: 300}, {Resource: world.Hardware, Amount: 60}}}
	return s
}

// TestAPlayerReadsWhatDecides: each text answers a question that players had to guess the answer of.
func TestAPlayerReadsWhatDecides(t *testing.T) {
	s := workshop(t)
	build := []world.Action{world.BuildFactory{FactoryKind: world.AssemblerMk1}, world.BuildFactory{FactoryKind: world.RadiationPlantMk1},
		world.Wait{}, world.Wait{}, world.Wait{}, world.Wait{}, world.Wait{}, world.Wait{}}
	schedule := world.ScheduleRecipe{FactoryID: "agent-1-f1", RecipeID: "recipe.assembler.control_chip", Batches: 3}
	deeds := append(build, schedule, schedule)
	for language, needed := range map[string][]string{
		words.English: {
			"above 100 heat radiation*100/heat, at 1000 none; 1 heat per unit gained",                       // what is left of a harvest
			"Radiation here, whole for each",                                                                // whether others take of it
			"power_low, at low (≤100) and critical (≤25), only ends steps and sleep, each once in 10 ticks", // what the states do, and when
			"shutdown at 0 ends all: no action or use, +1 electricity/tick and gifts, at 50 restart",        // what shutdown does
			"goes on if you leave or shut down; products reach you",                                         // work without its owner
			"per tick 8 electricity each, at most the radiation, beside harvests; stores 200",               // what a plant yields
			"Queues a job of batches",                                   // what a job is
			", next in 2, all in 10",                                    // when it is done
			"6 electricity + 2 hardware -> 1 data + 1 control_chip, 2",  // what a batch yields
			"Run score, apart from goals: produced:control_chip",        // what counts
			"# Observation, tick 11 of 40",                              // until when
			"Modules, which look something up (at most 3 calls a tick)", // how many lookups
			"buy_power 10..40 (40 free)",                                // what costs nothing
			"job_done (last batch)",                                     // when a sleep ends
		},
		"zh": {"超 100 热得辐射*100/热量，到 1000 被拒；得 1 产热 1", "各最多", "power_low：电力不足（≤100）或告急（≤25），只终止步骤和休眠，10 回合一次", "停机：步骤和休眠终止，不能行动、不耗电",
			"离开或停机也照做，产品归你", "每回合发电 8 或此处辐射（取低），不影响采集，存 200", "排到此处自己工厂队尾", "下一批尚需 2, 全部 10",
			"-> 1 data + 1 control_chip, 2", "与目标无关", "第 11 回合，共 40", "每回合最多 3 次", "buy_power 10..40 (40 免费)", "job_done（整项）"},
	} {
		for _, protocol := range []string{behavior.ProtocolFull, behavior.ProtocolLean} {
			text, _ := playerReads(t, behavior.Config{Settings: trace.Settings{Language: language, Protocol: protocol}}, s, deeds...)
			for _, answer := range needed {
				if !strings.Contains(text, answer) {
					t.Errorf("%s, %s: no %q in\n%s", language, protocol, answer, text)
				}
			}
		}
	}
	trading, _, _ := scenario.Embedded("task_cooperation_ring_40")
	if text, _ := playerReads(t, behavior.Config{}, trading); !strings.Contains(text, "All agents act at once in a tick, so offers and gifts can cross") {
		t.Error("nothing says that offers can cross")
	}
}

// TestAPlayerReadsWhatItMayIgnore: the decision's parameters list what a step or a sleep may ignore, by the names
// that the texts use, and no other.
func TestAPlayerReadsWhatItMayIgnore(t *testing.T) {
	s, _, _ := scenario.Embedded("llm_bootstrap")
	for _, protocol := range []string{behavior.ProtocolFull, behavior.ProtocolLean} {
		text, _ := playerReads(t, behavior.Config{Settings: trace.Settings{Protocol: protocol}}, s)
		list, _ := json.Marshal(world.Ignorable())
		if want := `"ignore":{"type":["array","null"],"items":{"type":"string","enum":` + string(list) + `}}`; !strings.Contains(text, want) {
			t.Errorf("%s: no %s in\n%s", protocol, want, text)
		}
		_, wakes, _ := strings.Cut(text, "Sleep; ")
		wakes, _, _ = strings.Cut(wakes, " wakes, unless in ignore")
		for _, event := range world.Ignorable() {
			if !strings.Contains(wakes, event) {
				t.Errorf("%s: a sleep may ignore %s, and is told to end at %s", protocol, event, wakes)
			}
		}
	}
}

// TestAPlayerReadsWhatGrowsBack: whether mined compound is gone decides how much to invest.
func TestAPlayerReadsWhatGrowsBack(t *testing.T) {
	const gone = "mined compound does not grow back"
	s := workshop(t)
	if text, _ := playerReads(t, behavior.Config{}, s); !strings.Contains(text, gone) {
		t.Errorf("no %q in\n%s", gone, text)
	}
	s.Places = slices.Clone(s.Places)
	s.Places[0].RegenG = 100
	if text, _ := playerReads(t, behavior.Config{}, s); strings.Contains(text, gone) {
		t.Errorf("%q where it does", gone)
	}
}

// TestAPlayerReadsTheIDOfWhatItBuildsNext: a chain can name a factory before it is built, and before it can be
// paid for.
func TestAPlayerReadsTheIDOfWhatItBuildsNext(t *testing.T) {
	s, _, _ := scenario.Embedded("task_production_chips_40")
	const want = "build_factory (hardware 5 short) as agent-1-f1"
	if text, _ := playerReads(t, behavior.Config{}, s); !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// TestAPlayerReadsNothingThatCannotMatter: what no place, agent or rule of a world allows is told to nobody,
// and the prompt of a run is the same in all ticks.
func TestAPlayerReadsNothingThatCannotMatter(t *testing.T) {
	ring, _, _ := scenario.Embedded("task_cooperation_ring_40")
	for _, c := range []struct {
		scenario world.Scenario
		protocol string
		not      []string
		noTools  []string
	}{
		{workshop(t), behavior.ProtocolLean,
			[]string{`"to":`, `"text":`, "message_received", "order_filled", "arrive_target", "Texts of other", "texts of others",
				"send_message", "a message, filled", "travel", "inbox", "cross"}, []string{"plan", "world_route"}},
		{workshop(t), behavior.ProtocolFull, []string{`"to":`, `"text":`, "New texts of others", "Once others' texts"},
			[]string{"world_route", "world_dry_run"}},
		{ring, behavior.ProtocolFull,
			[]string{"mine_compound", "build_factory", "transfer_resource", "buy_power", "compound_above", "motor_mk1 12",
				`"price":`, "market\"", "Chain:"}, []string{"world_route"}},
	} {
		cfg := behavior.Config{Settings: trace.Settings{Protocol: c.protocol}}
		text, tools := playerReads(t, cfg, c.scenario)
		for _, word := range c.not {
			if strings.Contains(text, word) {
				t.Errorf("%s, %s: %q is told:\n%s", c.scenario.ID, c.protocol, word, text)
			}
		}
		for _, name := range c.noTools {
			if slices.Contains(tools, name) {
				t.Errorf("%s, %s: the tool %s is offered", c.scenario.ID, c.protocol, name)
			}
		}
	}
}
