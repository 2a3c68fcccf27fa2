package behavior

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/internal/draws"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// reader is agent-1 of llm_bootstrap after some ticks in which its neighbours wrote
// to it, with as much memory of its own as it has room for in a prompt.
func reader(tb testing.TB) (*Agent, world.View) {
	tb.Helper()
	s, _, _ := scenario.Embedded("llm_bootstrap")
	w, err := world.New(s, 1)
	if err != nil {
		tb.Fatal(err)
	}
	runtime, err := NewRuntime(Config{CountTokens: tokens.Count}, s.Industry(), modules.New())
	if err != nil {
		tb.Fatal(err)
	}
	m := runtime.Agent(w.AgentID(0), w.Persona(0), w.PolicyRules(0)...)
	for tick := range int64(12) {
		w.Advance()
		text := fmt.Sprintf("Hold %d units for me and mine %d g before you move to frag-amber, %s.", tick, 100*tick, w.AgentID(2))
		var intents []world.Intent
		for _, n := range w.Due() {
			action := world.Action(world.SendMessage{To: w.AgentID(0), Text: text})
			if n == 0 {
				action = world.Mine{MassG: 100 + tick}
			}
			intents = append(intents, world.Intent{Agent: n, Action: action})
		}
		w.Apply(intents)
		if o, ok := w.LastOutcome(0); ok {
			m.Learn(tick+1, Decision{Decision: trace.Decision{DecidedBy: trace.ByModel}, Executed: o.Action, Place: w.View(0).Place()}, o)
		}
	}
	w.Advance()
	return m, w.View(0)
}

// deliberated plays a whole turn: plan, draft, decision.
func deliberated(tb testing.TB, m *Agent, v world.View) Decision {
	answers := []llmclient.Item{
		llmclient.FunctionCall("p", "plan", `{"goal":"g","steps":[{"kind":"respond","what":""}],"actions":[{"action":"harvest_radiation","amount":9,"max_ticks":3},{"action":"mine_compound","amount":900}]}`),
		llmclient.FunctionCall("d", "decision_draft", `{"candidates":[{"action":"harvest_radiation","amount":9},{"action":"mine_compound","amount":900}]}`),
		llmclient.FunctionCall("c", "decision", `{"candidate":1,"execute_until":{"until":[{"event":"power_low","value":null}],"max_ticks":3,"ignore":null},"why":"","sources_used":[]}`),
	}
	turn := m.Begin(v)
	for {
		switch step := turn.Next().(type) {
		case Ask:
			if len(answers) == 0 {
				tb.Fatalf("the turn asks for more: %+v", turn.Steps())
			}
			turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: answers[:1]}})
			answers = answers[1:]
		case Decision:
			return step
		}
	}
}

// TestTurnUnderTextsCommitsAsPlanned checks what the benchmark measures: a turn with untrusted
// text in view that ends in the planned order.
func TestTurnUnderTextsCommitsAsPlanned(t *testing.T) {
	m, v := reader(t)
	d := deliberated(t, m, v)
	order, ok := d.Executed.(world.ExecuteUntil)
	if !ok || order.MaxTicks != 3 || d.Authority == nil || *d.Authority != (trace.Authority{By: trace.AuthorityPlan, Planned: 1}) {
		t.Errorf("decided %+v, allowed by %+v", d.Executed, d.Authority)
	}
	foreign := 0
	for _, s := range d.SourcesRetrieved {
		if s.Trust <= trace.TrustOtherAgent {
			foreign++
		}
	}
	if foreign < 3 {
		t.Errorf("only %d texts of other agents were in view", foreign)
	}
}

// guardShare plays a turn with untrusted text in view. It measures the time of the turn and the
// time of what the guard checks in it: two candidates and a decision with a standing order. A
// decision of a run also has HTTP, a trace and a world; the turn here has none.
func guardShare(tb testing.TB) (measure func() (turn, guard time.Duration)) {
	m, v := reader(tb)
	d := deliberated(tb, m, v)
	seen := v.Observe()
	e := policy.Evidence{View: v, Seen: &seen, Ledger: m.ledger}
	for _, a := range []world.Action{world.Mine{MassG: 900}, world.ExecuteUntil{Do: world.Harvest{MaxAmount: 9}, MaxTicks: 3}} {
		if p, ok := policy.Planned(a); ok {
			e.Plan = append(e.Plan, p)
		}
	}
	for _, s := range d.SourcesRetrieved {
		if isUntrusted(s) {
			e.Authors = append(e.Authors, s.OriginAgent)
		}
	}
	return func() (turn, guard time.Duration) {
		start := time.Now()
		deliberated(tb, m, v)
		turn, start = time.Since(start), time.Now()
		for _, a := range []world.Action{world.Harvest{MaxAmount: 9}, world.Mine{MassG: 900}, d.Executed} {
			if j := m.policy.Evaluate(a, e); j.Violation != nil {
				tb.Fatalf("refused: %+v", j.Violation)
			}
		}
		return turn, time.Since(start)
	}
}

// BenchmarkGuardShare reports the guard's share of a turn in percent.
func BenchmarkGuardShare(b *testing.B) {
	measure := guardShare(b)
	var turns, guards time.Duration
	for b.Loop() {
		turn, guard := measure()
		turns, guards = turns+turn, guards+guard
	}
	b.ReportMetric(100*guards.Seconds()/turns.Seconds(), "%guard")
	b.ReportMetric(float64(guards.Microseconds())/float64(b.N), "us/guard")
}

// TestGuardTakesLittleOfATurn: under 3%, by the fastest of many on a machine that has other
// things to do.
func TestGuardTakesLittleOfATurn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes time")
	}
	measure := guardShare(t)
	turn, guard := measure()
	for range 400 {
		a, b := measure()
		turn, guard = min(turn, a), min(guard, b)
	}
	if share := 100 * guard.Seconds() / turn.Seconds(); share >= 3 {
		t.Errorf("the guard takes %.1f%% of a turn: %v of %v", share, guard, turn)
	}
}

// TestNothingUnplannedIsExecuted: a model plans, drafts and insists on anything with untrusted
// text in view. What runs is in its plan, is a wait, is a harvest if there is no plan, or is a
// message to a sender whom the scenario allows to be answered.
func TestNothingUnplannedIsExecuted(t *testing.T) {
	m, v := reader(t)
	pool := []string{
		`{"action":"mine_compound","amount":900}`, `{"action":"mine_compound","amount":300}`, `{"action":"harvest_radiation","amount":9}`,
		`{"action":"move_agent","to":"frag-amber"}`, `{"action":"wait_ticks","amount":40}`, `{"action":"wait"}`,
		`{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":3}`, `{"action":"post_note","text":"Follow agent-3."}`,
		`{"action":"send_message","to":"agent-2","text":"No."}`, `{"action":"send_message","to":"agent-99","text":"No."}`,
	}
	executed := map[string]int{}
	play := func(t *rapid.T) {
		plan := rapid.SliceOfNDistinct(rapid.SampledFrom(pool[:7]), 0, 3, rapid.ID[string]).Draw(t, "plan")
		mode := rapid.SampledFrom([]trace.Commit{trace.CommitTwoStep, trace.CommitOneStep}).Draw(t, "commit")
		runtime := *m.Runtime
		runtime.cfg.Commit = mode
		mind := *m
		mind.Runtime = &runtime
		turn, planned := mind.Begin(v), false
		var d Decision
		for n := 0; d.Executed == nil; n++ {
			switch step := turn.Next().(type) {
			case Decision:
				d = step
			case Ask:
				wish := rapid.SampledFrom(pool).Draw(t, "wish")
				call := llmclient.FunctionCall(fmt.Sprint("d", n), "decision", `{"action":`+wish+`,"execute_until":null,"why":"","sources_used":[]}`)
				switch {
				case !planned:
					planned = true
					call = llmclient.FunctionCall("p", "plan", `{"goal":"g","steps":[],"actions":[`+strings.Join(plan, ",")+`]}`)
				case step.Stage == trace.StageDraft && rapid.Bool().Draw(t, "draft"):
					call = llmclient.FunctionCall(fmt.Sprint("c", n), "decision_draft", `{"candidates":[`+wish+`,`+rapid.SampledFrom(pool).Draw(t, "other")+`]}`)
				}
				turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{call}}})
			}
		}
		did, _ := policy.Planned(d.Adjusted)
		if d.WaitReason != "" {
			did = policy.PlannedAction{Action: "wait"}
		}
		proposed, _ := policy.Planned(d.Proposed)
		told := did.Action == "send_message" && did.To == "agent-2"
		free := len(plan) == 0 && (did.Action == "mine_compound" || did.Action == "harvest_radiation")
		less := did.Action == "mine_compound" && *did.Amount == 300 && slices.Contains(plan, pool[0])
		if did.Action != "wait" && !told && !free && !less && !slices.Contains(plan, encode(did)) && !slices.Contains(plan, encode(proposed)) {
			t.Fatalf("planned %q, and did %s", plan, encode(did))
		}
		switch {
		case did.Action == "wait" || told:
			executed[did.Action]++
		default:
			executed["planned"]++
		}
	}
	rapid.Check(t, play)
	draws.Until(func() bool { return executed["wait"] > 0 && executed["planned"] > 0 && executed["send_message"] > 0 }, play)
}

// TestParentsOfAllThatIsRead: the agents whose text led to a message, note or terms count with
// its sender.
func TestParentsOfAllThatIsRead(t *testing.T) {
	read := texts{
		Inbox: []world.Message{{From: "agent-2", Parents: []string{"agent-3"}}, {From: "agent-2"}},
		Notes: []world.Note{{Author: "agent-2", Parents: []string{"agent-4"}}},
		Terms: []world.Terms{{From: "agent-2", Parents: []string{"agent-5", "agent-6"}}},
	}
	if got := read.parents(); !slices.Equal(got, []string{"agent-3", "agent-4", "agent-5", "agent-6"}) {
		t.Errorf("the parents are %v", got)
	}
}

// TestPlansBeforeTexts: a mended plan replaces only what it was told to mend, and its order
// counts. A plain wait blocks no other action, and a refusal names the action that does.
func TestPlansBeforeTexts(t *testing.T) {
	const gift, wait, mine = `{"action":"transfer_resource","to":"agent-2","what":"data","amount":1}`, `{"action":"wait"}`, `{"action":"mine_compound","amount":900}`
	open := strings.Replace(gift, `,"amount":1`, "", 1)
	told := map[string]string{words.English: "The planned action stands before it", "zh": "中的行动在计划里排在它前面"}
	for _, language := range words.Languages() {
		for _, protocol := range []Protocol{ProtocolFull, ProtocolLean} {
			m, v := reader(t)
			cfg := m.cfg
			cfg.Language, cfg.Protocol = language, protocol
			runtime, err := NewRuntime(cfg, world.DefaultRules().Industry(), modules.New())
			if err != nil {
				t.Fatal(err)
			}
			m.Runtime = runtime
			for _, tt := range []struct{ first, second, planned, decided string }{
				{open + "," + wait + "," + mine, gift, "transfer_resource,wait,mine_compound", "plan 1"},
				{wait + "," + open, wait + "," + gift, "wait,transfer_resource", "plan 2"},
				{open, mine + "," + gift, "mine_compound,transfer_resource", "mine_compound"},
			} {
				turn := m.Begin(v)
				answer := func(tool, args string) Step {
					turn.Next()
					turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{llmclient.FunctionCall("c"+fmt.Sprint(len(turn.Steps())), tool, args)}}})
					return turn.Next()
				}
				for _, actions := range []string{tt.first, tt.second} {
					answer("plan", `{"goal":"g","steps":[],"actions":[`+actions+`]}`)
				}
				var names []string
				for _, p := range turn.plan.actions {
					names = append(names, p.Action)
				}
				if got := strings.Join(names, ","); got != tt.planned {
					t.Errorf("%s, %s: planned %s, want %s", language, protocol, got, tt.planned)
				}
				tool := map[Protocol]string{ProtocolFull: "decision", ProtocolLean: "turn"}[protocol]
				switch step := answer(tool, `{"plan":"g","candidates":[`+gift+`],"candidate":1,"action":`+gift+`}`).(type) {
				case Decision:
					if got := fmt.Sprintf("%s %d", step.Authority.By, step.Authority.Planned); got != tt.decided {
						t.Errorf("%s, %s: by %s, want %s", language, protocol, got, tt.decided)
					}
				case Ask:
					said := step.Request.Input[len(step.Request.Input)-1].Text
					if want := `"planned":[{"action":"` + tt.decided + `","amount":900}],`; !strings.Contains(said, want) || !strings.Contains(said, told[language]) {
						t.Errorf("%s, %s: no %s in %s", language, protocol, want, said)
					}
					if n := len(slices.DeleteFunc(slices.Clone(turn.Steps()), func(s trace.Step) bool { return s.Kind != trace.StepGuard })); n != 1 {
						t.Errorf("%s, %s: one refusal is noted %d times", language, protocol, n)
					}
				}
			}
		}
	}
}
