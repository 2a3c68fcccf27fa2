package policy

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// docsSection matches a worked example of mandates: clauses, some words, a table.
var docsSection = regexp.MustCompile("(?s)### Worked example: ([^\n]+)\n.*?```toml\n(.*?)```(.*?)\n\\|---\\|---\\|---\\|---\\|\n(.*?)\n\n")

// TestScenariosPage audits every row of the worked examples on the page.
func TestScenariosPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := docsSection.FindAllStringSubmatch(string(page), -1)
	if len(sections) != 2 {
		t.Fatalf("%d worked examples of mandates on the page, want 2", len(sections))
	}
	for _, section := range sections {
		t.Run(section[1], func(t *testing.T) {
			s, err := scenario.Parse("page.toml", []byte(fieldTOML+section[2]))
			if err != nil {
				t.Fatal(err)
			}
			w, err := world.New(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			w.Advance()
			m := Compile("agent-1", w.Persona(0), w.Clauses(0))
			for line := range strings.Lines(section[4]) {
				checkRow(t, m, w.View(0), strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"))
			}
		})
	}
}

// checkRow audits one row: what is in view, what was planned, the decision, and what
// becomes of it.
func checkRow(t *testing.T, m Policy, view world.View, row []string) {
	t.Helper()
	if len(row) != 4 {
		t.Fatalf("%d cells: %q", len(row), row)
	}
	for i := range row {
		row[i] = strings.Trim(strings.TrimSpace(row[i]), "`")
	}
	e := Evidence{View: view}
	if author, text, found := strings.Cut(row[0], ": "); found {
		e.Untrusted = []trace.Source{said(author, strings.Trim(text, `"`))}
	} else if row[0] != "nothing" {
		t.Fatalf("who says %q?", row[0])
	}
	if row[1] != "" {
		e.Plan = planned(t, row[1])
	}
	want := Rule(row[3])
	if row[3] == "passes" {
		want = ""
	}
	if f, ok := m.Evaluate(actionOf(t, row[2]), e); f.Rule != want || ok != (want == "") {
		t.Errorf("%q: %+v", row, f)
	}
}

// actionOf is the action that a planned one gives in full.
func actionOf(t *testing.T, text string) world.Action {
	t.Helper()
	i := planned(t, text)[0]
	args := world.Args{}
	for s, p := range registry[i.Action].params {
		if p == nil {
			continue
		}
		v := world.Value{Text: [...]string{i.To, i.ID, i.What, "", "", i.Text}[s]}
		if n := i.number(world.Slot(s)); n != nil {
			v.Int = *n
		}
		args[p.Name] = v
	}
	a, err := world.MakeAction(i.Action, args)
	if err != nil {
		t.Fatal(strconv.Quote(text), err)
	}
	return a
}
