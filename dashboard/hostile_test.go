package dashboard_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
