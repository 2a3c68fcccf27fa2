package baseline

import (
	"os"
	"strings"
	"testing"

	"example.com/agentworld/world/scenario"
)

// TestWorkedExample reads the example of the documentation: it parses, and lint
// says of it what the text shows and nothing else.
func TestWorkedExample(t *testing.T) {
	page, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```toml\nid = \"ferry\"")
	example, after, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the page has no example")
	}
	s, err := scenario.Parse("ferry.toml", []byte("id = \"ferry\""+example))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Lint(s, s.Seed) {
		if line := "ferry.toml: " + f.String(); !strings.Contains(after, line) {
			t.Errorf("lint says %q, which the page does not show", line)
		}
	}
}
