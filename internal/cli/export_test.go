package cli

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.com/agentworld/explain"
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

// TestExportedRowsAreTheRecordedWorld: the table has a row for every tick and agent, and its last
// rows are the final states in the trace: also where the world refused what agents decided first,
// and in a fork under other rules.
func TestExportedRowsAreTheRecordedWorld(t *testing.T) {
	slow(t)
	p := newProcess(t, nil)
	p.played(t, "task_survival_long_300", "--ticks", "25", "--run-dir", "run", "--quiet")
	p.played(t, "fork", "run", "--at-tick", "20", "--set", "rules.idle_draw=3", "--run-dir", "fork", "--quiet")
	for _, name := range []string{"run", "fork"} {
		text := p.played(t, "export", name, "--csv", "-")
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		column := map[string]int{}
		for i, c := range rows[0] {
			column[c] = i
		}
		var end trace.RunEnd
		refused := false
		for r, err := range explain.Records(run.Dir(filepath.Join(p.dir, name)), nil, 0) {
			if err != nil {
				t.Fatal(err)
			}
			switch r := r.(type) {
			case trace.RunEnd:
				end = r
			case trace.Decision:
				refused = refused || strings.Contains(string(r.Outcome), `"refused_before"`)
			}
		}
		n := len(end.Agents)
		if !refused || len(rows) != 1+25*n {
			t.Fatalf("%s: %d rows of %d agents, actions refused at first: %v", name, len(rows), n, refused)
		}
		for i, a := range end.Agents {
			row := rows[len(rows)-n+i]
			want := map[string]string{"tick": "25", "agent": a.AgentID, "place": a.Place, "power_state": a.PowerState, "electricity": strconv.FormatInt(a.Electricity, 10), "heat": strconv.FormatInt(a.Heat, 10)}
			for _, s := range a.Stock {
				want[s.Resource] = strconv.FormatInt(s.Amount, 10)
			}
			for name, value := range want {
				if row[column[name]] != value {
					t.Errorf("%s of %s is %q, recorded %q", name, a.AgentID, row[column[name]], value)
				}
			}
		}
	}
}

// TestExportRefuses: a run whose decisions do not lead to the recorded digests has no table, and
// no file is left.
func TestExportRefuses(t *testing.T) {
	p := newProcess(t, nil)
	p.played(t, "minimal", "--ticks", "6", "--chain-steps", "0", "--run-dir", "run", "--quiet")
	all := p.played(t, "export", "run", "--csv", "-")
	if one := p.played(t, "export", "run", "--csv", "-", "--agent", "agent-1"); one != all {
		t.Errorf("the rows of the only agent differ from all rows:\n%s", one)
	}
	path := filepath.Join(p.dir, "run", run.TraceFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to string
		args     []string
		want     string
	}{
		{`"executed":{"action":"mine_compound"`, `"executed":{"action":"wait","x":"mine_compound"`, nil, `tick 1, "agent-1": decode action wait`},
		{`"compound_mass_g":5000}`, `"compound_mass_g":4000}`, nil, "after tick 1 the digest is "},
		{`"agent_id":"agent-1","decided_by"`, `"agent_id":"agent-7","decided_by"`, nil, `tick 1, "agent-7": there is no such agent`},
		{`"rules_version":"`, `"rules_version":"0`, nil, `it was recorded under rules version "0`},
		{"", "", []string{"--agent", "agent-7"}, `no agent "agent-7" in this run; allowed: agent-1`},
	} {
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), c.from, c.to)), 0o600); err != nil {
			t.Fatal(err)
		}
		q := newProcess(t, nil, append([]string{"export", "run", "--csv", "table.csv", "--unverified"}, c.args...)...)
		q.Getwd = func() (string, error) { return p.dir, nil }
		if code := q.run(t); code != exitBadInput || !strings.Contains(q.stderr.String(), c.want) {
			t.Errorf("%s: exit code %d:\n%s", c.to, code, q.output())
		}
		if left, _ := filepath.Glob(filepath.Join(p.dir, "table*")); len(left) > 0 {
			t.Errorf("%s: left %v", c.to, left)
		}
	}
}
