package world

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestManualPage keeps docs/rules.md what the kernel's tables say.
func TestManualPage(t *testing.T) {
	const page = "../docs/rules.md"
	got := manual()
	if *update {
		if err := os.MkdirAll("../docs", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not what the tables say; run with -update (-want +got):\n%s", page, diff)
	}
}

func TestEveryRuleIsDescribed(t *testing.T) {
	ranges := new(Rules).fields()
	for _, r := range ranges {
		if doc := ruleDocs[r.name]; doc.unit == "" || doc.effect == "" {
			t.Errorf("the rule %s has no description", r.name)
		}
	}
	if len(ruleDocs) != len(ranges) {
		t.Errorf("%d descriptions for %d rules", len(ruleDocs), len(ranges))
	}
}

// TestEveryRejectionIsDescribed reads the codes from the source, so that a new one
// cannot be forgotten.
func TestEveryRejectionIsDescribed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "outcome.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for _, r := range rejections() {
		if r.doc == "" || described[string(r.code)] {
			t.Errorf("%s is described twice or not at all", r.code)
		}
		described[string(r.code)] = true
	}
	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "RejectionCode" {
			return true
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		codes++
		if !described[code] {
			t.Errorf("the rejection code %s is not described", code)
		}
		return true
	})
	if codes == 0 || codes != len(described) {
		t.Errorf("%d codes in the source, %d described", codes, len(described))
	}
}
