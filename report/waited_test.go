package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/trace"
)

// timed is a model call of a tick.
func timed(tick int64, agent string, ms int64) trace.ModelCall {
	c := call(agent, ms)
	c.Tick = tick
	return c
}

// TestWhoWasWaitedFor counts a run by hand: one agent is always late, an answer of a recording and a tick that
// was cut off cost nothing, and reflections are waited for by themselves.
func TestWhoWasWaitedFor(t *testing.T) {
	header := trace.Header{Settings: trace.Settings{BaseURL: "http://a/v1",
		AgentModels: []trace.AgentModel{{Agent: "agent-3", BaseURL: "http://b/v1"}}}}
	for _, id := range []string{"agent-1", "agent-2", "agent-3", "agent-4"} {
		header.Agents = append(header.Agents, trace.HeaderAgent{ID: id})
	}
	moved := trace.ModelCall{Tick: 2, AgentID: "agent-2", Stage: trace.StageSeat, Model: "slow 1",
		Timing: &trace.CallTiming{LatencyMS: 90}}
	f := NewFolding()
	for _, record := range []trace.Record{
		header,
		timed(1, "agent-1", 10), timed(1, "agent-3", 400), timed(1, "agent-1", 20), timed(1, "agent-2", 100),
		trace.ToolCall{Tick: 1, AgentID: "agent-2", Timing: &trace.ToolTiming{LatencyMS: 50}},
		trace.TickEnd{Tick: 1},
		timed(2, "agent-1", 50), moved, timed(2, "agent-3", 4321), given(timed(2, "agent-4", 9000)),
		reflecting(timed(2, "agent-1", 70)), reflecting(timed(2, "agent-3", 60)),
		trace.TickEnd{Tick: 2},
		trace.TickEnd{Tick: 3}, // nobody was due
		timed(4, "agent-1", 7), timed(4, "agent-2", 7),
		trace.TickEnd{Tick: 4},
		timed(5, "agent-1", 60_000),
	} {
		f.Add(record)
	}
	r, err := f.Report("")
	if err != nil {
		t.Fatal(err)
	}
	barrier := Barrier{
		Ticks: 3, WaitedMS: 400 + 4321 + 70 + 7, OwnAgentBoundMS: 400 + 4321 + 60, OwnAgentBoundAgent: "agent-3",
		LongestTicks: []TickWait{
			{2, "agent-3", 4321, 4321 - 90}, {1, "agent-3", 400, 250}, {2, "agent-1", 70, 10}, {4, "agent-1", 7, 0},
		},
	}
	if diff := cmp.Diff(barrier, r.Timing.Barrier); diff != "" {
		t.Errorf("barrier (-want +got):\n%s", diff)
	}
	agents := []AgentTiming{
		{"agent-1", 4, 5, 30, 70, 70, 30 + 50 + 70 + 7, 2, 666_666, 10},
		{"agent-2", 3, 3, 90, 150, 150, 150 + 90 + 7, 0, 0, 0},
		{"agent-3", 3, 3, 400, 4320, 4321, 400 + 4321 + 60, 2, 666_666, 4231 + 250},
	}
	if diff := cmp.Diff(agents, r.Timing.ByAgent); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	endpoints := []EndpointLatency{
		{"http://a/v1", 8, 20, 60_000, 60_000, 10 + 20 + 100 + 50 + 70 + 7 + 7 + 60_000},
		{"http://b/v1", 3, 400, 4320, 4321, 400 + 4321 + 60},
		{"seat slow 1", 1, 90, 90, 90, 90},
	}
	if diff := cmp.Diff(endpoints, r.Timing.ByEndpoint); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}
}

func TestLongestTicksAreBounded(t *testing.T) {
	f := turnTimeFold{}
	for n := range int64(100) {
		f.longest(TickWait{Tick: n, SlowestMS: n / 2})
	}
	list := f.barrier.LongestTicks
	if len(list) != longestTicksMax || list[0].Tick != 98 || list[1].Tick != 99 || list[19].Tick != 81 {
		t.Errorf("kept %v", list)
	}
}
