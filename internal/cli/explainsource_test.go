package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// recordedSources writes a run in which agent-1 gets a message, remembers it,
// learns from it, and decides with all of it in view. agent-2 has its own lesson
// under the same id.
func recordedSources(t *testing.T, p *inProcess) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(p.dir, "run"), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(p.dir, "run", run.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const mine, ok, no = `{"action":"mine_compound","compound_mass_g":5}`, `{"accepted":true,"changes":[{"resource":"compound","amount":5}]}`, `{"accepted":false,"rejection":{"code":"depleted"}}`
	decision := func(tick int64, agent, outcome string, sources []trace.Source, cited []trace.Citation, used ...string) trace.Decision {
		return trace.Decision{
			Tick: tick, AgentID: agent, DecidedBy: trace.ByModel, Calls: 1, Proposed: json.RawMessage(mine), Adjusted: json.RawMessage(mine), Executed: json.RawMessage(mine),
			Outcome: json.RawMessage(outcome), SourcesRetrieved: sources, SourcesCited: cited, SourcesUsed: used,
		}
	}
	learned := trace.Source{ID: "res-00002", Kind: "bullet", Score: 640, Chars: 40, OriginTick: 2, Trust: trace.TrustSelfObservation}
	lesson := trace.Source{ID: "nav-00001", Kind: "bullet", Title: "navigation", Preview: "Recharge before a long journey.", Score: 700, Chars: 44, Trust: trace.TrustSelfObservation}
	all := []trace.Source{
		{ID: "mem-1-1", Kind: "memory", Title: "outcome", Preview: "mine_compound 5 \x1b[2J\"accepted\"", Score: 812, Chars: 58, OriginTick: 1, Trust: trace.TrustOtherAgent, Parents: []string{"msg-1-agent-2-1"}},
		lesson, learned,
		{ID: "obs-3", Kind: "module", Chars: 300, OriginTick: 3, Trust: trace.TrustSelfObservation},
		{ID: "doc-2-2", Kind: "document", Title: "the handbook", Score: 91, Chars: 30, Trust: trace.TrustRules},
		{ID: "note-1-agent-2-1", Kind: "note", Chars: 20, OriginAgent: "agent-2", OriginTick: 1, Trust: trace.TrustOtherAgent},
	}
	delta := func(agent, content string) trace.Step {
		return trace.Step{
			Tick: 2, AgentID: agent, Step: 3, Kind: "playbook_delta", Status: trace.StatusOK, Name: "add",
			Detail: json.RawMessage(`{"id":"res-00002","content":"` + content + `","decisions":[1]}`),
		}
	}
	worded := func(d trace.Decision) trace.Decision {
		d.Template = &trace.Source{ID: "template-1a2b3c4d", Kind: trace.KindTemplate, Title: "full, two-step, en", Preview: "You run one silicon agent.", Chars: 5120, Trust: trace.TrustRules}
		return d
	}
	recorder{t, trace.NewChainedWriter(f, "")}.write(
		trace.Header{
			Format: trace.FormatVersion, Agents: []trace.HeaderAgent{{ID: "agent-1"}, {ID: "agent-2"}},
			Settings: trace.Settings{Scenario: "minimal", LearnEvery: 1, Seed: 7, Model: "m", ModelSource: trace.SourceLive, Playbook: "format = 2\nversion = 2\n[[bullet]]\nid = 'nav-00001'\ncontent = 'Recharge before a long journey.'\nhelpful = 3\nharmful = 1\norigin = 'reflection'\n" +
				"created = {version = 2, tick = 40}\nupdated = {version = 2, tick = 40}\nevidence = [{run = 'r0', tick = 38, agent = 'agent-1', outcome = 'ok'}]\n"},
		},
		decision(1, "agent-1", ok, nil, nil),
		decision(1, "agent-2", ok, nil, nil),
		trace.Event{Tick: 1, Event: world.Event{Tick: 1, Kind: world.EventMessageSent, Agent: "agent-2", Subject: "msg-1-agent-2-1", Text: "the hub \x1b[2J is empty"}},
		delta("agent-1", "Ask before moving."), delta("agent-2", "Never ask."),
		trace.Step{Tick: 3, AgentID: "agent-1", Step: 1, Kind: trace.StepModuleCall, Status: trace.StatusOK, Name: "environment.current_observation", CallID: "c1"},
		worded(decision(3, "agent-1", ok, all, []trace.Citation{
			{ID: "res-00002", Channel: "both", Status: "used"}, {ID: "mem-1-1", Channel: "text", Status: "used"}, {ID: "nav-00099", Channel: "self", Status: "invented"},
			{ID: "doc-2-2", Channel: "text", Status: "unknown"}, {ID: "template-1a2b3c4d", Channel: "text", Status: "unknown"},
		}, "res-00002", "mem-1-1")),
		decision(3, "agent-2", no, []trace.Source{learned, lesson}, nil),
		worded(decision(4, "agent-1", no, []trace.Source{learned}, nil)),
		decision(5, "agent-1", ok, nil, []trace.Citation{{ID: "res-00002", Channel: "self", Status: "unknown"}}),
	)
}

// TestExplainTellsOrigins follows each source of a decision to where it comes from,
// and one source to what it led to.
func TestExplainTellsOrigins(t *testing.T) {
	for _, c := range []struct {
		golden string
		args   []string
	}{
		{"explain_sources.golden", []string{"--tick", "3", "--agent", "agent-1"}},
		{"explain_source.golden", []string{"--source", "[res-00002]", "--agent", "agent-1"}},
		{"explain_source_shared.golden", []string{"--source", "nav-00001"}},
		{"explain_source_wording.golden", []string{"--source", "template-1a2b3c4d"}},
		{"explain_source_json.golden", []string{"--source", "nav-00001", "--json"}},
		{"explain_source_agent.golden", []string{"--source", "mem-1-1", "--agent", "agent-1"}},
	} {
		t.Run(c.golden, func(t *testing.T) {
			p := newProcess(t, nil, append([]string{"explain", "run"}, c.args...)...)
			recordedSources(t, p)
			if code := p.run(t); code != exitCompleted {
				t.Fatalf("exit code %d:\n%s", code, p.output())
			}
			if strings.ContainsAny(p.output(), "\x1b\a") {
				t.Error("a control character of an agent reached the terminal")
			}
			checkGolden(t, c.golden, p.stdout.String())
		})
	}
}

func TestExplainSourceRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--source", "res-0002"}, `no decision of this run had the source "res-0002" in view or named it; did you mean "res-00002"? allowed: an id in square brackets, as explain shows with --tick and --agent` + "\n"},
		{[]string{"--source", "mem-1-1", "--agent", "agent-2"}, `no decision of agent-2 had the source "mem-1-1" in view or named it; allowed: an id`},
		{[]string{"--source", "mem-1-1", "--agent", "agent-9"}, `no agent "agent-9" in this run; allowed: agent-1, agent-2` + "\n"},
		{[]string{"--source", "mem-1-1", "--tick", "3"}, "explain --source shows all decisions of a source; allowed beside it: --agent, --json\n"},
		{[]string{"--source", "res-00002"}, `"res-00002" is another source for each of agent-1, agent-2; allowed: one of them with --agent` + "\nnext: world_llm_agent_demo explain run --source res-00002 --agent agent-1 "},
	} {
		p := newProcess(t, nil, append([]string{"explain", "run"}, c.args...)...)
		recordedSources(t, p)
		if code := p.run(t); code != exitBadInput || p.stdout.Len() > 0 {
			t.Errorf("%v: exit code %d, stdout %q", c.args, code, p.stdout.String())
		}
		if want := programName + ": " + c.want; !strings.HasPrefix(p.stderr.String(), want) || strings.Count(p.stderr.String(), "\n") != max(1, strings.Count(want, "\n")+strings.Count(want, "next: ")) {
			t.Errorf("%v:\n got %swant %s", c.args, p.stderr.String(), want)
		}
	}
	p := newProcess(t, nil, "explain", "run", "--source", "mem-2")
	recordedRun(t, p)
	if code := p.run(t); code != exitCompleted {
		t.Errorf("a source without an origin: exit code %d:\n%s", code, p.output())
	}
}
