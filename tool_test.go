package agentworld_test

import (
	"os"
	"strings"
	"testing"
)

// TestTheFirstExampleOfTheToolsPageCompiles: it is the beginning of [ExampleNewTool].
func TestTheFirstExampleOfTheToolsPageCompiles(t *testing.T) {
	page, err := os.ReadFile("docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```go\n")
	example, _, found := strings.Cut(rest, "```")
	if !found || strings.TrimSpace(example) == "" {
		t.Fatal("the page has no example")
	}
	indented := "\t" + strings.ReplaceAll(strings.TrimSpace(example), "\n", "\n\t")
	if !strings.Contains(string(source), "func ExampleNewTool() {\n"+indented+"\n") {
		t.Errorf("ExampleNewTool does not begin with the example of the page:\n%s", indented)
	}
}
