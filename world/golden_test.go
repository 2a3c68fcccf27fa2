package world

import (
	"os"
	"strings"
	"testing"
)

// TestGoldenDigest runs a generated belt for a hundred ticks and compares the
// digest with the committed one, which -update rewrites. It is the same on every machine; 32-bit ones are
// tried with GOARCH=386. A change of it is a change of the rules, so RulesVersion
// goes up with it.
func TestGoldenDigest(t *testing.T) {
	s := mustScenario(t, "fragments").WithAgents(12)
	s.Agents.SpawnStride = 4
	w, err := New(s, s.Seed)
	if err != nil {
		t.Fatal(err)
	}
	run := &swarmRun{w: w, seed: 5}
	for range 100 {
		w.Advance()
		w.Apply(run.intents())
	}
	const golden = "testdata/digest.golden"
	got := w.Digest().String()
	if *update {
		if err := os.WriteFile(golden, []byte(got+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.TrimSpace(string(want)) {
		t.Errorf("after a hundred ticks the digest is %s, want %s", got, want)
	}
}
