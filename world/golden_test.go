package world

import "testing"

// TestGoldenDigest runs a generated belt for a hundred ticks and compares the
// digest with the committed one. It is the same on every machine; 32-bit ones are
// tried with GOARCH=386. A change of it is a change of the rules, so RulesVersion
// goes up with it.
func TestGoldenDigest(t *testing.T) {
	const want = "2e2df3df1c913cb88f77b30b158d69d5175f19571efa6c2a824a67772cee0769"
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
	if got := w.Digest().String(); got != want {
		t.Errorf("after a hundred ticks the digest is %s, want %s", got, want)
	}
}
