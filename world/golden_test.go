package world

import "testing"

// TestGoldenDigest runs a generated belt for a hundred ticks and compares the
// digest with the committed one. It is the same on every machine; 32-bit ones are
// tried with GOARCH=386. A change of it is a change of the rules, so RulesVersion
// goes up with it.
func TestGoldenDigest(t *testing.T) {
	const want = "475f2ad4f5c534d517ba6230d2d49f8d77eb87b1140c87e281e0db48537e55e2"
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
