package behavior_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

var update = flag.Bool("update", false, "rewrite the expected steps of the conversations")

// TestConversations plays recorded conversations: each file tells in prose what
// it guards, gives the model's answers, and holds the steps they must lead to.
//
// An answer is a block of lines, blocks are separated by a blank line:
//
//	call ID TOOL ARGUMENTS    a function call; ID - is an absent id
//	text TEXT                 a message; \n is a line break
//	refusal TEXT              a message that is a refusal
//	reasoning                 a reasoning item
//	item JSON                 any item as the provider sends it
//	element                   an element of the output that is no object
//	incomplete REASON         the answer's status
//	status STATUS             another status
//	billed N                  output tokens
//	fail KIND                 no answer at all
//
// A file with a section "forgetful" has an agent whose memory cannot be read, so
// that the memory modules run and fail. A file may hold a section of texts, one a line, that agent-2 of the scenario
// two_bases wrote to agent-1 before its turn: "message TEXT" or "note TEXT". A section
// "policy" has the rules that bind the agent, one a line as JSON; "commit" is the
// commit mode, "fallback" that setting, "bind-plan" turns that one on, and "guard-off" are
// the checks left out.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/conversations/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sections := map[string]string{}
			for _, f := range archive.Files {
				sections[f.Name] = string(f.Data)
			}
			got := play(t, sections)
			if *update {
				archive.Files = append(archive.Files[:indexOf(archive, "steps")], txtar.File{Name: "steps", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(sections["steps"], got); diff != "" {
				t.Errorf("steps differ (-want +got):\n%s", diff)
			}
		})
	}
}

func indexOf(a *txtar.Archive, name string) int {
	for i, f := range a.Files {
		if f.Name == name {
			return i
		}
	}
	return len(a.Files)
}

// play runs one turn against the answers, of the minimal scenario's agent or, with
// texts to read, of one that has a neighbour.
func play(t *testing.T, sections map[string]string) string {
	t.Helper()
	protocol, answers, texts := strings.TrimSpace(sections["protocol"]), sections["answers"], strings.TrimSpace(sections["texts"])
	_, forgetful := sections["forgetful"]
	off, err := trace.ParseChecks(strings.Fields(sections["guard-off"]))
	if err != nil {
		t.Fatal(err)
	}
	cfg := behavior.Config{Settings: trace.Settings{
		Protocol: protocol, Model: "m", Commit: strings.TrimSpace(sections["commit"]), GuardOff: off, Fallback: strings.TrimSpace(sections["fallback"]),
	}}
	_, cfg.BindPlan = sections["bind-plan"]
	rules := clausesIn(t, sections["policy"])
	turn := newTurn(t, cfg, rules...)
	if texts != "" {
		turn = newReader(t, cfg, strings.Split(texts, "\n"), rules...)
	}
	blocks := strings.Split(strings.TrimSpace(answers), "\n\n")
	var out strings.Builder
	seen := 0
	var kept []int
	for {
		switch step := turn.Next().(type) {
		case behavior.Ask:
			writeAsk(&out, step, seen)
			seen = len(step.Request.Input)
			checkBreakpoints(t, step, kept)
			kept = step.Request.Breakpoints
			checkPairing(t, step.Request.Input)
			if _, faults := llmclient.PairItems(step.Request.Input, ""); len(faults) > 0 {
				t.Errorf("request %d: an input with %+v", step.Number, faults)
			}
			if len(blocks) == 0 {
				t.Fatalf("the turn asks for more answers than the file has; so far:\n%s", out.String())
			}
			turn.Answer(parseAnswer(t, step.Number, blocks[0]))
			blocks = blocks[1:]
		case behavior.Call:
			fmt.Fprintf(&out, "run %s %s %s\n", step.CallID, step.Tool, step.Arguments)
			env := turn.Env()
			if forgetful {
				env.Memory = nil
			}
			turn.Result(modules.New().Call(env, step.CallID, step.Tool, step.Arguments))
		case behavior.Decision:
			writeEnd(&out, step, turn.Steps())
			if len(blocks) > 0 && strings.TrimSpace(blocks[0]) != "" {
				t.Errorf("%d answers were not asked for", len(blocks))
			}
			return out.String()
		}
	}
}

// clausesIn reads the rules of a policy, one a line.
func clausesIn(t *testing.T, text string) (rules []world.PolicyRule) {
	t.Helper()
	for line := range strings.Lines(text) {
		var c world.PolicyRule
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		rules = append(rules, c)
	}
	return rules
}

func newTurn(t *testing.T, cfg behavior.Config, rules ...world.PolicyRule) *behavior.Turn {
	t.Helper()
	runtime, err := behavior.NewRuntime(cfg, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "minimal")
	w.Advance()
	return runtime.Agent(w.AgentID(0), w.Persona(0), rules...).Begin(w.View(0))
}

// newReader begins a turn of agent-1 after agent-2 has written the texts and
// agent-1 has answered the first of them.
func newReader(t *testing.T, cfg behavior.Config, texts []string, rules ...world.PolicyRule) *behavior.Turn {
	t.Helper()
	runtime, err := behavior.NewRuntime(cfg, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "two_bases")
	for _, line := range append(texts, "") {
		w.Advance()
		kind, text, _ := strings.Cut(line, " ")
		switch kind {
		case "message":
			w.Apply([]world.Intent{{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: text}}})
		case "note":
			w.Apply([]world.Intent{{Agent: 1, Action: world.PostNote{Text: text}}})
		default:
			w.Apply([]world.Intent{{Agent: 0, Action: world.SendMessage{To: "agent-2", Text: "my own words"}}})
		}
	}
	m := runtime.Agent(w.AgentID(0), w.Persona(0), rules...)
	if o, ok := w.LastOutcome(0); ok {
		m.Learn(o.Tick, behavior.Decision{Executed: o.Action, Known: []string{"agent-2"}}, o)
	}
	w.Advance()
	return m.Begin(w.View(0))
}

func newWorld(t testing.TB, name string) *world.World {
	t.Helper()
	s, _, ok := scenario.Embedded(name)
	if !ok {
		t.Fatalf("no scenario %s", name)
	}
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// parseAnswer reads the answer to the given request. Items have own ids that no
// other answer repeats.
func parseAnswer(t *testing.T, request int, block string) llmclient.Answer {
	t.Helper()
	reply := &llmclient.Reply{Status: "completed"}
	for n, line := range strings.Split(block, "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "call":
			words := strings.SplitN(rest, " ", 3)
			if words[0] == "-" {
				words[0] = ""
			}
			reply.Items = append(reply.Items, llmclient.FunctionCall(words[0], words[1], words[2]))
		case "text", "refusal":
			reply.Items = append(reply.Items, message(t, fmt.Sprintf("msg_%d_%d", request, n), verb, strings.ReplaceAll(rest, `\n`, "\n")))
		case "reasoning":
			reply.Items = append(reply.Items, item(t, fmt.Sprintf(`{"type":"reasoning","id":"rs_%d_%d","summary":[]}`, request, n)))
		case "item":
			reply.Items = append(reply.Items, item(t, rest))
		case "element":
			reply.NonObjects++
		case "incomplete":
			reply.Status, reply.IncompleteReason = "incomplete", rest
		case "status":
			reply.Status = rest
		case "billed":
			if _, err := fmt.Sscan(rest, &reply.Usage.Output); err != nil {
				t.Fatal(err)
			}
		case "fail":
			return llmclient.Failed(llmclient.ErrorKind(rest), "as told")
		default:
			t.Fatalf("unknown line %q", line)
		}
	}
	return llmclient.Answer{Reply: reply, Attempts: 1}
}

func item(t *testing.T, raw string) llmclient.Item {
	t.Helper()
	it, ok := llmclient.ParseItem([]byte(raw))
	if !ok {
		t.Fatalf("not an item: %s", raw)
	}
	return it
}

func message(t *testing.T, id, kind, text string) llmclient.Item {
	t.Helper()
	part := map[string]any{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
	if kind == "refusal" {
		part = map[string]any{"type": "refusal", "refusal": text}
	}
	return item(t, string(llmclient.Marshal(map[string]any{
		"type": "message", "role": "assistant", "id": id, "status": "completed", "content": []any{part},
	})))
}

func writeAsk(out *strings.Builder, a behavior.Ask, seen int) {
	allowed := fmt.Sprint(a.Request.Choice.Allowed)
	if i := strings.Index(allowed, "environment_current_observation"); i >= 0 {
		allowed = allowed[:i] + "modules]"
	}
	fmt.Fprintf(out, "ask %d %s %s %s\n", a.Number, a.Stage, a.Request.Choice.Mode, allowed)
	for _, it := range a.Request.Input[seen:] {
		switch it.Kind {
		case llmclient.KindMessage:
			fmt.Fprintf(out, "  + %s: %s\n", it.Role, abridged(it.Text))
		case llmclient.KindReasoning:
			fmt.Fprintf(out, "  + reasoning %s\n", it.ID)
		case llmclient.KindFunctionCall, llmclient.KindFunctionOutput:
			own := ""
			if it.ID != "" {
				own = " (" + it.ID + ")"
			}
			fmt.Fprintf(out, "  + %s %s%s %s %s\n", it.Kind, it.CallID, own, it.Name, it.Text)
		default:
			fmt.Fprintf(out, "  + %s\n", it.Raw)
		}
	}
}

// abridged is a message with the sections of the opening prompt cut to their headings, except for
// those whose text depends on what others wrote. Observations have golden files of their own.
func abridged(text string) string {
	if !strings.HasPrefix(text, "# ") {
		return text
	}
	var parts []string
	whole := false
	for _, line := range strings.Split(text, "\n") {
		heading := strings.HasPrefix(line, "# ")
		if heading {
			whole = line == "# Messages" || line == "# Last outcome"
		}
		if heading || whole || strings.HasPrefix(line, "texts: ") {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, " | ")
}

func writeEnd(out *strings.Builder, d behavior.Decision, notes []trace.Step) {
	fmt.Fprintf(out, "decision by %s after %d calls: %s", d.DecidedBy, d.Calls, world.EncodeAction(d.Executed))
	if d.WaitReason != "" {
		fmt.Fprintf(out, " (%s)", d.WaitReason)
	}
	if d.By != "" {
		fmt.Fprintf(out, " (by %s after %s)", d.By, d.FailedBy)
	}
	out.WriteString("\n")
	if d.Proposed != nil {
		fmt.Fprintf(out, "proposed %s\n", world.EncodeAction(d.Proposed))
	}
	for _, o := range d.Otherwise {
		fmt.Fprintf(out, "otherwise %s by %s\n", world.EncodeAction(o.Executed), o.By)
	}
	for _, a := range d.Adjustments {
		fmt.Fprintf(out, "adjusted %s %d -> %d (%s)\n", a.Field, a.From, a.To, a.Bound)
	}
	for _, s := range d.SourcesRetrieved {
		if s.Kind == trace.KindMessage || s.Kind == trace.KindNote {
			fmt.Fprintf(out, "retrieved %s %s from %q in tick %d, %s\n", s.Kind, s.ID, s.OriginAgent, s.OriginTick, s.Trust)
		}
	}
	if by := d.Authority; by != nil && *by != (trace.Authority{By: trace.AuthorityOwn}) {
		fmt.Fprintf(out, "allowed by %+v\n", *by)
	}
	if d.Commit != trace.CommitTwoStep && d.Commit != "" {
		fmt.Fprintf(out, "committed by %s, %d calls saved\n", d.Commit, d.CallsSaved)
	}
	if len(d.SourcesUsed) > 0 {
		fmt.Fprintf(out, "used %v\n", d.SourcesUsed)
	}
	for _, n := range notes {
		line := fmt.Sprintf("note %d %s %s %s %s %s %v", n.Step, n.Kind, n.Status, n.Code, n.CallID, n.Name, n.Repairs)
		if n.Minted {
			line += " minted"
		}
		if n.Level != "" {
			line += " " + string(n.Level)
		}
		out.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
}

// checkPairing fails unless every call has exactly one output, after it.
func checkPairing(t testing.TB, input []llmclient.Item) {
	t.Helper()
	open, done := map[string]bool{}, map[string]bool{}
	for _, it := range input {
		switch it.Kind {
		case llmclient.KindFunctionCall:
			if open[it.CallID] || done[it.CallID] || it.CallID == "" {
				t.Errorf("call id %q is empty or repeated", it.CallID)
			}
			open[it.CallID] = true
		case llmclient.KindFunctionOutput:
			if !open[it.CallID] {
				t.Errorf("output %q has no open call", it.CallID)
			}
			delete(open, it.CallID)
			done[it.CallID] = true
		}
	}
	for id := range open {
		t.Errorf("call %q has no output", id)
	}
}

// TestWhatTheWindowCannotHoldIsNotRead gives answers of megabytes: they are refused by
// their bytes, cost no memory, and nothing of them comes back.
func TestWhatTheWindowCannotHoldIsNotRead(t *testing.T) {
	begin := beginner(t)
	for name, it := range map[string]llmclient.Item{
		"arguments": llmclient.FunctionCall("c", "decision", `{"why":"`+strings.Repeat("x", 5<<20)+`"}`),
		"digits":    llmclient.FunctionCall("c", "decision", `{"candidate":`+strings.Repeat("1", 2<<20)+`}`),
		"text":      message(t, "m", "", strings.Repeat("word ", 800_000)),
		"reasoning": item(t, `{"type":"reasoning","id":"r","summary":[],"encrypted_content":"`+strings.Repeat("x", 5<<20)+`"}`),
	} {
		t.Run(name, func(t *testing.T) {
			turn := begin()
			turn.Next()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{it}}, Attempts: 1})
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
				t.Errorf("%d bytes of memory", n)
			}
			if ask, asked := turn.Next().(behavior.Ask); !asked || len(ask.Request.Body()) > 1<<20 {
				t.Errorf("the turn does not go on without the answer: %v", turn.Steps())
			}
			if steps := turn.Steps(); steps[0].Code != string(answer.TooLarge) {
				t.Errorf("steps %v, want the answer too large", steps)
			}
		})
	}
}

// TestAModelThatDoesNotPlanGoesOnWithoutTexts: new texts wait for a plan. If none comes, the turn
// continues to its draft and decision without them. After some such turns the texts wait in
// silence.
func TestAModelThatDoesNotPlanGoesOnWithoutTexts(t *testing.T) {
	draft := map[behavior.Protocol]string{
		behavior.ProtocolFull: "call d decision_draft {\"candidates\":[" + harvest5 + "]}\ncall c decision {\"candidate\":1}",
		behavior.ProtocolLean: "call d turn {\"plan\":\"g\",\"candidates\":[" + harvest5 + "],\"candidate\":1}",
	}
	for _, cfg := range staticConfigs() {
		cfg.Model = "m"
		runtime, err := behavior.NewRuntime(cfg, world.DefaultRules().Industry(), modules.New())
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, "two_bases")
		w.Advance()
		l := life{t, w, runtime.Agent(w.AgentID(0), w.Persona(0))}
		for tick := range 6 {
			turn, asks := l.mind.Begin(w.View(0)), 0
			for step := turn.Next(); ; step = turn.Next() {
				if d, ok := step.(behavior.Decision); ok {
					if got := ended(d); got != harvests {
						t.Fatalf("%s, %s, tick %d: ends in %s", cfg.Protocol, cfg.Language, tick, got)
					}
					l.decided(d, world.Intent{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: "Hello"}})
					break
				}
				ask := step.(behavior.Ask)
				if asks++; strings.Contains(fmt.Sprint(ask.Request.Input), "Hello") {
					t.Fatalf("%s, %s, tick %d: the text is shown without a plan", cfg.Protocol, cfg.Language, tick)
				}
				answer := "text I harvest, then mine."
				if !slices.Equal(ask.Request.Choice.Allowed, []string{"plan"}) {
					answer = draft[cfg.Protocol]
				}
				turn.Answer(parseAnswer(t, ask.Number, answer))
			}
			want := 1
			if tick >= 1 && tick <= 3 {
				want = 2 + runtime.RepairsMax()
			}
			if asks != want {
				t.Errorf("%s, %s, tick %d: %d requests, want %d", cfg.Protocol, cfg.Language, tick, asks, want)
			}
		}
	}
}
