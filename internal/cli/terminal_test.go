package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/agentworld/batch"
	"example.com/agentworld/extension/jetstream"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// forged begins lines that only a text of others can begin: nothing that this program
// prints does.
const forged = "FORGED: "

// evilName can be part of a file's name, evil be anywhere else. Both hold what steers a
// terminal, and line breaks of all kinds before a line that looks like one of ours.
const (
	evilName = "e\x1b[2J\x1b]0;t\a\b\x7f\u0085\u009b31m\u202e\u202a\u2066\u2069\u200e\u200f\u061c\u2028" + forged + "\u2029" + forged + "\r" + forged + "\r\n" + forged + "\v\f\n\t" + forged + "x\xff"
	evil     = "\x00" + evilName + "\xc2\n" + forged
)

// checkPrinted demands that nothing in an output steers a terminal, that no line is forged,
// and that all of it is valid UTF-8.
func checkPrinted(t *testing.T, what, output string) {
	t.Helper()
	if !utf8.ValidString(output) {
		t.Errorf("%s: printed invalid UTF-8: %q", what, output)
	}
	for _, r := range output {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || slices.Contains([]rune{0x200e, 0x200f, 0x61c, 0x2028, 0x2029}, r) {
			t.Fatalf("%s: printed %U: %q", what, r, output)
		}
	}
	for line := range strings.Lines(output) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), forged) {
			t.Fatalf("%s: a text of others begins a line:\n%s", what, output)
		}
	}
}

// evilServer is a provider that answers like the scripted model, with evil texts in every
// place, and refuses some requests with an evil error.
func evilServer(t *testing.T) string {
	model := stub.NewHandler(stub.Options{Seed: 1})
	var asked atomic.Int64
	raw := func(v any) []byte { // the encoder would mend what is no UTF-8
		return bytes.ReplaceAll(llmclient.Marshal(v), []byte("\ufffd"), []byte("\xff"))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if n := asked.Add(1); n%7 == 5 {
			w.WriteHeader([]int{400, 422}[n/7%2])
			_, _ = w.Write(raw(map[string]any{"error": map[string]any{"message": evil, "code": evil, "type": evil, "param": evil}}))
			return
		}
		answer := httptest.NewRecorder()
		model.ServeHTTP(answer, r)
		var reply map[string]any
		if json.Unmarshal(answer.Body.Bytes(), &reply) != nil || reply["output"] == nil {
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes())
			return
		}
		content := []any{map[string]any{"type": "output_text", "text": evil, "annotations": []any{}}}
		output := []any{map[string]any{"type": "message", "id": evil, "role": "assistant", "status": "completed", "content": content}, map[string]any{"type": evil, "id": evil}}
		for _, item := range reply["output"].([]any) {
			item := item.(map[string]any)
			item["id"] = evil
			if item["call_id"] != nil {
				item["call_id"] = item["call_id"].(string) + evil
			}
			output = append(output, item)
		}
		output = append(output, map[string]any{"type": "function_call", "name": evil, "call_id": evil, "arguments": evil, "status": "completed"})
		reply["output"], reply["model"], reply["id"] = output, evil, evil
		_, _ = w.Write(raw(reply))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// evilFiles writes a scenario, a playbook and a trace that hold evil texts where they can
// hold any, and files that are no such thing. All names are evil.
func evilFiles(t *testing.T, p *inProcess) {
	t.Helper()
	quoted := strings.ReplaceAll(string(llmclient.Marshal(evil)), "\u007f", "\\u007f") // as in TOML
	_, minimal, _, err := chooseScenario(p.Main, namedScenario("minimal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`"Hold 2 control chips."`, quoted, `"Gather electricity and compound."`, quoted, `"A single agent on a radiating rock with compound to mine."`, quoted).Replace(string(minimal))
	lesson := "format = 2\nversion = 1\n[[bullet]]\nid = 'nav-00001'\ncontent = " + quoted + "\nevidence = [{run = " + quoted + ", tick = 1, agent = " + quoted + ", outcome = " + quoted + "}]\n" +
		"[[history]]\nversion = 1\ntick = 1\nnote = " + quoted + "\n[[history.change]]\nop = 'add'\nid = 'nav-00001'\nreason = " + quoted + "\n"
	for name, content := range map[string]string{
		".toml": text, "name.toml": strings.Replace(text, `"Origin"`, quoted, 1), "book.toml": lesson, "noise": evil, "noise.toml": evil, "key.toml": "[llm]\n" + quoted + " = 1\n",
		"table.toml": quoted + " = 1\n", "value.toml": "[run]\nlanguage = " + quoted + "\n", "type.toml": "[run]\nticks = " + quoted + "\n", "set.toml": "[run]\nsystem_prompt = " + quoted + "\n",
		"switches.json": `[{"tick":1,"short_term_goal":` + quoted + `}]`, "unknown.json": `[{"tick":1,` + quoted + `:1}]`, "agent.json": `[{"tick":1,"agent":` + quoted + `,"short_term_goal":"x"}]`,
		"sampling.json": `[{"agent":` + quoted + `,"top_p":1}]`, "price.toml": "currency = " + quoted + "\n",
		"prices.toml": "currency = 'USD'\nas_of = '2031-01-01'\nsource = " + quoted + "\n[[price]]\nmodels = ['*']\ninput = '1'\noutput = '1'\n",
	} {
		if err := os.WriteFile(filepath.Join(p.dir, evilName+name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A trace by hand has what no run of this program leaves.
	dir := filepath.Join(p.dir, evilName+"trace")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, run.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := recorder{t, trace.NewChainedWriter(f, "")}
	said := llmclient.Marshal(map[string]string{"action": evil})
	settings := trace.Settings{Scenario: evil, Model: evil, ModelSource: trace.SourceLive, Protocol: evil, Faults: evil, Language: evil, PromptProfile: evil, BaseURL: evil, Playbook: lesson, ScenarioTOML: evil}
	r.write(trace.Header{Format: trace.FormatVersion, RulesVersion: evil, PromptVersion: evil, Settings: settings, Agents: []trace.HeaderAgent{{ID: evil}, {ID: "agent-2"}}})
	r.call(trace.ModelCall{
		Tick: 1, AgentID: evil, Step: 1, Stage: evil, Model: evil, RequestHash: evil, ToolChoice: llmclient.Marshal(evil), Sections: []trace.Section{{Name: evil, Clipped: true}},
	}, evil, `[{"name":`+string(llmclient.Marshal(evil))+`}]`, []llmclient.Item{llmclient.Message("user", evil), llmclient.FunctionOutput(evil, evil)}, llmclient.Answer{Reply: &llmclient.Reply{
		Status: evil, Model: evil, Items: []llmclient.Item{llmclient.FunctionCall(evil, evil, evil), llmclient.Message("assistant", evil)},
	}})
	r.call(trace.ModelCall{Tick: 1, AgentID: evil, Step: 2, Stage: evil, Model: evil}, evil, `[]`, nil, llmclient.Answer{Failure: &llmclient.Failure{Kind: evil, Status: 500, Code: evil, Message: evil}})
	used := []trace.Source{{ID: evil, Kind: evil, OriginAgent: evil, Parents: []string{evil + "2"}}, {ID: evil + "2", Kind: trace.KindModule, OriginTick: 1}, {ID: "mem-1-1", Kind: "memory", OriginTick: 1}}
	rejected := llmclient.Marshal(map[string]any{"tick": 1, "rejection": world.Rejection{Code: evil, Field: evil, Resource: evil, Unit: evil}})
	accepted := llmclient.Marshal(map[string]any{"tick": 1, "accepted": true, "created": evil, "changes": []map[string]any{{"resource": evil, "amount": 1}}})
	for i, outcome := range []json.RawMessage{rejected, accepted, accepted} {
		agent := []string{evil, "agent-2", evil + "3"}[i]
		r.write(trace.Step{Tick: 1, AgentID: agent, Step: 1, Kind: trace.StepModuleCall, Status: evil, Name: evil, Code: evil, CallID: evil, Repairs: []string{evil}, Detail: said},
			trace.Decision{
				Tick: 1, AgentID: agent, DecidedBy: evil, Commit: evil, WaitReason: evil, FailedBy: evil, By: evil, Why: evil, Proposed: said, Adjusted: said, Executed: said, Outcome: outcome, Parents: []string{evil},
				Adjustments: []world.Adjustment{{Field: evil, Bound: evil}}, Authority: &trace.Authority{By: evil, Asker: evil, Terms: evil},
				SourcesRetrieved: used, SourcesUsed: []string{evil}, SourcesCited: []trace.Citation{{ID: evil, Channel: evil, Status: evil}, {ID: evil + "4", Channel: evil, Status: evil}},
			})
	}
	r.write(trace.Event{Tick: 1, Event: world.Event{Tick: 1, Kind: evil, Agent: evil, Place: evil, Subject: evil, Detail: evil, Text: evil}},
		trace.TickEnd{Tick: 1, Digest: evil}, trace.RunEnd{RunStatus: evil, Reason: evil})
}

// commands are the paths of all commands that do something, hidden ones included.
func commands(m *Main) map[string]*cobra.Command {
	root, found := rootCommand(m), map[string]*cobra.Command{}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("completion")
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Runnable() {
			found[c.CommandPath()] = c
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
	return found
}

// natsWithoutWork starts a NATS server with a batch that is done, and returns the flags for it.
func natsWithoutWork(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	server, err := jetstream.Serve(t.Context(), jetstream.ServerOptions{Dir: dir, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close(0) })
	key := filepath.Join(dir, jetstream.KeyFile)
	link, err := jetstream.Connect(jetstream.ConnectOptions{Server: server, NkeyFile: key})
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	if err := batch.Dir(dir).Create("b", nil); err != nil {
		t.Fatal(err)
	}
	o := batch.Options{Dir: batch.Dir(dir), Drain: t.Context()}
	if _, err := jetstream.Coordinate(link, o, trace.Limit{}, func(string) {}); err != nil {
		t.Fatal(err)
	}
	return []string{"--nats", "nats://" + server.Addr(), "--nats-nkey", key}
}

// TestNothingActsOnATerminal calls every command with evil names, values, files, answers
// and records. A new command fails it until it has a case.
func TestNothingActsOnATerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many runs")
	}
	p := newProcess(t, nil)
	evilFiles(t, p)
	url := evilServer(t)
	file := func(name string) string { return evilName + name }
	var told string // evil as a trace holds it
	if err := json.Unmarshal(llmclient.Marshal(evil), &told); err != nil {
		t.Fatal(err)
	}
	live := []string{"--model", told, "--base-url", url}
	quoted := func(text string) string { // as TOML has it
		var b strings.Builder
		for _, r := range text {
			fmt.Fprintf(&b, "\\U%08X", r)
		}
		return `"` + b.String() + `"`
	}
	valid := strings.ToValidUTF8(evilName, "?") + ".toml"
	text, err := os.ReadFile(filepath.Join(p.dir, file(".toml")))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, valid), text, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"batch.toml":  "name = " + quoted(evilName[:40]) + "\nscenarios = [" + quoted(valid) + "]\nseeds = [1, 2]\n[settings.run]\nticks = 2\n[settings.llm]\nmodel = " + quoted(told) + "\nbase_url = " + quoted(url) + "\n[axes.a.b.run]\n[axes.a.c.run]\nprotocol = 'lean'\n",
		"batch2.toml": "name = 'a'\nscenarios = [" + quoted(told) + "]\n" + quoted(told) + " = 3\n[settings." + quoted(told) + "]\nx = 1\n[axes." + quoted(told) + "." + quoted(told) + ".llm]\nmodel = " + quoted(told) + "\n[[gates]]\nmetric = " + quoted(told) + "\nat_least = 1.0\n",
		"batch3.toml": "name = 'a'\nscenarios = ['minimal']\nseeds = '1-4'\n[settings.run]\nticks = 2\n[axes.a.b.run]\n[axes.a.c.run]\nprotocol = 'lean'\n[compare]\nprimary = 'calls'\neffect = 1.0\n",
	} {
		if err := os.WriteFile(filepath.Join(p.dir, file(name)), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	nats := natsWithoutWork(t)
	// A case is the arguments after the command.
	cases := map[string][][]string{
		"": {
			append([]string{file(".toml"), "--ticks", "3", "--run-dir", file("run"), "--print-llm-io", "--report-json", file("report"), "--system-prompt", told, "--long-term-goal", told, "--playbook", file("book.toml"), "--learn-every", "2", "--prompt-switches-json", file("switches.json"), "--price-table", file("prices.toml"), "--max-degraded", "100"}, live...),
			{"minimal", "--system-prompt", evil},
			{"minimal", "--ticks", "2", "--run-dir", file("scripted"), "--print-llm-io"},
			append([]string{"minimal", "--ticks", "1", "--estimate-only"}, live...), append([]string{"--print-config", "--system-prompt", told}, live...),
			{"--replay-from", file("trace"), "--ticks", "1"}, {"--replay-from", file("run"), "--ticks", "1", "--model", evil}, {file(".toml"), "--replay-from", file("run"), "--ticks", "3", "--run-dir", file("again")},
			{file("name.toml")}, {file("noise.toml")}, {file("none.toml")}, {evil}, {evil, evil}, {"minimal", "--run-dir", file("run")}, {"minimal", "--playbook", file("noise")}, {"minimal", "--playbook", evil}, {"--price-table", file("price.toml")},
			{"minimal", "--prompt-switches-json", file("unknown.json")}, {"minimal", "--prompt-switches-json", file("agent.json")}, {"minimal", "--sampling-json", file("sampling.json")}, {"minimal", "--prompt-switches-json", `[{"` + evil},
			{"minimal", "--words", evil}, {"minimal", "--words", file("noise")}, {"minimal", "--seat", told + "=" + told}, {"minimal", "--metric", told + "=" + told}, {"minimal", "--ticks", "1", "--metric", "m=error(\"\\u001b[31m\")"}, {"minimal", "--tools-mcp", "a=" + told}, {"minimal", "--tools-mcp", told},
			{"minimal", "--config", file("key.toml")}, {"minimal", "--config", file("table.toml")}, {"minimal", "--config", file("value.toml")}, {"minimal", "--config", file("type.toml")}, {"minimal", "--config", file("noise.toml")}, {"minimal", "--config", file("none")},
			{"--print-config", "--config", file("set.toml")},
		},
		"scenarios": {{}, {evil}}, "scenarios list": {{}, {evil}}, "scenarios show": {{file(".toml")}, {file("name.toml")}, {evil}}, "scenarios rules": {{}}, "scenarios new": {{file("own")}, {file("own")}, {evil}}, "scenarios lint": {{file(".toml")}, {file(".toml"), file("name.toml"), file("noise.toml"), evil}},
		"resume":  {append([]string{file("run"), "--until-tick", "4"}, live...), {file("run"), "--model", told}, {file("trace")}, {file("noise")}, {evil}},
		"inspect": {{file("run")}, {file("run"), "--json"}, {file("trace")}, {file("trace"), "--json"}, {file("trace"), "--agent", told}, {file("trace"), "--agent", told + "9"}, {file("noise")}},
		"replay":  {{file("run")}, {file("trace")}, {file("noise")}, {evil}},
		"fork":    {append([]string{file("run"), "--at-tick", "1", "--run-dir", file("fork"), "--short-term-goal", told}, live...), {file("run"), "--at-tick", "1", "--run-dir", file("fork2"), "--model", told}, {file("run"), "--at-tick", "1", "--set", "rules." + evil + "=1"}, {file("trace"), "--at-tick", "0"}, {evil, "--at-tick", "0"}},
		"compare": {{file("run"), file("scripted")}, {file("run"), file("fork"), "--json"}, {file("trace"), file("run")}, {file("trace"), file("trace")}, {evil, evil}},
		"explain": {
			{file("run"), "--agent", "agent-1"}, {file("run"), "--agent", "agent-1", "--json"}, {file("run"), "--tick", "1", "--agent", "agent-1", "--prompts"}, {file("trace"), "--agent", told}, {file("trace"), "--tick", "1", "--agent", told, "--prompts"},
			{file("run"), "--tick", "1", "--agent", "agent-1"}, {file("run"), "--tick", "2", "--agent", "agent-1", "--full"}, {file("run"), "--tick", "1", "--agent", "agent-1", "--json"}, {file("fork"), "--tick", "2", "--agent", "agent-1"},
			{file("trace"), "--tick", "1", "--agent", told}, {file("trace"), "--tick", "1", "--agent", told, "--json"}, {file("trace"), "--tick", "1", "--agent", "agent-2"}, {file("trace"), "--tick", "1", "--agent", told + "3", "--full"},
			{file("trace"), "--tick", "2", "--agent", told}, {file("trace"), "--tick", "1", "--agent", told + "9"}, {file("trace"), "--source", told}, {file("trace"), "--source", told + "2", "--agent", told}, {file("trace"), "--source", "nav-00001"}, {file("trace"), "--source", "x"}, {file("noise"), "--source", "x"},
		},
		"ask": {
			append([]string{file("run"), told, "--agent", "agent-1"}, live...), append([]string{file("run"), "Why?", "--all", "--tick", "1", "--csv", "-"}, live...), {file("run")}, {file("run"), "--json"}, {file("scripted"), told, "--all", "--csv", file("survey")},
			{file("trace"), told, "--agent", told}, {file("run"), told, "--agent", told}, {file("noise"), "Why?", "--all"}, {evil}, {evil, evil, "--all"},
		},
		"trace":           {{}, {evil}},
		"trace canonical": {{file("run")}, {file("trace")}, {file("trace"), "-o", file("none/file")}, {evil}}, "trace cat": {{file("run")}, {file("trace")}, {evil}}, "trace verify": {{file("run")}, {file("run"), "--head", evil}, {file("trace")}, {evil}},
		"report": {{file("run")}, {file("run"), "--json", "-"}, {file("run"), "--json", file("report2")}, {file("run"), "--html", file("page")}, {file("trace"), "--html", file("none/page")}, {file("trace")}, {file("trace"), "--json", "-"}, {file("fork")}, {file("noise")}},
		"export": {{file("run"), "--table", "decisions"}, {file("run"), "--out", file("tables"), "--agent", "agent-1"}, {file("run"), "--table", "events", "--agent", told}, {file("trace"), "--table", evil}, {evil}},
		"bench":  {{}, {evil}}, "bench ahead": {{file("scripted")}, {file("run")}, {file("trace")}, {file("run"), "--latency", evil}, {evil}},
		"answers": {{}, {evil}}, "answers export": {{file("run"), file("answers")}, {file("trace"), file("answers2")}, {evil, evil}}, "answers show": {{file("answers")}, {file("run")}, {file("trace")}, {file("noise")}},
		"playbook": {{}, {evil}}, "playbook show": {{file("book.toml")}, {file("noise")}, {evil}}, "playbook stats": {{file("book.toml")}, {file("book.toml"), "--json"}}, "playbook rollback": {{file("book.toml"), "--to", "0"}, {file("book.toml"), "--to", "9"}},
		"playbook diff": {{file("book.toml"), "0", "1"}, {file("book.toml"), file("noise")}, {file("book.toml"), evil, evil}}, "playbook learn": {append([]string{file("run"), "--playbook", file("learned")}, live...), {file("trace"), "--playbook", file("noise")}, {evil, "--playbook", file("new")}},
		"words": {{}, {evil}}, "words export": {{file("words")}, {file("words")}, {evil}},
		"model-server": {{"--addr", evil}, {"--list-faults"}, {"--faults", evil}, {"--stub-manner", evil}, {"--scripted-mode", evil}},
		"guard-eval":   {{"--sample", "1", "--seeds", "1", "--model", evil, "--base-url", "http://127.0.0.1:1"}, {"--sample", "1", "--seeds", "1", "--keep", file("none")}, {"--keep", p.dir}},
		"doctor":       {{}, append([]string{}, live...), append([]string{"--json"}, live...), {"--agent", evil}, {"--model", evil, "--base-url", evil}, {"--model", evil, "--base-url", "http://127.0.0.1:1"}},
		"batch":        {{}, {evil}}, "batch run": {{file("batch.toml"), "--dir", file("batch")}, {file("batch3.toml"), "--dir", file("batch3")}, {file("batch2.toml")}, {file("noise.toml")}, {evil}, {file("batch.toml"), "--dir", file("noise")}, {file("batch.toml"), "--shard", evil}},
		"batch status": {{file("batch")}, {file("batch3")}, {file("batch"), "--json"}, {file("noise")}, {evil}}, "batch merge": {{file("batch"), "--into", file("merged")}, {file("batch3"), "--into", file("merged3"), "--html", file("batch-page")}, {file("noise"), evil, "--into", evil}}, "batch plan": {{file("batch.toml"), "--pilot", file("batch"), "--effect", "1"}, {file("batch3.toml"), "--pilot", file("batch3")}, {evil}, {file("batch.toml"), "--pilot", evil}},
		"batch report": {{file("batch")}, {file("batch3")}, {file("batch"), "--format", "markdown"}, {file("batch"), "--format", "csv"}, {file("batch"), "--format", "html"}, {file("batch"), "--format", "junit"}, {evil}, {file("batch"), "--format", evil}},
		"batch thin":   {{file("batch3")}, {file("batch")}, {file("noise")}, {evil}},
		"suite":        {{}, {evil}}, "suite verify": {{file("batch")}, {evil}}, "suite table": {{file("batch")}, {evil}},
		"runs": {{}, {evil}}, "runs list": {{}, {evil}, {"."}}, "runs prune": {{".", "--keep", "1"}, {evil, "--keep", "1"}, {".", "--older-than", evil}, {".", "--status", evil}},
		"serve":     {{}, {evil}, {"--openenv", evil}, {"--openenv", "--listen", evil}, {"--mcp", evil}, {"--openenv", "--mcp"}, {"--help"}, {"--openenv", "minimal"}, {"--openenv", "task_production_chips_40", "--keep", evil}},
		"dashboard": {{evil}, {file("none")}, {".", "--listen", evil}, {".", "--host", evil}, {".", "--listen", "192.0.2.1:0"}, {"--help"}},
		"worker":    {append(slices.Clone(nats), "--until-done"), {"--nats", evil}, {evil}, {"--nats", "nats://127.0.0.1:1", "--nats-nkey", file("noise")}, {"--nats", "nats://127.0.0.1:1", "--nats-creds", evil}},
		"help":      {{}, {evil}, {"settings"}, {"explain", evil}}, "completion": {{"bash"}, {"zsh"}, {"fish"}, {"powershell"}, {evil}},
	}
	jsonLines := []string{"trace canonical", "trace cat"}
	found := commands(p.Main)
	for path := range found {
		name := strings.TrimPrefix(strings.TrimPrefix(path, programName), " ")
		if _, ok := cases[name]; !ok {
			t.Errorf("command %q has no case", name)
		}
	}
	call := func(ctx context.Context, updates bool, args ...string) (code int, what string, stdout string) {
		q := newProcess(t, map[string]string{"AGENT_WORLD_LLM_EXTRA_BODY": ""}, args...)
		q.Getwd, q.Terminal = func() (string, error) { return p.dir, nil }, updates
		code = q.Run(ctx)
		what = fmt.Sprintf("%q, exit code %d", args, code)
		checkPrinted(t, what, q.stdout.String())
		errs := q.stderr.String()
		if updates {
			errs = strings.ReplaceAll(errs, terminal.LineStart, "\n") // the one sequence that is ours
		}
		checkPrinted(t, what, errs)
		if code == exitInternal && strings.Contains(errs, "goroutine") {
			t.Errorf("%s: panicked:\n%s", what, errs)
		}
		return code, what, q.stdout.String()
	}
	// The order is that of the run's life: what is looked at has to be there.
	first := []string{"", "scenarios show", "fork", "answers export", "batch run"}
	names := append(slices.Clone(first), slices.Sorted(maps.Keys(cases))...)
	good := map[string]bool{}
	for i, name := range names {
		if i >= len(first) && slices.Contains(first, name) {
			continue
		}
		if found[strings.TrimSpace(programName+" "+name)] == nil {
			t.Errorf("there is no command %q", name)
		}
		for n, args := range cases[name] {
			code, what, out := call(t.Context(), n%2 == 0, append(strings.Fields(name), args...)...)
			good[name] = good[name] || code == exitCompleted
			wantJSON := slices.Contains(args, "--json") && (len(args) < 3 || args[len(args)-1] == "--json" || args[len(args)-1] == "-")
			if slices.Contains(jsonLines, name) {
				for line := range strings.Lines(out) {
					if !json.Valid([]byte(line)) {
						t.Errorf("%s: a line is no JSON: %s", what, line)
					}
				}
			} else if wantJSON && out != "" && !json.Valid([]byte(out)) {
				t.Errorf("%s: printed no JSON: %s", what, out)
			}
		}
	}
	for name := range cases {
		// A group only refuses.
		if found[strings.TrimSpace(programName+" "+name)].HasSubCommands() && name != "" {
			continue
		}
		if !good[name] && !strings.HasPrefix(name, "suite ") { // an entry takes 240 runs
			t.Errorf("no case of %q succeeds", name)
		}
	}
	// Every flag of every command, with an evil value and none that is valid.
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for path, c := range found {
		name := strings.Fields(path)[1:]
		call(cancelled, false, append(name, "--no-such"+evil)...)
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if len(name) > 0 && name[0] == "guard-eval" && f.Name == "json" {
				return // alone it is no error, and the whole suite would be played
			}
			args := append(slices.Clone(name), "--"+f.Name+"="+evil)
			if len(name) == 0 {
				args = append(args, "--estimate-only")
			}
			call(cancelled, false, args...)
		})
	}
	for _, s := range settingTable() {
		for _, variable := range s.Env {
			q := newProcess(t, map[string]string{variable: evil}, "--estimate-only")
			q.Run(cancelled)
			checkPrinted(t, variable, q.output())
		}
	}
}

// TestAllIsPrintedByOneFunction refuses the functions that would print an argument as it
// is, where texts for people are made.
func TestAllIsPrintedByOneFunction(t *testing.T) {
	for _, pattern := range []string{"*.go", "../../report/*.go", "../../internal/guardeval/tally.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			positions := token.NewFileSet()
			file, err := parser.ParseFile(positions, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "fmt" && (strings.HasPrefix(s.Sel.Name, "Fprint") || strings.HasPrefix(s.Sel.Name, "Print")) {
						t.Errorf("%s: fmt.%s; allowed: plaintext.Fprintf", positions.Position(s.Pos()), s.Sel.Name)
					}
				}
				return true
			})
		}
	}
}
