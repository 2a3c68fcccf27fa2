package agentworld_test

import (
	"os"
	"strings"
	"testing"
)

// TestGoOfThePages: what pages show in Go is part of the examples, which are compiled and run.
func TestGoOfThePages(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	examples := unindented(string(source))
	for _, name := range []string{"docs/seats.md", "docs/tools.md", "docs/metrics.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		blocks := strings.Split(string(page), "\n```go\n")[1:]
		if len(blocks) == 0 {
			t.Errorf("%s shows no Go", name)
		}
		for _, block := range blocks {
			block, _, _ = strings.Cut(block, "\n```")
			if !strings.Contains(examples, "\n"+unindented(block)+"\n") {
				t.Errorf("%s shows what no example has:\n%s", name, block)
			}
		}
	}
}

// unindented is a text without the white space that its lines begin with.
func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, "\t ")
	}
	return strings.Join(lines, "\n")
}
