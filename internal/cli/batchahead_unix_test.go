//go:build !windows

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/batch"
)

// TestCellsAskAhead: cells ask ahead if the file says so, and are the cells of a batch that waits: their identities and
// results are the same. What became of calls asked ahead stands beside theirs, and the budget of the batch counts it.
func TestCellsAskAhead(t *testing.T) {
	slow(t)
	server := newCountingServer(t, "latency=1ms..40ms", 5)
	dir := t.TempDir()
	play := func(name, ahead string) (results map[batch.ID]batch.Result, requests int64, said string) {
		text := fmt.Sprintf("name = \"ahead\"\nscenarios = [\"asteroid_fragment_bootstrap\"]\nseeds = \"1-2\"\n[settings.run]\nticks = 10\nagents = 6\n"+
			"chain_steps = 0\nconcurrency = 8\n%s\n[settings.llm]\nmodel = \"scripted\"\nbase_url = %q\n"+
			"[axes.protocol.full.run]\nprotocol = \"full\"\n[axes.protocol.lean.run]\nprotocol = \"lean\"\n[budget]\ncalls = 100000\n",
			ahead, server.URL)
		if err := os.WriteFile(filepath.Join(dir, "b.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, out := batchProcess(t, dir, "--dir", name, "--quiet")
		if code := ended(t, c, out); code != exitCompleted {
			t.Fatalf("%s: exit code %d\n%s", name, code, out)
		}
		for _, n := range server.take() {
			requests += int64(n)
		}
		return batchResults(t, filepath.Join(dir, name, batch.ResultsFile)), requests, out.String()
	}
	want, waiting, _ := play("waits", "")
	got, requests, said := play("ahead", "ahead = 4")
	if note := "note: models are asked up to 4 ticks ahead; calls in vain, at most 5% of those of a run, are paid"; !strings.Contains(said, note) {
		t.Errorf("it does not say %q:\n%s", note, said)
	}
	calls, used, wasted := int64(0), int64(0), int64(0)
	for id, r := range got {
		calls += r.Calls
		of := aheadIn(t, batch.Dir(filepath.Join(dir, "ahead")).Run(id, r.Attempt))
		used += of.Used
		wasted += of.Wasted
		if told := r.InVain; told == nil || told.Calls != of.Wasted || told.Used != of.Used || told.Open != of.Open {
			t.Errorf("cell %s: it says %+v, and the run %+v", id, told, of)
		}
	}
	t.Logf("%d calls, %d requests, %d were asked ahead and used, %d in vain", calls, requests, used, wasted)
	if used == 0 || waiting != calls || requests < calls || requests > calls+wasted {
		t.Errorf("%d requests for %d calls, %d without asking ahead; %d used, %d in vain", requests, calls, waiting, used, wasted)
	}
	if want := fmt.Sprintf("%d used, and beside those above %d in vain", used, wasted); !strings.Contains(said, want) {
		t.Errorf("it does not say %q:\n%s", want, said)
	}
	leased, err := batch.Dir(filepath.Join(dir, "ahead")).Leased()
	if err != nil || leased[0] < calls || leased[0] > calls+wasted {
		t.Errorf("%d calls of the budget are used up, and the runs took %d and %d in vain, %v", leased[0], calls, wasted, err)
	}
	sameResults(t, got, want)
}
