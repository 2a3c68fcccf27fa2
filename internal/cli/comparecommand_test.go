package cli

import (
	"os"
	"strings"
	"testing"
)

// TestCompareTakesDifferentRuns: a run is one whatever it is called, and no evidence against itself.
func TestCompareTakesDifferentRuns(t *testing.T) {
	p := newProcess(t, nil)
	p.played(t, "minimal", "--ticks", "1", "--run-dir", "run", "--quiet")
	others := []string{"run", "./run", "run/", p.path("run")}
	if os.Symlink(p.path("run"), p.path("link")) == nil {
		others = append(others, "link")
	}
	for _, other := range others {
		q := newProcess(t, nil, "compare", "run", other)
		q.Getwd = func() (string, error) { return p.dir, nil }
		if code := q.run(t); code != exitBadInput || !strings.Contains(q.stderr.String(), "is given twice; allowed: different runs") {
			t.Errorf("compare run %s: exit code %d: %s", other, code, q.output())
		}
	}
}
