package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exported runs a command in dir with a collector of its own and returns that.
func exported(t *testing.T, dir string, args ...string) *collector {
	t.Helper()
	c := newCollector(t)
	p := newProcess(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL}, args...)
	p.dir, p.Getwd = dir, func() (string, error) { return dir, nil }
	if code := p.run(t); code != 0 {
		t.Fatalf("%s: exit code %d:\n%s", strings.Join(args, " "), code, p.output())
	}
	return c
}

// tickOf is the tick of a line of a trace.
func tickOf(t *testing.T, line string) int64 {
	t.Helper()
	var r struct {
		Tick int64 `json:"tick"`
	}
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		t.Fatal(err)
	}
	return r.Tick
}

// callsIn counts the model calls of a run's trace from a tick on.
func callsIn(t *testing.T, trace string, from int64) (calls int) {
	t.Helper()
	for line := range strings.Lines(trace) {
		if strings.HasPrefix(line, `{"type":"model_call"`) && tickOf(t, line) >= from {
			calls++
		}
	}
	return calls
}

// requireExported compares what came with what was new.
func requireExported(t *testing.T, c *collector, what string, ticks, calls, measured int) {
	t.Helper()
	if got := len(c.named("tick")); got != ticks {
		t.Errorf("%s: %d ticks were exported, want %d", what, got, ticks)
	}
	if got := len(c.named("chat ")); got != calls {
		t.Errorf("%s: %d calls were exported, want %d", what, got, calls)
	}
	if got := len(c.named("invoke_workflow ")); got != 1 {
		t.Errorf("%s: %d runs were exported", what, got)
	}
	var points uint64
	for _, m := range c.metrics {
		if m.Name == "gen_ai.client.operation.duration" {
			for _, p := range m.GetHistogram().GetDataPoints() {
				points += p.Count
			}
		}
	}
	if points != uint64(measured) {
		t.Errorf("%s: %d calls were measured, want %d", what, points, measured)
	}
}

// TestOnlyNewCallsAreExported: what a fork and a resume derive again was exported when
// it was made, and an answer of a recording is not one of a model.
func TestOnlyNewCallsAreExported(t *testing.T) {
	dir := t.TempDir()
	read := func(run string) string {
		data, err := os.ReadFile(filepath.Join(dir, run, "trace.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	whole := exported(t, dir, "llm_bootstrap", "--ticks", "5", "--chain-steps", "0", "--run-dir", "run")
	all := callsIn(t, read("run"), 1)
	requireExported(t, whole, "a run", 5, all, all)

	fork := exported(t, dir, "fork", "run", "--at-tick", "3", "--ticks", "6", "--run-dir", "fork", "--short-term-goal", "Make two motors.")
	calls := callsIn(t, read("fork"), 4)
	requireExported(t, fork, "a fork", 3, calls, calls)

	again := exported(t, dir, "llm_bootstrap", "--ticks", "5", "--chain-steps", "0", "--run-dir", "again", "--replay-from", "run")
	requireExported(t, again, "a run on recorded answers", 5, all, 0)
	for _, s := range again.named("chat ") {
		marked := false
		for _, a := range s.Attributes {
			marked = marked || a.Key == "agentworld.recorded" && a.Value.GetBoolValue()
		}
		if !marked {
			t.Fatalf("an answer of a recording is not marked: %v", s)
		}
	}

	// As a kill leaves it: two answers of the last tick are there.
	text, kept := read("run"), 0
	end := 0
	for line := range strings.Lines(text) {
		end += len(line)
		if strings.HasPrefix(line, `{"type":"model_call"`) && tickOf(t, line) == 5 {
			if kept++; kept == 2 {
				break
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "run", "trace.jsonl"), []byte(text[:end]), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "run", "report.json")); err != nil { // which it left none of
		t.Fatal(err)
	}
	resumed := exported(t, dir, "resume", "run")
	left := callsIn(t, read("run"), 5) - kept
	if left < 3 {
		t.Fatalf("%d calls were left, the test shows little", left)
	}
	requireExported(t, resumed, "a resume", 1, left, left)
}
