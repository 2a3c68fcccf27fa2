package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/agentworld/llmclient/stub"
)

// assistant is the SDK's client of this program, which it starts.
type assistant struct {
	t *testing.T
	*mcp.ClientSession
}

// startMCP starts the program in a directory with arguments, and a key in its environment.
func startMCP(t *testing.T, dir string, args ...string) assistant {
	t.Helper()
	program := exec.Command(programName, args...)
	program.Dir = dir
	program.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "OPENAI_API_KEY="+planted)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: program}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return assistant{t, c}
}

// call calls a tool. Its result holds no key.
func (a assistant) call(name string, arguments map[string]any) (text string, failed bool) {
	a.t.Helper()
	r, err := a.CallTool(a.t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return err.Error(), true
	}
	text = r.Content[0].(*mcp.TextContent).Text
	if holdsSecret(text) {
		a.t.Errorf("%s tells the key: %s", name, text)
	}
	return text, r.IsError
}

// started is what a call answers that starts a run or asks.
type startedRun struct {
	Run, Status string
	Tick        int64
	Cost        string
	Allowance   struct {
		Runs int    `json:"runs_left"`
		Cost string `json:"cost_left"`
	}
}

func (a assistant) start(name string, arguments map[string]any) (s startedRun) {
	a.t.Helper()
	text, failed := a.call(name, arguments)
	if failed || json.Unmarshal([]byte(text), &s) != nil {
		a.t.Fatalf("%s %v: %s", name, arguments, text)
	}
	return s
}

// TestMCPOverStdio starts the program as the page tells an assistant to, and reads, plays and asks through it.
func TestMCPOverStdio(t *testing.T) {
	dir := t.TempDir()
	if p := newProcess(t, nil, "minimal", "--ticks", "2", "--run-dir", filepath.Join(dir, "runs/one")); p.run(t) != 0 {
		t.Fatal(p.output())
	}
	matrix := "name = \"b\"\nscenarios = [\"minimal\"]\nseeds = [1, 2]\n[settings.run]\nticks = 2\n"
	if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(matrix), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := newProcess(t, nil, "batch", "run", filepath.Join(dir, "b.toml"), "--dir", filepath.Join(dir, "runs/b")); p.run(t) != 0 {
		t.Fatal(p.output())
	}
	page, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(page)
	if block == nil || json.Unmarshal(block[1], &documented) != nil || documented.Servers["agentworld"].Command != programName {
		t.Fatalf("docs/mcp.md has no configuration: %s", block)
	}
	args := documented.Servers["agentworld"].Args
	args[slices.Index(args, "/home/me/runs")] = "runs"

	reader := startMCP(t, dir, args...)
	if text, failed := reader.call("list_runs", nil); failed || !strings.Contains(text, `"run":"one"`) {
		t.Errorf("list_runs: %s", text)
	}
	if text, failed := reader.call("explain_decision", map[string]any{"run": "one", "agent": "agent-1", "tick": 1, "prompts": true}); failed || !strings.Contains(text, `"instructions":{"text":`) {
		t.Errorf("explain_decision: %s", text)
	}
	if text, failed := reader.call("list_runs", map[string]any{"batch": "b", "limit": 1}); failed || !strings.Contains(text, `"matching":2`) {
		t.Errorf("the runs of a batch: %s", text)
	}
	if text, failed := reader.call("compare", map[string]any{"a": []string{"one"}, "b": []string{"b"}, "details": true}); failed || !strings.Contains(text, `"comparisons":[{"`) || !strings.Contains(text, `"cells":2`) {
		t.Errorf("a run beside a batch: %s", text)
	}
	if text, failed := reader.call("read_run", map[string]any{"run": "b"}); !failed || !strings.Contains(text, "that is a batch; list_runs with batch lists its runs") {
		t.Errorf("read_run of a batch: %s", text)
	}
	if text, failed := reader.call("start_run", map[string]any{"scenario": "minimal"}); !failed || !strings.Contains(text, "unknown tool") {
		t.Errorf("start_run without an allowance: %s", text)
	}
	if err := reader.Close(); err != nil {
		t.Errorf("the program ended with %v", err)
	}

	player := startMCP(t, dir, append(args, "--allow-runs", "3")...)
	if s := player.start("start_run", map[string]any{"scenario": "minimal", "ticks": 2, "seed": 7, "wait_s": 50}); s.Status != "completed" || s.Allowance.Runs != 2 {
		t.Errorf("start_run: %+v", s)
	}
	if s := player.start("ask_agent", map[string]any{"run": "one", "agent": "agent-1", "question": "why?"}); s.Allowance.Runs != 1 || s.Cost != "0.00" {
		t.Errorf("ask_agent: %+v", s)
	}
	if s := player.start("ask_agent", map[string]any{"run": "one", "agent": "agent-1", "question": "why?"}); s.Allowance.Runs != 1 || s.Cost != "0.00" {
		t.Errorf("ask_agent, what was answered before: %+v", s)
	}
	seat := player.start("take_seat", map[string]any{"scenario": "minimal", "ticks": 50, "wait_s": 50})
	if seat.Status != "running" || seat.Tick != 1 {
		t.Errorf("take_seat: %+v", seat)
	}
	if err := player.Close(); err != nil { // with a turn open
		t.Errorf("the program ended with %v", err)
	}
	if p := newProcess(t, nil, "inspect", filepath.Join(dir, "runs", seat.Run)); p.run(t) != 0 || !strings.Contains(p.output(), "interrupted") {
		t.Errorf("the run of a player who has gone: %s", p.output())
	}
}

// TestMCPSpends: runs of a model that costs money are kept within the sum over the server's life. Without a sum none
// can be started.
func TestMCPSpends(t *testing.T) {
	server, err := stub.Start(t.Context(), stub.DefaultAddr, stub.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	dir := t.TempDir()
	prices := `currency = "USD"
as_of = "2026-11-01"
source = "a test"
[[price]]
models = ["m"]
input = "1000"
output = "1000"
`
	if err := os.WriteFile(filepath.Join(dir, "prices.toml"), []byte(prices), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "runs"), 0o700); err != nil {
		t.Fatal(err)
	}
	args := []string{"serve", "--mcp", "runs", "--model", "m", "--base-url", server.URL(), "--price-table", "prices.toml",
		"--allow-runs", "3"}
	if p := newProcess(t, nil, args...); p.run(t) != exitBadInput || !strings.Contains(p.output(), "say how much with --cap-cost") {
		t.Errorf("without a sum: %s", p.output())
	}
	a := startMCP(t, dir, append(args, "--cap-cost", "30")...)
	first := a.start("start_run", map[string]any{"scenario": "minimal", "ticks": 2, "wait_s": 50})
	if first.Status != "completed" || first.Allowance.Cost == "30.00" {
		t.Errorf("a run that costs money: %+v", first)
	}
	asked := a.start("ask_agent", map[string]any{"run": first.Run, "agent": "agent-1", "question": "why?"})
	if asked.Cost == "0.00" || asked.Allowance.Cost == first.Allowance.Cost {
		t.Errorf("a question that costs money: %+v", asked)
	}
	if text, failed := a.call("start_run", map[string]any{"scenario": "minimal", "cap_cost": "30"}); !failed || !strings.Contains(text, "30.00 were asked for") {
		t.Errorf("more than is left: %s", text)
	}
	short := a.start("start_run", map[string]any{"scenario": "minimal", "ticks": 20, "cap_cost": "7", "wait_s": 50})
	if short.Status != "budget_exhausted" || short.Allowance.Runs != 0 {
		t.Errorf("a run with too small a sum: %+v", short)
	}
	if err := a.Close(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
}
