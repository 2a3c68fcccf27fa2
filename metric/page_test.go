package metric_test

import (
	"os"
	"strings"
	"testing"

	"example.com/agentworld/batch"
)

// TestPage holds that the batch file and the function of the page are ones.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		_, text, _ := strings.Cut(string(page), "\n```"+language+"\n")
		text, _, found := strings.Cut(text, "```")
		if !found {
			t.Fatalf("the page has no block of %s", language)
		}
		return text
	}
	const head = "name = \"page\"\nscenarios = [\"minimal\"]\n[axes.protocol.full.run]\nprotocol = \"full\"\n" +
		"[axes.protocol.lean.run]\nprotocol = \"lean\"\n"
	f, err := batch.Parse([]byte(head+block("toml")), nil)
	if err != nil || len(f.Metrics) != 1 || f.Metrics[0].Unit != "messages" {
		t.Errorf("the batch file of the page: %+v, %v", f.Metrics, err)
	}
	example, err := os.ReadFile("../example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(block("go")) {
		if line = strings.TrimSpace(line); !strings.Contains(string(example), line) {
			t.Errorf("the example that is compiled has no line %q", line)
		}
	}
}
