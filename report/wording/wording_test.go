package wording

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/agentworld/trace"
)

// constants are the values of the string constants that a package declares with a type, or, if it is empty,
// those that it declares in one block with a constant.
func constants(t *testing.T, dir, typed, among string) (values []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			block, ok := d.(*ast.GenDecl)
			if ok && block.Tok == token.CONST && !strings.HasSuffix(file, "_test.go") {
				values = append(values, ofBlock(block, typed, among)...)
			}
		}
	}
	return values
}

func ofBlock(block *ast.GenDecl, typed, among string) (values []string) {
	named := among == ""
	for _, s := range block.Specs {
		spec := s.(*ast.ValueSpec)
		of, _ := spec.Type.(*ast.Ident)
		named = named || spec.Names[0].Name == among
		if len(spec.Values) != 1 || typed != "" && (of == nil || of.Name != typed) {
			continue
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			value, _ := strconv.Unquote(literal.Value)
			values = append(values, value)
		}
	}
	if !named {
		return nil
	}
	return values
}

// TestEveryCodeHasWords holds the tables against the constants of the packages that make the codes.
func TestEveryCodeHasWords(t *testing.T) {
	for name, of := range map[string]struct {
		table             map[string]string
		dir, typed, among string
	}{
		"statuses":   {statuses, "trace", "RunStatus", ""},
		"failures":   {failures, "llmclient", "ErrorKind", ""},
		"answers":    {answers, "behavior/answer", "Problem", ""},
		"seats":      {seats, "behavior/seat", "", "Panicked"},
		"turns":      {turns, "trace", "WaitReason", ""},
		"guard":      {guard, "behavior/policy", "Reason", ""},
		"rejections": {rejections, "world", "RejectionCode", ""},
	} {
		codes := constants(t, of.dir, of.typed, of.among)
		slices.Sort(codes)
		if words := slices.Sorted(maps.Keys(of.table)); len(codes) < 5 || !slices.Equal(codes, words) {
			t.Errorf("%s: the codes\n%q\nand those with words\n%q", name, codes, words)
		}
		for code, text := range of.table {
			if strings.Contains(text, "_") || strings.HasSuffix(text, ".") || text == "" {
				t.Errorf("%s: %s is %q, want a clause in plain words", name, code, text)
			}
		}
	}
}

func TestReasonsAreComposed(t *testing.T) {
	for reason, want := range map[trace.WaitReason][2]string{
		"llm_error:timeout":             {"no answer came in time", "no answer"},
		"parse_error:several_decisions": {"two decisions in one answer", "no usable answer"},
		"seat_error:late":               {"its seat did not move in time", "no move"},
		"guard_rejected":                {"the guard refused all that it wanted to do", "nothing allowed"},
		"rounds_used_up":                {"it planned and looked things up until its calls were used up", "no decision"},
		"llm_error:of_tomorrow":         {"of tomorrow", "no answer"},
	} {
		if got := [2]string{Reason(reason), Outcome(reason)}; got != want {
			t.Errorf("%s: %q, want %q", reason, got, want)
		}
	}
}

// TestDocsSayTheSame compares the page on scenarios, which lists the rejections.
func TestDocsSayTheSame(t *testing.T) {
	page, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "### Rejection codes")
	listed := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (.*) \\|$").FindAllStringSubmatch(table, -1) {
		listed[row[1]] = row[2]
	}
	if !maps.Equal(listed, All().Rejections) {
		t.Errorf("docs/scenarios.md lists %q", listed)
	}
}

func TestSettingsExist(t *testing.T) {
	names := trace.SettingNames()
	for name := range settings {
		if !slices.Contains(names, name) {
			t.Errorf("there is no setting %s", name)
		}
	}
}

// TestTasksSayWhatTheyMeasure has words for each kind of metric of the kernel.
func TestTasksSayWhatTheyMeasure(t *testing.T) {
	kinds := constants(t, "world", "", "metricProduced")
	slices.Sort(kinds)
	if words := slices.Sorted(maps.Keys(tasks)); len(kinds) != 4 || !slices.Equal(kinds, words) {
		t.Errorf("the kinds\n%q\nand those with words\n%q", kinds, words)
	}
	for metric, want := range map[string]string{
		"uptime": "ticks with power, of a thousand", "produced:control_chip": "control chip made",
		"held_min:data": "data held by the agent with the least", "of_tomorrow:x_y": "x y of tomorrow",
	} {
		if got := Task(metric); got != want {
			t.Errorf("%s is %q, want %q", metric, got, want)
		}
	}
}
