package behavior_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient/stub"
)

// TestEveryRepairHasASource: what is forgiven was met in public. The one exception is nothing that a
// model writes: a fallback fills in an amount that the plan leaves open.
func TestEveryRepairHasASource(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "answer/repair.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	repairs := map[string]bool{string(answer.OpenAmount): true}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			if _, known := repairs[name]; !known {
				repairs[name] = false
			}
		}
		return true
	})
	for _, source := range stub.Sources() {
		for _, name := range source.Repairs {
			if _, known := repairs[name]; !known {
				t.Errorf("the source %s names a repair %s, which is none", source.Name, name)
			}
			repairs[name] = true
		}
	}
	for name, sourced := range repairs {
		if !sourced {
			t.Errorf("the repair %s has no source in corpus.toml", name)
		}
	}
	if len(repairs) < 70 || slices.Contains([]bool{repairs["unfenced"], repairs["call_syntax"]}, false) {
		t.Errorf("only %d repairs were found", len(repairs))
	}
}
