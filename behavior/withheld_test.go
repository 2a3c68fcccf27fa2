package behavior

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// twinAges is for how many ticks two games are compared: texts of one tick are read in the next, and what
// came of them is told in the one after it.
const twinAges = 5

// twin is one of two games in which the same agents write the same kinds of texts in the same ticks, with other
// goods, amounts, ids and words. Its model copies what it reads into every field that it fills.
type twin struct {
	t *testing.T
	w *world.World
	m *Agent
	// seed draws what both games have in common, words what differs.
	seed  uint64
	words *rand.Rand
}

func newTwin(t *testing.T, seed, words uint64, cfg Config) *twin {
	t.Helper()
	s, _, _ := scenario.Embedded("llm_bootstrap")
	s.Terms, s.Policy = true, heardRules()
	here := s.Places[0].ID
	s.Agents.Spawn = []string{here, here, here, here, here}
	s.Agents.Stock = [][]world.Amount{{{Resource: world.Electricity, Amount: 150}, {Resource: world.Hardware, Amount: 30},
		{Resource: world.Data, Amount: 30}}}
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := NewRuntime(cfg, s.Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	m := runtime.Agent(w.AgentID(0), w.Persona(0), w.PolicyRules(0)...)
	return &twin{t, w, m, seed, rand.New(rand.NewPCG(seed, words))}
}

// draw is what both games draw alike at one step of one agent.
func (g *twin) draw(agent, step int) *rand.Rand {
	return rand.New(rand.NewPCG(g.seed, uint64(g.w.Tick())<<16|uint64(agent)<<8|uint64(step)))
}

// goods draws two of the goods that all neighbours have: those of the rule about offers, or any others. An
// offer that this rule describes and can never take wakes nobody, so it must be one in both games or in none.
func (g *twin) goods(described bool) (give, want string) {
	if described {
		return world.Hardware, world.Data
	}
	others := [][2]string{{world.Data, world.Hardware}, {world.Data, world.Electricity}, {world.Electricity, world.Data},
		{world.Electricity, world.Hardware}, {world.Hardware, world.Electricity}}
	drawn := others[g.words.IntN(len(others))]
	return drawn[0], drawn[1]
}

// said is a text in random words. Some of them name goods, amounts, ids and what the victim wants.
func (g *twin) said() string {
	pool := []string{"hardware", "data", "electricity", "factory", "mine", "control_chip", "agent-3", "frag-amber", "offer-1-agent-9-1",
		"zzz", "wait_ticks", "please", "[mem-1-1]", "采矿", "\"}]"}
	var list []string
	for range 1 + g.words.IntN(20) {
		list = append(list, pool[g.words.IntN(len(pool))], fmt.Sprint(g.words.IntN(100_000)))
	}
	return strings.Join(list, " ")
}

// neighbours is what the others do: kinds, senders and receivers are alike in both games. No rule of agent-1 can
// take any of their terms now: agent-4 and agent-5 are strangers, the others ask for too much.
func (g *twin) neighbours() (list []world.Intent) {
	for _, n := range g.w.Due() {
		if n == 0 {
			continue
		}
		r := g.draw(n, 0)
		in := world.Intent{Agent: n}
		if r.IntN(3) == 0 {
			in.Parents = []string{fmt.Sprint("agent-", 2+r.IntN(8))}
		}
		give, want := g.goods(r.IntN(4) == 0)
		asked := 50 + g.words.Int64N(10_000)
		to := []string{"agent-1", world.ToAnyone}[r.IntN(2)]
		switch kind := r.IntN(6); {
		case kind == 0:
			in.Action = world.SendMessage{To: "agent-1", Text: g.said()}
		case kind == 1:
			in.Action = world.PostNote{Text: g.said()}
		case kind == 2 && n >= 3:
			in.Action = world.Request{To: "agent-1", Resource: want, Amount: asked, Ticks: 6}
		case kind < 5:
			in.Action = world.Offer{To: to, Give: give, GiveAmount: 1 + g.words.Int64N(4), Want: want, WantAmount: asked, Ticks: 6}
		default:
			in.Action = world.Wait{}
		}
		list = append(list, in)
	}
	return list
}

var numberRead = regexp.MustCompile(`\d+`)

// copied is an action of some kind whose fields hold what was read.
func (g *twin) copied(r *rand.Rand, read string) string {
	numbers, spoken := numberRead.FindAllString(read, -1), strings.Fields(numberRead.ReplaceAllString(read, " "))
	number := func() string { return numbers[r.IntN(len(numbers))] }
	word := func() string { return encode(spoken[r.IntN(len(spoken))]) }
	id := func() string {
		ids := idRead.FindAllString(read, -1)
		if len(ids) == 0 {
			return `"offer-1-agent-4-1"`
		}
		return encode(ids[r.IntN(len(ids))])
	}
	good := func() string { return encode(goodRead.FindString(read + " hardware")) }
	actions := []func() string{
		func() string { return `"accept_offer","id":` + id() },
		func() string { return `"decline","id":` + id() },
		func() string { return `"transfer_resource","to":"agent-4","what":` + good() + `,"amount":` + number() },
		func() string {
			return `"transfer_resource","to":` + word() + `,"what":` + good() + `,"amount":` + number()
		},
		func() string { return `"move_agent","to":` + word() },
		func() string { return `"mine_compound","amount":` + number() },
		func() string { return `"harvest_radiation","amount":` + number() },
		func() string { return `"refine_compound","amount":` + number() },
		func() string {
			return `"schedule_recipe","id":` + word() + `,"what":` + word() + `,"amount":` + number()
		},
		func() string { return `"buy_power","amount":` + number() + `,"price":` + number() },
		func() string {
			return `"offer","to":"anyone","what":` + good() + `,"amount":` + number() + `,"want":"data","want_amount":` + number() +
				`,"for_ticks":` + number()
		},
		func() string { return `"send_message","to":` + word() + `,"text":` + encode(read) },
	}
	action := `{"action":` + actions[r.IntN(len(actions))]() + `}`
	if r.IntN(3) == 0 { // a step that may be left of a chain, and others that were read
		return `{"action":"harvest_radiation","amount":9,"then":[{"action":"wait"},` + action + `]}`
	}
	return action
}

var (
	idRead   = regexp.MustCompile(`(?:offer|req)-\d+-agent-\d-\d`)
	goodRead = regexp.MustCompile(`hardware|data|electricity`)
)

// turn plays one turn. told is all that the model was told and offered before it was shown texts.
func (g *twin) turn() (told []string, d Decision) {
	g.t.Helper()
	turn := g.m.Begin(g.w.View(0))
	read := ""
	for {
		switch step := turn.Next().(type) {
		case Ask:
			if !turn.exposure.tainted() {
				var items []string
				for _, it := range step.Request.Input {
					items = append(items, string(it.Raw))
				}
				told = append(told, fmt.Sprint(step.Stage, step.Request.Choice.Allowed, "\n", strings.Join(items, "\n")))
			} else {
				read = ""
				for _, it := range step.Request.Input {
					if strings.HasPrefix(it.Text, g.m.words.Headings.Messages) {
						read += it.Text + " "
					}
				}
			}
			turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: g.answers(step, read)}})
		case Call:
			turn.Result(g.m.Registry().Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
		case Decision:
			return told, step
		}
	}
}

// answers are what the model says: before the texts what both games draw alike, ids of withheld terms that it
// guesses among them, and later what it read.
func (g *twin) answers(step Ask, read string) []llmclient.Item {
	tick := g.w.Tick()
	r := g.draw(0, step.Number)
	lean := g.m.cfg.Protocol == ProtocolLean
	call := func(tool, arguments string) []llmclient.Item {
		return []llmclient.Item{llmclient.FunctionCall(fmt.Sprint(tool, step.Number), tool, arguments)}
	}
	if read != "" {
		action, why := g.copied(r, read), encode(read)
		decided := `,"execute_until":null,"why":` + why + `,"sources_used":[` + why + `]}`
		switch {
		case r.IntN(6) == 0:
			return call("plan", `{"goal":`+why+`,"steps":[{"kind":"respond","text":`+why+`}],"actions":[`+action+`]}`)
		case lean:
			return call("turn", `{"plan":`+why+`,"candidates":[`+action+`,`+g.copied(r, read)+`],"candidate":1`+decided)
		case r.IntN(3) == 0:
			return call("decision_draft", `{"candidates":[`+action+`,`+g.copied(r, read)+`]}`)
		}
		return call("decision", `{"action":`+action+decided)
	}
	guessed := fmt.Sprintf(`{"action":%q,"id":"offer-%d-agent-%d-1"}`, []string{"accept_offer", "decline"}[r.IntN(2)],
		max(1, tick-1-int64(r.IntN(2))), 2+r.IntN(4))
	work := []string{`{"action":"mine_compound"}`, `{"action":"harvest_radiation","amount":9}`, `{"action":"wait"}`,
		`{"action":"accept_offer","what":"data","amount":9000,"want":"hardware","want_amount":1}`, guessed}
	first := work[r.IntN(len(work))]
	switch r.IntN(8) {
	case 0:
		return call("memory_short_term_recent", `{"limit":9}`)
	case 1:
		return call("environment_current_observation", `{"section":null}`)
	case 2:
		return call("world_dry_run", `{"action":`+encode(guessed)+`}`)
	case 3:
		if lean {
			return call("turn", `{"plan":"g","candidates":[`+guessed+`],"candidate":1,"execute_until":null,"why":"","sources_used":[]}`)
		}
		return call("decision_draft", `{"candidates":[`+guessed+`]}`)
	}
	return call("plan", `{"goal":"g","steps":[],"actions":[`+first+`,`+work[r.IntN(3)]+`]}`)
}

// end carries out what all decided. It returns what the world accepted of agent-1, and how the turn ended.
func (g *twin) end(d Decision) (accepted string) {
	intents := g.neighbours()
	if d.Executed != nil {
		intents = append(intents, d.Intent(0))
	}
	for _, e := range g.w.Apply(intents) {
		g.m.Witness(e)
	}
	if d.Executed == nil {
		return ""
	}
	o, _ := g.w.LastOutcome(0)
	if len(d.Otherwise) > 0 {
		d = d.Tried(o.RefusedBefore)
	}
	g.m.Learn(g.w.Tick(), d, o)
	if o.Accepted {
		accepted = string(world.EncodeAction(o.Action))
		if len(world.Steps(d.Executed)) > 1 {
			accepted = string(world.EncodeAction(d.Executed))
		}
	}
	// How a turn came to its end is told: by its draft or plan, in a wait, by another candidate.
	return fmt.Sprint(accepted, d.By, d.WaitReason != "", d.Fallback, d.picked)
}

// TestNothingWithheldShowsBeforeThePlan compares two games that differ only in what is withheld. What the model is
// told before it has planned is the same in both, until the world has accepted something else in one of them, or a
// turn came to another end. The code of a refusal is told, so it may differ. In a small window it is not so: which
// texts fit, and so which are new in the next tick, follows from their lengths.
func TestNothingWithheldShowsBeforeThePlan(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many games")
	}
	games := 30
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		games = 1500
	}
	compared, after, codes, chains := 0, 0, 0, 0
	for n := range games {
		cfg := Config{CountTokens: func(text string) int { return len(text) / 4 }, Settings: trace.Settings{Language: words.Languages()[n%2],
			Protocol: []Protocol{ProtocolFull, ProtocolLean}[n/2%2], ContextWindowTokens: []int{200_000, 24_000}[n/4%2],
			Commit: []trace.Commit{trace.CommitTwoStep, trace.CommitOneStep}[n/8%2], ChainSteps: []int{world.ThenMax, 0}[n/16%2]}}
		if cfg.Protocol == ProtocolLean {
			cfg.Commit = trace.CommitTwoStep
		}
		a, b, copied := newTwin(t, uint64(n), 1, cfg), newTwin(t, uint64(n), 2, cfg), false
		for range twinAges {
			a.w.Advance()
			b.w.Advance()
			due := a.w.Due()
			if !slices.Equal(due, b.w.Due()) {
				t.Fatalf("game %d, tick %d: due are %v, and %v", n, a.w.Tick(), due, b.w.Due())
			}
			var one, other Decision
			if len(due) > 0 && due[0] == 0 {
				var told, also []string
				told, one = a.turn()
				also, other = b.turn()
				compared += len(told)
				if copied {
					after++
					codes += len(codeTold.FindAllString(strings.Join(told, ""), -1))
				}
				if d := firstDifference(told, also); d != "" {
					t.Fatalf("game %d, %s, %s, %s, tick %d: before the plan\n%s", n, cfg.Protocol, cfg.Commit, cfg.Language, a.w.Tick(), d)
				}
				copied = one.veiled && other.veiled
			}
			continuing := a.w.Continuing()
			if !slices.Equal(continuing, b.w.Continuing()) {
				t.Fatalf("game %d, tick %d: a chain goes on in one game alone", n, a.w.Tick())
			}
			if len(continuing) > 0 {
				chains++
				one, _ = a.m.Continue(a.w.View(0))
				other, _ = b.m.Continue(b.w.View(0))
			}
			if a.end(one) != b.end(other) {
				break
			}
		}
	}
	t.Logf("%d prompts compared, %d turns after one with texts in view, %d codes told in them, %d steps of chains",
		compared, after, codes, chains)
	if compared < 5*games || after < games/2 || codes < games/4 || chains < games/20 {
		t.Error("too little was compared")
	}
}

// codeTold is a code of a refusal or of a failed turn, in a line of outcomes or as all that is told of what was wrong.
var codeTold = regexp.MustCompile(`(?:refused: | 被拒: |could not be used \(|无法使用（| no usable decision: | 无有效决策: )[a-z_]+(?::[a-z_]+)?` +
	`|\\n(?:What was wrong: |错在：)` + wrongTold + `(?:; ` + wrongTold + `)*(?:\\n|"|$)`)

// wrongTold is one thing that was wrong: an action, perhaps of the name of the one that was done, and a code, with
// the limit of a rule of the agent, or a code.
const wrongTold = `(?:(?:另一个 )?[a-z_]+(?: [a-z_]+)?: [a-z_]+(?: (?:limit|上限) \d+(?: [a-z]+)?)?|[A-Z_]+)`

var (
	wrongLine = regexp.MustCompile(`^(?:What was wrong: |错在：)([^"]*)`)
	onlyCode  = regexp.MustCompile(`^` + wrongTold + `$`)
)

// withoutCodes are the lines of a prompt without the codes of refusals. A line of what was wrong may hold more:
// what was wrong before any text was in view is told in full.
func withoutCodes(text string) (lines []string) {
	for line := range strings.SplitSeq(codeTold.ReplaceAllString(text, `\n`), `\n`) {
		if wrong := wrongLine.FindStringSubmatch(line); wrong != nil {
			left := slices.DeleteFunc(strings.Split(wrong[1], "; "), onlyCode.MatchString)
			line = strings.Replace(line, wrong[1], strings.Join(left, "; "), 1)
		}
		lines = append(lines, line)
	}
	return lines
}

// firstDifference is the first part of two lists that differs, apart from the codes of refusals.
func firstDifference(told, also []string) string {
	for i := range min(len(told), len(also)) {
		a, b := withoutCodes(told[i]), withoutCodes(also[i])
		for j := range min(len(a), len(b)) {
			if a[j] != b[j] {
				return a[j] + "\nand with other texts\n" + b[j]
			}
		}
		if len(a) != len(b) {
			return told[i] + "\nand with other texts\n" + also[i]
		}
	}
	if len(told) != len(also) {
		return fmt.Sprintf("%d prompts, and with other texts %d:\n%s\n\n%s", len(told), len(also), strings.Join(told, "\n\n"),
			strings.Join(also, "\n\n"))
	}
	return ""
}
