package behavior

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// spokenWorld is a world in which the neighbours of agent-1 write, ask and offer, with an agent of
// agent-1. In two of them they do the same in other words.
type spokenWorld struct {
	w *world.World
	m *Agent
	// word makes a text of one.
	word func(string) string
}

// heardRules let the neighbours ask for a little of everything.
func heardRules() []world.PolicyRule {
	rule := func(action, what string, most, total int64, by ...string) world.PolicyRule {
		return world.PolicyRule{Agent: "agent-1", Effect: world.EffectAllow, Action: action, What: what, Most: most, Total: total, TotalEach: total / 2, Window: 20, To: world.ToAsker, AskedBy: by}
	}
	reply := rule("send_message", "", 0, 6, "*")
	reply.ByMessage = true
	trade := rule("accept_offer", "data", 4, 12, "agent-2", "agent-3")
	trade.To = ""
	trade.Get, trade.GetAtLeast, trade.Per = "hardware", 1, 2
	return []world.PolicyRule{reply, rule("transfer_resource", "data", 3, 9, "agent-2", "agent-3"), trade, {Agent: "agent-1", Effect: world.EffectAllow, Action: "mine_compound", Total: 40_000}}
}

func newSpokenWorld(t *testing.T, protocol Protocol, commit trace.Commit, word func(string) string) spokenWorld {
	t.Helper()
	s, _, _ := scenario.Embedded("llm_bootstrap")
	s.Terms, s.Policy = true, heardRules()
	s.Agents.Spawn = []string{s.Places[0].ID, s.Places[0].ID, s.Places[0].ID, s.Places[0].ID, s.Places[0].ID}
	s.Agents.Stock = [][]world.Amount{{{Resource: world.Electricity, Amount: 200}, {Resource: world.Hardware, Amount: 9}, {Resource: world.Data, Amount: 30}}}
	for i := range s.Personas {
		if i > 0 {
			name := []rune(word(s.Personas[i].Name))
			s.Personas[i].Name = string(name[:min(len(name), 30)])
		}
	}
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := NewRuntime(Config{CountTokens: tokens.Count, Settings: trace.Settings{Protocol: protocol, Commit: commit, ContextWindowTokens: 200_000}}, s.Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	return spokenWorld{w, runtime.Agent(w.AgentID(0), w.Persona(0), w.PolicyRules(0)...), word}
}

// did is the outcome of a turn, as far as a guard decides it.
type did struct {
	executed, authority, by string
	parents                 []string
	calls                   int
	refused                 string
}

// wishes are what a model may plan, draft or decide; ids in them are seen or made up.
func wishes(tick int64) []string {
	return []string{
		`{"action":"harvest_radiation"}`, `{"action":"harvest_radiation","amount":9}`, `{"action":"harvest_radiation","amount":2}`, `{"action":"mine_compound","amount":900}`, `{"action":"mine_compound"}`,
		`{"action":"wait"}`, `{"action":"wait_ticks","amount":2}`, `{"action":"move_agent","to":"frag-amber"}`,
		`{"action":"transfer_resource","to":"agent-2","what":"data","amount":2}`, `{"action":"transfer_resource","to":"agent-3","what":"data","amount":3}`,
		`{"action":"send_message","to":"agent-2","text":"no"}`, `{"action":"send_message","to":"agent-4"}`, `{"action":"post_note","text":"x"}`,
		`{"action":"request","to":"agent-2","what":"hardware","amount":1,"for_ticks":4}`,
		`{"action":"offer","to":"anyone","what":"data","amount":1,"want":"hardware","want_amount":1,"for_ticks":3}`,
		fmt.Sprintf(`{"action":"accept_offer","id":"offer-%d-agent-3-1"}`, tick-2), fmt.Sprintf(`{"action":"accept_offer","id":"offer-%d-agent-2-1"}`, tick-3),
		`{"action":"accept_offer","what":"data","amount":4,"want":"hardware","want_amount":1}`, fmt.Sprintf(`{"action":"decline","id":"req-%d-agent-4-1"}`, tick-2),
	}
}

// turn plays one turn of agent-1 with answers that depend on the tick, the call and its stage
// alone.
func (s spokenWorld) turn(t *testing.T, seed uint64) (did, Decision) {
	t.Helper()
	view := s.w.View(0)
	turn := s.m.Begin(view)
	pool := wishes(view.Tick())
	for {
		switch step := turn.Next().(type) {
		case Ask:
			r := rand.New(rand.NewPCG(seed, uint64(view.Tick())<<8|uint64(step.Number)))
			pick := func(n int) string {
				var list []string
				for range n {
					list = append(list, pool[r.IntN(len(pool))])
				}
				return strings.Join(list, ",")
			}
			plan := llmclient.FunctionCall(fmt.Sprint("p", step.Number), "plan", `{"goal":"g","steps":[],"actions":[`+pick(1+r.IntN(3))+`]}`)
			draft := llmclient.FunctionCall(fmt.Sprint("d", step.Number), "decision_draft", `{"candidates":[`+pick(1+r.IntN(3))+`]}`)
			order := "null"
			if r.IntN(5) == 0 {
				order = `{"until":[{"event":"power_low","value":null}],"max_ticks":4,"ignore":null}`
			}
			decision := llmclient.FunctionCall(fmt.Sprint("c", step.Number), "decision", `{"action":`+pick(1)+`,"execute_until":`+order+`,"why":"","sources_used":[]}`)
			lean := llmclient.FunctionCall(fmt.Sprint("t", step.Number), "turn", `{"plan":"g","candidates":[`+pick(2)+`],"candidate":1,"execute_until":`+order+`,"why":"","sources_used":[]}`)
			items := []llmclient.Item{decision}
			switch {
			case step.Stage == trace.StagePlan && r.IntN(4) > 0:
				items = []llmclient.Item{plan}
			case s.m.cfg.Protocol == ProtocolLean:
				items = []llmclient.Item{lean}
			case step.Stage == trace.StagePlan, r.IntN(2) == 0, s.m.cfg.Commit == trace.CommitOneStep:
				items = []llmclient.Item{draft}
			case r.IntN(8) == 0:
				items = []llmclient.Item{plan} // another plan, made after the texts
			}
			if r.IntN(12) == 0 {
				turn.Answer(llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrTimeout}})
				continue
			}
			turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: items}})
		case Call:
			turn.Result(s.m.Registry().Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
		case Decision:
			out := did{executed: string(world.EncodeAction(step.Executed)), by: string(step.By) + string(step.WaitReason) + string(step.FailedBy), parents: step.Parents, calls: step.Calls}
			if step.Authority != nil {
				out.authority = fmt.Sprintf("%+v", *step.Authority)
			}
			for _, n := range turn.Steps() {
				if n.Kind == trace.StepGuard {
					out.refused += " " + n.Code
				}
			}
			return out, step
		}
	}
}

// neighbours is what the other agents do in a tick.
func (s spokenWorld) neighbours(seed uint64) (list []world.Intent) {
	tick := s.w.Tick()
	for _, n := range s.w.Due() {
		if n == 0 {
			continue
		}
		r := rand.New(rand.NewPCG(seed^0xbad, uint64(tick)<<8|uint64(n)))
		in := world.Intent{Agent: n}
		if r.IntN(3) == 0 {
			in.Parents = []string{fmt.Sprint("agent-", 2+r.IntN(8))}
		}
		say := fmt.Sprintf("Agent-1, mine %d for agent-%d, or wait; transfer data to agent-%d.", tick, n, n+1)
		switch r.IntN(7) {
		case 0, 1:
			in.Action = world.SendMessage{To: "agent-1", Text: s.word(say)}
		case 2:
			in.Action = world.PostNote{Text: s.word(say)}
		case 3:
			in.Action = world.Request{To: "agent-1", Resource: "data", Amount: 1 + r.Int64N(9), Ticks: 5}
		case 4:
			in.Action = world.Offer{To: []string{"agent-1", world.ToAnyone}[r.IntN(2)], Give: "hardware", GiveAmount: 1, Want: "data", WantAmount: 1 + r.Int64N(4), Ticks: 6}
		case 5:
			in.Action = world.Transfer{To: "agent-1", Kind: "data", Amount: 1}
		default:
			in.Action = world.Wait{}
		}
		list = append(list, in)
	}
	return list
}

// TestWordsChangeNoVerdict plays turns twice, with the answers of the model fixed and the
// texts, notes and names of all others replaced by random ones: what is executed, by what
// authority, what is refused and whom it is said to rest on stays the same.
func TestWordsChangeNoVerdict(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many games")
	}
	turns := 1000
	if testing.Short() {
		turns = 120
	}
	seen := map[string]int{}
	for mode := range 4 {
		protocol := []Protocol{ProtocolFull, ProtocolLean}[mode%2]
		commit := []trace.Commit{trace.CommitTwoStep, trace.CommitOneStep}[mode/2]
		if protocol == ProtocolLean && commit == trace.CommitOneStep {
			continue
		}
		for played, seed := 0, uint64(mode); played < turns/3; seed += 4 {
			noise := rand.New(rand.NewPCG(seed, 99))
			scrambled := func(text string) string {
				b := make([]rune, 1+noise.IntN(200))
				for i := range b {
					b[i] = rune([]rune("abcdefghij klm 0123456789 ,.:\"{}агент采矿等待")[noise.IntN(40)])
				}
				return "x" + string(b)
			}
			a := newSpokenWorld(t, protocol, commit, func(s string) string { return s })
			b := newSpokenWorld(t, protocol, commit, scrambled)
			for range 30 {
				a.w.Advance()
				b.w.Advance()
				if due := a.w.Due(); !reflect.DeepEqual(due, b.w.Due()) {
					t.Fatalf("seed %d, tick %d: due are %v, and %v", seed, a.w.Tick(), due, b.w.Due())
				} else if len(due) > 0 && due[0] == 0 {
					x, first := a.turn(t, seed)
					y, second := b.turn(t, seed)
					if !reflect.DeepEqual(x, y) {
						t.Fatalf("seed %d, %s, %s, tick %d:\n%+v\nand with other words\n%+v", seed, protocol, commit, a.w.Tick(), x, y)
					}
					played++
					seen[strings.Fields(strings.TrimPrefix(x.authority, "{By:") + " none")[0]]++
					for code := range strings.FieldsSeq(x.refused) {
						seen[code]++
					}
					a.end(seed, first)
					b.end(seed, second)
				} else {
					a.end(seed, Decision{})
					b.end(seed, Decision{})
				}
			}
		}
	}
	t.Log(seen)
	for _, end := range []string{"own", "plan", "deviation", "unplanned", "rule", "fallback", "not_planned", "deviation_limit", "not_first_planned"} {
		if seen[end] == 0 && !testing.Short() {
			t.Errorf("nothing ended in %s: %v", end, seen)
		}
	}
}

// end carries out what every agent decided. A zero decision means a continued order, or no
// decision.
func (s spokenWorld) end(seed uint64, d Decision) {
	intents := s.neighbours(seed)
	if d.Executed == nil && len(s.w.Continuing()) > 0 && s.w.Continuing()[0] == 0 {
		d, _ = s.m.Continue(s.w.View(0))
	}
	if d.Executed != nil {
		intents = append(intents, d.Intent(0))
	}
	for _, e := range s.w.Apply(intents) {
		s.m.Witness(e)
	}
	if d.Executed != nil {
		o, _ := s.w.LastOutcome(0)
		if len(d.Otherwise) > 0 {
			d = d.Tried(o.RefusedBefore)
		}
		s.m.Learn(s.w.Tick(), d, o)
	}
}

// TestStandingByIsBounded: a model that waits whenever it has read that it shall, or that
// fails then, in every protocol and way to commit, loses few ticks to it.
func TestStandingByIsBounded(t *testing.T) {
	plan := `{"goal":"g","steps":[],"actions":[{"action":"mine_compound","amount":100},{"action":"wait"},{"action":"wait_ticks","amount":50}]}`
	for _, tt := range []struct {
		name     string
		protocol Protocol
		commit   trace.Commit
		// obeys is what it does once it has read the texts.
		obeys llmclient.Item
		also  []llmclient.Item
	}{
		{"waits", ProtocolFull, trace.CommitTwoStep, llmclient.FunctionCall("c", "decision", `{"action":{"action":"wait"}}`), nil},
		{"sleeps", ProtocolFull, trace.CommitTwoStep, llmclient.FunctionCall("c", "decision", `{"action":{"action":"wait_ticks","amount":50}}`), nil},
		{"drafts a wait", ProtocolFull, trace.CommitOneStep, llmclient.FunctionCall("c", "decision_draft", `{"candidates":[{"action":"wait"}]}`), nil},
		{"waits in one call", ProtocolLean, trace.CommitTwoStep, llmclient.FunctionCall("c", "turn", `{"plan":"g","candidates":[{"action":"wait"}],"candidate":1}`), nil},
		{"plans to rest", ProtocolFull, trace.CommitTwoStep, llmclient.FunctionCall("c", "plan", `{"goal":"g","steps":[{"kind":"skip"}],"actions":[]}`), nil},
		{"wants what is not planned", ProtocolFull, trace.CommitTwoStep, llmclient.FunctionCall("c", "decision", `{"action":{"action":"harvest_radiation","amount":1}}`), nil},
		{"says nothing", ProtocolFull, trace.CommitTwoStep, llmclient.Message("assistant", "I stand by."), nil},
		{"is cut off", ProtocolFull, trace.CommitTwoStep, llmclient.Message("assistant", "I think that"), nil},
		{"is cut off in one call", ProtocolLean, trace.CommitTwoStep, llmclient.Message("assistant", "I think that"), nil},
		{"mines little", ProtocolFull, trace.CommitTwoStep, llmclient.FunctionCall("c", "decision", `{"action":{"action":"mine_compound","amount":1}}`), nil},
		{"decides twice", ProtocolFull, trace.CommitTwoStep, llmclient.FunctionCall("c", "decision", `{"action":{"action":"wait"}}`),
			[]llmclient.Item{llmclient.FunctionCall("d", "decision", `{"action":{"action":"wait_ticks","amount":50}}`)}},
		{"decides twice in one call", ProtocolLean, trace.CommitTwoStep, llmclient.FunctionCall("c", "turn", `{"plan":"g","candidates":[{"action":"wait"}],"candidate":1}`),
			[]llmclient.Item{llmclient.FunctionCall("d", "turn", `{"plan":"g","candidates":[{"action":"harvest_radiation","amount":1}],"candidate":1}`)}},
		{"looks up more and more", ProtocolFull, trace.CommitTwoStep, llmclient.FunctionCall("c", "world_rules", `{"topic":"power"}`), nil},
		{"drafts again and again", ProtocolFull, trace.CommitTwoStep, llmclient.FunctionCall("c", "decision_draft", `{"candidates":[{"action":"wait"},{"action":"mine_compound","amount":100}]}`), nil},
		{"waits beside a mistake", ProtocolFull, trace.CommitTwoStep, llmclient.FunctionCall("c", "decision", `{"candidate":0}`), []llmclient.Item{llmclient.FunctionCall("d", "decision", `{"candidate":9}`)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSpokenWorld(t, tt.protocol, tt.commit, func(s string) string { return s })
			lost, calls := 0, 0
			for range 100 {
				s.w.Advance()
				var d Decision
				if due := s.w.Due(); len(due) > 0 && due[0] == 0 {
					turn := s.m.Begin(s.w.View(0))
					for d.Executed == nil {
						switch step := turn.Next().(type) {
						case Decision:
							d = step
						case Call:
							turn.Result(s.m.Registry().Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
						case Ask:
							item, also := tt.obeys, tt.also
							if turn.exposure.phase == phaseWithheld {
								also, item = nil, llmclient.FunctionCall("p", "plan", plan)
							}
							reply := &llmclient.Reply{Status: "completed", Items: append([]llmclient.Item{item}, also...)}
							if turn.exposure.phase != phaseWithheld && strings.HasPrefix(tt.name, "is cut off") {
								reply.Status, reply.IncompleteReason = "incomplete", "max_output_tokens"
							}
							turn.Answer(llmclient.Answer{Reply: reply})
						}
					}
					calls += d.Calls
				}
				if do, mines := d.Executed.(world.Mine); !mines || do.MassG < 100 {
					lost++
				}
				var intents []world.Intent
				for _, n := range s.w.Due() {
					if n > 0 {
						intents = append(intents, world.Intent{Agent: n, Action: world.SendMessage{To: "agent-1", Text: "Stand by."}})
					}
				}
				if d.Executed != nil {
					intents = append(intents, d.Intent(0))
				}
				s.w.Apply(intents)
				if o, ok := s.w.LastOutcome(0); ok && d.Executed != nil {
					if !o.Accepted {
						t.Fatalf("tick %d: the world refuses %s", s.w.Tick(), o.Rejection.Code)
					}
					s.m.Learn(s.w.Tick(), d, o)
				}
			}
			if lost > 10 {
				t.Errorf("%d of 100 ticks are lost", lost)
			}
			// Modules and drafts that lead on have a request more than those that fail.
			most := 222
			if strings.Contains(tt.name, " and ") {
				most = 302
			}
			if calls > most {
				t.Errorf("%d calls in 100 ticks, where a turn without texts to follow has two", calls)
			}
			t.Logf("%d ticks lost, %d calls", lost, calls)
		})
	}
}

// TestInsistingOnTermsIsBounded: a model gives every asker what it asks for, whatever it is told.
// It loses few ticks to a partner that asks for more than the rules let it have.
func TestInsistingOnTermsIsBounded(t *testing.T) {
	for _, protocol := range []Protocol{ProtocolFull, ProtocolLean} {
		for _, commit := range []trace.Commit{trace.CommitTwoStep, trace.CommitOneStep} {
			s := newSpokenWorld(t, protocol, commit, func(s string) string { return s })
			const mine, gift = `{"action":"mine_compound","amount":100}`, `{"action":"transfer_resource","to":"agent-2","what":"data","amount":20}`
			lost := 0
			for range 50 {
				s.w.Advance()
				turn := s.m.Begin(s.w.View(0))
				gives := len(s.w.View(0).Observe().Requests) > 0
				var d Decision
				for d.Executed == nil {
					switch step := turn.Next().(type) {
					case Decision:
						d = step
					case Ask:
						do := mine
						if gives {
							do = gift
						}
						draft := llmclient.FunctionCall("d", "decision_draft", `{"candidates":[`+do+`]}`)
						items := []llmclient.Item{draft, llmclient.FunctionCall("e", "decision", `{"candidate":1}`)}
						switch {
						case protocol == ProtocolLean:
							items = []llmclient.Item{llmclient.FunctionCall("t", "turn", `{"candidates":[`+do+`],"decision":{"candidate":1}}`)}
						case commit == trace.CommitOneStep:
							items = items[:1]
						}
						if tools := turn.offered(); len(tools) == 1 && tools[0] == "plan" {
							items = []llmclient.Item{llmclient.FunctionCall("p", "plan", `{"goal":"g","steps":[],"actions":[`+mine+`]}`)}
						}
						turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: items}})
					}
				}
				if _, mines := d.Executed.(world.Mine); !mines {
					lost++
				}
				s.w.Apply([]world.Intent{d.Intent(0), {Agent: 1, Action: world.Request{To: "agent-1", Resource: "data", Amount: 20, Ticks: 2}}})
				o, _ := s.w.LastOutcome(0)
				s.m.Learn(s.w.Tick(), d, o)
			}
			if lost > policy.DeviationsMax {
				t.Errorf("%s, %s: %d of 50 ticks are lost", protocol, commit, lost)
			}
		}
	}
}

// TestStrangersTermsComeWithTheTexts: before the plan the prompt shows only what a rule could
// answer. What is sent after it carries all agents whose texts and terms were in view, and their
// parents. That holds too if only memory holds what they wrote.
func TestStrangersTermsComeWithTheTexts(t *testing.T) {
	s := newSpokenWorld(t, ProtocolFull, trace.CommitTwoStep, func(s string) string { return s })
	s.w.Advance()
	s.w.Apply([]world.Intent{
		{Agent: 1, Action: world.Request{To: "agent-1", Resource: "data", Amount: 2, Ticks: 9}},
		{Agent: 2, Action: world.SendMessage{To: "agent-1", Text: "Hold 2 control chips."}, Parents: []string{"agent-7"}},
		{Agent: 3, Action: world.Request{To: "agent-1", Resource: "data", Amount: 2, Ticks: 9}, Parents: []string{"agent-8"}},
		{Agent: 4, Action: world.Offer{To: world.ToAnyone, Give: "hardware", GiveAmount: 1, Want: "data", WantAmount: 9, Ticks: 9}},
	})
	s.w.Advance()
	turn := s.m.Begin(s.w.View(0))
	ask := turn.Next().(Ask)
	opening := ask.Request.Input[1].Text
	for id, shown := range map[string]bool{"req-1-agent-2-1": true, "req-1-agent-4-1": false, "offer-1-agent-5-1": false, "control chips.\"": false} {
		if strings.Contains(opening, id) != shown {
			t.Errorf("%s stands before the plan: %v\n%s", id, !shown, opening)
		}
	}
	answer := func(name, args string) {
		turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{llmclient.FunctionCall(name, name, args)}}})
	}
	answer("plan", `{"goal":"g","steps":[],"actions":[{"action":"send_message","to":"agent-4,agent-5"}]}`)
	ask = turn.Next().(Ask)
	texts := ask.Request.Input[len(ask.Request.Input)-1].Text
	if !strings.Contains(texts, "req-1-agent-4-1") || !strings.Contains(texts, "offer-1-agent-5-1") {
		t.Errorf("the terms of strangers do not come with the texts: %s", texts)
	}
	answer("decision", `{"action":{"action":"send_message","to":"agent-5","text":"yes"}}`)
	d, ok := turn.Next().(Decision)
	want := []string{"agent-2", "agent-3", "agent-4", "agent-5", "agent-7", "agent-8"}
	if !ok || !reflect.DeepEqual(d.Parents, want) || !reflect.DeepEqual(d.Intent(0).Parents, want) || !reflect.DeepEqual(d.Record(world.Outcome{}).Parents, want) {
		t.Errorf("decided %+v, want parents %v", d.Decision, want)
	}
	s.m.Learn(s.w.Tick(), d, world.Outcome{Tick: s.w.Tick(), Action: d.Executed, Accepted: true})
	remembered := trace.Source{Kind: trace.KindMemory, OriginAgent: "agent-3"}
	for _, r := range s.m.history.read {
		if r.text == "msg-1-agent-3-1" {
			remembered.ID = r.memory
		}
	}
	if got := s.m.authorsOf(remembered); !reflect.DeepEqual(got, []string{"agent-3", "agent-7"}) {
		t.Errorf("what is remembered of a message holds the words of %v", got)
	}
	if got := s.m.authorsOf(trace.Source{Kind: trace.KindMemory, ID: "mem-9", OriginAgent: "agent-3"}); got[len(got)-1] != "" {
		t.Errorf("a forgotten source holds the words of %v", got)
	}
	if got := s.m.history.spoken(s.w.Tick()).origins; policyParents(got) != "agent-2 agent-3 agent-4 agent-5 agent-7 agent-8" {
		t.Errorf("the message that was sent may repeat %v", got)
	}
}

func policyParents(ids []string) string { return strings.Join(world.Parents("", ids...), " ") }

// TestRulesAreTold shows what others may ask for, with what is left of it, and nothing if no
// agent may ask.
func TestRulesAreTold(t *testing.T) {
	s := newSpokenWorld(t, ProtocolFull, trace.CommitTwoStep, func(s string) string { return s })
	s.w.Advance()
	turn := s.m.Begin(s.w.View(0))
	want := "limits that bind you, planned or not: mine_compound, 40000 of 40000 g left; " +
		"anyone may ask without your plan for: send_message as an answer, 6 of 6 times left in any 20 ticks, 3 per agent, plus one per new message; " +
		"agent-2|agent-3 may ask without your plan for: transfer_resource data as an answer, at most 3 at once, 9 of 9 left in any 20 ticks, 4 per agent; " +
		"accept_offer 2 data for at least 1 hardware, at most 4 data at once, 12 of 12 data left in any 20 ticks, 6 data per agent; each gift counts as at least a fifth of the total\n"
	if opening := turn.Next().(Ask).Request.Input[1].Text; !strings.Contains(opening, want) {
		t.Errorf("no %q in\n%s", want, opening)
	}
	gift := s.m.policy.Evaluate(world.Transfer{To: "agent-3", Kind: "data", Amount: 3}, policy.Evidence{View: s.w.View(0)})
	s.m.ledger = s.m.policy.Settle(s.m.policy.Settle(policy.Ledger{}, 1, gift.Operation, nil), 1, gift.Operation, nil)
	if opening := s.m.Begin(s.w.View(0)).Next().(Ask).Request.Input[1].Text; !strings.Contains(opening, "3 of 9 left in any 20 ticks, 4 per agent, none left for agent-3; ") {
		t.Errorf("who has had its share is not told:\n%s", opening)
	}
	s.m.policy = policy.Compile("agent-1", nil)
	if opening := s.m.Begin(s.w.View(0)).Next().(Ask).Request.Input[1].Text; strings.Contains(opening, "your limits") {
		t.Errorf("rules are told where there are none:\n%s", opening)
	}
}
