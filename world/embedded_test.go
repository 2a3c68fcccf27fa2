package world_test

import (
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// The tests inside the package play built-in scenarios, whose reader imports the package.
func init() { world.EmbeddedScenario = scenario.Embedded }

// FuzzParse: whatever the text, parsing gives an error or a scenario of
// which a world can be made and run.
func FuzzParse(f *testing.F) {
	for _, name := range scenario.Names() {
		_, text, _ := scenario.Embedded(name)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := scenario.Parse("fuzz.toml", data)
		if err != nil || len(s.Places) > 100 || s.Agents.Count > 100 || s.Belt != nil && (s.Belt.Count > 1000 || s.Belt.Per1000KM3 > 10) {
			return
		}
		w, err := world.New(s, s.Seed)
		if err != nil {
			t.Fatalf("a parsed scenario is refused: %v", err)
		}
		w.Advance()
		w.View(0).Observe()
		if w.Digest() != w.RecomputeDigest() {
			t.Fatal("digests differ")
		}
	})
}
