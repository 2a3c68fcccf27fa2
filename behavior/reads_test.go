package behavior

import (
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// These tests read what a model reads and nothing else. The text must hold what a reader who
// played by hand had to guess, ask for or try. It must not hold what misled one.

// reads checks that a text holds what it needs, and none of the riddles.
func reads(t *testing.T, name, text string, needed, riddles []string) {
	t.Helper()
	for _, part := range needed {
		if !strings.Contains(text, part) {
			t.Errorf("%s: no %q in\n%s", name, part, text)
		}
	}
	for _, part := range riddles {
		if strings.Contains(text, part) {
			t.Errorf("%s: %q in\n%s", name, part, text)
		}
	}
}

// answers gives a turn one answer of calls, each a name and its arguments. It returns what the
// next request adds after the call items, with its choice.
func answers(t *testing.T, turn *Turn, calls ...string) (told string, choice llmclient.ToolChoice) {
	t.Helper()
	ask, ok := turn.Next().(Ask)
	if !ok {
		t.Fatal("the turn does not ask")
	}
	before := len(ask.Request.Input)
	var items []llmclient.Item
	for i := 0; i < len(calls); i += 2 {
		items = append(items, llmclient.FunctionCall(calls[i]+"-"+string(rune('a'+i)), calls[i], calls[i+1]))
	}
	turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: items}})
	ask, ok = turn.Next().(Ask)
	if !ok {
		return "", choice
	}
	for _, it := range ask.Request.Input[before:] {
		if it.Kind != llmclient.KindFunctionCall {
			told += it.Text + "\n"
		}
	}
	return told, ask.Request.Choice
}

// TestToolsSayItInFull: ids as they are written, limits with their numbers, one name a thing.
func TestToolsSayItInFull(t *testing.T) {
	for _, l := range words.Languages() {
		runtime, err := NewRuntime(Config{Settings: trace.Settings{Language: l}}, world.DefaultRules().Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		text := runtime.Agent("agent-1", world.Persona{}).Instructions()
		for _, tool := range runtime.tools {
			text += "\n" + string(tool.Wire())
		}
		reads(t, l, text, []string{"10 electricity + 5 hardware", "factory.power.radiation.mk1", "10 electricity + 8 hardware", "_above", " 200"},
			[]string{"recipe.(", "factory.(", `"action_rejected"`, `"insufficient_electricity"`, `["actions",`, "null where open", "lists the actions", "列行动"})
	}
}

// TestErrorsLeadOn: an error says what helps, and what it names may be called.
func TestErrorsLeadOn(t *testing.T) {
	m, v := reader(t)
	const plan = `{"goal":"g","steps":[],"actions":[{"action":"mine_compound","amount":500},{"action":"transfer_resource","to":"agent-4","what":"data"}]}`
	turn := m.Begin(v)
	told, choice := answers(t, turn, "plan", plan)
	reads(t, "a plan that leaves a gift open", told, []string{`"actions[1].amount"`, "only how much you make may be left open", "Call plan again"}, nil)
	if !slices.Equal(choice.Allowed, []string{"plan"}) {
		t.Errorf("a plan is asked for once more, and %v may be called", choice.Allowed)
	}
	answers(t, turn, "plan", plan) // a model that insists continues without it
	told, choice = answers(t, turn, "decision_draft", `{"candidates":[{"action":"mine_compound","amount":"some"},{"action":"cancel_power_order","id":[]}]}`,
		"decision", `{"candidate":1,"execute_until":null,"why":"","sources_used":[]}`)
	reads(t, "no candidate can be read", told, []string{"an order id of 1 to", "call decision_draft again", `"tries_left":1`}, []string{"read: ;", `"attempt"`})
	if !slices.Contains(choice.Allowed, "decision_draft") {
		t.Errorf("a draft is asked for, and only %v may be called", choice.Allowed)
	}
	turn = m.Begin(v)
	answers(t, turn, "plan", plan)
	answers(t, turn, "plan", plan)
	told, choice = answers(t, turn, "decision_draft", `{"candidates":[{"action":"transfer_resource","to":"agent-4","what":"data","amount":3},{"action":"mine_compound","amount":500}]}`)
	reads(t, "an amount that the plan left open", told, []string{"left this field null", "in the plan, at the next tick"}, nil)
	if !slices.Contains(choice.Allowed, "decision_draft") {
		t.Errorf("a candidate was refused, and only %v may be called", choice.Allowed)
	}
}

// TestOpenLinesBeforeOldTexts: texts that were read before ask for no plan of their own, but
// still close what the plan leaves open. A line of text is shown by its slots.
func TestOpenLinesBeforeOldTexts(t *testing.T) {
	m, v := reader(t)
	read := Decision{Executed: world.Wait{}, Seen: m.heard(m.Begin(v).exposure.opening.withheld)}
	m.Learn(v.Tick(), read, world.Outcome{Tick: v.Tick(), Action: world.Wait{}, Accepted: true})
	turn := m.Begin(v)
	if turn.exposure.opening.fresh > 0 {
		t.Fatal("the texts are new")
	}
	told, _ := answers(t, turn, "plan", `{"goal":"g","steps":[],"actions":[{"action":"transfer_resource","to":"agent-2","what":null},"harvest all",{"action":"mine_compound","maxTicks":"null"}]}`)
	reads(t, "open lines", told, []string{`"actions[0].what"`, `"actions[0].amount"`, `"actions[1].amount"`, `"next":"decision_draft"`}, []string{"actions[2]"})
}

// TestCandidatesThatAreNotTaken: what is not looked at is said, and what would be sent back is
// not the best.
func TestCandidatesThatAreNotTaken(t *testing.T) {
	m, v := reader(t)
	turn := m.Begin(v)
	answers(t, turn, "plan", `{"goal":"g","steps":[],"actions":[{"action":"move_agent","to":"zzz"},{"action":"mine_compound","amount":500}]}`)
	told, _ := answers(t, turn, "decision_draft", `{"candidates":[{"action":"move_agent","to":"zzz"},{"action":"wait"},{"action":"mine_compound","amount":500},{"action":"wait"},{"action":"wait"}]}`)
	const most = `{"path":"candidates","expected":"at most 3 elements","got":"5"}`
	reads(t, "five candidates", told, []string{`"problems":[` + most, `unknown_until_tried`, `"best":3`}, []string{`"n":4`})
	told, _ = answers(t, turn, "decision", `{"candidate":5,"execute_until":null,"why":"","sources_used":[]}`)
	reads(t, "the fifth", told, []string{`"also":[` + most}, nil)
}

// TestALeanTurnKeepsItsCandidates: who is sent back may name one of them again.
func TestALeanTurnKeepsItsCandidates(t *testing.T) {
	m, v := reader(t)
	runtime, err := NewRuntime(Config{Settings: trace.Settings{Protocol: ProtocolLean}}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	m.Adopt(runtime)
	turn := m.Begin(v)
	answers(t, turn, "plan", `{"goal":"g","steps":[],"actions":[{"action":"move_agent","to":"zzz"},{"action":"wait"}]}`)
	told, _ := answers(t, turn, answer.ToolTurn, `{"plan":"p","candidates":[{"action":"move_agent","to":"zzz"},{"action":"wait"}],"candidate":1,"execute_until":null,"why":"","sources_used":[]}`)
	reads(t, "an unseen id", told, []string{CodeUnseenID}, nil)
	if told, _ = answers(t, turn, answer.ToolTurn, `{"plan":"p","candidates":[],"candidate":2,"execute_until":null,"why":"","sources_used":[]}`); told != "" {
		t.Errorf("the second candidate is not known: %s", told)
	}
}

// TestAToolOutOfOrderInChinese: a turn that can afford its decision alone takes no module.
func TestAToolOutOfOrderInChinese(t *testing.T) {
	m, v := reader(t)
	runtime, err := NewRuntime(Config{Settings: trace.Settings{Protocol: ProtocolLean, Language: "zh"}}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	m.Adopt(runtime)
	turn := m.Begin(v)
	turn.Afford(1)
	told, choice := answers(t, turn, "world_rules", `{"topic":"power"}`)
	reads(t, "zh", told, []string{CodeNotAllowedNow, "现在不能调用这个工具。请调用允许的工具。", `"allowed":["plan"]`}, nil)
	if !slices.Equal(choice.Allowed, []string{answer.ToolPlan}) {
		t.Errorf("allowed are %v", choice.Allowed)
	}
}

// TestOwnWordsAreKept: the prompt shows before the plan to whom the agent wrote, and when. What
// it promised is among the texts that it may repeat.
func TestOwnWordsAreKept(t *testing.T) {
	m, v := reader(t)
	promise := world.SendMessage{To: "agent-2", Text: "I bring you 7 hardware."}
	m.Learn(9, Decision{Decision: trace.Decision{DecidedBy: trace.ByModel}, Executed: promise, Known: []string{"agent-2"}}, world.Outcome{Tick: 9, Action: promise, Accepted: true})
	p := m.opening(v)
	reads(t, "before the plan", p.items[1].Text, []string{"sent: message to agent-2 in tick 9", "from agent-2, agent-3"}, []string{"7 hardware"})
	reads(t, "after it", p.withheld.section(m.words), []string{`"you_said":[{"tick":9,"to":"agent-2","text":"I bring you 7 hardware."}]`}, nil)
}

// TestPlacesOutOfSightAreRemembered, and those in sight are not shown twice.
func TestPlacesOutOfSightAreRemembered(t *testing.T) {
	m, v := reader(t)
	here := v.Observe()
	for i, place := range []string{"far-rock", here.Self.Place} {
		o := here
		o.Here.ID, o.Here.Radiation = place, 77+int64(i)
		m.Learn(int64(i), Decision{Executed: world.Wait{}, Place: place, Seen: []memory.Entry{placeEntry(m.words, &o)}}, world.Outcome{Tick: int64(i), Action: world.Wait{}, Accepted: true})
	}
	f := m.focus(&here)
	f.Subjects = append(f.Subjects, "far-rock") // it is listed, out of sight
	reads(t, "memory", m.recalled(f, m.history.inSight(&here)).variants[0].text, []string{"at far-rock: radiation 77"}, []string{"radiation 78"})
}

// TestGoalsTellTheScore: what a run is scored by, until when, is no secret of the report.
func TestGoalsTellTheScore(t *testing.T) {
	s, _, _ := scenario.Embedded("task_production_chips_40")
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	runtime, err := NewRuntime(Config{}, s.Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	m := runtime.Agent(w.AgentID(0), w.Persona(0))
	// Four topics stay, but not the list of events, which is longer than all of them.
	for _, topic := range []string{"market", "power", "travel", "recipes"} {
		m.history.looked = append(m.history.looked, lookedTopic{topic: topic, used: 1})
	}
	reads(t, "opening", m.opening(w.View(0)).items[1].Text,
		[]string{"Run score, apart from goals: produced:control_chip of all agents, ticks 1-40", "trades are in lots of 10", "asleep"}, nil)
	if _, keeps := modules.RuleTopic("rules-stop_events"); keeps {
		t.Error("the list of events stays in every prompt")
	}
}

// TestAHeldResultIsTold: a memory of untrusted text waits for the plan, and says so in whole
// words. How many were found, and whose they are, follows from their words and waits, too.
func TestAHeldResultIsTold(t *testing.T) {
	m, v := reader(t)
	held := texts{Inbox: v.Observe().Inbox}
	m.Learn(12, Decision{Executed: world.Wait{}, Seen: m.heard(held)}, world.Outcome{Tick: 12, Action: world.Wait{}, Accepted: true})
	for l, needed := range map[string]string{words.English: "holds texts of others, shown after the plan", "zh": "含他人的文本，提交计划后显示"} {
		runtime, err := NewRuntime(Config{Settings: trace.Settings{Language: l}}, world.DefaultRules().Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		m.Adopt(runtime)
		turn := m.Begin(v)
		turn.Next()
		turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{
			llmclient.FunctionCall("s", "memory_long_term_search", `{"query":"frag-amber","limit":3}`),
		}}})
		call := turn.Next().(Call)
		turn.Result(m.Registry().Call(turn.Env(), call.CallID, call.Tool, call.Arguments))
		input := turn.Next().(Ask).Request.Input
		reads(t, l, input[len(input)-1].Text, []string{needed}, []string{"%!", "agent-3"})
	}
}
