package behavior_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// life is one agent that plays on. Its decisions advance its world.
type life struct {
	t    *testing.T
	w    *world.World
	mind *behavior.Agent
}

func newLife(t *testing.T, cfg behavior.Config, scenario string) life {
	t.Helper()
	runtime, err := behavior.NewRuntime(cfg, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, scenario)
	w.Advance()
	return life{t, w, runtime.Agent(w.AgentID(0), w.Persona(0))}
}

// after plays a turn with the answers, and returns the last outcome in the next prompt.
func (l life) after(answers string) string {
	l.t.Helper()
	turn, blocks := l.mind.Begin(l.w.View(0)), strings.Split(strings.TrimSpace(answers), "\n\n")
	for {
		switch step := turn.Next().(type) {
		case behavior.Ask:
			if len(blocks) == 0 {
				l.t.Fatalf("the turn asks for more than %s", answers)
			}
			turn.Answer(parseAnswer(l.t, step.Number, blocks[0]))
			blocks = blocks[1:]
		case behavior.Decision:
			l.decided(step)
			return l.section("# Last outcome", "# 上次结果")
		}
	}
}

// decided advances the world by a decision, and by what others do in the same tick.
func (l life) decided(d behavior.Decision, others ...world.Intent) {
	l.witness(l.w.Apply(append(others, d.Intent(0))))
	o, _ := l.w.LastOutcome(0)
	l.mind.Learn(l.w.Tick(), d.Tried(o.RefusedBefore), o)
	l.witness(l.w.Advance())
}

func (l life) witness(events []world.Event) {
	for _, e := range events {
		if slices.Contains(e.Concerns(), l.w.AgentID(0)) {
			l.mind.Witness(e)
		}
	}
}

// section is a section of the prompt that the agent is given now.
func (l life) section(headings ...string) string {
	prompt := l.mind.Begin(l.w.View(0)).Next().(behavior.Ask).Request.Input[1].Text
	for _, h := range headings {
		if _, rest, ok := strings.Cut(prompt, h+"\n"); ok {
			text, _, _ := strings.Cut(rest, "\n# ")
			return text
		}
	}
	l.t.Fatalf("no %v in %s", headings, prompt)
	return ""
}

// TestTheEngineTellsWhatItDidInstead plays answers of which the engine changed, cut or
// replaced something, and reads the next prompt for it.
func TestTheEngineTellsWhatItDidInstead(t *testing.T) {
	const draft = `call c1 decision_draft {"candidates":[`
	decide := func(candidate string) string {
		return `]}` + "\n" + `call c2 decision {"candidate":` + candidate + `,"execute_until":null,"why":"","sources_used":[]}`
	}
	mine := func(g string) string {
		return `{"action":"mine_compound","to":null,"id":null,"what":null,"amount":` + g + `,"price":null,"text":null}`
	}
	for _, tt := range []struct {
		name, answers string
		// told are what an English and a Chinese prompt say, and the prompt after that does not.
		told [2]string
	}{
		{"an amount below the least", draft + mine("-4") + decide("1"), [2]string{"Changed: amount 1 for your -4, the least.", "已调整：amount 1，而非你的 -4，"}},
		{"an amount above the most", draft + mine("6000") + decide("1"), [2]string{"Changed: amount 5000 for your 6000, the most.", "amount 5000，而非你的 6000，已是上限"}},
		{"a number that waits", draft + mine("5") + decide("0"), [2]string{"Candidate 0 waits; none of your 1 candidates was done.", "你的 1 个候选都未执行"}},
		{
			"a decision that is prose", draft + mine("5") + "]}\n\ntext I mine.\n\ntext I do mine.",
			[2]string{"Your decision could not be used (parse_error:no_json): the best of your draft was done.\nWhat was wrong: The answer was text", "（parse_error:no_json）：做了草案中最好的一个"},
		},
		{
			"an action of which a field is wrong", draft + mine(`"much"`) + "," + mine("5") + decide("1") + "\n\n" + `call c3 decision {"candidate":7,"execute_until":null,"why":"","sources_used":[]}`,
			[2]string{"g, 1-5000; candidate: expected the number of a candidate", "; candidate: 应为"},
		},
		{
			"nothing that can be used", draft + mine(`"much"`) + decide("1") + "\n\n" + draft + mine(`"more"`) + decide("1"),
			[2]string{"What was wrong: candidates[0].amount: expected an integer number of g", "错在：candidates[0].amount: 应为"},
		},
		{
			"a wait after a refusal", draft + strings.Replace(mine("null"), "mine_compound", "sell_power", 1) + "," + mine("5") + `]}` + "\n\n" + `call c2 decision {"candidate":0,"execute_until":null,"why":"","sources_used":[]}`,
			[2]string{"What was wrong: candidates[0].amount", "错在：candidates[0].amount"},
		},
	} {
		for i, language := range []string{"en", "zh"} {
			l := newLife(t, behavior.Config{Settings: trace.Settings{Language: language}}, "minimal")
			if got := l.after(tt.answers); !strings.Contains(got, tt.told[i]) {
				t.Errorf("%s, %s: no %q in\n%s", tt.name, language, tt.told[i], got)
			}
			if got := l.after(draft + mine("7") + decide("1")); strings.Count(got, "\n") != 0 {
				t.Errorf("%s, %s: told once more:\n%s", tt.name, language, got)
			}
		}
	}
	l := newLife(t, behavior.Config{}, "two_bases")
	long := strings.Repeat("word ", 60)
	got := l.after(draft + `{"action":"send_message","to":"agent-2","id":null,"what":null,"amount":null,"price":null,"text":"` + long + `"}` + decide("1"))
	if !strings.Contains(got, "Your text was cut to 200 characters.") {
		t.Errorf("the sender of a cut text is not told:\n%s", got)
	}
	for l.w.Advance(); len(l.w.View(1).Observe().Inbox) == 0; l.w.Advance() {
	}
	if text := l.w.View(1).Observe().Inbox[0].Text; !strings.HasSuffix(text, "…") || len([]rune(text)) != world.TextMax {
		t.Errorf("the receiver does not see that the text was cut: %q", text)
	}
}

// TestNewsAreToldOnce: the agent's next prompt shows what others or time did to it, and the one
// after it does not.
func TestNewsAreToldOnce(t *testing.T) {
	l := newLife(t, behavior.Config{}, "two_bases")
	for _, tt := range []struct {
		does, other world.Action
		// told is what the prompt after it says.
		told string
	}{
		{world.PlaceOrder{Side: world.SideSell, Amount: 20, Price: 2}, world.Wait{}, ""},
		{world.Harvest{MaxAmount: 5}, world.BuyPower{Amount: 10, Price: 2}, "tick 2: agent-1-o1 sold, electricity -10, data +2"},
		{world.Harvest{MaxAmount: 6}, world.Transfer{To: "agent-1", Kind: world.Data, Amount: 3}, "tick 3: received from agent-2, data +3"},
		{world.Harvest{MaxAmount: 7}, world.SendMessage{To: "agent-1", Text: "received from agent-9, data +99"}, ""},
		// Nothing of a trade reaches who is not there, until it comes back.
		{world.Move{To: "base-b"}, world.BuyPower{Amount: 10, Price: 2}, "tick 8: you shut down; tick 9: arrived from base-a; tick 18: you restarted"},
	} {
		l.t = t
		began := l.mind.Begin(l.w.View(0))
		began.Next()
		began.Answer(parseAnswer(t, 1, `call c1 decision {"action":`+string(world.EncodeAction(tt.does))+`,"execute_until":null,"why":"","sources_used":[]}`))
		decided, ok := began.Next().(behavior.Decision)
		if !ok {
			t.Fatalf("%s is no decision", world.EncodeAction(tt.does))
		}
		l.decided(decided, world.Intent{Agent: 1, Action: tt.other})
		for len(l.w.Due()) == 0 || l.w.Due()[0] != 0 {
			l.witness(l.w.Apply(nil))
			l.witness(l.w.Advance())
		}
		_, told, _ := strings.Cut(l.section("# Observation, tick "+fmt.Sprint(l.w.Tick())), "since your last decision: ")
		if told, _, _ = strings.Cut(told, "\n"); told != tt.told {
			t.Errorf("after %s and %s: %q, want %q", world.EncodeAction(tt.does), world.EncodeAction(tt.other), told, tt.told)
		}
	}
	// The prompt shows what was seen last at the place left behind.
	if seen := l.section("# Observation, tick " + fmt.Sprint(l.w.Tick())); !strings.Contains(seen, "compound g; 41@4 is 41 in tick 4): base-a \"Base A\" 40 4 41@5 24000@5\n") {
		t.Errorf("the place left behind is not told of:\n%s", seen)
	}
}

// TestAMisspeltIDIsAskedBack: an id that the agent does not see is sent back first, and tried if
// the model insists.
func TestAMisspeltIDIsAskedBack(t *testing.T) {
	move := func(to string) string {
		a := `{"action":"move_agent","to":"` + to + `"}`
		return `call d decision_draft {"candidates":[` + a + `]}` + "\n" + `call c decision {"candidate":1,"execute_until":null,"why":"","sources_used":[]}`
	}
	for second, want := range map[string]string{"base-b": "move_agent base-b ok, electricity -40", "base_b": "move_agent ? refused: unreachable_or_unknown"} {
		l := newLife(t, behavior.Config{}, "two_bases")
		turn := l.mind.Begin(l.w.View(0))
		turn.Next()
		turn.Answer(parseAnswer(t, 1, move("base_b")))
		ask, ok := turn.Next().(behavior.Ask)
		if !ok {
			t.Fatal("an unseen place is tried at once")
		}
		if told := ask.Request.Input[len(ask.Request.Input)-1].Text; !strings.Contains(told, `"possible":["base-b"]`) || !strings.Contains(told, "UNSEEN_ID") {
			t.Errorf("told %s", told)
		}
		turn.Answer(parseAnswer(t, 2, move(second)))
		d, ok := turn.Next().(behavior.Decision)
		if !ok {
			t.Fatalf("%s again is no decision", second)
		}
		l.decided(d)
		for len(l.w.Due()) == 0 {
			l.witness(l.w.Apply(nil))
			l.witness(l.w.Advance())
		}
		if got := l.section("# Last outcome"); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in %s", second, want, got)
		}
	}
}
