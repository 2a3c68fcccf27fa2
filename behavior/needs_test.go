package behavior

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TestPromptTellsWhatAPlayerNeeds reads prompts like a player who has nothing else. The prompt
// must hold what that player would have to ask for, guess or look up again.
func TestPromptTellsWhatAPlayerNeeds(t *testing.T) {
	s, _, ok := scenario.Embedded("llm_bootstrap")
	if !ok {
		t.Fatal("no scenario")
	}
	w, err := world.New(s, 5)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	for _, l := range words.Languages() {
		runtime, err := NewRuntime(Config{Settings: trace.Settings{Language: l}}, s.Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		m := runtime.Agent(w.AgentID(0), w.Persona(0))
		opening := func() string {
			items := m.opening(w.View(0)).items
			return items[0].Text + "\n" + items[1].Text
		}
		same := func(tick int64) {
			learn(m, tick, world.Mine{MassG: 5000}, "", world.Amount{Resource: world.Compound, Amount: 5000})
		}
		for tick := range int64(6) {
			same(tick)
			m.Learn(tick, Decision{Decision: trace.Decision{WaitReason: "parse_error:no_json"}, Executed: world.Wait{}}, world.Outcome{Tick: tick, Action: world.Wait{}, Accepted: true})
		}
		learn(m, 8, world.ScheduleRecipe{FactoryID: "agent-1-f1", RecipeID: "recipe.assembler.control_chip", Batches: 1}, "")
		same(9)
		m.Witness(world.Event{
			Tick: 9, Kind: world.EventActionApplied, Agent: "agent-4", Action: world.Transfer{To: m.id, Kind: world.Electricity, Amount: 10},
			Postings: []world.Posting{{From: "agent:agent-4", To: "agent:" + m.id, Resource: world.Electricity, Amount: 10}},
		})
		learn(m, 10, world.Harvest{MaxAmount: 3}, "")
		text := opening()
		for _, needed := range []string{
			"recipe.assembler.control_chip 6 electricity + 2 hardware -> 1 data + 1 control_chip, 2", // what a batch takes and yields
			map[string]string{"en": "5*heat/100", "zh": "5*热量/100"}[l],                               // the formula of heat
			"control_chip 0 ", "Hold 2 control chips.", // how far the goal is
			"electricity +10\n",              // what came in
			"agent-4",                        // and from whom
			"recipe.assembler.control_chip ", // one name
		} {
			if !strings.Contains(text, needed) {
				t.Errorf("%s: no %q in\n%s", l, needed, text)
			}
		}
		for _, riddle := range []string{"recipe.control_chip", " x2", "; 4 more", "no_json"} {
			if strings.Contains(text, riddle) {
				t.Errorf("%s: %q in\n%s", l, riddle, text)
			}
		}
		ids := regexp.MustCompile(`\[mem-[\d-]+\]`).FindAllString(text, -1)
		slices.Sort(ids)
		if len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Errorf("%s: an id stands twice: %v in\n%s", l, ids, text)
		}
		// What was looked up once stays.
		const market = "200"
		m.Learn(11, Decision{Executed: world.Wait{}, Looked: []string{"market"}}, world.Outcome{Tick: 11, Action: world.Wait{}, Accepted: true})
		if looked := opening(); !strings.Contains(looked, market) || strings.Count(looked, "\n") < strings.Count(text, "\n")+5 {
			t.Errorf("%s: what was looked up is gone:\n%s", l, looked)
		}
		for _, tool := range runtime.tools {
			if strings.Contains(string(tool.Wire()), "plant 10, 8") {
				t.Errorf("%s: a riddle in %s", l, tool.Name)
			}
		}
	}
}

// TestWhatCannotMatterIsNotTold: in a world of one agent there is no trade and no reader of a
// message.
func TestWhatCannotMatterIsNotTold(t *testing.T) {
	s, _, _ := scenario.Embedded("minimal")
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	runtime, err := NewRuntime(Config{}.In(w, s.Rules), s.Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	text := runtime.Agent(w.AgentID(0), w.Persona(0)).opening(w.View(0)).items[1].Text
	for _, tool := range runtime.tools {
		text += string(tool.Wire())
	}
	for _, name := range []string{"transfer_resource", "sell_power", "place_power_order", "send_message", "post_note", "accept_offer", "want_amount", "for_ticks"} {
		if strings.Contains(text, name) {
			t.Errorf("%s is told in a world of one agent", name)
		}
	}
	if !strings.Contains(text, "mine_compound") || !strings.Contains(text, "buy_power") {
		t.Error("what matters is not told")
	}
}

// opening is the opening prompt for a view.
func (m *Agent) opening(v world.View) *prompt {
	var p prompt
	m.compose(v, &p)
	return &p
}
