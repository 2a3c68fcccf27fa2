package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/engine"
)

// faultsPage holds an example between two comments.
const faultsPage = "../../docs/faults.md"

// TestFaultsPageShowsARealExample runs the page's example: what the page says about it
// must hold, and the program must print what the page shows. Which answers are spoilt
// changes with every word of a prompt, so numbers and kinds are not compared; -update
// puts the present ones into the page.
func TestFaultsPageShowsARealExample(t *testing.T) {
	one, lostWithOne := faultsExample(t, "1")
	three, lostWithThree := faultsExample(t, "3")
	if lostWithOne <= lostWithThree {
		t.Errorf("%d turns were lost with one repair and %d with three; the page says that more repairs help", lostWithOne, lostWithThree)
	}
	want := "```\n" + one + three + "```\n"
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
		if err := os.WriteFile(faultsPage, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(withoutFigures(want), withoutFigures(shown)); diff != "" {
		t.Errorf("the example in %s is not up to date, run go test ./cmd/... -update (-want +page):\n%s", faultsPage, diff)
	}
}

// faultsExample runs the example with a number of repair rounds. It returns the
// command with the lines of its summary that the page shows, and the turns that were
// lost.
func faultsExample(t *testing.T, rounds string) (text string, lost int64) {
	t.Helper()
	p := newProcess(t, map[string]string{envPrefix + "MAX_REPAIR_ROUNDS": rounds},
		"llm_bootstrap", "--ticks", "20", "--faults", "unusable=30%", "--quiet")
	if code := p.run(t); code != engine.ExitCompleted {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	r, err := p.foldReport(p.onlyRun(t))
	if err != nil {
		t.Fatal(err)
	}
	text = fmt.Sprintf("$ %sMAX_REPAIR_ROUNDS=%s world_llm_agent_demo llm_bootstrap --ticks 20 --faults unusable=30%%\n...\n", envPrefix, rounds)
	for line := range strings.Lines(p.stdout.String()) {
		switch topic, _, _ := strings.Cut(line, " "); topic {
		case "decisions", "calls", "answers", "faults":
			text += line
		}
	}
	return text, r.DecisionCounts.WaitDegraded
}

// withoutFigures returns a text without numbers and without what stands in brackets.
func withoutFigures(text string) string {
	return regexp.MustCompile(`\d+|\.\d+| \([^)]*\)`).ReplaceAllString(text, "")
}

// onlyRun returns the directory of the one run the program has made.
func (p *inProcess) onlyRun(t *testing.T) string {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(p.dir, runsRoot, "*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %v, error %v; want one", runs, err)
	}
	return runs[0]
}
