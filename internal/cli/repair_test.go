package cli

import (
	"path/filepath"
	"testing"

	"example.com/agentworld/internal/settings"
)

// TestMoreRepairsLoseFewerTurns: what docs/faults.md says of its example holds.
func TestMoreRepairsLoseFewerTurns(t *testing.T) {
	slow(t)
	lost := func(rounds string) int64 {
		p := newProcess(t, map[string]string{settings.EnvPrefix + "MAX_REPAIR_ROUNDS": rounds},
			"llm_bootstrap", "--agents", "3", "--ticks", "15", "--faults", "unusable=30%", "--quiet")
		if code := p.run(t); code != exitCompleted {
			t.Fatalf("exit code %d:\n%s", code, p.output())
		}
		r, err := foldReport(p.Main, p.onlyRun(t))
		if err != nil {
			t.Fatal(err)
		}
		return r.DecisionCounts.WaitDegraded
	}
	if one, three := lost("1"), lost("3"); one <= three {
		t.Errorf("%d turns were lost with one repair and %d with three; the page says that more repairs help", one, three)
	}
}

// onlyRun returns the directory of the one run the program has made.
func (p *inProcess) onlyRun(t *testing.T) string {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(p.dir, runsDirDefault, "*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %v, error %v; want one", runs, err)
	}
	return runs[0]
}
