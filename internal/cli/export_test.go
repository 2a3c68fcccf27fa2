package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/explain"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// played runs the program in the directory of p and demands success.
func (p *inProcess) played(t *testing.T, args ...string) string {
	t.Helper()
	q := newProcess(t, nil, args...)
	q.Getwd = func() (string, error) { return p.dir, nil }
	if code := q.run(t); code != exitCompleted {
		t.Fatalf("%q: exit code %d:\n%s", args, code, q.output())
	}
	return q.stdout.String()
}

// TestExportRefuses: a run that was changed is exported only if the user asks for what can be read, and then says what
// is missing; nothing is left of an export that failed.
func TestExportRefuses(t *testing.T) {
	p := newProcess(t, nil)
	p.played(t, "minimal", "--ticks", "6", "--chain-steps", "0", "--run-dir", "run", "--quiet")
	all := p.played(t, "export", "run", "--table", "states")
	if one := p.played(t, "export", "run", "--table", "states", "--agent", "agent-1"); one != all || strings.Count(all, "\n") != 7 {
		t.Errorf("the rows of the only agent differ from all rows:\n%s", one)
	}
	path := filepath.Join(p.dir, "run", run.TraceFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	cut := strings.Index(string(text), `{"type":"run_end"`)
	broken := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, `{"type":"tick_end","tick":4,`) })
	for _, c := range []struct {
		from, to string
		args     []string
		code     int
		want     string
		states   int
	}{
		{`"executed":{"action":"mine_compound"`, `"executed":{"action":"wait","x":"mine_compound"`, nil, 2, "allowed: another run, or --unverified", 0},
		{`"executed":{"action":"mine_compound"`, `"executed":{"action":"wait","x":"mine_compound"`, []string{"--unverified"}, 0, `states from tick 1 on: the world of this run cannot be played again: tick 1, "agent-1": decode action wait`, 0},
		{`"compound_mass_g":5000}`, `"compound_mass_g":4000}`, []string{"--unverified"}, 0, "after tick 1 the digest is ", 0},
		{`"rules_version":"`, `"rules_version":"0`, []string{"--unverified"}, 0, `it was recorded under rules version "0`, 0},
		{lines[broken], "no record\n", []string{"--unverified"}, 0, fmt.Sprintf("trace.jsonl, line %d (byte", broken+1), 3},
		{string(text[cut:]), "", []string{"--unverified"}, 0, "the trace has no end of the run; its last whole tick is 6", 6},
		{string(text[cut:]), `{"type":"decision","ti`, []string{"--unverified"}, 0, "the trace ends inside tick 7", 6},
		{"", "", []string{"--agent", "agent-7"}, 2, `no agent "agent-7" in this run; allowed: agent-1`, 0},
		{"", "", []string{"--table", "trade"}, 2, `did you mean "trades"?`, 0},
		{"", "", []string{"--format", "xml"}, 2, `allowed: csv, jsonl, messages`, 0},
		{"", "", []string{"--plot", "ranks"}, 2, `"run" is no batch`, 0},
	} {
		changed := string(text)
		if c.from != "" {
			changed = strings.ReplaceAll(changed, c.from, c.to)
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		q := newProcess(t, nil, append([]string{"export", "run", "--out", "data/tables"}, c.args...)...)
		q.Getwd = func() (string, error) { return p.dir, nil }
		if code := q.run(t); code != c.code || !strings.Contains(q.stderr.String(), c.want) {
			t.Errorf("%.40s, %v: exit code %d:\n%s", c.to, c.args, code, q.output())
			continue
		}
		if c.code != 0 {
			if left, _ := filepath.Glob(filepath.Join(p.dir, "data*")); len(left) > 0 {
				t.Errorf("%s: left %v", c.to, left)
			}
			continue
		}
		tables := readTables(t, p.path("data/tables"))
		if len(tables["states"]) != c.states || !strings.Contains(tables["runs"][0]["missing"], strings.TrimPrefix(c.want, "note: ")) {
			t.Errorf("%.40s: %d rows of states, and %q", c.to, len(tables["states"]), tables["runs"][0]["missing"])
		}
		if err := os.RemoveAll(p.path("data")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestExportTakesThePlaceOfAnExport: a directory is replaced if it holds an earlier export and nothing else, and an
// interrupted export leaves what was there.
func TestExportTakesThePlaceOfAnExport(t *testing.T) {
	p := newProcess(t, nil)
	p.played(t, "minimal", "--ticks", "3", "--run-dir", "run", "--quiet")
	p.played(t, "export", "run", "--out", "data", "--format", "jsonl")
	p.played(t, "export", "run", "--out", "data", "--table", "runs,trades,runs")
	names := func() (list []string) {
		entries, err := os.ReadDir(p.dir)
		if err != nil {
			t.Fatal(err)
		}
		inside, err := os.ReadDir(p.path("data"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range append(entries, inside...) {
			list = append(list, e.Name())
		}
		return list
	}
	want := []string{"data", "run", "runs.csv", "trades.csv"}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("there is %v, want %v", got, want)
	}
	for _, args := range [][]string{{"--out", "data"}, {"--out", "data/runs.csv", "--table", "ticks"}, {"--out", "data/runs.csv", "--format", "messages"}} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		q := newProcess(t, nil, append([]string{"export", "run"}, args...)...)
		q.Getwd = func() (string, error) { return p.dir, nil }
		if code := q.Run(ctx); code != exitInterrupted {
			t.Errorf("%v interrupted: exit code %d: %s", args, code, q.output())
		}
		if got := names(); !slices.Equal(got, want) {
			t.Errorf("%v interrupted: there is %v, want %v", args, got, want)
		}
	}
	if err := os.WriteFile(p.path("data/notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{"data": `holds something else, "notes.txt"`, "run/trace.jsonl": "would replace the run's trace", "run/report.json": "would replace the report of a run", "run": "holds something else", "/dev/null/x": "not a directory", "run/report.json/x": "not a directory"} {
		args := []string{"export", "run", "--out", out}
		if strings.HasPrefix(out, "run/") && !strings.HasSuffix(out, "/x") {
			args = append(args, "--table", "runs")
		}
		q := newProcess(t, nil, args...)
		q.Getwd = func() (string, error) { return p.dir, nil }
		if code := q.run(t); code != exitBadInput || !strings.Contains(q.stderr.String(), want) {
			t.Errorf("--out %s: exit code %d: %s", out, code, q.output())
		}
	}
}

// TestExportedStatesAreTheRecordedWorld: also where the world refused what agents decided first, the last rows are the
// final states in the trace.
func TestExportedStatesAreTheRecordedWorld(t *testing.T) {
	slow(t)
	p := newProcess(t, nil)
	p.played(t, "task_survival_long_300", "--ticks", "25", "--run-dir", "run", "--quiet")
	refused := false
	for r, err := range explain.Records(run.Dir(p.path("run")), nil, 0, trace.TypeDecision) {
		if err != nil {
			t.Fatal(err)
		}
		refused = refused || strings.Contains(string(r.(trace.Decision).Outcome), `"refused_before"`)
	}
	if !refused {
		t.Error("the world refused nothing at first")
	}
	p.played(t, "export", "run", "--out", "data")
	text, err := os.ReadFile(p.path("run/report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r report.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	agree(t, readTables(t, p.path("data")), r)
}
