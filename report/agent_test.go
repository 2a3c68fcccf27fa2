package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestAgentsAreToldApart folds a run in which one agent is of use and another fails.
func TestAgentsAreToldApart(t *testing.T) {
	met := int64(2)
	late := degraded("agent-2", "llm_error:timeout")
	late.Tick = 2
	fallback := act(3, "agent-2", mine, rejected)
	fallback.FailedBy, fallback.By = "parse_error:no_json", "draft"
	gift := trace.Event{Tick: 2, Event: world.Event{Tick: 2, Kind: world.EventActionApplied, Agent: "agent-1",
		Postings: []world.Posting{{From: "agent:agent-1", To: "agent:agent-2", Resource: "hardware", Amount: 3}}}}
	cutOff := gift
	cutOff.Tick = 4
	f := NewFolding()
	for _, record := range []trace.Record{
		trace.Header{Settings: trace.Settings{GuardOff: []string{"plan"}, MaxDegradedPct: 50},
			Agents: []trace.HeaderAgent{{ID: "agent-1", Name: "Maker"}, {ID: "agent-2"}}},
		act(1, "agent-1", mineOn, accepted), act(1, "agent-2", mine, accepted), trace.TickEnd{Tick: 1},
		standing(2, "agent-1", mineOn, accepted), late, gift,
		trace.Event{Tick: 2, Event: world.Event{Tick: 2, Kind: world.EventGoalMet, Agent: "agent-1", Subject: "goal-1"}},
		trace.TickEnd{Tick: 2},
		standing(3, "agent-1", mineOn, accepted), fallback, trace.TickEnd{Tick: 3},
		cutOff,
	} {
		f.Add(record)
	}
	r, err := f.Report("")
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		turns, failed, last int64
		action, code        string
		met                 *int64
		gave, got           []world.Amount
	}
	var got []row
	for _, a := range r.PerAgent {
		got = append(got, row{a.Turns, a.FailedTurns, a.LastTick, a.LastAction, a.LastCode, a.GoalMetAt, a.Gave, a.Got})
	}
	passed := []world.Amount{{Resource: "hardware", Amount: 3}}
	want := []row{
		{1, 0, 3, "mine_compound", "", &met, passed, []world.Amount{}},
		{3, 2, 3, "mine_compound", "storage_full", nil, []world.Amount{}, passed},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&TurnFailure{2, "agent-2", "llm_error:timeout"}, r.FirstFailure); diff != "" {
		t.Errorf("first failure (-want +got):\n%s", diff)
	}
}

func TestWhatWasChosenIsListed(t *testing.T) {
	of := world.Scenario{Seed: 5}
	s := trace.DefaultSettings()
	s.Seed, s.ScriptedSeed, s.FaultSeed = 5, 5, 5
	if rows := chosenRows(s, of); len(rows) != 0 {
		t.Errorf("the defaults: %v", rows)
	}
	s.Seed, s.ScriptedSeed, s.FaultSeed = 6, 6, 6
	s.GuardOff = []string{"plan"}
	s.Ticks, s.Model = 99, "m"
	want := []SettingRow{{"seed", "6"}, {"guard_off", `["plan"]`}}
	if diff := cmp.Diff(want, chosenRows(s, of)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
