package modules

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// viewOf returns the first agent's view in the first tick of an embedded
// scenario.
func viewOf(t testing.TB, name string) world.View {
	t.Helper()
	s, _, ok := scenario.Embedded(name)
	if !ok {
		t.Fatalf("there is no embedded scenario %s", name)
	}
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	return w.View(0)
}

// testEnv has a memory of three facts, one of them another agent's words.
func testEnv(t testing.TB) Env {
	m := memory.New(memory.Words{Total: "total"})
	m.Record(memory.Entry{Tick: 1, Kind: memory.KindOutcome, Text: "mine_compound 5000 ok", Importance: 500, Trust: trace.TrustSelfObservation})
	m.Record(memory.Entry{Tick: 2, Kind: memory.KindObservation, Text: `call "world_dry_run" first`, Importance: 700, Trust: trace.TrustOtherAgent, Origin: "agent-2"})
	m.Record(memory.Entry{Tick: 3, Kind: memory.KindOutcome, Text: "refine_compound refused", Importance: 800, Failed: true, Trust: trace.TrustSelfObservation})
	return Env{View: viewOf(t, "llm_bootstrap"), Memory: m}
}

// decoded is an output as a model reads it.
type decoded struct {
	OK        bool            `json:"ok"`
	Module    string          `json:"module"`
	Source    string          `json:"source"`
	Truncated bool            `json:"truncated"`
	Omitted   map[string]int  `json:"omitted"`
	Result    json.RawMessage `json:"result"`
	Code      Code            `json:"code"`
	Path      string          `json:"path"`
	Expected  string          `json:"expected"`
	Modules   []string        `json:"modules"`
	Schema    json.RawMessage `json:"parameters"`
}

func decode(t *testing.T, r Result) decoded {
	t.Helper()
	var d decoded
	if err := json.Unmarshal([]byte(r.Output), &d); err != nil {
		t.Fatalf("output %q: %v", r.Output, err)
	}
	return d
}

// into decodes the result of a successful call.
func into[T any](t *testing.T, r Result) T {
	t.Helper()
	var out T
	if r.Status == StatusError {
		t.Fatalf("call failed: %s", r.Output)
	}
	if err := json.Unmarshal(decode(t, r).Result, &out); err != nil {
		t.Fatalf("result of %q: %v", r.Output, err)
	}
	return out
}

func TestEveryModuleAnswers(t *testing.T) {
	env, r := testEnv(t), New()
	arguments := map[string]string{
		"memory_long_term_search": `{"query":"refine","limit":null}`, "world_rules": `{"topic":"power"}`,
		"world_route": `{"to":"llm-outpost"}`, "world_dry_run": `{"action":"{\"action\":\"wait\"}"}`,
	}
	for _, spec := range r.modules {
		got := r.Call(env, "call-1", spec.Tool, arguments[spec.Tool])
		if got.Status == StatusError || got.Code != "" || got.ArgumentError != nil {
			t.Errorf("%s: %+v", spec.Tool, got)
			continue
		}
		d := decode(t, got)
		if got.CallID != "call-1" || got.Module != spec.Module || d.Result == nil || d.Code != "" {
			t.Errorf("%s answers as %s for %s: %s", spec.Tool, got.Module, got.CallID, got.Output)
		}
		if got.CharsFull < utf8.RuneCountInString(got.Output) || utf8.RuneCountInString(got.Output) > ResultCharsDefault {
			t.Errorf("%s: %d characters of %d", spec.Tool, utf8.RuneCountInString(got.Output), got.CharsFull)
		}
		if len(got.Sources) == 0 || d.Source != "" && got.Sources[0].ID != d.Source {
			t.Errorf("%s: sources %+v beside %q", spec.Tool, got.Sources, d.Source)
		}
		if again := r.Call(env, "call-1", spec.Tool, arguments[spec.Tool]); again.Output != got.Output {
			t.Errorf("%s answers differently the second time", spec.Tool)
		}
	}
}

func TestCallErrorsAreKeptApart(t *testing.T) {
	env := testEnv(t)
	env.Memory = nil
	for _, c := range []struct {
		tool, args string
		code       Code
		path       string
		schema     bool
	}{
		{"no_such_tool", `{}`, CodeUnknownModule, "", false},
		{"world_rules", `{"topic":`, CodeNotJSON, "", true},
		{"world_rules", `[]`, CodeNotObject, "", false},
		{"world_rules", `null`, CodeNotObject, "", false},
		{"world_rules", `"secretword"`, CodeNotObject, "", false},
		{"world_rules", `3`, CodeNotObject, "", false},
		{"world_rules", `{}`, CodeInvalidArguments, "topic", false},
		{"world_rules", `{"topic":"secretword"}`, CodeInvalidArguments, "topic", false},
		{"memory_short_term_recent", `{"limit":"x"}`, CodeInvalidArguments, "limit", false},
		{"memory_short_term_recent", `{"limit":2}`, CodeExecution, "", false},
		{"memory_long_term_search", `{"query":"secretword","limit":2}`, CodeExecution, "", false},
		{"world_dry_run", `{"action":"{\"action\":\"secretword\"}"}`, CodeInvalidArguments, "action.action", false},
		{"world_dry_run", `{"action":"secretword"}`, CodeInvalidArguments, "action", false},
		{"memory_short_term_recent", `{"secret word":1}`, CodeInvalidArguments, "", false},
	} {
		got := New().Call(env, "c", c.tool, c.args)
		d := decode(t, got)
		if got.Status != StatusError || got.Code != c.code || d.Code != c.code || d.OK {
			t.Errorf("%s %s: %s %s, want %s", c.tool, c.args, got.Code, got.Output, c.code)
		}
		if (got.ArgumentError != nil) != (c.code != CodeUnknownModule && c.code != CodeExecution) || d.Path != c.path {
			t.Errorf("%s %s: argument error %v at %q, want %q", c.tool, c.args, got.ArgumentError, d.Path, c.path)
		}
		if (d.Schema != nil) != c.schema {
			t.Errorf("%s %s: schema shown is %v, want %v", c.tool, c.args, d.Schema != nil, c.schema)
		}
		if strings.Contains(got.Output, "secretword") {
			t.Errorf("%s %s: the error repeats the model's text: %s", c.tool, c.args, got.Output)
		}
		if len(got.Sources) > 0 || got.CallID != "c" {
			t.Errorf("%s %s: %+v", c.tool, c.args, got)
		}
	}
}

func TestUnknownModuleListsTheModules(t *testing.T) {
	got := decode(t, New().Call(testEnv(t), "c", "world.rules", `{}`))
	var want []string
	for _, spec := range New().modules {
		want = append(want, spec.Tool)
	}
	if diff := cmp.Diff(want, got.Modules); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
}

// A module must not run on arguments that do not fit.
func TestHandlerNeverSeesBadArguments(t *testing.T) {
	type args struct {
		Limit int64 `json:"limit"`
	}
	runs := 0
	r := &Registry{modules: []module{newModule(Spec{Module: "m", Tool: "m"}, nil, func(_ Env, a args) (lookup, failure) {
		runs++
		return lookup{body: a.Limit, id: "x"}, ""
	})}, words: words.In(words.English)}
	for bad, code := range map[string]Code{
		``: CodeInvalidArguments, `{}`: CodeInvalidArguments, `{"limit":null}`: CodeInvalidArguments,
		`{"limit":"x"}`: CodeInvalidArguments, `{"limit":1,"more":2}`: CodeInvalidArguments,
		`x`: CodeNotJSON, `"x"`: CodeNotObject, `[]`: CodeNotObject, `null`: CodeNotObject, `"3"`: CodeNotObject,
	} {
		got := r.Call(Env{CallsLeft: new(1)}, "c", "m", bad)
		if got.Code != code || !strings.HasSuffix(got.Output, `"calls_left":1}`) {
			t.Errorf("arguments %q: code %s, want %s of call 2 of 3: %s", bad, got.Code, code, got.Output)
		}
	}
	if runs != 0 {
		t.Fatalf("the handler ran %d times on bad arguments", runs)
	}
	got := r.Call(Env{}, "c", "m", `{"limit":"7"}`)
	if runs != 1 || string(decode(t, got).Result) != "7" || len(got.Repairs) != 1 || got.Repairs[0] != answer.NumberFromString {
		t.Errorf("after %d runs: %+v", runs, got)
	}
}

// No call changes the world.
func TestCallsChangeNothing(t *testing.T) {
	s, _, _ := scenario.Embedded("llm_bootstrap")
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	before, view := w.Digest(), w.View(0)
	observed := string(llmclient.Marshal(view.Observe()))
	for _, args := range []string{`{"action":{"action":"harvest_radiation","amount":50}}`, `{"action":{"action":"move_agent","to":"llm-outpost"}}`} {
		if got := New().Call(Env{View: view}, "c", "world_dry_run", args); got.Status != StatusSuccess {
			t.Errorf("dry run of %s: %s", args, got.Output)
		}
	}
	if w.Digest() != before || string(llmclient.Marshal(view.Observe())) != observed {
		t.Error("a module call changed the world")
	}
}
