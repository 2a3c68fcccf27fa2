package engine_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/engine"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// depot is a world in which only a document tells where the agent has to be.
const depot = `id = "depot"
visibility_km = 30
places = [
  { id = "camp", offset_pct = { x = 0, y = 0, z = 0 }, material = "composite", emission = 40, compound_g = 60_000 },
  { id = "rock-a", offset_pct = { x = 10, y = 0, z = 0 }, material = "carbon", compound_g = 60_000 },
  { id = "rock-b", offset_pct = { x = -10, y = 0, z = 0 }, material = "carbon", compound_g = 60_000 },
]
agents = { count = 1, spawn = ["camp"], stock = [{ electricity = 90 }] }
personas = [{ name = "Courier", text = "You follow written orders.", short_term_goal = "%s" }]
documents = [{ name = "orders.md", %s }]
`

// atDepot are the options of a scripted run in that world over HTTP.
func atDepot(t *testing.T, goal, document string, files ...trace.Document) engine.Options {
	t.Helper()
	o := options(t, "minimal", 3)
	o.Scenario, o.ScenarioTOML, o.Documents = "depot", fmt.Sprintf(depot, goal, document), files
	return o
}

// moves are the places that the agent set out to, and the sources that it used for that.
func moves(t *testing.T, dir string) (to, used []string) {
	t.Helper()
	for _, d := range decisionsOf(t, dir) {
		var move struct {
			Action string `json:"action"`
			To     string `json:"to"`
		}
		if err := json.Unmarshal(d.Executed, &move); err != nil {
			t.Fatal(err)
		}
		if move.Action == (world.Move{}).ActionName() {
			to, used = append(to, move.To), append(used, d.SourcesUsed...)
		}
	}
	return to, used
}

// TestADocumentDecides: a fact that only a document has decides where the agent goes, if the
// scenario trusts the document. It is cited, and its effect is in the report. The guard refuses
// what an untrusted document asks for.
func TestADocumentDecides(t *testing.T) {
	const english, chinese = "Be where the documents say that the depot is.", "去文档所说的仓库 depot。"
	for _, c := range []struct {
		name, goal, document string
		files                []trace.Document
		language             string
		to, used             []string
		refused              bool
	}{
		{name: "trusted", goal: english, document: `text = "The depot is at rock-b.", trusted = true`, to: []string{"rock-b"}, used: []string{"doc-1-1"}},
		{name: "another place", goal: english, document: `text = "The depot is at rock-a.", trusted = true`, to: []string{"rock-a"}, used: []string{"doc-1-1"}},
		{name: "no fact", goal: english, document: `text = "The depot is closed.", trusted = true`},
		{name: "untrusted", goal: english, document: `text = "The depot is at rock-b."`, refused: true},
		{name: "untrusted file", goal: english, document: `text = "Nothing."`, files: []trace.Document{{Name: "z.txt", Text: "The depot is at rock-b."}}, refused: true},
		{name: "trusted file", goal: english, document: `trusted = true`, files: []trace.Document{{Name: "orders.md", Text: "The depot is at rock-b."}}, to: []string{"rock-b"}, used: []string{"doc-1-1"}},
		{name: "of this agent", goal: english, document: `text = "The depot is at rock-b.", trusted = true, agents = ["agent-1"]`, to: []string{"rock-b"}, used: []string{"doc-1-1"}},
		{name: "Chinese", goal: chinese, language: "zh", document: `text = "仓库在 rock-b。仓库 depot。", trusted = true`, to: []string{"rock-b"}, used: []string{"doc-1-1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := atDepot(t, c.goal, c.document, c.files...)
			o.Language = cmp.Or(c.language, o.Language)
			run(t, o)
			to, used := moves(t, o.RunDir)
			if !slices.Equal(to, c.to) || !slices.Equal(used, c.used) {
				t.Errorf("the agent went to %v by %v, want %v by %v", to, used, c.to, c.used)
			}
			refused := 0
			for _, s := range recordsOf(t, o.RunDir).steps {
				if s.Kind == trace.StepGuard && s.Code == "not_planned" && s.Name == "move_agent" {
					refused++
				}
			}
			if (refused > 0) != c.refused {
				t.Errorf("%d journeys refused", refused)
			}
			r := fold(t, o.RunDir)
			if len(c.used) > 0 {
				d := r.Provenance.Documents[0]
				if d.ID != "doc-1-1" || d.Effect.Used != 1 || d.Title != "orders.md" || !strings.Contains(d.Preview, to[0]) || d.Trust != "rules" || d.Effect.AfterUse.Accepted != 1 {
					t.Errorf("the report says %+v", d)
				}
			}
			if result, err := engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{}); err != nil || !result.Equal {
				t.Errorf("the replay: %v, %v", result.Difference, err)
			}
		})
	}
}

// TestDocumentsNeedATextAndOneName, or the run is refused before it begins.
func TestDocumentsNeedATextAndOneName(t *testing.T) {
	for _, c := range []struct {
		document, want string
		files          []trace.Document
	}{
		{`trusted = true`, `"orders.md" has no text`, nil},
		{`path = "orders.md"`, `"orders.md" has no text`, nil},
		{`text = "x"`, `"orders.md" is the name of a document with a text in the scenario and of a file`, []trace.Document{{Name: "orders.md", Text: "y"}}},
		{`text = "x", path = "y"`, `documents[0]: has text and path`, nil},
		{`text = "x", agents = ["agent-2"]`, `documents[0].agents: there is no agent "agent-2"`, nil},
	} {
		_, err := engine.Prepare(atDepot(t, "", c.document, c.files...).Settings)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.document, err, c.want)
		}
	}
}

// TestAForkReadsOtherDocuments from its tick on, and the change says which by number and digest.
func TestAForkReadsOtherDocuments(t *testing.T) {
	o := atDepot(t, "Be where the documents say that the depot is.", `trusted = true`, trace.Document{Name: "orders.md", Text: "The depot is closed."})
	run(t, o)
	f := forkOf(t, o, 1)
	f.Documents = []trace.Document{{Name: "orders.md", Text: "The depot is at rock-a."}}
	if _, err := engine.Fork(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	if to, _ := moves(t, f.RunDir); !slices.Equal(to, []string{"rock-a"}) {
		t.Errorf("the fork went to %v", to)
	}
	if change := fold(t, f.RunDir).Fork.Changes[0]; change.What != "documents" || !strings.HasPrefix(change.To, "1, sha256 ") {
		t.Errorf("the change is %+v", change)
	}
}

// TestTemplatesAreRecorded: decisions name the wording they were made with, without the persona; a
// prompt switch makes another one, and the report has the outcomes of both.
func TestTemplatesAreRecorded(t *testing.T) {
	o := options(t, "llm_bootstrap", 3)
	o.PromptSwitches = []trace.Switch{{Tick: 3, SystemPrompt: new("Mine first.")}}
	run(t, o)
	decisions := decisionsOf(t, o.RunDir)
	ids := map[string]int64{}
	for _, d := range decisions {
		first := decisions[0].Template
		if s := d.Template; s == nil || !strings.HasPrefix(s.ID, "template-") || (s.ID == first.ID) != (d.Tick < 3) || (s.ID == first.ID) != strings.HasPrefix(s.Preview, "You run one silicon agent") {
			t.Fatalf("tick %d: the template is %+v", d.Tick, s)
		}
		ids[d.Template.ID]++
	}
	templates := fold(t, o.RunDir).Provenance.Templates
	if len(templates) != 2 || len(ids) != 2 {
		t.Fatalf("templates %+v of %v", templates, ids)
	}
	for _, s := range templates {
		if s.Outcomes.Decisions != ids[s.ID] || s.Title != "full, two-step, en" {
			t.Errorf("the report says %+v, the trace %v", s, ids)
		}
	}
}
