package behavior_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// plays plays a turn with the answers, and the actions of others in its tick. It returns the requests
// of the turn and the decision.
func (l life) plays(answers string, others ...world.Intent) (requests []string, d behavior.Decision) {
	l.t.Helper()
	turn, blocks := l.mind.Begin(l.w.View(0)), strings.Split(strings.TrimSpace(answers), "\n\n")
	for {
		switch step := turn.Next().(type) {
		case behavior.Ask:
			text := ""
			for _, it := range step.Request.Input {
				text += it.Text + "\n"
			}
			requests = append(requests, text)
			if len(blocks) == 0 {
				l.t.Fatalf("the turn asks for more than %s", answers)
			}
			turn.Answer(parseAnswer(l.t, step.Number, blocks[0]))
			blocks = blocks[1:]
		case behavior.Decision:
			l.decided(step, others...)
			return requests, step
		}
	}
}

// prompt is what the agent is given now, before it says anything.
func (l life) prompt() string {
	return l.mind.Begin(l.w.View(0)).Next().(behavior.Ask).Request.Input[1].Text
}

// plan is the call of a plan of some actions.
func plan(goal string, actions ...string) string {
	return `call p plan {"goal":"` + goal + `","steps":[],"actions":[` + strings.Join(actions, ",") + `]}`
}

// does is the call of a decision for an action, and why.
func does(action string) string {
	return `call d decision {"action":` + action + `,"execute_until":null,"why":"I have my reasons","sources_used":[]}`
}

const (
	waits  = `{"action":"wait"}`
	digs   = `{"action":"mine_compound","amount":1000}`
	leaves = `{"action":"move_agent","to":"base-b"}`
	says   = `{"action":"send_message","to":"agent-2","text":"open sesame"}`
	gives  = `{"action":"transfer_resource","to":"agent-2","what":"data","amount":3}`
	keeps  = `{"action":"transfer_resource","to":"agent-2","what":"hardware","amount":1}`
)

// TestTheNewestPlanStaysInView: what is planned and not done is told in each later prompt, with its tick,
// until it is done, replaced or ten ticks old.
func TestTheNewestPlanStaysInView(t *testing.T) {
	for language, want := range map[string][2]string{
		"en": {"\ngoal planned in tick 1: \"Chips.\"\n", "\nplanned in tick 1, not done, not binding: "},
		"zh": {"\n第 1 回合计划的目标: \"Chips.\"\n", "\n第 1 回合计划, 尚未完成, 不作约束: "},
	} {
		goal, steps := want[0], want[1]
		l := newLife(t, behavior.Config{Settings: trace.Settings{Language: language}}, "two_bases")
		open := []string{"move_agent base-b", "harvest_radiation", "mine_compound 500 max_ticks 4"}
		l.plays(plan("Chips.", digs, says, leaves, `{"action":"harvest_radiation","amount":null}`, `{"action":"mine_compound","amount":500,"max_ticks":4}`) + "\n" + does(says))
		first := l.prompt()
		if !strings.Contains(first, goal) || !strings.Contains(first, steps+"mine_compound 1000; "+strings.Join(open, "; ")+"\n") {
			t.Errorf("%s: after the first step the prompt is\n%s", language, first)
		}
		if strings.Contains(first, "reasons") {
			t.Errorf("%s: a plan in view gives the reasons of its tick:\n%s", language, first)
		}
		l.plays(does(`{"action":"refine_compound","amount":900}`) + "\n\nfail timeout") // refused: nothing is done
		if now := l.prompt(); !strings.Contains(now, "mine_compound 1000; ") {
			t.Errorf("%s: a step that was not done is gone from\n%s", language, now)
		}
		l.plays(does(`{"action":"mine_compound","amount":1}`))
		if now := l.prompt(); !strings.Contains(now, steps+"move_agent base-b; harvest_radiation\n") || !strings.Contains(now, goal) {
			t.Errorf("%s: steps of one kind and target are done by one action; the prompt is\n%s", language, now)
		}
		for l.w.Tick() < 11 {
			l.plays(does(waits))
		}
		if now := l.prompt(); !strings.Contains(now, steps+"move_agent base-b") {
			t.Errorf("%s: ten ticks after the plan, it is gone from\n%s", language, now)
		}
		l.plays(does(waits))
		if now := l.prompt(); strings.Contains(now, steps) || strings.Contains(now, goal) {
			t.Errorf("%s: eleven ticks after the plan, it is in\n%s", language, now)
		}
	}
}

// TestANewerPlanReplacesTheOlder, also in lean, where each turn gives a sentence: one that names no action
// leaves the steps.
func TestANewerPlanReplacesTheOlder(t *testing.T) {
	l := newLife(t, behavior.Config{}, "two_bases")
	l.plays(plan("first", leaves, says) + "\n" + does(waits))
	l.plays(plan("second", digs) + "\n" + does(waits))
	if now := l.prompt(); strings.Contains(now, "first") || strings.Contains(now, "not binding: move") ||
		!strings.Contains(now, "goal planned in tick 2: \"second\"\nplanned in tick 2, not done, not binding: mine_compound 1000\n") {
		t.Errorf("after a second plan the prompt is\n%s", now)
	}
	l = newLife(t, behavior.Config{Settings: trace.Settings{Protocol: behavior.ProtocolLean}}, "two_bases")
	turn := func(goal string) string {
		return `call t turn {"plan":{"goal":"` + goal + `"},"candidates":[` + waits + `],"decision":{"candidate":1,"execute_until":null,"why":"","sources_used":[]}}`
	}
	l.plays(plan("first", leaves) + "\n\n" + turn("then"))
	l.plays(turn("second"))
	if now := l.prompt(); !strings.Contains(now, "goal planned in tick 2: \"second\"\nplanned in tick 1, not done, not binding: move_agent base-b\n") {
		t.Errorf("in lean the prompt is\n%s", now)
	}
}

// TestAPlanDoneIsGone: with the last step its goal goes too.
func TestAPlanDoneIsGone(t *testing.T) {
	l := newLife(t, behavior.Config{}, "two_bases")
	l.plays(plan("Tell it.", says) + "\n" + does(says))
	if now := l.prompt(); strings.Contains(now, "Tell it.") || strings.Contains(now, "planned in tick") {
		t.Errorf("all is done, and the prompt is\n%s", now)
	}
}

// TestAPlanInViewAuthorizesNothing: under texts, what an earlier turn planned is not planned.
func TestAPlanInViewAuthorizesNothing(t *testing.T) {
	l := typedLife(t, behavior.Config{})
	l.plays(plan("g", digs, keeps)+"\n"+does(digs), world.Intent{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "zebra"}})
	if now := l.prompt(); !strings.Contains(now, "planned in tick 1, not done, not binding: transfer_resource agent-2 hardware 1\n") {
		t.Fatalf("the plan is not in view:\n%s", now)
	}
	requests, d := l.plays(plan("g", digs) + "\n\n" + does(keeps) + "\n\n" + does(keeps) + "\n\n" + does(keeps))
	if d.Executed.ActionName() != "mine_compound" || !strings.Contains(requests[len(requests)-1], "not_planned") {
		t.Errorf("an action of an earlier plan ends in %s after\n%s", world.EncodeAction(d.Executed), requests[len(requests)-1])
	}
}

// TestAPlanOwesNothingToClosedTerms: a step that answers terms, or is directed to an agent whose terms
// were shown when it was planned, goes with them and does not come back. The goal, which they may have
// led to, is never shown.
func TestAPlanOwesNothingToClosedTerms(t *testing.T) {
	asks := world.Intent{Agent: 1, Action: world.Request{To: "agent-1", Resource: world.Data, Amount: 3, Ticks: 4}}
	for name, tt := range map[string]struct {
		closes world.Intent
		rule   world.PolicyRule
		by     string
	}{
		"closed by its sender": {world.Intent{Agent: 1, Action: world.CancelOffer{}}, askable("transfer_resource"), waits},
		"used up": {
			world.Intent{Agent: 1, Action: world.Wait{}},
			world.PolicyRule{Agent: "*", Effect: world.EffectAllow, Action: "transfer_resource", Total: 2, Window: 50, AskedBy: []string{"agent-2"}},
			`{"action":"transfer_resource","to":"agent-2","what":"data","amount":2}`,
		},
	} {
		l := typedLife(t, behavior.Config{}, tt.rule)
		l.plays(does(waits), asks)
		l.plays(plan("Pay agent-2.", digs, keeps, says, leaves) + "\n" + does(waits))
		now := l.prompt()
		if !strings.Contains(now, "planned in tick 2, not done, not binding: mine_compound 1000; transfer_resource agent-2 hardware 1; send_message agent-2 (11 characters); move_agent base-b\n") || strings.Contains(now, "Pay agent-2.") {
			t.Fatalf("%s: while the request is open the prompt is\n%s", name, now)
		}
		l.plays(does(tt.by), tt.closes)
		for l.w.Tick() < 6 && name != "used up" {
			l.plays(does(waits))
		}
		left := "planned in tick 2, not done, not binding: mine_compound 1000; move_agent base-b\n"
		if now := l.prompt(); !strings.Contains(now, left) {
			t.Errorf("%s: then it is\n%s", name, now)
		}
		l.plays(does(waits), asks)
		l.plays(does(waits))
		if now := l.prompt(); !strings.Contains(now, left) {
			t.Errorf("%s: after another request it is\n%s", name, now)
		}
	}
}

// TestAPlanMadeAfterTextsFollowsThePlan: it is shown only with texts, after a plan, and neither it nor
// what becomes of it changes what is shown before.
func TestAPlanMadeAfterTextsFollowsThePlan(t *testing.T) {
	writes := world.Intent{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "zebra"}}
	l := newLife(t, behavior.Config{}, "two_bases")
	l.plays(does(waits), writes)
	l.plays(plan("early", leaves)+"\n\n"+plan("late zebra", says)+"\n\n"+does(leaves), world.Intent{Agent: 1, Action: world.Wait{}})
	early := "goal planned in tick 2: \"early\"\nplanned in tick 2, not done, not binding: move_agent base-b\n"
	if now := l.prompt(); strings.Contains(now, "zebra") || strings.Contains(now, "planned in tick 2") {
		t.Fatalf("before the plan the prompt is\n%s", now)
	}
	l = newLife(t, behavior.Config{}, "two_bases")
	l.plays(does(waits), writes)
	l.plays(plan("early", digs, leaves)+"\n\n"+plan("late zebra", says)+"\n\n"+does(digs), writes)
	if now := l.prompt(); strings.Contains(now, "zebra") || !strings.Contains(now, early) || strings.Contains(now, "send_message agent-2") {
		t.Fatalf("before the plan the prompt is\n%s", now)
	}
	requests, d := l.plays(plan("now", digs) + "\n\n" + does(digs))
	if !strings.Contains(requests[1], `"you_planned":{"goal":"late zebra","not_done":["send_message agent-2 (11 characters)"]}`) {
		t.Errorf("after the plan the request is\n%s", requests[1])
	}
	for _, id := range []string{"late-goal-2", "late-plan-2"} {
		late := func(s trace.Source) bool {
			return s.ID == id && s.Trust == trace.TrustOtherAgent && s.OriginAgent == "agent-2"
		}
		if !slices.ContainsFunc(d.SourcesRetrieved, late) {
			t.Errorf("%s is no source of agent-2 among %v", id, d.SourcesRetrieved)
		}
	}
}

// TestOtherWordsDropThePlan: another system prompt, goals or language end it, the same do not.
func TestOtherWordsDropThePlan(t *testing.T) {
	chinese, err := behavior.NewRuntime(behavior.Config{Settings: trace.Settings{Language: "zh"}}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	english, err := behavior.NewRuntime(behavior.Config{}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(*behavior.Agent)
		ends   bool
	}{
		"a prompt":   {func(m *behavior.Agent) { m.SetSystemPrompt("You are a pirate.") }, true},
		"a goal":     {func(m *behavior.Agent) { m.SetGoals("", "Sleep.") }, true},
		"a language": {func(m *behavior.Agent) { m.Adopt(chinese) }, true},
		"nothing":    {func(m *behavior.Agent) { m.Adopt(english); m.SetGoals("", ""); m.SetSystemPrompt("") }, false},
	} {
		l := newLife(t, behavior.Config{}, "two_bases")
		l.plays(plan("g", leaves) + "\n" + does(waits))
		tt.change(l.mind)
		if now := l.prompt(); strings.Contains(now, "not done") == tt.ends || strings.Contains(now, "尚未完成") {
			t.Errorf("%s: the prompt is\n%s", name, now)
		}
	}
}

// TestAMendedPlanKeepsNothingOfAnEarlierTurn: if nothing of a plan could be read, its correction is the
// whole plan. What an earlier turn planned does not come back with it.
func TestAMendedPlanKeepsNothingOfAnEarlierTurn(t *testing.T) {
	l := newLife(t, behavior.Config{}, "two_bases")
	l.plays(plan("old", leaves)+"\n"+does(waits), world.Intent{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "zebra"}})
	l.plays(plan("new", `{"action":"mine_compound","amount":"lots of it"}`) + "\n\n" + plan("new", digs) + "\n\n" + does(waits))
	if now := l.prompt(); !strings.Contains(now, "planned in tick 2, not done, not binding: mine_compound 1000\n") {
		t.Errorf("after a mended plan the prompt is\n%s", now)
	}
}

// TestACorrectedPlanIsWholeOrPart: one that repeats a step of the plan that was sent back is the whole plan,
// and one that has only what was wrong adds to the rest.
func TestACorrectedPlanIsWholeOrPart(t *testing.T) {
	const wrong = `{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":null}`
	mended := strings.Replace(wrong, "null", "3", 1)
	for name, tt := range map[string]struct {
		again []string
		want  string
	}{
		"whole": {[]string{digs, mended}, "not done, not binding: mine_compound 1000; transfer_resource agent-2 electricity 3\n"},
		"part":  {[]string{mended}, "not done, not binding: transfer_resource agent-2 electricity 3; mine_compound 1000; move_agent base-b\n"},
	} {
		l := newLife(t, behavior.Config{}, "two_bases")
		l.plays(does(waits), world.Intent{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "zebra"}})
		l.plays(plan("g", digs, leaves, wrong) + "\n\n" + plan("g", tt.again...) + "\n\n" + does(waits))
		if now := l.prompt(); !strings.Contains(now, tt.want) {
			t.Errorf("%s: no %q in\n%s", name, tt.want, now)
		}
	}
}

// TestOwnTermsAndWaitsAreNoDebt: a step about an own offer goes when that is closed, a wait is nothing that is
// left to do, and whoever takes an offer to anyone is told as that.
func TestOwnTermsAndWaitsAreNoDebt(t *testing.T) {
	const offers = `{"action":"offer","to":"anyone","what":"data","amount":2,"want":"hardware","want_amount":1,"for_ticks":9,"id":null}`
	l := typedLife(t, behavior.Config{})
	l.plays(plan("Trade.", offers) + "\n" + does(offers))
	own := l.w.View(0).Observe().OwnOffers
	if len(own) != 1 {
		t.Fatalf("own offers: %+v", own)
	}
	again := strings.Replace(offers, `"amount":2`, `"amount":3`, 1)
	cancels := `{"action":"cancel_offer","id":"` + own[0].ID + `"}`
	l.plays(plan("Tidy up.", digs, cancels, again, waits, `{"action":"wait_ticks","amount":2}`)+"\n"+does(waits),
		world.Intent{Agent: 1, Action: world.AcceptOffer{OfferID: own[0].ID}})
	now := l.prompt()
	if want := "not done, not binding: mine_compound 1000; offer anyone data 3 for hardware 1 open 9 ticks\n"; !strings.Contains(now, want) {
		t.Errorf("no %q in\n%s", want, now)
	}
	if len(l.w.View(0).Observe().OwnOffers) != 0 {
		t.Error("the offer is open still, so this shows nothing")
	}
}
