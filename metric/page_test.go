package metric_test

import (
	"os"
	"strings"
	"testing"

	"example.com/agentworld/batch"
)

// TestPage holds that the batch file of the page is one.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "\n```toml\n")
	block, _, found := strings.Cut(block, "```")
	if !found {
		t.Fatal("the page has no batch file")
	}
	const head = "name = \"page\"\nscenarios = [\"minimal\"]\n[axes.protocol.full.run]\nprotocol = \"full\"\n" +
		"[axes.protocol.lean.run]\nprotocol = \"lean\"\n"
	f, err := batch.Parse([]byte(head+block), nil)
	if err != nil || len(f.Metrics) != 1 || f.Metrics[0].Unit != "messages" {
		t.Errorf("the batch file of the page: %+v, %v", f.Metrics, err)
	}
}
