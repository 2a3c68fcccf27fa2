package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/run"
)

// TestScriptedRunLeavesAValidReport also reads everything the run printed and
// wrote for the key that was set and must not be used.
func TestScriptedRunLeavesAValidReport(t *testing.T) {
	p := newProcess(t, map[string]string{"OPENAI_API_KEY": planted}, "llm_bootstrap", "--ticks", "3", "--print-llm-io", "--report-json", "deep/er/report.json")
	if code := p.run(t); code != exitCompleted {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	text := p.output()
	for _, name := range tree(t, p.dir) {
		data, err := os.ReadFile(filepath.Join(p.dir, name))
		if err != nil {
			continue // a directory
		}
		text += string(data)
	}
	if holdsSecret(text) {
		t.Error("the key was printed or written")
	}
	data, err := os.ReadFile(filepath.Join(p.dir, "deep/er/report.json"))
	if err != nil {
		t.Fatal(err)
	}
	validReport(t, data)
	want := ".tmp/runs/20310203T040506Z-llm_bootstrap-abcdef"
	if _, err := os.Stat(filepath.Join(p.dir, want, run.TraceFile)); err != nil {
		t.Errorf("no trace in the run directory: %v", err)
	}
	if !strings.Contains(p.stdout.String(), want) {
		t.Errorf("the run directory %s is not named:\n%s", want, p.stdout.String())
	}
}

// TestBaseURLFormsGiveTheSameRun runs against one server under every way of
// writing its address.
func TestBaseURLFormsGiveTheSameRun(t *testing.T) {
	server, err := stub.Start(t.Context(), stub.DefaultAddr, stub.Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	bare := strings.TrimSuffix(server.URL(), "/v1")
	forms := []string{bare, bare + "/v1", bare + "/v1/", bare + "/v1/chat/completions", bare + "/v1/responses", strings.TrimPrefix(bare, "http://")}
	var first []byte
	for _, form := range forms {
		p := newProcess(t, nil, "minimal", "--ticks", "3", "--model", "m", "--base-url", form, "--run-dir", "run")
		if code := p.run(t); code != exitCompleted {
			t.Fatalf("%s: exit code %d:\n%s", form, code, p.output())
		}
		if want := "model: live, m (flag --model) at " + bare + "/v1/responses, no key"; !strings.Contains(p.stderr.String(), want) {
			t.Errorf("%s: stderr has no %q:\n%s", form, want, p.stderr.String())
		}
		var canonical bytes.Buffer
		if err := canonicalTrace(p.Main, "run", &canonical); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = canonical.Bytes()
		}
		if !bytes.Equal(first, canonical.Bytes()) {
			t.Errorf("%s gives another run than %s", form, forms[0])
		}
	}
}

func TestRunRefusedLeavesNothing(t *testing.T) {
	for _, args := range [][]string{
		{"minimal", "--report-json", "a/r.json", "--run-dir", "file/run"},
		{"minimal", "--report-json", "file/r.json", "--run-dir", "b/run"},
		{"minimal", "--report-json", "a/r.json", "--run-dir", "b/run", "--ticks", "0"},
		{"minimal", "--report-json", "a/r.json", "--run-dir", "b/run", "--model", "m"},
		{"nowhere", "--report-json", "a/r.json", "--run-dir", "b/run"},
	} {
		p := newProcess(t, nil, args...)
		if err := os.WriteFile(filepath.Join(p.dir, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if code := p.run(t); code != exitBadInput {
			t.Errorf("%v: exit code %d, want %d:\n%s", args, code, exitBadInput, p.output())
		}
		if left := tree(t, p.dir); len(left) != 1 {
			t.Errorf("%v left behind %v", args, left)
		}
		if lines := strings.Count(p.stderr.String(), "\n"); lines != 1 || p.stdout.Len() > 0 {
			t.Errorf("%v printed %d lines on stderr, want 1, and on stdout %q:\n%s", args, lines, p.stdout.String(), p.stderr.String())
		}
	}
}

// TestAReportOutlivesAKilledRun cuts a trace as a killed process leaves it.
func TestAReportOutlivesAKilledRun(t *testing.T) {
	p := newProcess(t, nil, "minimal", "--ticks", "3", "--run-dir", "run")
	if code := p.run(t); code != exitCompleted {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	path := filepath.Join(p.dir, "run", run.TraceFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := foldReport(p.Main, "run"); !errors.Is(err, run.ErrCut) {
		t.Errorf("a trace that was cut off since its report was made: %v", err)
	}
	if err := os.Remove(filepath.Join(p.dir, "run", run.ReportFile)); err != nil {
		t.Fatal(err)
	}
	r, err := foldReport(p.Main, "run")
	if err != nil {
		t.Fatal(err)
	}
	if r.RunStatus != "unfinished" {
		t.Errorf("run_status %q, want unfinished", r.RunStatus)
	}
	validReport(t, r.JSON())
}

func TestSeedAboveInt64(t *testing.T) {
	if _, c := configured(t, nil, map[string]string{"seed": "18446744073709551615"}); c.Seed != 1<<64-1 {
		t.Errorf("seed %d", c.Seed)
	}
}
