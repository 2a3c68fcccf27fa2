package behavior_test

import (
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// partners is a life of agent-1 in a scenario whose rules bind all its agents.
func partners(t *testing.T, language string, rules ...world.PolicyRule) life {
	t.Helper()
	s, _, _ := scenario.Embedded("two_bases")
	s.Goals, s.Terms, s.Policy = nil, true, rules
	s.Agents.Count = 3
	s.Agents.Stock = [][]world.Amount{{{Resource: world.Electricity, Amount: 90}, {Resource: world.Hardware, Amount: 99}, {Resource: world.Data, Amount: 99}}}
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := behavior.NewRuntime(behavior.Config{Settings: trace.Settings{Language: language}, Needless: w.Needless(s.Rules, w.Forbidden()...)}, s.Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	return life{t, w, runtime.Agent(w.AgentID(0), w.Persona(0), w.PolicyRules(0)...)}
}

// trade is a rule of an agent about a trade of one resource for another, at least gets per gives.
func trade(agent, action, what, get string, gets, gives int64, askers ...string) world.PolicyRule {
	return world.PolicyRule{Agent: agent, Effect: world.EffectAllow, Action: action, What: what, Get: get, GetAtLeast: gets, Per: gives,
		Most: 18, Total: 60, Window: 40, AskedBy: askers}.WithDefaults()
}

// TestADraftTellsWhatAPartnerMayGive: whoever drafts an offer or a request reads goods, most and rate of the
// receiver's rules that let it ask. Totals, stocks and other askers are not told, nor anything of an unknown agent.
func TestADraftTellsWhatAPartnerMayGive(t *testing.T) {
	gift := trade("agent-2", "transfer_resource", world.Compound, "", 0, 0, "*")
	gift.Most = 0
	rules := []world.PolicyRule{
		trade("agent-2", "accept_offer", world.Data, world.Hardware, 1, 2, "agent-1", "agent-3"),
		trade("agent-2", "accept_offer", world.Data, world.Electricity, 1, 1, "agent-3"),
		trade("*", "offer", world.Data, world.Hardware, 3, 5, "*"),
		gift,
	}
	for _, tt := range []struct{ action, en, zh string }{
		{`{"action":"offer","to":"agent-2","what":"hardware","amount":30,"want":"data","want_amount":60,"for_ticks":5}`,
			"rules of agent-2 allow: 1 hardware for at most 2 data, at most 18 data at once.", "agent-2 的规则允许: 每 1 hardware 至多换 2 data, 一次最多 18 data。"},
		{`{"action":"offer","to":"anyone","what":"hardware","amount":3,"want":"data","want_amount":6,"for_ticks":5}`,
			"rules of agent-2 allow: 1 hardware for at most 2 data, at most 18 data at once.", "agent-2 的规则允许: 每 1 hardware 至多换 2 data, 一次最多 18 data。"},
		{`{"action":"request","to":"agent-2","what":"data","amount":6,"for_ticks":5}`,
			"rules of agent-2 allow: 3 hardware for at most 5 data, at most 18 data at once.", "agent-2 的规则允许: 每 3 hardware 至多换 5 data, 一次最多 18 data。"},
		{`{"action":"request","to":"agent-2","what":"compound","amount":6,"for_ticks":5}`,
			"rules of agent-2 allow: compound.", "agent-2 的规则允许: compound。"},
		{`{"action":"offer","to":"agent-2","what":"data","amount":3,"want":"hardware","want_amount":6,"for_ticks":5}`, "", ""},
		{`{"action":"offer","to":"agent-7","what":"hardware","amount":3,"want":"data","want_amount":6,"for_ticks":5}`, "", ""},
		{`{"action":"mine_compound","amount":6}`, "", ""},
	} {
		for language, want := range map[string]string{words.English: tt.en, "zh": tt.zh} {
			l := partners(t, language, rules...)
			turn := l.mind.Begin(l.w.View(0))
			firstAsk(t, turn)
			turn.Answer(parseAnswer(t, 1, `call c decision_draft {"candidates":[`+tt.action+`]}`))
			input := firstAsk(t, turn).Request.Input
			told := input[len(input)-1].Text
			if want == "" && strings.Contains(told, `"note"`) || !strings.Contains(told, want) {
				t.Errorf("%s: no %q in %s", tt.action, want, told)
			}
			for _, hidden := range []string{"agent-3", "60", "1 electricity for at most 1 data"} {
				if strings.Contains(strings.ReplaceAll(told, "want_amount", ""), hidden) {
					t.Errorf("%s: %q is told in %s", tt.action, hidden, told)
				}
			}
		}
	}
}

// TestAnOfferThatNobodyCanTakeForcesNoPlan: an offer of more than the receiver's rule takes waits for a plan that
// nothing demands; one within the rule is a line of the observation.
func TestAnOfferThatNobodyCanTakeForcesNoPlan(t *testing.T) {
	for _, tt := range []struct {
		wants        int64
		forced, told bool
		text         string
	}{{18, false, true, ""}, {19, false, false, ""}, {19, true, false, "hello"}} {
		l := partners(t, words.English, trade("agent-1", "accept_offer", world.Data, world.Hardware, 1, 2, "agent-2"))
		offer := world.Offer{To: "agent-1", Give: world.Hardware, GiveAmount: 10, Want: world.Data, WantAmount: tt.wants, Ticks: 9}
		l.witness(l.w.Apply([]world.Intent{{Agent: 1, Action: offer}}))
		l.witness(l.w.Advance())
		if tt.text != "" {
			l.witness(l.w.Apply([]world.Intent{{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: tt.text}}}))
			l.witness(l.w.Advance())
		}
		turn := l.mind.Begin(l.w.View(0))
		ask := firstAsk(t, turn)
		opening := ask.Request.Input[1].Text
		if forced := len(ask.Request.Choice.Allowed) == 1; forced != tt.forced {
			t.Errorf("an offer for %d, %q: allowed are %v", tt.wants, tt.text, ask.Request.Choice.Allowed)
		}
		if strings.Contains(opening, "wants data") != tt.told || tt.told == strings.Contains(opening, "requests or offers from agent-2") {
			t.Errorf("an offer for %d: the opening is\n%s", tt.wants, opening)
		}
		after := planned(t, l.mind.Begin(l.w.View(0))).Request.Input
		if text := after[len(after)-1].Text; !tt.told && !strings.Contains(text, `"want_amount":19`) {
			t.Errorf("after the plan the offer is not shown: %s", text)
		}
	}
}

// TestAPlanToAcceptAnythingHasBothLimits: without an id, an acceptance that leaves out a limit is sent back where
// texts follow.
func TestAPlanToAcceptAnythingHasBothLimits(t *testing.T) {
	for actions, missing := range map[string][]string{
		`{"action":"accept_offer","what":"data","amount":4,"want":"hardware","want_amount":2}`: nil,
		`{"action":"accept_offer","what":"data","amount":4,"want":"hardware"}`:                 {"want_amount"},
		`{"action":"accept_offer","want":"hardware","want_amount":2}`:                          {"what", "amount"},
	} {
		l := partners(t, words.English)
		l.witness(l.w.Apply([]world.Intent{{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "hello"}}}))
		l.witness(l.w.Advance())
		turn := l.mind.Begin(l.w.View(0))
		firstAsk(t, turn)
		turn.Answer(parseAnswer(t, 1, `call p plan {"goal":"g","steps":[],"actions":[`+actions+`]}`))
		said := ""
		for _, it := range firstAsk(t, turn).Request.Input[2:] {
			said += it.Text
		}
		if (len(missing) > 0) != strings.Contains(said, "problems") {
			t.Errorf("%s: %s", actions, said)
		}
		for _, slot := range missing {
			if !strings.Contains(said, `"actions[0].`+slot+`"`) {
				t.Errorf("%s: %s is not named in %s", actions, slot, said)
			}
		}
	}
}

// TestARuleThatOnlyTheAgentItselfMayAskForHasNoHeading: no other agent is named as one that may ask.
func TestARuleThatOnlyTheAgentItselfMayAskForHasNoHeading(t *testing.T) {
	l := partners(t, words.English, trade("*", "transfer_resource", world.Compound, "", 0, 0, "agent-3"),
		trade("*", "transfer_resource", world.Hardware, "", 0, 0, "agent-1"))
	want := "bind you, planned or not: transfer_resource hardware as an answer, at most 18 at once, 60 of 60 left in any 40 ticks; " +
		"agent-3 may ask without your plan for: transfer_resource compound as an answer,"
	if now := l.prompt(); !strings.Contains(now, want) {
		t.Errorf("the prompt is\n%s", now)
	}
}

// TestLimitsOfAsksAreToldApart: where another rule leaves the agent's own plans free, what others may ask for is
// no limit of what it plans.
func TestLimitsOfAsksAreToldApart(t *testing.T) {
	ask := trade("*", "transfer_resource", world.Hardware, "", 0, 0, "agent-3")
	ask.To = "agent-3"
	free := world.PolicyRule{Agent: "*", Effect: world.EffectAllow, Action: "transfer_resource"}.WithDefaults()
	forbid := world.PolicyRule{Agent: "*", Effect: world.EffectForbid, Action: "transfer_resource", To: "agent-3"}.WithDefaults()
	narrow := free
	narrow.What = world.Compound
	const alone = "\nlimits of what is asked alone, though what you plan counts: agent-3 may ask without your plan for: transfer_resource hardware"
	for _, c := range []struct {
		rules []world.PolicyRule
		apart bool
	}{
		{[]world.PolicyRule{ask}, false}, {[]world.PolicyRule{ask, narrow}, false}, {[]world.PolicyRule{ask, free}, true},
		{[]world.PolicyRule{ask, free, forbid}, false}, // which ask lifts and free does not
	} {
		l := partners(t, words.English, c.rules...)
		if now := l.prompt(); strings.Contains(now, alone) != c.apart {
			t.Errorf("%d rules, apart %v: the prompt is\n%s", len(c.rules), c.apart, now)
		}
		big := world.Transfer{To: "agent-3", Kind: world.Hardware, Amount: 99}
		rules := policy.Compile("agent-1", l.w.PolicyRules(0))
		if ruling := rules.Evaluate(big, policy.Evidence{View: l.w.View(0)}); (ruling.Violation == nil) != c.apart {
			t.Errorf("%d rules: a gift of 99, at most 18 may be asked for: %+v", len(c.rules), ruling)
		}
	}
}

// TestNobodyIsToldWhatItMayGiveItself: a rule of all agents about one of them says nothing to that one.
func TestNobodyIsToldWhatItMayGiveItself(t *testing.T) {
	l := partners(t, words.English, toOne("agent-1"), toOne("agent-2"))
	now := l.prompt()
	if strings.Contains(now, "data to agent-1") || !strings.Contains(now, "transfer_resource data to agent-2") {
		t.Errorf("the prompt is\n%s", now)
	}
}

// toOne is a rule of all agents about gifts of data to one of them.
func toOne(to string) world.PolicyRule {
	gift := trade("*", "transfer_resource", world.Data, "", 0, 0, "*")
	gift.To = to
	return gift
}

// TestCanHoldsTheSmallerLimit: what is possible now is told with no more than the agent's rules allow of it, for the
// goods that a rule is about.
func TestCanHoldsTheSmallerLimit(t *testing.T) {
	dig := world.PolicyRule{Agent: "*", Effect: world.EffectAllow, Action: "mine_compound", Most: 40}
	for language, want := range map[string][]string{
		words.English: {"hardware max 99 (for electricity max 18)|data max 99", "mine_compound 1..40;"},
		"zh":          {"hardware 最多 99 (换 electricity 最多 18)|data 最多 99", "mine_compound 1..40;"},
	} {
		l := partners(t, language, dig, trade("agent-1", "offer", world.Hardware, world.Electricity, 2, 1, "agent-2"))
		now := l.prompt()
		for _, told := range want {
			if !strings.Contains(now, told) {
				t.Errorf("no %q in\n%s", told, now)
			}
		}
	}
}
