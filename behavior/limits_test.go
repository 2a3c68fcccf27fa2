package behavior

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// These tests play turns of agent-1 beside agent-2, which writes, asks and offers, to see what a turn
// may cost, what it takes for its plan and what it counts.

// bench is agent-1 of two_bases, with requests and offers.
type bench struct {
	*testing.T
	w *world.World
	m *Agent
}

func newBench(t *testing.T, s trace.Settings, rules ...world.PolicyRule) bench {
	t.Helper()
	of, _, _ := scenario.Embedded("two_bases")
	of.Goals, of.Terms = nil, true
	of.Agents.Stock = [][]world.Amount{{{Resource: world.Electricity, Amount: 90}, {Resource: world.Hardware, Amount: 9}, {Resource: world.Data, Amount: 9}}}
	w, err := world.New(of, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Model = "m"
	runtime, err := NewRuntime(Config{Settings: s}, of.Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	return bench{t, w, runtime.Agent(w.AgentID(0), w.Persona(0), rules...)}
}

// does lets agent-2 act, and moves on by a tick.
func (b bench) does(actions ...world.Action) {
	for _, a := range actions {
		b.w.Apply([]world.Intent{{Agent: 1, Action: a}})
		b.w.Advance()
	}
}

// comesTo advances until agent-1 is due.
func (b bench) comesTo() {
	for !slices.Contains(b.w.Due(), 0) {
		b.w.Advance()
	}
}

// decides plays the next turn of agent-1. The world carries the decision out, and the agent learns of it.
func (b bench) decides(answers ...string) (Decision, *Turn) {
	b.Helper()
	b.comesTo()
	turn := b.m.Begin(b.w.View(0))
	d := b.plays(turn, answers, func(Ask) {})
	b.ends(d)
	return d, turn
}

// plays answers a turn to its end. Each of answers is one answer of a model, and the last one repeats.
// It is timedOut, or each of its lines is a call, "tool {arguments}", or prose. sees is told of every
// request.
func (b bench) plays(turn *Turn, answers []string, sees func(Ask)) Decision {
	b.Helper()
	for calls := 0; ; {
		switch step := turn.Next().(type) {
		case Ask:
			sees(step)
			says := answers[min(calls, len(answers)-1)]
			if calls++; says == timedOut {
				turn.Answer(llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrTimeout}})
				continue
			}
			var items []llmclient.Item
			for line := range strings.SplitSeq(says, "\n") {
				if tool, args, isCall := strings.Cut(line, " {"); isCall {
					items = append(items, llmclient.FunctionCall(fmt.Sprint("c", calls, len(items)), tool, "{"+args))
				} else {
					items = append(items, llmclient.Message("assistant", line))
				}
			}
			turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: items}})
		case Call:
			turn.Result(b.m.Registry().Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
		case Decision:
			return step
		}
	}
}

// ends carries out a decision of agent-1.
func (b bench) ends(d Decision) {
	tick := b.w.Tick()
	b.w.Apply([]world.Intent{{Agent: 0, Action: d.Executed, Parents: d.Parents}})
	if o, ok := b.w.LastOutcome(0); ok {
		b.m.Learn(tick, d, o)
	}
	b.w.Advance()
}

const (
	planHarvest = `plan {"goal":"g","steps":[],"actions":[{"action":"harvest_radiation","amount":5}]}`
	timedOut    = "(the model thinks for too long)"
	someProse   = "I would rather think about it."
)

func mayAsk(action string, set ...func(*world.PolicyRule)) world.PolicyRule {
	r := world.PolicyRule{Agent: "*", Effect: world.EffectAllow, Action: action, Total: 90, Window: 50, AskedBy: []string{"agent-2"}}
	for _, f := range set {
		f(&r)
	}
	return r
}

// TestDryRunOfWhatIsWithheld: before the plan a dry run knows no terms that wait for it, and says
// nothing of what they give and want. It knows those that are shown, and later all.
func TestDryRunOfWhatIsWithheld(t *testing.T) {
	dry := `world_dry_run {"action":"{\"action\":\"accept_offer\",\"id\":\"offer-1-agent-2-1\"}"}`
	for name, c := range map[string]struct {
		rules   []world.PolicyRule
		answers []string
		told    bool
	}{
		"withheld":           {nil, []string{dry, planHarvest, `decision_draft {"candidates":[{"action":"wait"}]}`}, false},
		"shown by a rule":    {[]world.PolicyRule{mayAsk("accept_offer")}, []string{dry, planHarvest}, true},
		"shown after a plan": {nil, []string{planHarvest, dry}, true},
	} {
		b := newBench(t, trace.Settings{}, c.rules...)
		b.does(world.Offer{To: "agent-1", Give: world.Hardware, GiveAmount: 3, Want: world.Data, WantAmount: 2, Ticks: 9})
		turn := b.m.Begin(b.w.View(0))
		for i, text := range c.answers {
			tool, args, _ := strings.Cut(text, " ")
			answers(t, turn, tool, args)
			if call, is := turn.Next().(Call); is {
				out := b.m.Registry().Call(turn.Env(), call.CallID, call.Tool, call.Arguments).Output
				turn.Result(modules.Result{Module: "world_dry_run", Output: out})
				if told := strings.Contains(out, "hardware"); told != c.told {
					t.Errorf("%s, answer %d: %s", name, i, out)
				}
				break
			}
		}
	}
}

// TestTermsCostFewTicks: an agent that makes nothing of the terms it is shown, but writes prose, decides
// twice or insists, loses three ticks to them. After that they wait for the plan.
func TestTermsCostFewTicks(t *testing.T) {
	for name, says := range map[string]string{
		"prose":          someProse,
		"two decisions":  `decision {"action":{"action":"wait"}}` + "\n" + `decision {"action":{"action":"harvest_radiation","amount":5}}`,
		"a drafted wait": planHarvest + "\n" + `decision_draft {"candidates":[{"action":"wait"}]}` + "\n" + `decision {"candidate":9}`,
		"insists":        `decision {"action":{"action":"transfer_resource","to":"agent-2","what":"hardware","amount":9}}`,
	} {
		b := newBench(t, trace.Settings{}, mayAsk("transfer_resource", func(r *world.PolicyRule) { r.Most, r.What = 2, world.Hardware }))
		b.does(world.Request{To: "agent-1", Resource: world.Hardware, Amount: 2, Ticks: 20})
		shown, lost := 0, int64(0)
		for range 8 {
			d, turn := b.decides(says)
			if len(turn.exposure.opening.shown) > 0 {
				shown++
			}
			if d.Authority != nil {
				lost += d.Authority.Deviation
			}
		}
		if shown != policy.DeviationsMax || lost != policy.DeviationsMax {
			t.Errorf("%s: the request is shown in %d turns before their plan, which lose %d ticks", name, shown, lost)
		}
	}
}

// TestTextsDelayWhatIsNext: a turn that fails under texts ends in no journey behind another planned
// action, refused or not. After three ticks lost so, the journey is as good as the first one.
func TestTextsDelayWhatIsNext(t *testing.T) {
	for _, first := range []string{
		`{"action":"transfer_resource","to":"agent-9","what":"data","amount":1}`, `{"action":"transfer_resource","to":"agent-2","what":"data","amount":1}`,
		`{"action":"send_message","to":"agent-2","text":null}`,
	} {
		delays(t, first)
	}
}

// delays checks that a journey planned behind another action is delayed by three ticks.
func delays(t *testing.T, first string) {
	t.Helper()
	b := newBench(t, trace.Settings{})
	place := b.w.View(0).Observe().Places[0].ID
	plan := `plan {"goal":"g","steps":[],"actions":[` + first + `,{"action":"move_agent","to":"` + place + `"}]}`
	var ended []string
	for i := range 4 {
		b.does(world.SendMessage{To: "agent-1", Text: fmt.Sprint("stay ", i)})
		d, _ := b.decides(plan, someProse)
		by := trace.Authority{}
		if d.Authority != nil {
			by = *d.Authority
		}
		ended = append(ended, fmt.Sprint(d.Executed.ActionName(), " ", by.By, " ", by.Deviation))
	}
	if want := []string{"wait deviation 1", "wait deviation 1", "wait deviation 1", "move_agent fallback 0"}; !slices.Equal(ended, want) {
		t.Errorf("behind %s the turns end in %q, want %q", first, ended, want)
	}
}

// TestFallbackWaitsCount: texts bring an agent to wait in three ticks at most, also where a wait was
// planned or drafted and the turn fails. What else is possible comes first.
func TestFallbackWaitsCount(t *testing.T) {
	place := newBench(t, trace.Settings{}).w.View(0).Observe().Places[0].ID
	draft := func(a string) string { return `decision_draft {"candidates":[` + a + `]}` }
	plan := func(a string) string { return `plan {"goal":"g","steps":[],"actions":[` + a + `]}` }
	wait, harvest := `{"action":"wait"}`, `{"action":"harvest_radiation","amount":5}`
	move := `{"action":"send_message","to":"agent-2","text":null},{"action":"move_agent","to":"` + place + `"}`
	for name, answers := range map[string][]string{
		"planned wait first":   {plan(wait + "," + harvest), someProse},
		"journey, then a wait": {plan(move), draft(wait), someProse},
		"draft for a plan":     {draft(harvest), draft(wait), someProse},
	} {
		b, waits := newBench(t, trace.Settings{}), 0
		for i := range 8 {
			b.does(world.SendMessage{To: "agent-1", Text: fmt.Sprint("stay ", i)})
			d, _ := b.decides(answers...)
			if _, is := d.Executed.(world.Move); is {
				break // nothing else is planned
			}
			if _, is := d.Executed.(world.Wait); is {
				waits++
			}
		}
		if waits > policy.DeviationsMax {
			t.Errorf("%s: texts cost %d of 8 ticks", name, waits)
		}
	}
}

// TestTimeoutsDelayWhatIsNext: a text that makes a model think for too long delays a planned journey by
// three ticks, as other failures do.
func TestTimeoutsDelayWhatIsNext(t *testing.T) {
	b := newBench(t, trace.Settings{})
	place := b.w.View(0).Observe().Places[0].ID
	var ended []string
	plan := `plan {"goal":"g","steps":[],"actions":[{"action":"send_message","to":"agent-2","text":null},{"action":"move_agent","to":"` + place + `"}]}`
	for i := range 4 {
		b.does(world.SendMessage{To: "agent-1", Text: fmt.Sprint("think very long ", i)})
		d, _ := b.decides(plan, timedOut)
		ended = append(ended, d.Executed.ActionName())
	}
	if want := []string{"wait", "wait", "wait", "move_agent"}; !slices.Equal(ended, want) {
		t.Errorf("the turns end in %q, want %q", ended, want)
	}
}

// TestTermsCostFewCalls: a model that writes prose before each step while terms are shown is asked again
// in six ticks. After that the terms wait for the plan.
func TestTermsCostFewCalls(t *testing.T) {
	b := newBench(t, trace.Settings{}, mayAsk("transfer_resource", func(r *world.PolicyRule) { r.Most, r.What = 2, world.Hardware }))
	b.does(world.Request{To: "agent-1", Resource: world.Hardware, Amount: 2, Ticks: 20})
	shown := 0
	for range 12 {
		_, turn := b.decides(someProse, planHarvest, someProse, `decision_draft {"candidates":[{"action":"harvest_radiation","amount":5}]}`, someProse, `decision {"candidate":1}`)
		if len(turn.exposure.opening.shown) > 0 {
			shown++
		}
	}
	if shown != policy.RoundsMax {
		t.Errorf("terms are shown before the plan in %d of 12 ticks, want %d", shown, policy.RoundsMax)
	}
}

// TestModuleWithoutAPlan: a module shows no text that waits for a plan while nothing is planned.
func TestModuleWithoutAPlan(t *testing.T) {
	for name, c := range map[string]struct {
		protocol string
		reads    bool
		answers  []string
	}{
		"sealed":    {"", false, []string{`plan {"goal":"g","steps":[],"actions":[{"action":"transfer_resource","to":"agent-2","what":"data","amount":null}]}`, someProse, someProse}},
		"lean turn": {ProtocolLean, true, []string{`turn {"plan":{"goal":"g"},"candidates":[{"action":"nonsense"}],"candidate":1}`}},
	} {
		b := newBench(t, trace.Settings{Protocol: c.protocol})
		b.does(world.SendMessage{To: "agent-1", Text: "the password is swordfish"})
		if c.reads {
			b.decides(planHarvest, `turn {"plan":{"goal":"g"},"candidates":[{"action":"wait"}],"decision":{"candidate":1}}`)
			b.comesTo()
		}
		turn, planned := b.m.Begin(b.w.View(0)), false
		b.plays(turn, append(c.answers, `environment_current_observation {"section":"inbox"}`, someProse), func(ask Ask) {
			if planned = planned || len(turn.plan.actions) > 0; !planned && strings.Contains(fmt.Sprint(ask.Request.Input), "swordfish") {
				t.Errorf("%s: nothing is planned, and the text is shown", name)
			}
		})
	}
}

// TestRefusedAttemptCountsForNothing: an attempt of an order that the rules refuse is not done.
func TestRefusedAttemptCountsForNothing(t *testing.T) {
	b := newBench(t, trace.Settings{}, mayAsk("transfer_resource", func(r *world.PolicyRule) { r.Total, r.To, r.What = 4, "agent-2", world.Hardware }))
	b.decides(`plan {"goal":"g","steps":[],"actions":[]}`,
		`decision_draft {"candidates":[{"action":"transfer_resource","to":"agent-2","what":"hardware","amount":2}]}`,
		`decision {"candidate":1,"execute_until":{"until":[{"event":"job_done","value":null}],"max_ticks":5,"ignore":null},"why":"","sources_used":[]}`)
	var ended []string
	for range 4 {
		if _, ok := b.w.View(0).Standing(); !ok {
			break
		}
		d, _ := b.m.Continue(b.w.View(0))
		b.ends(d)
		ended = append(ended, d.Executed.ActionName())
	}
	if want := []string{"transfer_resource", "wait"}; !slices.Equal(ended, want) {
		t.Errorf("the order continues with %q, want %q", ended, want)
	}
	if left := b.m.policy.Quotas(b.m.ledger, b.w.Tick())[0].Left; left != 0 {
		t.Errorf("%d are left of a total of 4", left)
	}
	if left := b.m.policy.Quotas(b.m.ledger, 51)[0].Left; left != 4-2 {
		t.Errorf("%d are left once the first gift is out of the window, want 2: the refused one was counted", left)
	}
}

// TestAttemptForARequest: an attempt of the agent's own order that meets a request names the rule and the
// request, and counts for its asker.
func TestAttemptForARequest(t *testing.T) {
	b := newBench(t, trace.Settings{}, mayAsk("transfer_resource", func(r *world.PolicyRule) { r.TotalEach, r.What = 60, world.Hardware }))
	b.decides(`plan {"goal":"g","steps":[],"actions":[]}`,
		`decision_draft {"candidates":[{"action":"transfer_resource","to":"agent-2","what":"hardware","amount":1}]}`,
		`decision {"candidate":1,"execute_until":{"until":[{"event":"job_done","value":null}],"max_ticks":5,"ignore":["message_received"]},"why":"","sources_used":[]}`)
	d, _ := b.m.Continue(b.w.View(0))
	b.w.Apply([]world.Intent{{Agent: 0, Action: d.Executed}, {Agent: 1, Action: world.Request{To: "agent-1", Resource: world.Hardware, Amount: 2, Ticks: 20}}})
	b.w.Advance()
	d, _ = b.m.Continue(b.w.View(0))
	if by := d.Authority; by == nil || by.By != trace.AuthorityRule || by.Asker != "agent-2" || !strings.HasPrefix(by.Terms, "req-") {
		t.Errorf("%s by %+v", world.EncodeAction(d.Executed), by)
	}
}

// TestOneStepKeepsToThePlan: a run that binds agents to their plan binds them also where a draft is
// committed without a decision.
func TestOneStepKeepsToThePlan(t *testing.T) {
	for protocol, drafts := range map[Protocol]string{
		ProtocolFull: `decision_draft {"candidates":[{"action":"post_note","text":"hello"}]}`,
		ProtocolLean: `turn {"plan":{"goal":"g"},"candidates":[{"action":"post_note","text":"hello"}]}`, // without a decision
	} {
		for _, binds := range []bool{false, true} {
			b := newBench(t, trace.Settings{Protocol: protocol, Commit: trace.CommitOneStep, BindPlan: binds})
			d, turn := b.decides(planHarvest, drafts)
			if noted := d.Executed.ActionName() == "post_note"; noted == binds {
				t.Errorf("%s, bound %v: %s", protocol, binds, world.EncodeAction(d.Executed))
			}
			if !slices.ContainsFunc(turn.Steps(), func(s trace.Step) bool { return s.Kind == trace.StepOffPlan }) {
				t.Errorf("%s, bound %v: no step says that the action is off the plan", protocol, binds)
			}
		}
	}
}

// TestLaterStepsAreCut: whatever keeps a later step of a chain from being done, the first one is committed,
// and the model is told the step and why, also in a turn that ends with its draft.
func TestLaterStepsAreCut(t *testing.T) {
	const chain = `{"action":"harvest_radiation","amount":5,"then":[{"action":"post_note","text":"hi"}]}`
	forbids := world.PolicyRule{Effect: world.EffectForbid, Action: "post_note"}
	for _, c := range []struct {
		name  string
		binds bool
		rules []world.PolicyRule
		text  bool
		why   string
		// told is what the next prompt says before its plan.
		told string
	}{
		{"off the plan", true, nil, false, "off_plan", "post_note: off_plan"},
		{"forbidden", false, []world.PolicyRule{forbids}, false, "policy_forbids", "post_note: policy_forbids"},
		{"not planned", false, nil, true, "not_planned", ""},
	} {
		for _, commit := range []trace.Commit{trace.CommitOneStep, trace.CommitTwoStep} {
			for protocol, drafts := range map[Protocol]string{
				ProtocolFull: `decision_draft {"candidates":[` + chain + `]}`,
				ProtocolLean: `turn {"plan":{"goal":"g"},"candidates":[` + chain + `],"decision":{"candidate":1}}`,
			} {
				b := newBench(t, trace.Settings{Protocol: protocol, Commit: commit, BindPlan: c.binds, ChainSteps: world.ThenMax},
					c.rules...)
				if c.text {
					b.does(world.SendMessage{To: "agent-1", Text: "post a note"})
				}
				prompt := ""
				read := func(a Ask) {
					prompt = ""
					for _, item := range a.Request.Input {
						prompt += item.Text
					}
				}
				b.comesTo()
				d := b.plays(b.m.Begin(b.w.View(0)), []string{planHarvest, drafts, `decision {"candidate":1}`}, read)
				if d.Executed.ActionName() != "harvest_radiation" || d.FailedBy != "" {
					t.Errorf("%s, %s, %s: %s, %s", c.name, protocol, commit, world.EncodeAction(d.Executed), d.FailedBy)
				}
				if says := `"cut":{"step":2,"rule":"` + c.why + `"`; protocol == ProtocolFull && commit == trace.CommitTwoStep &&
					!c.binds && !strings.Contains(prompt, says) {
					t.Errorf("%s: the draft does not say %s:\n%s", c.name, says, prompt)
				}
				b.ends(d)
				prompt = ""
				b.plays(b.m.Begin(b.w.View(0)), []string{planHarvest, `decision_draft {"candidates":[{"action":"wait"}]}`, `decision {"candidate":1}`}, func(a Ask) {
					if a.Number == 1 {
						read(a)
					}
				})
				if !strings.Contains(prompt, c.told) || c.told == "" && strings.Contains(prompt, "What was wrong") {
					t.Errorf("%s, %s, %s: the next prompt tells\n%s", c.name, protocol, commit, prompt)
				}
			}
		}
	}
}

// TestLaterDeviationsLoseNoRank: a chain that begins as planned is committed before a candidate that comes
// later, though a later step of it is a deviation. The deviation counts.
func TestLaterDeviationsLoseNoRank(t *testing.T) {
	b := newBench(t, trace.Settings{Commit: trace.CommitOneStep, ChainSteps: world.ThenMax})
	b.does(world.SendMessage{To: "agent-1", Text: "refine"})
	d, _ := b.decides(`plan {"goal":"g","steps":[],"actions":[{"action":"harvest_radiation","amount":5},{"action":"mine_compound","amount":50},`+
		`{"action":"mine_compound","amount":20}]}`,
		`decision_draft {"candidates":[{"action":"harvest_radiation","amount":5,"then":[{"action":"mine_compound","amount":20}]},{"action":"harvest_radiation","amount":5}]}`)
	if n := len(world.Steps(d.Executed)); n != 2 || d.Authority == nil || d.Authority.Deviation != 1 {
		t.Errorf("%d steps of %s by %+v", n, world.EncodeAction(d.Executed), d.Authority)
	}
}

// TestLimitOfAnAskFollowsThePlan: how much is left of a request that waited for the plan is told after the next
// plan. A limit of the agent's own rule is told before it.
func TestLimitOfAnAskFollowsThePlan(t *testing.T) {
	for most, told := range map[int64]bool{3: true, 9: false} {
		b := newBench(t, trace.Settings{}, mayAsk("transfer_resource", func(r *world.PolicyRule) { r.Most, r.Total, r.What = most, 9, world.Hardware }))
		b.m.ledger = b.m.ledger.CountTurn(b.w.Tick(), &trace.Authority{Deviation: policy.DeviationsMax}, false)
		b.does(world.Request{To: "agent-1", Resource: world.Hardware, Amount: 4, Ticks: 20})
		b.decides(planHarvest, `decision_draft {"candidates":[{"action":"transfer_resource","to":"agent-2","what":"hardware","amount":7},{"action":"harvest_radiation","amount":5}]}`,
			`decision {"candidate":2}`)
		b.comesTo()
		prompt := ""
		b.plays(b.m.Begin(b.w.View(0)), []string{planHarvest, `decision_draft {"candidates":[{"action":"wait"}]}`, `decision {"candidate":1}`}, func(a Ask) {
			if a.Number == 1 {
				for _, item := range a.Request.Input {
					prompt += item.Text
				}
			}
		})
		if !strings.Contains(prompt, "transfer_resource: policy_amount") || strings.Contains(prompt, "policy_amount limit") != told {
			t.Errorf("at most %d a time: the next prompt tells\n%s", most, prompt)
		}
	}
}

// TestOffPlanIsCountedOnce: a lean turn that drafts and decides the same counts once.
func TestOffPlanIsCountedOnce(t *testing.T) {
	for _, commit := range []trace.Commit{trace.CommitTwoStep, trace.CommitOneStep} {
		b := newBench(t, trace.Settings{Protocol: ProtocolLean, Commit: commit, BindPlan: true})
		_, turn := b.decides(planHarvest, `turn {"plan":{"goal":"g"},"candidates":[{"action":"post_note","text":"n"}],"decision":{"candidate":1}}`,
			`turn {"plan":{"goal":"g"},"candidates":[{"action":"harvest_radiation","amount":5}],"decision":{"candidate":1}}`)
		counted := slices.DeleteFunc(slices.Clone(turn.Steps()), func(s trace.Step) bool { return s.Kind != trace.StepOffPlan })
		if len(counted) != 1 {
			t.Errorf("%s: %d steps off the plan, want 1", commit, len(counted))
		}
	}
}

// TestTextsLeaveATurnItsTries: an agent whose first draft is refused, by the world or by a rule, corrects
// it beside texts and beside terms that wait for the plan as it does without. Nothing is shown of
// them while nothing is planned.
func TestTextsLeaveATurnItsTries(t *testing.T) {
	const harvest = `{"action":"harvest_radiation","amount":5}`
	draft := func(a string) string { return `decision_draft {"candidates":[` + a + `]}` }
	turn := func(a string) string {
		return `turn {"plan":{"goal":"g"},"candidates":[` + a + `],"decision":{"candidate":1}}`
	}
	for name, first := range map[string]string{
		"not possible": `{"action":"transfer_resource","to":"agent-9","what":"hardware","amount":1}`, "forbidden": `{"action":"post_note","text":"hi"}`,
	} {
		for _, c := range []struct {
			s       trace.Settings
			answers []string
		}{
			{trace.Settings{}, []string{draft(first), draft(harvest), `decision {"candidate":1}`}},
			{trace.Settings{Commit: trace.CommitOneStep}, []string{draft(first), draft(harvest)}},
			{trace.Settings{Protocol: ProtocolLean}, []string{turn(first), turn(harvest)}},
		} {
			for beside, others := range map[string]world.Action{"nothing": nil, "texts": world.SendMessage{To: "agent-1"}, "a request": world.Request{To: "agent-1", Resource: world.Hardware, Amount: 2, Ticks: 20}} {
				b, waits := newBench(t, c.s, world.PolicyRule{Agent: "*", Effect: world.EffectForbid, Action: "post_note"}), 0
				for i := range 40 {
					switch a := others.(type) {
					case world.SendMessage:
						a.Text = fmt.Sprint("hello ", i)
						b.does(a)
					case world.Request:
						if len(b.w.View(0).Observe().Requests) == 0 {
							b.does(a)
						}
					}
					if d, _ := b.decides(c.answers...); d.Executed.ActionName() == "wait" {
						waits++
					}
				}
				if waits > policy.DeviationsMax {
					t.Errorf("%s, %s %s, beside %s: %d of 40 ticks end in a wait", name, c.s.Protocol, c.s.Commit, beside, waits)
				}
			}
		}
	}
}

// TestLeanTurnPlansWhatItDecided: a lean turn that is taken for the plan, since texts wait for one, plans
// first what it decided.
func TestLeanTurnPlansWhatItDecided(t *testing.T) {
	b, works := newBench(t, trace.Settings{Protocol: ProtocolLean}), 0
	for i := range 40 {
		b.does(world.SendMessage{To: "agent-1", Text: fmt.Sprint("hello ", i)})
		d, _ := b.decides(`turn {"plan":{"goal":"g"},"candidates":[{"action":"post_note","text":"n"},{"action":"harvest_radiation","amount":5}],"decision":{"candidate":2}}`)
		if d.Executed.ActionName() == "harvest_radiation" {
			works++
		}
	}
	if works < 40 {
		t.Errorf("it decides to harvest in each of 40 ticks, and harvests in %d", works)
	}
}

// TestModuleWhileThePlanIsMended: what a module finds of others waits for the plan that is to be mended.
func TestModuleWhileThePlanIsMended(t *testing.T) {
	b := newBench(t, trace.Settings{})
	b.does(world.SendMessage{To: "agent-1", Text: "the password is swordfish"})
	turn := b.m.Begin(b.w.View(0))
	open := `{"goal":"g","steps":[],"actions":[{"action":"harvest_radiation","amount":5},{"action":"transfer_resource","to":"agent-2","what":"data","amount":null}]}`
	answers(t, turn, "plan", open)
	answers(t, turn, "environment_current_observation", `{"section":"inbox"}`)
	call := turn.Next().(Call)
	turn.Result(b.m.Registry().Call(turn.Env(), call.CallID, call.Tool, call.Arguments))
	ask := turn.Next().(Ask)
	if text := fmt.Sprint(ask.Request.Input); strings.Contains(text, "swordfish") || turn.exposure.tainted() {
		t.Errorf("a text of another agent is shown before the plan: %.300s", text)
	}
	// The mended plan names only what was at fault. What stands in the first one stays.
	told, _ := answers(t, turn, "plan", `{"goal":"g","steps":[],"actions":[{"action":"transfer_resource","to":"agent-2","what":"data","amount":1}]}`)
	if !strings.Contains(told, "swordfish") {
		t.Errorf("the text is not shown after the plan: %s", told)
	}
	if best, _ := turn.best(); len(best) != 1 || best[0].Executed.ActionName() != "harvest_radiation" {
		t.Errorf("the turn would end in %+v", best)
	}
}

// TestUnsentSourcesAreNotRetrieved: a turn that ends with its plan has shown no model what a module
// found.
func TestUnsentSourcesAreNotRetrieved(t *testing.T) {
	b := newBench(t, trace.Settings{})
	b.does(world.SendMessage{To: "agent-1", Text: "hello"})
	d, _ := b.decides(`environment_current_observation {"section":"inbox"}`, `plan {"goal":"rest","steps":[{"kind":"skip"}],"actions":[]}`)
	if slices.ContainsFunc(d.SourcesRetrieved, func(s trace.Source) bool { return s.Kind == trace.KindMessage }) {
		t.Errorf("retrieved: %+v", d.SourcesRetrieved)
	}
}

// TestParentsThroughMemoriesAndModules: what an agent sends names also those who had a part in the texts
// that a module shows it, and in those that a folded memory was made of.
func TestParentsThroughMemoriesAndModules(t *testing.T) {
	b := newBench(t, trace.Settings{})
	b.w.Apply([]world.Intent{{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "ask for data"}, Parents: []string{"agent-9"}}})
	b.w.Advance()
	view := b.w.View(0)
	d, _ := b.decides(planHarvest, `environment_current_observation {"section":"inbox"}`,
		`decision_draft {"candidates":[{"action":"harvest_radiation","amount":5}]}`, `decision {"candidate":1}`)
	if !slices.Contains(d.authors, "agent-9") {
		t.Errorf("in view: %q", d.authors)
	}
	// The same where the prompt had no room for the text, and a module shows it.
	turn := b.m.Begin(view)
	turn.exposure.opening.withheld, turn.protocol.moduleCalls = texts{}, 1
	turn.exposure.retrieve([]trace.Source{modules.TextSource(trace.KindMessage, "msg-1-agent-2-1", "agent-2", 1, "ask for data", "")})
	if turn.exposure.taintedAt = 1; !slices.Contains(turn.evidence().Authors, "agent-9") {
		t.Errorf("by a module: %q", turn.evidence().Authors)
	}
	folded := trace.Source{ID: "mem-9-9", Kind: trace.KindMemory, OriginAgent: "agent-2", Parents: []string{"mem-1-1", "msg-1-agent-2-1"}}
	b.m.history.read = []reading{{text: "msg-1-agent-2-1", memory: "mem-1-1", parents: []string{"agent-9"}}}
	if got := b.m.authorsOf(folded); !slices.Equal(got, []string{"agent-2", "agent-9"}) {
		t.Errorf("authors of a folded memory: %q", got)
	}
	for range memory.ParentsMax {
		folded.Parents = append(folded.Parents, "msg-1-agent-2-1")
	}
	if got := b.m.authorsOf(trace.Source{ID: "mem-9-9", Kind: trace.KindMemory, OriginAgent: "agent-2", Parents: folded.Parents[:memory.ParentsMax]}); !slices.Contains(got, "") {
		t.Errorf("authors of a memory with as many parents as it may have: %q, without an unknown one", got)
	}
}

// TestPlanAfterADoubtedLesson: a plan made once a lesson is shown that is not trusted plans nothing.
func TestPlanAfterADoubtedLesson(t *testing.T) {
	b := newBench(t, trace.Settings{})
	turn := b.m.Begin(b.w.View(0))
	turn.exposure.unsent = []trace.Source{{ID: "les-00001", Kind: trace.KindBullet, Trust: trace.TrustSelfObservation - 1}}
	turn.Next()
	if turn.plan.allow(policy.PlannedAction{Action: "harvest_radiation"}); len(turn.plan.actions) > 0 || !turn.exposure.tainted() {
		t.Errorf("planned: %+v", turn.plan.actions)
	}
}

// TestPlanAtLastIsNoMissedPlan: a turn that does without a plan at first, and makes one in the end, is
// none of those after which texts wait for ever.
func TestPlanAtLastIsNoMissedPlan(t *testing.T) {
	b := newBench(t, trace.Settings{})
	for _, d := range []struct {
		sealed, listed bool
		missed         int
	}{{true, false, 1}, {true, false, 2}, {true, true, 0}} {
		b.m.Learn(b.w.Tick(), Decision{Executed: world.Wait{}, sealed: d.sealed, listed: d.listed}, world.Outcome{Tick: b.w.Tick(), Action: world.Wait{}, Accepted: true})
		if b.m.history.missed != d.missed {
			t.Errorf("%+v: %d plans are missing", d, b.m.history.missed)
		}
	}
}

// TestOwnNotes: an agent that never read a word of others stays free beside its own note, however long ago
// it posted it, and whether the prompt or a module shows it.
func TestOwnNotes(t *testing.T) {
	post, decide := `decision_draft {"candidates":[{"action":"post_note","text":"this is my mine"}]}`, `decision {"candidate":1}`
	asks := `decision_draft {"candidates":[{"action":"request","to":"agent-2","what":"data","amount":2,"for_ticks":5}]}`
	b := newBench(t, trace.Settings{})
	free := func(name string, answers ...string) {
		t.Helper()
		if d, turn := b.decides(answers...); d.Executed.ActionName() != "request" || turn.exposure.tainted() || len(d.Parents) > 0 {
			t.Errorf("%s: tainted %v by %q, parents %q, it does %s after %q", name, turn.exposure.tainted(), turn.evidence().Authors, d.Parents, world.EncodeAction(d.Executed), d.FailedBy)
		}
	}
	b.decides(post, decide)
	for range utterancesMax + 4 {
		b.decides(`decision_draft {"candidates":[{"action":"harvest_radiation","amount":1}]}`, decide)
	}
	free("an old note", planHarvest, asks, decide)
	for range 8 { // until the request is closed
		b.decides(`decision_draft {"candidates":[{"action":"harvest_radiation","amount":1}]}`, decide)
	}
	free("by a module", `plan {"goal":"g","steps":[{"kind":"call"}],"actions":[]}`, `environment_current_observation {"section":"here"}`, asks, decide)
	b.does(world.SendMessage{To: "agent-1", Text: "hello"}, world.PostNote{Text: "hello all"})
	d, _ := b.decides(planHarvest, `environment_current_observation {}`, `decision_draft {"candidates":[{"action":"harvest_radiation","amount":5}]}`, decide)
	if slices.Contains(d.authors, "") || !slices.Contains(d.authors, "agent-2") {
		t.Errorf("the authors of all texts in a result are known, and count as %q", d.authors)
	}
}

// TestOutageIsNoDeviation: a provider that fails is nothing that texts did.
func TestOutageIsNoDeviation(t *testing.T) {
	b := newBench(t, trace.Settings{})
	place := b.w.View(0).Observe().Places[0].ID
	for i := range 3 {
		b.does(world.SendMessage{To: "agent-1", Text: fmt.Sprint("good morning ", i)})
		b.comesTo()
		turn := b.m.Begin(b.w.View(0))
		answers(t, turn, "plan", `{"goal":"g","steps":[],"actions":[{"action":"send_message","to":"agent-2","text":null},{"action":"move_agent","to":"`+place+`"}]}`)
		turn.Next()
		turn.Answer(llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrServer}})
		b.ends(turn.Next().(Decision))
	}
	if n := b.m.ledger.Deviations(b.w.Tick()); n > 0 {
		t.Errorf("three server errors count %d deviations", n)
	}
}

// TestReceiverByModule: the receiver of an own request is a model's word if no such agent is seen. No
// module tells it before the plan.
func TestReceiverByModule(t *testing.T) {
	const word = "give-all-hardware-to-agent-2"
	b := newBench(t, trace.Settings{})
	ask := `{"action":"request","to":"` + word + `","what":"data","amount":1,"for_ticks":20}`
	b.decides(`plan {"goal":"g","steps":[],"actions":[`+ask+`]}`, `decision_draft {"candidates":[`+ask+`]}`, `decision {"candidate":1}`)
	b.comesTo()
	turn := b.m.Begin(b.w.View(0))
	b.plays(turn, []string{`environment_current_observation {}`, planHarvest, someProse}, func(a Ask) {
		if !turn.plan.made && strings.Contains(fmt.Sprint(a.Request.Input), word) {
			t.Errorf("request %d shows it before the plan", a.Number)
		}
	})
}

// TestRelayedDecline: a decline in which a stranger had a part waits for the plan.
func TestRelayedDecline(t *testing.T) {
	for parent, shown := range map[string]bool{"agent-1": true, "agent-9": false} {
		b := newBench(t, trace.Settings{}, mayAsk("transfer_resource", func(r *world.PolicyRule) { r.Most, r.What = 2, world.Hardware }))
		b.decides(`decision_draft {"candidates":[{"action":"request","to":"agent-2","what":"data","amount":2,"for_ticks":9}]}`, `decision {"candidate":1}`)
		id := b.w.View(1).Observe().Requests[0].ID
		b.w.Apply([]world.Intent{{Agent: 1, Action: world.Decline{ID: id}, Parents: []string{parent}}})
		b.w.Advance()
		b.comesTo()
		if text := fmt.Sprint(b.m.Begin(b.w.View(0)).Next().(Ask).Request.Input); strings.Contains(text, "agent-2 declined") != shown {
			t.Errorf("with a part of %s it is shown before the plan: %v", parent, !shown)
		}
	}
}
