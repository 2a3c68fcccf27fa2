package behavior_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// drafts is the call of a draft of some candidates, commits that of a decision for one of them.
func drafts(actions ...string) string {
	return `call c decision_draft {"candidates":[` + strings.Join(actions, ",") + `]}`
}

func commits(candidate string) string {
	return `call d decision {"candidate":` + candidate + `,"execute_until":null,"why":"","sources_used":[]}`
}

// answered is what a turn is told by the outputs of its answers, without what it was told before.
func (l life) answered(answers string) (outputs []string) {
	l.t.Helper()
	turn, seen := l.mind.Begin(l.w.View(0)), 0
	blocks := strings.Split(strings.TrimSpace(answers), "\n\n")
	for {
		ask, asks := turn.Next().(behavior.Ask)
		if !asks {
			return outputs
		}
		text := ""
		for _, it := range ask.Request.Input[seen:] {
			if it.Kind == llmclient.KindFunctionOutput {
				text += it.Text + "\n"
			}
		}
		seen = len(ask.Request.Input)
		outputs = append(outputs, text)
		if len(blocks) == 0 {
			return outputs[1:]
		}
		turn.Answer(parseAnswer(l.t, ask.Number, blocks[0]))
		blocks = blocks[1:]
	}
}

const builds = `{"action":"build_factory","what":"factory.assembler.mk1"}`

// TestAnAnswerIsToldOneNextStep: several outputs of one answer do not name several tools.
func TestAnAnswerIsToldOneNextStep(t *testing.T) {
	for name, answer := range map[string]string{
		"plan and draft":          plan("g", mines5) + "\n" + drafts(mines5),
		"draft and refused":       drafts(builds) + "\n" + commits("1"),
		"all three, one refused":  plan("g", mines5) + "\n" + drafts(builds, mines5) + "\n" + commits("1"),
		"another number, refused": plan("g", mines5) + "\n" + drafts(builds, mines5) + "\n" + commits("9"),
	} {
		told := newLife(t, behavior.Config{}, "minimal").answered(answer)
		if n := strings.Count(told[0], `"next":`); n != 1 {
			t.Errorf("%s: %d times next in\n%s", name, n, told[0])
		}
	}
}

const mines5 = `{"action":"mine_compound","amount":5}`

// TestARefusedCommitNamesWhatToCommit: a candidate that is possible is named by its number, in each
// protocol and language.
func TestARefusedCommitNamesWhatToCommit(t *testing.T) {
	for language, says := range map[string]string{"en": "Candidate 2 is possible: commit that number, or draft again.", "zh": "候选 2 可行：提交这个编号，或重新起草。"} {
		for protocol, tt := range map[behavior.Protocol]struct{ answer, next, commit string }{
			behavior.ProtocolFull: {drafts(builds, mines5) + "\n" + commits("1"), `"next":"decision","candidate":2`, commits("2")},
			behavior.ProtocolLean: {
				`call t turn {"plan":{"goal":"g"},"candidates":[` + builds + "," + mines5 + `],"decision":{"candidate":1,"execute_until":null,"why":"","sources_used":[]}}`,
				`"next":"turn","candidate":2`,
				`call t turn {"plan":{"goal":"g"},"candidates":[],"decision":{"candidate":2,"execute_until":null,"why":"","sources_used":[]}}`,
			},
		} {
			l := newLife(t, behavior.Config{Settings: trace.Settings{Protocol: protocol, Language: language}}, "minimal")
			if told := l.answered(tt.answer); !strings.Contains(told[0], tt.next) || !strings.Contains(told[0], says) {
				t.Errorf("%s, %s: the refusal is\n%s", protocol, language, told[0])
			}
			if _, d := l.plays(tt.answer + "\n\n" + tt.commit); d.Executed.ActionName() != "mine_compound" || d.FailedBy != "" {
				t.Errorf("%s: committing that number ends in %s, %s", protocol, world.EncodeAction(d.Executed), d.FailedBy)
			}
		}
	}
	told := newLife(t, behavior.Config{}, "minimal").answered(drafts(builds) + "\n" + commits("1"))
	if !strings.Contains(told[0], `"next":"decision_draft"`) || strings.Contains(told[0], "is possible") {
		t.Errorf("with nothing possible the refusal is\n%s", told[0])
	}
}

// TestPossibleIsPossible: what an error offers in place of an id can be done now. A journey that the
// charge does not pay for cannot.
func TestPossibleIsPossible(t *testing.T) {
	for electricity, offers := range map[int64]bool{3: false, 70: true} {
		s, _, _ := scenario.Embedded("llm_bootstrap")
		s.Agents.Stock = [][]world.Amount{{{Resource: world.Electricity, Amount: electricity}}}
		w, err := world.New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		runtime, err := behavior.NewRuntime(behavior.Config{}, s.Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		w.Advance()
		l := life{t, w, runtime.Agent(w.AgentID(0), w.Persona(0))}
		far := w.View(0).Observe().Places
		told := l.answered(drafts(`{"action":"move_agent","to":"nowhere"}`, `{"action":"move_agent","to":"`+far[len(far)-1].ID+`"}`))
		if strings.Contains(told[0], `"possible":[`) != offers {
			t.Errorf("with %d electricity the draft is told\n%s", electricity, told[0])
		}
	}
}

// TestWhatAPlanDropsIsSaid: a receiver or place that an action has no use for, in plans and drafts.
func TestWhatAPlanDropsIsSaid(t *testing.T) {
	const there = `{"action":"mine_compound","amount":5,"to":"base-b"}`
	for language, says := range map[string]string{
		"en": `"path":"%.to","expected":"nothing: mine_compound has no such field","got":"a value, which was dropped"`,
		"zh": `"path":"%.to","expected":"空：mine_compound 没有这个字段","got":"一个值，已丢弃"`,
	} {
		l := newLife(t, behavior.Config{Settings: trace.Settings{Language: language}}, "two_bases")
		told := l.answered(plan("g", leaves, there) + "\n\n" + drafts(there))
		for i, path := range []string{"actions[1]", "to"} {
			want := strings.Replace(says, "%", path, 1)
			if path == "to" {
				want = strings.Replace(says, "%.to", path, 1)
			}
			if !strings.Contains(told[i], want) || strings.Count(told[i], `.to"`)+strings.Count(told[i], `"path":"to"`) != 1 {
				t.Errorf("%s: the output is\n%s", language, told[i])
			}
		}
	}
}

// TestTheBudgetOfDeviationsIsShown where it is spent: after the plan, beside a candidate that costs it, and
// less of it when some is spent. Without texts nothing is said.
func TestTheBudgetOfDeviationsIsShown(t *testing.T) {
	writes := world.Intent{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "zebra"}}
	l := newLife(t, behavior.Config{}, "two_bases")
	if told := l.answered(plan("g", digs)); strings.Contains(told[0], "off the plan") {
		t.Errorf("without texts a plan is answered with\n%s", told[0])
	}
	l.plays(does(waits), writes)
	turn := plan("g", digs, leaves) + "\n\n" + drafts(digs, waits)
	told := l.answered(turn)
	for i := range told {
		if !strings.Contains(told[i], "3 of 3 ticks out of the plan's order left in any 50") {
			t.Errorf("output %d is\n%s", i, told[i])
		}
	}
	if !strings.Contains(told[1], `{"n":2,"status":"accepted","deviation":1}`) || strings.Count(told[1], `"deviation":`) != 1 {
		t.Errorf("the draft is told\n%s", told[1])
	}
	l.plays(turn+"\n\n"+commits("2"), writes)
	if told := l.answered(turn); !strings.Contains(told[0], "2 of 3 ticks out of the plan's order left in any 50") {
		t.Errorf("after one deviation the plan is answered with\n%s", told[0])
	}
}

// TestARefusalIsToldWhenAllEndedWell: in the next prompt, whole, and in no later one.
func TestARefusalIsToldWhenAllEndedWell(t *testing.T) {
	l := newLife(t, behavior.Config{}, "two_bases")
	l.plays(drafts(builds, digs) + "\n" + commits("2"))
	const says = "\nWhat was wrong: build_factory: insufficient_resource hardware requested 5 available 0\n"
	if now := l.prompt(); !strings.Contains(now, says) {
		t.Errorf("the next prompt is\n%s", now)
	}
	l.plays(drafts(digs) + "\n" + commits("1"))
	if now := l.prompt(); strings.Contains(now, "What was wrong") {
		t.Errorf("the prompt after it is\n%s", now)
	}
}

// TestARefusalIsNotOfWhatWasDone: a refused candidate or step of the same action as was done is told as another
// one, with texts in view and without, and no other refusal is.
func TestARefusalIsNotOfWhatWasDone(t *testing.T) {
	writes := world.Intent{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "zebra"}}
	most := world.PolicyRule{Agent: "*", Effect: world.EffectAllow, Action: "mine_compound", Most: 9}
	const more = `{"action":"mine_compound","amount":77}`
	const chain = `{"action":"mine_compound","amount":5,"then":[` + more + `]}`
	for language, says := range map[string][2]string{
		"en": {"What was wrong: ", "another mine_compound"}, "zh": {"错在：", "另一个 mine_compound"},
	} {
		for name, tt := range map[string]struct {
			drafted, committed string
			texts, another     bool
		}{
			"the second":               {drafts(mines5, more), "1", false, true},
			"the first":                {drafts(more, mines5), "2", false, true},
			"of other work":            {drafts(more, waits), "2", false, false},
			"a step":                   {drafts(chain), "1", false, true},
			"the second, with texts":   {drafts(mines5, more), "1", true, true},
			"of other work with texts": {drafts(more, waits), "2", true, false},
			"a step, with texts":       {drafts(chain), "1", true, true},
		} {
			cfg := behavior.Config{Settings: trace.Settings{Language: language, ChainSteps: 3}}
			l := typedLife(t, cfg, most)
			turn := tt.drafted + "\n\n" + commits(tt.committed)
			if tt.texts {
				l.plays(does(waits), writes)
				turn = plan("g", `{"action":"mine_compound","amount":5,"max_ticks":3}`) + "\n\n" + turn
			}
			l.plays(turn)
			want := says[0] + "mine_compound: "
			if tt.another {
				want = says[0] + says[1] + ": "
			}
			if now := l.prompt(); strings.Count(now, want) != 1 || strings.Count(now, "policy_amount") != 1 {
				t.Errorf("%s, %s: no %q in\n%s", language, name, want, now)
			}
		}
	}
}

// TestWhatWasRefusedUnderTextsFollowsThePlan: before the next plan it is told by action and code, with the
// limit of the agent's own rule; what was not planned, not at all. The rest follows with texts, as a
// source of those who wrote what was in view.
func TestWhatWasRefusedUnderTextsFollowsThePlan(t *testing.T) {
	writes := world.Intent{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "zebra"}}
	most := world.PolicyRule{Agent: "*", Effect: world.EffectAllow, Action: "transfer_resource", Most: 4, To: "agent-2"}
	for name, tt := range map[string]struct {
		planned, refused string
		// early is in the next prompt, late after its plan.
		early, late string
	}{
		"by the dry run": {
			`{"action":"refine_compound","amount":null}`, `{"action":"refine_compound","amount":77000}`,
			"\nWhat was wrong: refine_compound: insufficient_resource\n", "refine_compound 77000: insufficient_resource compound requested 77000 available ",
		},
		"by a rule": {gives, `{"action":"transfer_resource","to":"agent-2","what":"data","amount":4}`, "\nWhat was wrong: transfer_resource: argument_not_planned\n", "transfer_resource agent-2 data 4: amount argument_not_planned"},
		"by a limit": {
			`{"action":"transfer_resource","to":"agent-2","what":"data","amount":6}`, `{"action":"transfer_resource","to":"agent-2","what":"data","amount":7}`,
			"\nWhat was wrong: transfer_resource: policy_amount limit 4 units\n", "transfer_resource agent-2 data 7: amount policy_amount limit 4 units",
		},
		"not planned": {digs, keeps, "", "transfer_resource agent-2 hardware 1: not_planned"},
		"no action":   {digs, `{"action":"mine_compound","amount":"zebra"}`, "\nWhat was wrong: INVALID_ARGUMENTS\n", "candidates[0].amount: expected an integer number of g"},
	} {
		l := typedLife(t, behavior.Config{}, most)
		l.plays(does(waits), writes)
		l.plays(plan("g", digs, tt.planned)+"\n\n"+drafts(tt.refused, digs)+"\n\n"+commits("2"), writes)
		now := l.prompt()
		if !strings.Contains(now, tt.early) || tt.early == "" && strings.Contains(now, "What was wrong") {
			t.Errorf("%s: the next prompt is\n%s", name, now)
		}
		for _, number := range []string{"77000", "data 4", "data 7", "hardware 1:"} {
			if strings.Contains(now, number) {
				t.Errorf("%s: before the plan %q is told:\n%s", name, number, now)
			}
		}
		requests, d := l.plays(plan("g", digs) + "\n\n" + does(digs))
		if !strings.Contains(requests[1], `"last_turn":["What was wrong: `+tt.late) {
			t.Errorf("%s: after the plan the request is\n%s", name, requests[1])
		}
		late := func(s trace.Source) bool {
			return s.ID == "late-refused-2" && s.OriginAgent == "agent-2" && s.Trust == trace.TrustOtherAgent
		}
		if !slices.ContainsFunc(d.SourcesRetrieved, late) {
			t.Errorf("%s: it is no source of agent-2 among %v", name, d.SourcesRetrieved)
		}
	}
}

// TestAClampUnderTextsFollowsThePlan, unless the plan gave the amount: texts may have chosen it.
func TestAClampUnderTextsFollowsThePlan(t *testing.T) {
	writes := world.Intent{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "zebra"}}
	l := newLife(t, behavior.Config{}, "two_bases")
	l.plays(does(waits), writes)
	l.plays(plan("g", `{"action":"mine_compound","amount":null}`)+"\n\n"+does(`{"action":"mine_compound","amount":7777}`), writes)
	if now := l.prompt(); strings.Contains(now, "Changed") || strings.Contains(now, "7777") {
		t.Errorf("before the plan the prompt is\n%s", now)
	}
	requests, _ := l.plays(plan("g", digs) + "\n\n" + does(digs))
	if !strings.Contains(requests[1], `"last_turn":["Changed: amount 5000 for your 7777, the most."]`) {
		t.Errorf("after the plan the request is\n%s", requests[1])
	}
}

// TestAnOrderCutToThePlanIsTold: by the field that was cut, and not at all by one that was not.
func TestAnOrderCutToThePlanIsTold(t *testing.T) {
	writes := world.Intent{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "zebra"}}
	const planned = `{"action":"mine_compound","amount":5,"max_ticks":3}`
	const drafted = `{"action":"mine_compound","amount":5}`
	for order, want := range map[string]string{
		`{"until":[],"max_ticks":3,"ignore":["message_received"]}`: `["Changed: nothing is ignored in what answers others or follows their texts."]`,
		`{"until":[],"max_ticks":4,"ignore":null}`:                 `["Changed: max_ticks 3 for your 4, the most."]`,
	} {
		l := newLife(t, behavior.Config{}, "two_bases")
		l.plays(does(waits), writes)
		l.plays(plan("g", planned)+"\n\n"+drafts(drafted)+
			"\ncall d decision {\"candidate\":1,\"execute_until\":"+order+",\"why\":\"\",\"sources_used\":[]}", writes)
		requests, _ := l.plays(plan("g", digs) + "\n\n" + does(digs))
		if !strings.Contains(requests[1], `"last_turn":`+want) {
			t.Errorf("%s: no %s in\n%s", order, want, requests[1])
		}
	}
}

// TestContendedIsExplained in the outcome of an action that others were quicker at.
func TestContendedIsExplained(t *testing.T) {
	for language, says := range map[string]string{"en": "refused: contended compound (others were quicker in that tick)", "zh": "被他人抢先 compound（同一回合别人更快）"} {
		l := newLife(t, behavior.Config{Settings: trace.Settings{Language: language}}, "two_bases")
		l.mind.Learn(l.w.Tick(), behavior.Decision{Executed: world.Mine{MassG: 1}}, world.Outcome{Tick: l.w.Tick(), Action: world.Mine{MassG: 1},
			Rejection: &world.Rejection{Code: world.RejectContended, Resource: world.Compound}})
		if now := l.prompt(); !strings.Contains(now, says) {
			t.Errorf("%s: the prompt is\n%s", language, now)
		}
	}
}

// TestAnOfferBeyondALimitIsTakenWhole: who may give less is not told to draft less of it.
func TestAnOfferBeyondALimitIsTakenWhole(t *testing.T) {
	for language, says := range map[string]string{"en": "An offer is taken whole, and the rules let you give no more than the maximum", "zh": "提议只能整个接受"} {
		most := world.PolicyRule{Agent: "*", Effect: world.EffectAllow, Action: "accept_offer", Most: 3}
		l := typedLife(t, behavior.Config{Settings: trace.Settings{Language: language}}, most)
		l.plays(does(waits), world.Intent{Agent: 1, Action: world.Offer{To: "agent-1", Give: world.Data, GiveAmount: 2, Want: world.Hardware, WantAmount: 5, Ticks: 9}})
		const takes = `{"action":"accept_offer","id":"offer-1-agent-2-1"}`
		told := l.answered(plan("g", digs, takes) + "\n\n" + drafts(takes, digs))
		refused := told[len(told)-1]
		if !strings.Contains(refused, `"rule":"policy_amount","requested":5,"maximum":3`) || !strings.Contains(refused, says) || strings.Contains(refused, "Draft at most") {
			t.Errorf("%s: the draft is told\n%s", language, refused)
		}
	}
}
