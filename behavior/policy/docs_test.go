package policy

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// docsSection matches a worked example of rules: clauses, some words, a table.
var docsSection = regexp.MustCompile("(?s)### Worked example: ([^\n]+)\n.*?```toml\n(.*?)```(.*?)\n\\|---\\|---\\|---\\|---\\|\n(.*?)\n\n")

// TestScenariosPage plays and checks every row of the worked examples on the page.
func TestScenariosPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := docsSection.FindAllStringSubmatch(string(page), -1)
	if len(sections) != 2 {
		t.Fatalf("%d worked examples of rules on the page, want 2", len(sections))
	}
	for _, section := range sections {
		s, err := scenario.Parse("page.toml", []byte(fieldTOML+section[2]))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(section[4]) {
			row := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
			if len(row) != 4 {
				t.Fatalf("%d cells: %q", len(row), row)
			}
			for i := range row {
				row[i] = strings.Trim(strings.TrimSpace(row[i]), "`")
			}
			checkRow(t, s, row)
		}
	}
}

// checkRow plays one row: what is in view, what was planned, the decision, and what becomes
// of it.
func checkRow(t *testing.T, s world.Scenario, row []string) {
	t.Helper()
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := Evidence{}
	w.Advance()
	if row[0] != "nothing" {
		n, do := saying(t, row[0])
		w.Apply([]world.Intent{{Agent: n - 1, Action: do}})
		if o, _ := w.LastOutcome(n - 1); !o.Accepted {
			t.Fatalf("%s: %+v", row[0], o.Rejection)
		}
		e.Authors = []string{fmt.Sprint("agent-", n)}
		w.Advance()
	}
	e.View = w.View(0)
	if row[1] != "" {
		e.Plan = planned(t, row[1])
	}
	decided := planned(t, row[2])[0]
	args := world.Args{}
	for slot, p := range registry[decided.Action].params {
		if p == nil {
			continue
		}
		if n := decided.number(world.Slot(slot)); n != nil && *n != nil {
			args[p.Name] = world.Value{Int: **n}
		} else if n == nil {
			args[p.Name] = world.Value{Text: *decided.word(world.Slot(slot))}
		}
	}
	a, err := world.MakeAction(decided.Action, args)
	if err != nil {
		t.Fatal(row[2], err)
	}
	want := Rule(row[3])
	if row[3] == "passes" {
		want = ""
	}
	if _, broken := Compile("agent-1", w.Clauses(0)).Evaluate(a, e); ruleOf(broken) != want {
		t.Errorf("%q: %+v", row, broken)
	}
}

// saying reads what an agent says to agent-1, asks of it or offers.
func saying(t *testing.T, cell string) (n int, do world.Action) {
	t.Helper()
	var amount, paid int64
	var resource, wanted string
	if author, text, says := strings.Cut(cell, ": "); says {
		fmt.Sscanf(author, "agent-%d", &n)
		return n, world.SendMessage{To: "agent-1", Text: strings.Trim(text, `"`)}
	}
	if _, err := fmt.Sscanf(cell, "agent-%d requests %d %s", &n, &amount, &resource); err == nil {
		return n, world.Request{To: "agent-1", Resource: resource, Amount: amount, Ticks: 9}
	}
	if _, err := fmt.Sscanf(cell, "agent-%d offers %d %s for %d %s", &n, &amount, &resource, &paid, &wanted); err != nil {
		t.Fatal(cell, err)
	}
	return n, world.Offer{To: "agent-1", Give: resource, GiveAmount: amount, Want: wanted, WantAmount: paid, Ticks: 9}
}
