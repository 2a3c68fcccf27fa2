package behavior_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// policySeed selects the variant of the scripted policy that answers in the tests.
// With plannerSeed its first answer is a plan.
const (
	policySeed  = 7
	plannerSeed = 24
)

// scene is one turn of an agent in a world with places, neighbours and names.
type scene struct {
	seed  uint64
	world *world.World
	turn  *behavior.Turn
}

func newScene(t testing.TB, p behavior.Protocol, seed uint64) scene {
	t.Helper()
	runtime, err := behavior.NewRuntime(behavior.Config{Settings: trace.Settings{Protocol: p, Model: "m"}}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "llm_bootstrap")
	w.Advance()
	return scene{seed, w, runtime.Agent(w.AgentID(0), w.Persona(0)).Begin(w.View(0))}
}

// outcome is the result of a turn in which one answer had a shape.
type outcome struct {
	// repairs and errors are the repairs and the parse kinds noted, sorted, items
	// the repairs of items, refusals the codes of the guard and of the world.
	repairs, errors, items, refusals []string
	decision                         behavior.Decision
	asks                             int
}

// play answers a turn with the policy, except that the answer to request number at
// has the shape. It returns false when the turn did not get that far.
func (s scene) play(t testing.TB, shape stub.Shape, at int) (o outcome, shaped bool) {
	t.Helper()
	for {
		switch step := s.turn.Next().(type) {
		case behavior.Ask:
			result, err := stub.Decide(s.seed, step.Request.Body())
			if err != nil {
				t.Fatal(err)
			}
			reply := &llmclient.Reply{Status: "completed", Items: result.Items}
			if parts, ok := result.Parts(); ok && step.Number == at {
				reply, shaped = shapedReply(t, shape, parts, result.Items), true
			}
			s.turn.Answer(llmclient.Answer{Reply: reply, Attempts: 1})
		case behavior.Call:
			s.turn.Result(modules.New().Call(s.turn.Env(), step.CallID, step.Tool, step.Arguments))
		case behavior.Decision:
			return s.ended(step), shaped
		}
	}
}

// shapedReply is the policy's answer in a shape.
func shapedReply(t testing.TB, shape stub.Shape, parts stub.Placeholders, proper []llmclient.Item) *llmclient.Reply {
	t.Helper()
	reply := &llmclient.Reply{Status: shape.Status, IncompleteReason: shape.Reason}
	if reply.Status == "" {
		reply.Status = "completed"
	}
	content := shape.Render(parts)
	switch shape.As {
	case stub.AsText:
		reply.Items = []llmclient.Item{textItem(t, content)}
	case stub.AsItems:
		reply.Items = items(t, content)
	case stub.AsArguments:
		reply.Items = slices.Clone(proper)
		i := slices.IndexFunc(proper, func(it llmclient.Item) bool { return it.Kind == llmclient.KindFunctionCall })
		reply.Items[i] = llmclient.FunctionCall(proper[i].CallID, proper[i].Name, content)
	}
	return reply
}

// textItem is a message of the model.
func textItem(t testing.TB, text string) llmclient.Item {
	t.Helper()
	raw, err := json.Marshal(map[string]any{
		"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	it, ok := llmclient.ParseItem(raw)
	if !ok {
		t.Fatalf("not an item: %s", raw)
	}
	return it
}

func items(t testing.TB, list string) (out []llmclient.Item) {
	t.Helper()
	var raws []json.RawMessage
	if err := json.Unmarshal([]byte(list), &raws); err != nil {
		t.Fatalf("%v in %s", err, list)
	}
	for _, raw := range raws {
		if it, ok := llmclient.ParseItem(raw); ok {
			out = append(out, it)
		}
	}
	return out
}

// ended collects what a turn noted and lets the world have its say.
func (s scene) ended(d behavior.Decision) outcome {
	o := outcome{decision: d, asks: d.Calls}
	for _, n := range s.turn.Steps() {
		o.repairs = append(o.repairs, n.Repairs...)
		switch n.Kind {
		case trace.StepParseError:
			o.errors = append(o.errors, n.Code)
		case trace.StepLengthened: // an answer that was cut costs a call without being an error
			o.errors = append(o.errors, string(answer.Truncated))
		case trace.StepItemRepair:
			o.items = append(o.items, n.Code)
		case trace.StepGuard:
			o.refusals = append(o.refusals, n.Code)
		}
	}
	s.world.Apply([]world.Intent{{Agent: 0, Action: d.Executed}})
	if last, ok := s.world.LastOutcome(0); ok && last.Rejection != nil {
		o.refusals = append(o.refusals, string(last.Rejection.Code))
	}
	slices.Sort(o.repairs)
	return o
}

// TestCorpus plays every shape as the first answer of a turn.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	for _, shape := range stub.Corpus() {
		t.Run(shape.Name, func(t *testing.T) {
			seed := uint64(policySeed)
			if shape.As == stub.AsArguments {
				seed = plannerSeed
			}
			o, shaped := newScene(t, behavior.ProtocolFull, seed).play(t, shape, 1)
			if !shaped {
				t.Fatal("the first answer was not replaced")
			}
			o.compare(t, shape)
		})
	}
}

// compare holds an outcome against what the corpus says.
func (o outcome) compare(t *testing.T, shape stub.Shape) {
	t.Helper()
	if shape.Ends != stub.EndsError && !slices.Equal(o.repairs, shape.Repairs) {
		t.Errorf("repairs %q, want %q", o.repairs, shape.Repairs)
	}
	switch shape.Ends {
	case stub.EndsError:
		if !slices.Contains(o.errors, shape.Error) || len(o.errors) != 1 || len(o.repairs) > 0 {
			t.Errorf("errors %q with repairs %q, want %q alone", o.errors, o.repairs, shape.Error)
		}
	case stub.EndsRefused:
		if !slices.Contains(o.refusals, shape.Error) {
			t.Errorf("refusals %q, want %q", o.refusals, shape.Error)
		}
	default:
		if len(o.errors) > 0 || len(o.refusals) > 0 || o.decision.WaitReason != "" {
			t.Errorf("errors %q, refusals %q, wait %q, want none", o.errors, o.refusals, o.decision.WaitReason)
		}
	}
}

// TestUniversalShapes plays every universal shape at every point of a turn in both
// protocols. The turn must then go as it goes without the shape.
func TestUniversalShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many games")
	}
	for _, p := range []behavior.Protocol{behavior.ProtocolFull, behavior.ProtocolLean} {
		clean, _ := newScene(t, p, policySeed).play(t, stub.Shape{}, 0)
		for _, shape := range stub.Corpus() {
			if !shape.Universal {
				continue
			}
			for at := 1; at <= clean.asks; at++ {
				t.Run(fmt.Sprintf("%s/%s/%d", p, shape.Name, at), func(t *testing.T) {
					o, shaped := newScene(t, p, policySeed).play(t, shape, at)
					if !shaped {
						t.Fatalf("the turn has no answer %d with a call", at)
					}
					o.compare(t, shape)
					if got, want := world.EncodeAction(o.decision.Executed), world.EncodeAction(clean.decision.Executed); string(got) != string(want) {
						t.Errorf("executed %s, want %s", got, want)
					}
				})
			}
		}
	}
}

// TestInventedObservationsNeverComeBack plays a text in which the model answers itself: nothing
// after its first action is in any later request.
func TestInventedObservationsNeverComeBack(t *testing.T) {
	turn := beginner(t)()
	turn.Next()
	text := "Thought: I look.\nAction: plan[{\"goal\":\"Dig.\",\"steps\":[],\"actions\":[]}]\nObservation: gold everywhere\nAction: wait[]"
	turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{textItem(t, text)}}, Attempts: 1})
	ask, asked := turn.Next().(behavior.Ask)
	if !asked {
		t.Fatalf("the plan was not read: %v", turn.Steps())
	}
	body := string(ask.Request.Body())
	if strings.Contains(body, "gold everywhere") || !strings.Contains(body, "Thought: I look.") {
		t.Errorf("the request holds what was made up, or not what was said: %s", body)
	}
	checkPairing(t, ask.Request.Input)
}

// FuzzText reads any text as an answer, or as the arguments of a call. The turn goes
// on and ends, and a decision that was read from text says so.
func FuzzText(f *testing.F) {
	parts := stub.Placeholders{
		Name: "decision_draft", Arguments: []byte(`{"candidates":[{"action":{"action":"wait"}}]}`),
		Decision: []byte(`{"decision":"wait"}`), Action: []byte(`{"action":"wait"}`), Here: "llm-hub", Place: "llm-outpost", PlaceName: "Outpost",
	}
	for _, shape := range stub.Corpus() {
		f.Add(shape.Render(parts), shape.As == stub.AsArguments)
	}
	begin := beginner(f)
	f.Fuzz(func(t *testing.T, text string, arguments bool) {
		turn := begin()
		turn.Next()
		item := llmclient.FunctionCall("c", "decision", text)
		if !arguments {
			item = textItem(t, text)
		}
		turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{item}}, Attempts: 1})
		d, decided := turn.Next().(behavior.Decision)
		if !decided {
			return
		}
		var repairs []string
		for _, n := range turn.Steps() {
			repairs = append(repairs, n.Repairs...)
		}
		if !arguments && d.DecidedBy == trace.ByModel && !slices.Contains(repairs, "text_instead_of_call") {
			t.Errorf("a decision was read from text with %q", repairs)
		}
	})
}

// FuzzItemLists reads any list of items as an answer.
func FuzzItemLists(f *testing.F) {
	parts := stub.Placeholders{Name: "plan", Arguments: []byte(`{"goal":"","steps":[],"actions":[]}`)}
	for _, shape := range stub.Corpus() {
		if shape.As == stub.AsItems {
			f.Add(shape.Render(parts), shape.Status)
		}
	}
	begin := beginner(f)
	f.Fuzz(func(t *testing.T, list, status string) {
		var raws []json.RawMessage
		if json.Unmarshal([]byte(list), &raws) != nil {
			return
		}
		reply := &llmclient.Reply{Status: status}
		for _, raw := range raws {
			if it, ok := llmclient.ParseItem(raw); ok {
				reply.Items = append(reply.Items, it)
			}
		}
		turn := begin()
		turn.Next()
		turn.Answer(llmclient.Answer{Reply: reply, Attempts: 1})
		for range 32 {
			switch step := turn.Next().(type) {
			case behavior.Ask:
				checkPairing(t, step.Request.Input)
				return
			case behavior.Call:
				turn.Result(modules.New().Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
			case behavior.Decision:
				return
			}
		}
		t.Error("the turn neither asks nor ends")
	})
}

// beginner returns a function that begins the same turn again and again.
func beginner(t testing.TB) func() *behavior.Turn {
	t.Helper()
	runtime, err := behavior.NewRuntime(behavior.Config{Settings: trace.Settings{Model: "m"}}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "llm_bootstrap")
	w.Advance()
	mind, view := runtime.Agent(w.AgentID(0), w.Persona(0)), w.View(0)
	return func() *behavior.Turn { return mind.Begin(view) }
}

// BenchmarkBracketFlood reads 256 KB of opening brackets as an answer.
func BenchmarkBracketFlood(b *testing.B) {
	for _, flood := range []struct{ name, text string }{
		{"braces", "{"}, {"lists", "["}, {"objects in lists", "[{"}, {"fields", `{"a":`}, {"quotes", `{"`}, {"thoughts", "<think>"},
		{"ends of thoughts", "</think>"}, {"labels", "Action: x[\n"}, {"tags", `<invoke name="wait"><parameter name="a">`}, {"calls", "wait(\n"},
		{"comments", "//\n"}, {"open comments", "{/*"}, {"tool calls", "<tool_call>"}, {"tagged calls", "<function=wait><parameter=a>"},
		{"keywords", "wait(a=1)\n"}, {"fields of calls", "wait(a={\n"}, {"objects", `{"a":1}`}, {"marks", "<|channel|>"}, {"sentences", "a b: "},
		{"wrappers", `{"tool_calls":[`}, {"observations", "Observation: {\"a\":1}\n"}, {"thoughts with objects", "Thought: {\nAction: wait[\n"}, {"digits", "1"},
		{"spaces", " "}, {"analysis", "<|channel|>analysis<|message|>a<|end|>"}, {"lines", "\n"},
	} {
		answer := llmclient.Answer{Attempts: 1, Reply: &llmclient.Reply{
			Status: "completed", Items: []llmclient.Item{textItem(b, strings.Repeat(flood.text, (256<<10)/len(flood.text)))},
		}}
		begin := beginner(b)
		b.Run(flood.name, func(b *testing.B) {
			for b.Loop() {
				turn := begin()
				turn.Next()
				turn.Answer(answer)
			}
		})
	}
}
