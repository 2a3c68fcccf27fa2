package behavior_test

import (
	"fmt"
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

// typedLife is a life in a world with requests and offers.
func typedLife(t *testing.T, cfg behavior.Config, rules ...world.PolicyRule) life {
	t.Helper()
	s, _, _ := scenario.Embedded("two_bases")
	s.Goals, s.Terms = nil, true
	s.Agents.Stock = [][]world.Amount{{{Resource: world.Electricity, Amount: 90}, {Resource: world.Hardware, Amount: 9}, {Resource: world.Data, Amount: 9}}}
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Needless = w.Needless(s.Rules, w.Forbidden()...)
	runtime, err := behavior.NewRuntime(cfg, s.Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	return life{t, w, runtime.Agent(w.AgentID(0), w.Persona(0), rules...)}
}

// askable is a rule that lets agent-2 ask for an action.
func askable(action string) world.PolicyRule {
	return world.PolicyRule{Agent: "*", Effect: world.EffectAllow, Action: action, Total: 90, Window: 50, AskedBy: []string{"agent-2"}}
}

// TestAnExchangeAsItIsTold plays requests and offers with another agent. It reads in each next
// prompt what is open and how the others ended. None of it waits for a plan, since a rule lets
// the other ask.
func TestAnExchangeAsItIsTold(t *testing.T) {
	const offered = "offer-9-agent-1-1"
	lives := map[string]life{}
	for _, language := range words.Languages() {
		lives[language] = typedLife(t, behavior.Config{Settings: trace.Settings{Language: language}}, askable("transfer_resource"), askable("accept_offer"), askable("offer"))
	}
	for _, tt := range []struct {
		does, other world.Action
		// english and chinese are lines, or ends of lines, of the prompt after it.
		english, chinese []string
	}{
		{
			world.Request{To: "agent-2", Resource: world.Hardware, Amount: 4, Ticks: 9}, world.Request{To: "agent-1", Resource: world.Data, Amount: 3, Ticks: 5},
			[]string{
				"tick 1: request agent-2 hardware 4 open 9 ticks ok, started req-1-agent-1-1",
				"own requests and offers: req-1-agent-1-1 to agent-2, wants hardware 4, expires in 8",
				"\nrequests and offers: req-1-agent-2-1 from agent-2, wants data 3, expires in 4", "; request; offer electricity max 67|hardware max 9|data max 9; decline",
			},
			[]string{
				"第 1 回合: request agent-2 hardware 4 9 回合有效 成功, 新建 req-1-agent-1-1",
				"自己的请求和提议: req-1-agent-1-1 给 agent-2, 想要 hardware 4, 8 回合后到期", "\n请求和提议: req-1-agent-2-1 来自 agent-2, 想要 data 3, 4 回合后到期",
			},
		},
		{
			world.Offer{To: "agent-2", Give: world.Data, GiveAmount: 3, Want: world.Electricity, WantAmount: 10, Ticks: 5, Re: "req-1-agent-2-1"},
			world.Transfer{To: "agent-1", Kind: world.Hardware, Amount: 1},
			[]string{
				"tick 2: offer agent-2 data 3 for electricity 10 open 5 ticks answers req-1-agent-2-1 ok, data -3, started offer-2-agent-1-1",
				"since your last decision: tick 2: received from agent-2, hardware +1",
				"own requests and offers: req-1-agent-1-1 to agent-2, wants hardware 4, 3 left, expires in 7; offer-2-agent-1-1 to agent-2 here, gives data 3, wants electricity 10, answers req-1-agent-2-1, expires in 4",
				"; cancel_offer offer-2-agent-1-1",
			},
			[]string{"第 2 回合: offer agent-2 data 3 换 electricity 10 5 回合有效 答复 req-1-agent-2-1 成功, data -3, 新建 offer-2-agent-1-1"},
		},
		{
			world.Harvest{MaxAmount: 1}, world.AcceptOffer{OfferID: "offer-2-agent-1-1"},
			[]string{"since your last decision: tick 3: agent-2 accepted your offer offer-2-agent-1-1, electricity +10"},
			[]string{"上次决策以来: 第 3 回合: agent-2 接受了你的提议 offer-2-agent-1-1, electricity +10"},
		},
		{
			world.Harvest{MaxAmount: 2}, world.Decline{ID: "req-1-agent-1-1"},
			[]string{"since your last decision: tick 5: agent-2 declined req-1-agent-1-1"}, []string{"上次决策以来: 第 5 回合: agent-2 谢绝了 req-1-agent-1-1"},
		},
		{
			world.Offer{To: world.ToAnyone, Give: world.Hardware, GiveAmount: 1, Want: world.Data, WantAmount: 2, Ticks: 2},
			world.Offer{To: world.ToAnyone, Give: world.Data, GiveAmount: 2, Want: world.Hardware, WantAmount: 1, Ticks: 9},
			[]string{
				"tick 5: offer anyone hardware 1 for data 2 open 2 ticks ok, hardware -1, started offer-5-agent-1-1",
				"\nrequests and offers: offer-5-agent-2-1 from agent-2 to anyone here, gives data 2, wants hardware 1, expires in 8", "; accept_offer offer-5-agent-2-1; cancel_offer offer-5-agent-1-1\n",
			},
			nil,
		},
		{
			world.AcceptOffer{OfferID: "offer-5-agent-2-1"}, world.Request{To: "agent-1", Resource: world.Data, Amount: 1, Ticks: 5},
			[]string{"tick 6: accept_offer offer-5-agent-2-1 ok, hardware -1, data +2", "tick 7: offer-5-agent-1-1 expired, hardware +1"},
			[]string{"第 6 回合: accept_offer offer-5-agent-2-1 成功, hardware -1, data +2", "第 7 回合: offer-5-agent-1-1 到期, hardware +1"},
		},
		{world.Decline{ID: "req-6-agent-2-1"}, world.Wait{}, []string{"tick 7: decline req-6-agent-2-1 ok"}, []string{"第 7 回合: decline req-6-agent-2-1 成功"}},
		// Nothing shows that there is such an agent.
		{
			world.Request{To: "agent-99", Resource: world.Data, Amount: 1, Ticks: 5}, world.Wait{},
			[]string{"tick 8: request ? data 1 open 5 ticks ok", "own requests and offers: req-8-agent-1-1 to ?,"}, nil,
		},
		{
			world.Offer{To: "agent-2", Give: world.Data, GiveAmount: 1, Want: world.Hardware, WantAmount: 9, Ticks: 9}, world.Wait{},
			[]string{"agent-2 may ask without your plan for: transfer_resource as an answer, 90 of 90 units left in any 50 ticks; trade, 84 of 90 units left in any 50 ticks; an offer counts when made, taken or not; as an answer it names the request in id; each gift counts as at least a fifth of the total\n"},
			[]string{"; 交易, 任意 50 回合内共 90 单位, 还剩 84; 提议一经提出即计入，不论成交; 答复请求时 id 填该请求; 每次赠与至少按总量的五分之一计\n"},
		},
		{
			world.Harvest{MaxAmount: 1}, world.Decline{ID: offered},
			[]string{"tick 11: agent-2 declined " + offered + ", still held\n"}, []string{"第 11 回合: agent-2 谢绝了 " + offered + ", 仍在托管\n"},
		},
	} {
		for language, texts := range map[string][]string{words.English: tt.english, "zh": tt.chinese} {
			l := lives[language]
			turn := l.mind.Begin(l.w.View(0))
			turn.Next()
			turn.Answer(parseAnswer(t, 1, `call c1 decision {"action":`+string(world.EncodeAction(tt.does))+`,"execute_until":null,"why":"","sources_used":["`+offered+`"]}`))
			decided, ok := turn.Next().(behavior.Decision)
			if !ok {
				t.Fatalf("%s is no decision", world.EncodeAction(tt.does))
			}
			if used, open := slices.Contains(decided.SourcesUsed, offered), l.w.Tick() == 10; used != open {
				t.Errorf("in tick %d the agent's own offer is used: %v, want %v", l.w.Tick(), used, open)
			}
			l.decided(decided, world.Intent{Agent: 1, Action: tt.other})
			tick := fmt.Sprint(l.w.Tick())
			told := l.section("# Last outcome", "# 上次结果") + "\n" + l.section("# Observation, tick "+tick, "# 观察，第 "+tick+" 回合")
			for _, text := range texts {
				if !strings.Contains(told, text) {
					t.Errorf("after %s: no %q in\n%s", world.EncodeAction(tt.does), text, told)
				}
			}
		}
	}
}

// TestWhatMayBeAnswered reads what a prompt says about asking. It declines a request that waits
// for the plan, relying on one that does not.
func TestWhatMayBeAnswered(t *testing.T) {
	lines := map[string][]string{
		words.English: {
			"\nlimits that bind you, planned or not: agent-2 may ask without your plan for: transfer_resource hardware as an answer, 90 of 90 left in any 50 ticks; " +
				"accept_offer 2 hardware for at least 3 data, 90 of 90 hardware left in any 50 ticks, plus one per new message; each gift counts as at least a fifth of the total\n",
			"\ntexts: 1 + 1 requests or offers from agent-2, shown after the plan; 2 new\n", "; decline req-1-agent-2-1\n", "post_note (policy_forbids)",
		},
		"zh": {
			"\n限额，不论是否计划: agent-2 可要求、无需你的计划: transfer_resource hardware 仅作答复, 任意 50 回合内共 90, 还剩 90; " +
				"accept_offer 每 2 hardware 至少换 3 data, 任意 50 回合内共 90 hardware, 还剩 90, 每条新消息另加一次; 每次赠与至少按总量的五分之一计\n",
			"\n消息: 1 条 + 1 个请求或提议, 来自 agent-2, 提交计划后显示; 新 2 条\n", "; decline req-1-agent-2-1\n", "post_note (规则禁止)",
		},
	}
	for _, cfg := range staticConfigs() {
		gift, trade := askable("transfer_resource"), askable("accept_offer")
		gift.What, trade.What, trade.Get, trade.GetAtLeast, trade.Per, trade.ByMessage = world.Hardware, world.Hardware, world.Data, 3, 2, true
		l := typedLife(t, cfg, gift, trade, world.PolicyRule{Agent: "*", Effect: world.EffectForbid, Action: "post_note"})
		for _, a := range []world.Action{
			world.Request{To: "agent-1", Resource: world.Hardware, Amount: 2, Ticks: 9}, world.Request{To: "agent-1", Resource: world.Data, Amount: 1, Ticks: 9}, world.SendMessage{To: "agent-1", Text: "Hello"},
		} {
			l.w.Apply([]world.Intent{{Agent: 1, Action: a}})
			l.w.Advance()
		}
		turn := l.mind.Begin(l.w.View(0))
		ask := turn.Next().(behavior.Ask)
		for _, line := range lines[cfg.Language] {
			if prompt := ask.Request.Input[1].Text; !strings.Contains(prompt, line) {
				t.Errorf("%s, %s: no %q in\n%s", cfg.Protocol, cfg.Language, line, prompt)
			}
		}
		turn.Answer(parseAnswer(t, 1, `call p plan {"goal":"g","steps":[],"actions":[{"action":"decline"}]}`))
		ask = turn.Next().(behavior.Ask)
		if said := fmt.Sprint(ask.Request.Input[2:]); strings.Contains(said, "problems") {
			t.Errorf("%s, %s: an open decline is refused: %s", cfg.Protocol, cfg.Language, said)
		}
		const decline = `{"action":"decline","id":"req-2-agent-2-1"}`
		tool := map[behavior.Protocol]string{behavior.ProtocolFull: "decision", behavior.ProtocolLean: "turn"}[cfg.Protocol]
		turn.Answer(parseAnswer(t, 2, `call c `+tool+` {"plan":"g","candidates":[`+decline+`],"candidate":1,"action":`+decline+`,"why":"","sources_used":["req-1-agent-2-1"]}`))
		d, ok := turn.Next().(behavior.Decision)
		if !ok || d.Authority.By != trace.AuthorityPlan || d.SourcesInvented != 0 || fmt.Sprint(d.SourcesUsed) != "[req-1-agent-2-1]" {
			t.Errorf("%s, %s: decided %v by %+v, used %v, invented %d", cfg.Protocol, cfg.Language, ok, d.Authority, d.SourcesUsed, d.SourcesInvented)
		}
	}
}

// TestWhyATradeIsRefused reads the refusals of a trade that brings too little, and of an offer that
// is not there.
func TestWhyATradeIsRefused(t *testing.T) {
	rate := world.PolicyRule{Agent: "*", Effect: world.EffectAllow, Action: "offer", What: world.Hardware, Get: world.Data, GetAtLeast: 3, Per: 2}
	told := map[string]string{words.English: "less than the minimum that the rules want", "zh": "要求的 minimum"}
	for _, cfg := range staticConfigs() {
		if cfg.Needless != nil {
			continue
		}
		l := typedLife(t, cfg, askable("accept_offer"), rate)
		l.w.Apply([]world.Intent{{Agent: 1, Action: world.Offer{To: "agent-1", Give: world.Data, GiveAmount: 2, Want: world.Hardware, WantAmount: 1, Ticks: 9}}})
		l.w.Advance()
		for action, words := range map[string][]string{
			`{"action":"offer","to":"agent-2","what":"hardware","amount":3,"want":"data","want_amount":4,"for_ticks":5}`: {`"rule":"policy_rate","requested":4,"minimum":5,"unit":"data"`, told[cfg.Language]},
			`{"action":"accept_offer","id":"offer-9"}`: {"offer_not_found", `"possible":["offer-1-agent-2-1"]`},
		} {
			turn := l.mind.Begin(l.w.View(0))
			turn.Next()
			tool := map[behavior.Protocol]string{behavior.ProtocolFull: "decision", behavior.ProtocolLean: "turn"}[cfg.Protocol]
			turn.Answer(parseAnswer(t, 1, `call c `+tool+` {"plan":"g","candidates":[`+action+`],"candidate":1,"action":`+action+`,"why":"","sources_used":[]}`))
			ask, ok := turn.Next().(behavior.Ask)
			if !ok {
				t.Fatalf("%s, %s: %s is not refused", cfg.Protocol, cfg.Language, action)
			}
			for _, word := range words {
				if said := ask.Request.Input[len(ask.Request.Input)-1].Text; !strings.Contains(said, word) {
					t.Errorf("%s, %s: no %s in %s", cfg.Protocol, cfg.Language, word, said)
				}
			}
		}
	}
}

// TestAnOrderPlannedLaterIsRefusedInWords: while terms are shown, an order that gives is compared
// with the plan before any text is in view. If an earlier action of the plan is possible, the
// refusal names that action.
func TestAnOrderPlannedLaterIsRefusedInWords(t *testing.T) {
	l := typedLife(t, behavior.Config{}, askable("transfer_resource"))
	l.w.Apply([]world.Intent{{Agent: 1, Action: world.Request{To: "agent-1", Resource: world.Hardware, Amount: 2, Ticks: 9}}})
	l.w.Advance()
	const offer = `{"action":"offer","to":"anyone","what":"data","amount":1,"want":"electricity","want_amount":5,"for_ticks":4`
	turn := l.mind.Begin(l.w.View(0))
	turn.Next()
	turn.Answer(parseAnswer(t, 1, `call p plan {"goal":"g","steps":[],"actions":[{"action":"harvest_radiation","amount":5},`+offer+`,"max_ticks":3}]}`))
	turn.Next()
	order := offer + `,"execute_until":{"until":[{"event":"action_rejected"}],"max_ticks":3}}`
	turn.Answer(parseAnswer(t, 2, `call d decision_draft {"candidates":[`+order+`]}`))
	ask, ok := turn.Next().(behavior.Ask)
	if !ok {
		t.Fatal("the order is not refused")
	}
	said := ask.Request.Input[len(ask.Request.Input)-1].Text
	if !strings.Contains(said, `"rule":"not_first_planned"`) || !strings.Contains(said, `"planned":[{"action":"harvest_radiation","amount":5}]`) {
		t.Error(said)
	}
}
