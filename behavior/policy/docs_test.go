package policy

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// docsSection matches a worked example of rules: tables, some words, a table of decisions.
var docsSection = regexp.MustCompile("(?s)### Worked example: ([^\n]+)\n.*?```toml\n(.*?)```(.*?)\n\\|---\\|---\\|---\\|---\\|\n(.*?)\n\n")

// TestScenariosPage checks every row of the worked examples on the page.
func TestScenariosPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := docsSection.FindAllStringSubmatch(string(page), -1)
	if len(sections) != 2 {
		t.Fatalf("%d worked examples on the page, want 2", len(sections))
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
			for line := range strings.Lines(section[4]) {
				checkRow(t, Compile("agent-1", w.PolicyRules(0)), w.View(0), strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"))
			}
		})
	}
}

// checkRow checks one row: what is in view, what was planned, the decision, and what
// becomes of it.
func checkRow(t *testing.T, m Policy, view world.View, row []string) {
	t.Helper()
	if len(row) != 4 {
		t.Fatalf("%d cells: %q", len(row), row)
	}
	for i := range row {
		row[i] = strings.Trim(strings.TrimSpace(row[i]), "`")
	}
	seen := view.Observe()
	e := Evidence{View: view, Seen: &seen}
	var from, what, other string
	var n, m2 int64
	if author, _, found := strings.Cut(row[0], ": "); found {
		wrote(author, 1)(&seen)
		e.Authors = []string{author}
	} else if got, _ := fmt.Sscanf(row[0], "%s requests %d %s", &from, &n, &what); got == 3 {
		asks(from, what, n)(&seen)
		e.Authors = []string{from}
	} else if got, _ := fmt.Sscanf(row[0], "%s offers %d %s for %d %s", &from, &n, &what, &m2, &other); got == 5 {
		offers(from, what, n, other, m2)(&seen)
		e.Authors = []string{from}
	} else if row[0] != "nothing" {
		t.Fatalf("what is %q?", row[0])
	}
	switch row[1] {
	case "":
	case "*the same*":
		e.Plan = planned(t, pageAction(t, row[2]))
	default:
		e.Plan = planned(t, pageAction(t, row[1]))
	}
	want := row[3]
	if want == "passes" {
		want = ""
	}
	if _, broken := m.untrimmed(actionOf(t, pageAction(t, row[2])), e); string(reasonOf(broken)) != want {
		t.Errorf("%q: %+v", row, broken)
	}
}

// pageSlots are the arguments that the page writes after an action's name, in their order.
var pageSlots = map[string][]string{
	"transfer_resource": {"to", "what", "amount"}, "send_message": {"to", "text"}, "accept_offer": {"id"},
	"mine_compound": {"amount"}, "wait_ticks": {"amount"}, "move_agent": {"to"},
}

// pageAction returns an action of the page, such as "wait_ticks 20", as JSON. Arguments that
// are missing at the end are left open.
func pageAction(t *testing.T, text string) string {
	t.Helper()
	name, rest, more := strings.Cut(text, " ")
	slots, known := pageSlots[name]
	if !known {
		t.Fatalf("what is %q?", text)
	}
	action := map[string]any{"action": name}
	if more {
		for i, word := range strings.SplitN(rest, " ", len(slots)) {
			action[slots[i]] = word
			if n, err := strconv.ParseInt(word, 10, 64); err == nil {
				action[slots[i]] = n
			}
		}
	}
	data, err := json.Marshal(action)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// actionOf is the action that a planned one gives in full.
func actionOf(t *testing.T, text string) world.Action {
	t.Helper()
	p := planned(t, text)[0]
	args := world.Args{}
	for s, param := range registry[p.Action].params {
		if param == nil {
			continue
		}
		v := world.Value{}
		if n := p.number(world.Slot(s)); n != nil {
			v.Int = **n
		} else {
			v.Text = *p.word(world.Slot(s))
		}
		args[param.Name] = v
	}
	a, err := world.MakeAction(p.Action, args)
	if err != nil {
		t.Fatal(strconv.Quote(text), err)
	}
	return a
}

// TestGuardPage: the page lists every reason for which an action is refused, once, and nothing else.
func TestGuardPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/guard.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "\n| code | the action | what to do if it should pass |\n|---|---|---|\n")
	if !found {
		t.Fatal("the page has no table of refusals")
	}
	var listed, want []string
	for line := range strings.Lines(table) {
		row := strings.Split(line, "|")
		if len(row) != 5 {
			break
		}
		listed = append(listed, strings.Trim(row[1], " `"))
	}
	for _, r := range Reasons() {
		want = append(want, string(r))
	}
	if !slices.Equal(listed, want) {
		t.Errorf("the page lists %q, the reasons are %q", listed, want)
	}
}
