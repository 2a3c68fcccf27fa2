package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentworld/engine"
)

// faultsPage holds an example between two comments.
const faultsPage = "../../docs/faults.md"

// TestFaultsPageShowsARealExample runs the page's example and compares what the
// program prints. A corpus with other shapes gives other numbers; -update puts them
// into the page.
func TestFaultsPageShowsARealExample(t *testing.T) {
	var example strings.Builder
	example.WriteString("```\n")
	for _, rounds := range []string{"1", "3"} {
		p := newProcess(t, map[string]string{envPrefix + "MAX_REPAIR_ROUNDS": rounds},
			"llm_bootstrap", "--ticks", "20", "--faults", "unusable=30%", "--quiet")
		if code := p.run(t); code != engine.ExitCompleted {
			t.Fatalf("exit code %d:\n%s", code, p.output())
		}
		fmt.Fprintf(&example, "$ %sMAX_REPAIR_ROUNDS=%s world_llm_agent_demo llm_bootstrap --ticks 20 --faults unusable=30%%\n...\n", envPrefix, rounds)
		for line := range strings.Lines(p.stdout.String()) {
			switch topic, _, _ := strings.Cut(line, " "); topic {
			case "decisions", "calls", "answers", "faults":
				example.WriteString(line)
			}
		}
	}
	example.WriteString("```\n")
	page, err := os.ReadFile(faultsPage)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- example: made by a test -->\n", "<!-- end of example -->\n"
	head, rest, found := strings.Cut(string(page), begin)
	shown, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the example", faultsPage)
	}
	if *update {
		if err := os.WriteFile(faultsPage, []byte(head+begin+example.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(example.String(), shown); diff != "" {
		t.Errorf("the example in %s is not up to date, run go test ./cmd/... -update (-want +page):\n%s", faultsPage, diff)
	}
}
