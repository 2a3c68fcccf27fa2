package cli

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.com/agentworld/internal/terminal"
)

// nextArguments are the arguments of the command that an output advises, as a shell reads it.
func nextArguments(t *testing.T, output, does string) []string {
	t.Helper()
	for line := range strings.Lines(output) {
		command, ok := strings.CutPrefix(line, terminal.AdvicePrefix)
		if !ok || !strings.HasSuffix(command, "   # "+does+"\n") {
			continue
		}
		words, err := exec.Command("sh", "-c", programName+`() { for w in "$@"; do printf '%s\0' "$w"; done; }; `+command).Output()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		return strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
	}
	t.Fatalf("nothing is advised that %s:\n%s", does, output)
	return nil
}

// TestEveryAdviceIsRun finds for each advice a script that runs it as printed, or a test.
func TestEveryAdviceIsRun(t *testing.T) {
	ran := []byte("joins, also on another machine that has the key") // two coordinators cannot share one directory
	for _, pattern := range []string{"testdata/script/*.txtar", "*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(text) {
				if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("next ")) || bytes.Contains(line, []byte("nextArguments(t, ")) {
					ran = append(ran, line...)
				}
			}
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, does := range advices(file) {
			found++
			if !bytes.Contains(ran, []byte(does)) {
				t.Errorf("%s: no test runs the command that %q", name, does)
			}
		}
	}
	if found < 10 {
		t.Errorf("%d advices", found)
	}
}

// advices are the texts in a file that say what a command leads to: arguments of functions that
// are called ...Advice, and second members of an advice.
func advices(file *ast.File) (texts []string) {
	add := func(e ast.Expr) {
		if s, ok := e.(*ast.BasicLit); ok && s.Kind == token.STRING {
			if text, err := strconv.Unquote(s.Value); err == nil && strings.Contains(text, " ") {
				texts = append(texts, text)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := ""
			switch f := n.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			if strings.HasSuffix(name, "Advice") {
				for _, a := range n.Args {
					add(a)
				}
			}
		case *ast.CompositeLit:
			if len(n.Elts) == 2 {
				if _, words := n.Elts[0].(*ast.CompositeLit); words {
					add(n.Elts[1])
				} else if c, call := n.Elts[0].(*ast.CallExpr); call && len(c.Args) > 0 {
					add(n.Elts[1])
				}
			}
		}
		return true
	})
	return texts
}

// TestAdviceFitsAShell reads words back that a shell would take apart, and programs that the
// shell would not find by their name.
func TestAdviceFitsAShell(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	var out bytes.Buffer
	m := &Main{environment: environment{LookupEnv: func(string) (string, bool) { return "", false }}}
	words := []string{"resume", "a b", "it's", "$HOME", "`x`", "a\\b", "*", "#", "~", ";x", "ä", "--gate", "x<=0", ""}
	m.printAdvice(&out, advice{words, "does it"})
	if got := nextArguments(t, out.String(), "does it"); strings.Join(got, "\x00") != strings.Join(words, "\x00") {
		t.Errorf("%s reads as %q, want %q", &out, got, words)
	}
	for called, want := range map[string]string{
		"": programName, "./aw": "./aw", "/opt/my tools/aw": "'/opt/my tools/aw'",
		"/tmp/go-build12/b001/exe/" + programName: "go run ./cmd/" + programName,
	} {
		if m.Program = called; m.calledAs() != want {
			t.Errorf("called as %q it advises %q, want %q", called, m.calledAs(), want)
		}
	}
	if got := pathWord("-x"); got != "./-x" {
		t.Errorf("pathWord = %q", got)
	}
}
