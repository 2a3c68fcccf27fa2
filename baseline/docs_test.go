package baseline

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/agentworld/world/scenario"
)

// TestWorkedExamples reads the whole scenarios of the documentation: they parse, and lint
// says of them what the text shows and nothing else.
func TestWorkedExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"ferry", "workshop"} {
		first := fmt.Sprintf("id = %q", id)
		_, rest, _ := strings.Cut(string(page), "```toml\n"+first)
		example, after, ok := strings.Cut(rest, "```")
		if !ok {
			t.Fatalf("the page has no example %s", id)
		}
		s, err := scenario.Parse(id+".toml", []byte(first+example))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range Lint(s, s.Seed) {
			if line := id + ".toml: " + f.String(); !strings.Contains(after, line) {
				t.Errorf("lint says %q, which the page does not show", line)
			}
		}
	}
}
