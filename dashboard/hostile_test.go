package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/agentworld"
	"example.com/agentworld/engine/ask"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// evil would run as a script, load a picture, steer a terminal or turn a text around.
const evil = `<img src="http://evil.example/x" onerror="window.hacked=1"><script>window.hacked=1</script>"'&amp;${window.hacked=1}` + "\u202e\u2066\u0007\x1b[2J\u2028end"

// evilTrace writes a trace by hand that holds evil in every text.
func evilTrace(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, run.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := trace.NewChainedWriter(f, "")
	write := func(records ...trace.Record) {
		t.Helper()
		for _, r := range records {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(trace.Header{
		Format: trace.FormatVersion, RulesVersion: world.RulesVersion, Agents: []trace.HeaderAgent{{ID: evil, Name: evil, Persona: evil}},
		Settings: trace.Settings{Scenario: evil, ScenarioTOML: evil, Model: evil, ModelSource: trace.SourceLive, Protocol: evil, Faults: evil, BaseURL: evil},
		Forks:    []trace.Fork{{Tick: 1, Parent: trace.ForkParent{Name: evil}, Changes: []trace.Change{{What: evil, From: evil, To: evil}}}},
	})
	hash := func(kind trace.BlobKind, text string) string {
		h, err := w.Blob(1, kind, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	input, err := w.Items(1, []llmclient.Item{llmclient.Message("user", "["+evil+"] "+evil), llmclient.FunctionOutput(evil, evil)})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := w.Answer(1, llmclient.Answer{Reply: &llmclient.Reply{Model: evil, Status: evil, Items: []llmclient.Item{llmclient.FunctionCall(evil, evil, evil), llmclient.Message("assistant", evil)}}})
	if err != nil {
		t.Fatal(err)
	}
	said := llmclient.Marshal(map[string]string{"action": evil, "text": evil})
	write(
		trace.ModelCall{
			Tick: 1, AgentID: evil, Step: 1, Stage: evil, Model: evil, Instructions: hash(trace.BlobInstructions, evil), Tools: hash(trace.BlobTools, evil),
			Input: input, Answer: answer, ToolChoice: said, Sections: []trace.Section{{Name: evil, Clipped: true, ClippedChars: 1}},
		},
		trace.Refusal{Tick: 1, AgentID: evil, Step: 2, Stage: evil, Cap: evil},
		trace.Step{Tick: 1, AgentID: evil, Step: 1, Kind: evil, Status: trace.StatusError, Name: evil, Code: evil, CallID: evil, Detail: said, Repairs: []string{evil}},
		trace.Decision{
			Tick: 1, AgentID: evil, DecidedBy: evil, WaitReason: evil, FailedBy: evil, Why: evil, Proposed: said, Adjusted: said, Executed: said, Calls: 1,
			Adjustments: []world.Adjustment{{Action: evil, Field: evil, Bound: evil}}, Authority: &trace.Authority{By: evil, Asker: evil, Terms: evil},
			SourcesRetrieved: []trace.Source{{ID: evil, Kind: evil, Title: evil, Preview: evil, OriginAgent: evil, OriginTick: 1, Parents: []string{evil}}}, SourcesUsed: []string{evil},
			Outcome: llmclient.Marshal(map[string]any{"tick": 1, "accepted": false, "created": evil, "rejection": map[string]string{"code": evil, "field": evil, "unit": evil}}),
		},
		trace.Event{Tick: 1, Event: world.Event{Tick: 1, Kind: world.EventGoalMet, Agent: evil, Place: evil, Subject: evil, Detail: evil, Text: evil}},
		trace.Event{Tick: 1, Event: world.Event{Tick: 1, Kind: world.EventActionRejected, Agent: evil}}, // without its rejection
		trace.TickEnd{Tick: 1, Digest: evil}, trace.RunEnd{Tick: 1, RunStatus: evil, Reason: evil},
	)
}

// TestHostileTextsAreText opens every view on a run full of evil, and on a run whose scenario
// and directory have evil names.
func TestHostileTextsAreText(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	evilTrace(t, filepath.Join(dir, "evil"))
	if err := ask.Keep(run.Dir(filepath.Join(dir, "evil")), ask.Record{
		Tick: 1, TurnTick: 1, AgentID: evil, Question: evil, Text: evil, Model: evil, ModelSource: evil, Currency: evil,
		Cited: []trace.Citation{{ID: evil, Channel: evil, Status: evil}},
	}); err != nil {
		t.Fatal(err)
	}
	name := strings.NewReplacer("/", "_", "\x00", "_").Replace(evil)
	record(t, filepath.Join(dir, name), "minimal", 3, func(s *agentworld.Settings) {
		s.Scenario = evil
		quoted, err := json.Marshal(evil)
		if err != nil {
			t.Fatal(err)
		}
		s.ScenarioTOML = strings.Replace(s.ScenarioTOML, `"Hold 2 control chips."`, strings.ReplaceAll(string(quoted), `\u003c`, `<`), 1)
	})
	b := openTab(t, serve(t, dir))
	agent := url.QueryEscape(evil)
	for what, view := range map[string][2]string{
		"runs":     {"", "onerror"},
		"world":    {"#/run?id=evil", "There is no world"},
		"agent":    {"#/run?id=evil&agent=" + agent, "Over time"},
		"decision": {"#/run?id=evil&tick=1&agent=" + agent + "&open=1", "Questions (1)"},
		"figures":  {"#/run?id=evil&panel=figures", "Waits that nobody chose"},
		"log":      {"#/run?id=evil&panel=log", "ended:"},
		"about":    {"#/run?id=evil&panel=about", "How it came about"},
		"compare":  {"#/compare?a=evil&b=" + url.QueryEscape(name), "Metrics"},
		"named":    {"#/run?id=" + url.QueryEscape(name) + "&agent=agent-1", "Charge and heat"},
	} {
		b.open(t, view[0], view[1])
		if what == "decision" {
			b.click(t, "summary", "The exact prompt")
			b.wait(t, "Instructions")
		}
		b.harmless(t, what)
		if what != "world" && what != "figures" {
			b.wait(t, `onerror="window.hacked=1"`)
		}
		b.check(t, "hostile "+what)
	}
}

// strange are names that a scenario may give its agents.
var strange = []string{
	"<b>Bold</b><script>window.hacked=1</script>", "עברית 12 שלום", "مرحبا بالعالم 34", strings.Repeat("VeryLongName", 6), "Z" + strings.Repeat("\u0300\u0330", 20) + "algo",
}

// TestStrangeNames shows a world whose agents, places and goals have names of every kind, on a screen
// and on a phone, light and dark: no view is wider than the screen, the list of agents shows all its
// columns, and a name turns around nothing but itself.
func TestStrangeNames(t *testing.T) {
	browserPath(t)
	dir := t.TempDir()
	var personas strings.Builder
	for _, name := range strange {
		quoted := string(llmclient.Marshal(name))
		personas.WriteString("[[personas]]\nname = " + quoted + "\ntext = " + quoted + "\nshort_term_goal = " + quoted + "\nlong_term_goal = " + quoted + "\n")
	}
	record(t, filepath.Join(dir, "שלום 12"), "minimal", 6, func(s *agentworld.Settings) {
		before, after, _ := strings.Cut(s.ScenarioTOML, "[[personas]]")
		_, goals, _ := strings.Cut(after, "[[goals]]")
		goals, _, _ = strings.Cut(goals, "[[texts.zh")
		s.ScenarioTOML = strings.Replace(before, `"Origin"`, string(llmclient.Marshal(strange[0])), 1) + personas.String() + "[[goals]]" + strings.Replace(goals, `"Hold 2`, `"שלום 2`, 1)
		s.AgentsOverride = len(strange)
	})
	b := openTab(t, serve(t, dir))
	run := "#/run?id=" + url.QueryEscape("שלום 12")
	for _, width := range []int64{1280, 390} {
		if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 900)); err != nil {
			t.Fatal(err)
		}
		for _, view := range [][3]string{
			{"runs", "", "שלום 12"}, {"list", run, "Agents after tick 6"}, {"agent", run + "&agent=agent-2", "Charge and heat"}, {"decision", run + "&agent=agent-2&tick=1&open=1", "What it led to"},
			{"log", run + "&panel=log", "lines up to tick 6"}, {"about", run + "&panel=about", "How it came about"},
		} {
			what := fmt.Sprint(view[0], "-", width)
			b.open(t, view[1], view[2])
			if wide, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.documentElement.scrollWidth > innerWidth + 1 || [...document.querySelectorAll('.scroll, .rows')].some((e) => e.scrollWidth > e.clientWidth + 1)")); err != nil || wide {
				t.Errorf("%s is wider than the screen: %v, %v", what, wide, err)
			}
			b.harmless(t, what)
			b.check(t, what)
			b.shoot(t, "strange-"+what+".png")
		}
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[any]("document.querySelector('header button').click()")); err != nil {
			t.Fatal(err)
		}
	}
	b.open(t, run+"&agent=agent-2", "Charge and heat")
	if alone, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`[...document.querySelectorAll('h2 bdi')].some((e) => e.textContent.startsWith('עברית'))`)); err != nil || !alone {
		t.Errorf("the name of an agent turns its surroundings around: %v", err)
	}
	b.open(t, run, "Agents after tick 6")
	if piled, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`/\p{M}{5}/u.test(document.body.innerText)`)); err != nil || piled {
		t.Errorf("a pile of marks is shown: %v", err)
	}
}
