package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestForkLinesSayWhatDiffers reads the lines of a fork that decided as its parent did,
// under other caps.
func TestForkLinesSayWhatDiffers(t *testing.T) {
	at := func(tick int64) *int64 { return &tick }
	caps := trace.Caps{Run: trace.Limit{Calls: 60, Cost: 5 * price.Money(1_000_000)}, Agent: trace.Limit{Tokens: 1_234_567}, Tick: trace.Limit{Calls: 12}}
	f := &ForkReport{Parent: "base", AtTick: 5, Changes: []trace.Change{{What: "caps", From: caps.Text("USD"), To: trace.Caps{}.Text("")}}}
	c := &Comparison{TicksCompared: 3, TicksDiffering: 1, DecisionsCompared: 13, FirstDigestTick: at(7)}
	for _, step := range []struct {
		change func()
		want   string
	}{
		{func() {}, "that run is not at hand to compare with"},
		{func() { f.Comparison = c }, "1 of 3 ticks differ, none of 13 decisions, the world from tick 7 on"},
		{func() { c.DecisionsDiffering, c.FirstDecisionTick = 2, at(8) }, "1 of 3 ticks differ, 2 of 13 decisions, the first in tick 8, the world from tick 7 on"},
		{func() { c.FirstDigestTick = nil }, "2 of 13 decisions, the first in tick 8, the world in none"},
		{func() {}, "changes: caps the run 60 calls, " + (5 * price.Money(1_000_000)).String() + " USD; each agent 1234567 tokens; each tick 12 calls -> none;"},
	} {
		step.change()
		if line := f.Text(); !strings.Contains(line, step.want) {
			t.Errorf("%s\nwant %q in it", line, step.want)
		}
	}
	c.Goals = []GoalDifference{
		{GoalID: "motor", AgentID: "agent-1", AMetAt: at(6), BMetAt: at(8), ANow: 1, BNow: 1},
		{GoalID: "chip", AgentID: "agent-2", AMetAt: at(7), ANow: 4, BNow: 2},
		{GoalID: "data", AgentID: "agent-3", ANow: 3, BNow: 5},
	}
	want := "goals that differ, 3: motor of agent-1 (met in tick 6 and met in tick 8), chip of agent-2 (met in tick 7 and not met), data of agent-3 (3 and 5 at the end)"
	if line := c.endText(); line != want {
		t.Errorf("%s\nwant %s", line, want)
	}
}

// TestCompare compares a run with one that decides otherwise in its second tick, has one
// more agent in the third, and is longer.
func TestCompare(t *testing.T) {
	header := trace.Header{Format: trace.FormatVersion, Settings: trace.Settings{ModelSource: trace.SourceLive}, Agents: []trace.HeaderAgent{{ID: "a"}, {ID: "b"}}}
	one := []trace.Record{
		header,
		act(1, "a", `{"action":"wait"}`, `{"accepted":true}`), trace.TickEnd{Tick: 1, Digest: "1", WorldTime: 1},
		act(2, "a", `{"action":"mine"}`, `{"accepted":true}`), act(2, "b", `{"action":"wait"}`, `{"accepted":true}`), trace.TickEnd{Tick: 2, Digest: "2", WorldTime: 2},
		act(3, "b", `{"action":"mine"}`, `{"accepted":true}`), trace.TickEnd{Tick: 3, Digest: "3", WorldTime: 3},
		trace.RunEnd{Tick: 3, TicksDone: 3, Goals: []trace.GoalOutcome{{GoalID: "g", AgentID: "a", Now: 3}}, Agents: []trace.FinalAgent{{AgentID: "a", Electricity: 5}}},
	}
	other := []trace.Record{
		one[0], one[1], one[2],
		act(2, "a", `{"action":"mine"}`, rejected), act(2, "b", `{"action":"mine"}`, `{"accepted":true}`), trace.TickEnd{Tick: 2, Digest: "x", WorldTime: 2},
		act(3, "a", `{"action":"mine"}`, `{"accepted":true}`), act(3, "b", `{"action":"mine"}`, `{"accepted":true}`), trace.TickEnd{Tick: 3, Digest: "y", WorldTime: 3},
		act(4, "a", `{"action":"wait"}`, `{"accepted":true}`), trace.TickEnd{Tick: 4, Digest: "z", WorldTime: 4},
		trace.RunEnd{Tick: 4, TicksDone: 4, Goals: []trace.GoalOutcome{{GoalID: "g", AgentID: "a", Now: 4}}, Agents: []trace.FinalAgent{{AgentID: "a", Stock: []world.Amount{{Resource: "data", Amount: 2}}}}},
	}
	compare := func(after int64) Comparison {
		a, b := encoded(t, one), encoded(t, other)
		c, err := Compare(foldTask(t, header, one[1:]...), foldTask(t, header, other[1:]...), inMemory(a), inMemory(b), after)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := compare(0)
	want := []TickDifference{
		{2, worldDiffers, []DecisionDifference{{AgentID: "b", A: `{"action":"wait"}`, B: `{"action":"mine"}`}}},
		{3, worldDiffers, []DecisionDifference{{AgentID: "a", B: `{"action":"mine"}`}}},
	}
	if diff := cmp.Diff(want, c.Ticks); diff != "" || c.TicksCompared != 3 || c.DecisionsCompared != 5 || c.OutcomesDiffering != 1 || *c.FirstDigestTick != 2 {
		t.Errorf("%+v\n%s", c, diff)
	}
	if len(c.Agents) != 2 || c.Agents[0].FirstTick != 3 || c.Agents[1].FirstTick != 2 {
		t.Errorf("agents %+v", c.Agents)
	}
	if diff := cmp.Diff([]StockDifference{{"data", 0, 2}, {"electricity", 5, 0}}, c.Stock); diff != "" || len(c.Goals) != 1 {
		t.Errorf("goals %+v, stock %s", c.Goals, diff)
	}
	if later := compare(2); later.TicksCompared != 1 || later.DecisionsDiffering != 1 {
		t.Errorf("after tick 2: %+v", later)
	}
	text := c.Text("base", "dear\x1b", fold(t), fold(t), strings.ToUpper)
	for _, line := range []string{`base`, `dear\u001b`, "2 of 3 ticks differ, 2 of 5 decisions, the first in tick 2, the world from tick 2 on", "a: differs in 1 decision, the first in tick 3", "they part in tick 2: b\n", "  in base: {\"ACTION\":\"WAIT\"}\n", `  b: {"ACTION":"WAIT"} | {"ACTION":"MINE"}`} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is not in\n%s", line, text)
		}
	}
}

// TestAFailedTurnIsNoWait: a wait that was chosen and one that stands for an answer that never came differ.
func TestAFailedTurnIsNoWait(t *testing.T) {
	header := trace.Header{Format: trace.FormatVersion, Settings: trace.Settings{ModelSource: trace.SourceLive},
		Agents: []trace.HeaderAgent{{ID: "a"}}}
	run := func(d trace.Decision) (Report, inMemory) {
		records := []trace.Record{header, d, trace.TickEnd{Tick: 1}}
		return foldTask(t, header, records[1:]...), encoded(t, records)
	}
	a, chosen := run(act(1, "a", waitOne, accepted))
	b, failed := run(degraded("a", "llm_error:timeout"))
	c, err := Compare(a, b, chosen, failed, 0)
	if err != nil {
		t.Fatal(err)
	}
	if text := c.Text("a", "b", a, b, strings.ToUpper); c.DecisionsDiffering != 1 || !strings.Contains(text, ` | no answer (no answer came in time)`) {
		t.Errorf("%d differ:\n%s", c.DecisionsDiffering, text)
	}
}

// inMemory is a trace that is in no file.
type inMemory []byte

func (t inMemory) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(t)), nil }
