package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/trace/tracetest"
	"example.com/agentworld/world"
)

// recorder writes a trace by hand.
type recorder struct {
	t *testing.T
	w *trace.Writer
}

func (r recorder) write(records ...trace.Record) {
	r.t.Helper()
	for _, record := range records {
		if err := r.w.Write(record); err != nil {
			r.t.Fatal(err)
		}
	}
}

// call records a model call with its parts.
func (r recorder) call(c trace.ModelCall, instructions, tools string, input []llmclient.Item, answer llmclient.Answer) {
	r.t.Helper()
	var err error
	part := func(kind trace.BlobKind, body string) string {
		hash, err := r.w.Blob(c.Tick, kind, []byte(body))
		if err != nil {
			r.t.Fatal(err)
		}
		return hash
	}
	c.Instructions, c.Tools = part(trace.BlobInstructions, instructions), part(trace.BlobTools, tools)
	if c.Input, err = r.w.Items(c.Tick, input); err != nil {
		r.t.Fatal(err)
	}
	if c.Answer, err = r.w.Answer(c.Tick, answer); err != nil {
		r.t.Fatal(err)
	}
	r.write(c)
}

// recordedRun writes a run of one agent whose model writes terminal codes, asks
// for too much, and is refused by the world.
func recordedRun(t *testing.T, p *inProcess) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(p.dir, "run"), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(p.dir, "run", run.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := recorder{t, trace.NewChainedWriter(f, "")}
	r.write(trace.Header{
		Format: trace.FormatVersion, Settings: trace.Settings{Scenario: "minimal", Seed: 7, Model: "m", ModelSource: trace.SourceLive},
		Agents: []trace.HeaderAgent{{ID: "agent-1"}, {ID: "agent-2"}},
	})
	const instructions, tools = "Policy of the agent.", `[{"name":"plan"},{"name":"decision"}]`
	goals := llmclient.Message("user", "# Goals\nTwo chips.")
	plan := llmclient.FunctionCall("c1", "plan", `{"goal":"dig \u001b[2J deep"}`)
	asked := llmclient.Usage{Input: 100, Cached: 40, Output: 9, Reasoning: 3, Total: 109}
	r.call(trace.ModelCall{
		Tick: 3, AgentID: "agent-1", Step: 1, Stage: "plan", Model: "m", RequestHash: "aa11", InputChars: 60, ToolChars: 38,
		ToolChoice: json.RawMessage(`"required"`),
		Sections:   []trace.Section{{Name: "memory", Chars: 5, ClippedChars: 12, Clipped: true}, {Name: "goals", Chars: 9}},
	}, instructions, tools, []llmclient.Item{goals}, llmclient.Answer{Reply: &llmclient.Reply{
		Status: "completed", Usage: asked, Items: []llmclient.Item{plan, llmclient.Message("assistant", "I will\x1b]0;dig\a.")},
	}})
	r.call(trace.ModelCall{
		Tick: 3, AgentID: "agent-1", Step: 2, Stage: "decision", Model: "m", RequestHash: "bb22", InputChars: 90, ToolChars: 38,
		ToolChoice: llmclient.ToolChoice{Mode: llmclient.ChoiceRequired, Allowed: []string{"decision"}}.Wire(),
	}, instructions, tools, []llmclient.Item{goals, plan, llmclient.FunctionOutput("c1", `{"status":"ok"}`)},
		llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrServer, Status: 503, Code: "busy", Message: "try\nlater"}})
	requested, available := int64(5000), int64(1200)
	r.write(
		trace.Step{Tick: 3, AgentID: "agent-1", Step: 1, Kind: trace.StepPlan, Status: trace.StatusDegraded, CallID: "c1", Minted: true, Repairs: []string{"unfenced"}},
		trace.Step{Tick: 3, AgentID: "agent-1", Step: 2, Kind: trace.StepModuleCall, Status: trace.StatusError, Name: "world.route", Code: "INVALID_ARGUMENTS", Detail: json.RawMessage(`{"n": 1}`)},
		trace.Decision{
			Tick: 3, AgentID: "agent-1", DecidedBy: trace.ByModel, Calls: 2,
			Proposed:         json.RawMessage(`{"action":"mine_compound","compound_mass_g":999999}`),
			Adjusted:         json.RawMessage(`{"action":"mine_compound","compound_mass_g":5000}`),
			Executed:         json.RawMessage(`{"action":"mine_compound","compound_mass_g":5000}`),
			Adjustments:      []world.Adjustment{{Action: "mine_compound", Field: "compound_mass_g", From: 999999, To: 5000, Bound: "rule"}},
			SourcesRetrieved: []trace.Source{{ID: "mem-1", Kind: "memory", OriginTick: 1, Trust: trace.TrustDerived}, {ID: "mem-2", Kind: "memory", OriginTick: 2, Trust: trace.TrustDerived}}, SourcesUsed: []string{"mem-2"},
			Outcome: llmclient.Marshal(map[string]any{"tick": 3, "accepted": false, "rejection": world.Rejection{
				Code: world.RejectContended, Field: "compound_mass_g", Resource: "compound", Requested: &requested, Available: &available, Unit: "g",
			}}),
		},
		trace.Decision{
			Tick: 4, AgentID: "agent-1", DecidedBy: trace.ByEngine, WaitReason: "llm_error:server_error", ErrorClass: "llm",
			Proposed: json.RawMessage("null"), Adjusted: json.RawMessage("null"), Executed: json.RawMessage(`{"action":"wait"}`),
			Outcome: json.RawMessage(`{"tick":4,"accepted":true,"changes":[{"resource":"electricity","amount":-1}]}`),
		},
	)
}

// checkGolden compares text with a golden file, or rewrites it.
func checkGolden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		golden string
		args   []string
	}{
		{"explain.golden", []string{"--tick", "3", "--agent", "agent-1"}},
		{"explain_prompts.golden", []string{"--tick", "3", "--agent", "agent-1", "--prompts"}},
		{"explain_full_step.golden", []string{"--tick", "3", "--agent", "agent-1", "--full", "--step", "2"}},
		{"explain_engine.golden", []string{"--tick", "4", "--agent", "agent-1"}},
		{"explain_json.golden", []string{"--tick", "3", "--agent", "agent-1", "--json", "--step", "1"}},
	} {
		t.Run(c.golden, func(t *testing.T) {
			p := newProcess(t, nil, append([]string{"explain", "run"}, c.args...)...)
			recordedRun(t, p)
			if code := p.run(t); code != exitCompleted {
				t.Fatalf("exit code %d:\n%s", code, p.output())
			}
			if strings.ContainsAny(p.output(), "\x1b\a") {
				t.Error("a control character of the model reached the terminal")
			}
			checkGolden(t, c.golden, p.stdout.String())
		})
	}
}

func TestExplainRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--tick", "3", "--agent", "agent-3"}, `no agent "agent-3" in this run; allowed: agent-1, agent-2`},
		{[]string{"--tick", "9", "--agent", "agent-1"}, "no decision in tick 9; the trace has decisions from tick 3 to 4"},
		{[]string{"--tick", "3", "--agent", "agent-2"}, "agent-2 made no decision in tick 3, being under way, waiting or without power; decisions then: agent-1"},
		{[]string{"--tick", "3", "--agent", "agent-1", "--step", "7"}, "no step 7 in this decision; allowed: 1 to 2"},
		{[]string{"--prompts", "--agent", "agent-1"}, "explain shows the calls of one decision; give its --tick"},
		{[]string{"--tick", "-1", "--agent", "agent-1"}, "--tick -1 is out of range; allowed: a number from 1"},
		{[]string{"--tick", "0", "--agent", "agent-1"}, "--tick 0 is out of range; allowed: a number from 1"},
		{[]string{"--step", "0", "--tick", "3", "--agent", "agent-1"}, "--step 0 is out of range; allowed: a number from 1"},
		{[]string{"--tick", "3"}, "explain needs --agent or --source; allowed: --agent alone, --agent with --tick, or --source"},
		{[]string{"--tick", "3", "--agent", "agent-1", "--from", "2"}, "--from and --to are the first and the last tick of a timeline; allowed: without --tick, --to not before --from"},
		{[]string{"--agent", "agent-1", "--from", "3", "--to", "2"}, "--from and --to are the first and the last tick of a timeline; allowed: without --tick, --to not before --from"},
		{[]string{"--agent", "agent-1"}, `"run": the world of this run cannot be played again: it was recorded under rules version "", these are ` + world.RulesVersion},
	} {
		p := newProcess(t, nil, append([]string{"explain", "run"}, c.args...)...)
		recordedRun(t, p)
		if code := p.run(t); code != exitBadInput || p.stdout.Len() > 0 {
			t.Errorf("%v: exit code %d, stdout %q", c.args, code, p.stdout.String())
		}
		if want := programName + ": " + c.want + "\n"; p.stderr.String() != want {
			t.Errorf("%v:\n got %swant %s", c.args, p.stderr.String(), want)
		}
	}
}

// TestExplainSaysThatATraceIsDamaged takes away a part that a call names.
func TestExplainSaysThatATraceIsDamaged(t *testing.T) {
	p := newProcess(t, nil, "explain", "run", "--tick", "3", "--agent", "agent-1", "--prompts")
	recordedRun(t, p)
	path := filepath.Join(p.dir, "run", run.TraceFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept [][]byte
	for line := range bytes.Lines(data) {
		if !bytes.Contains(line, []byte("Policy of the agent.")) {
			kept = append(kept, line)
		}
	}
	if err := os.WriteFile(path, tracetest.Sealed(bytes.Join(kept, nil)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.run(t); code != exitBadInput || !strings.Contains(p.stderr.String(), "the trace is damaged: blob ") {
		t.Errorf("exit code %d:\n%s", code, p.output())
	}
}
