package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestARefusalIsCountedOnce holds marks against figures: a refused choice that another candidate
// replaced is no refused action, for either.
func TestARefusalIsCountedOnce(t *testing.T) {
	count := func(outcome string) (marks []Mark, f *Figures) {
		f = NewFigures(trace.Header{})
		c := &Tick{}
		c.Add(trace.Event{Tick: 1, Event: world.Event{Tick: 1, Kind: world.EventActionRejected, Agent: "agent-1", Rejection: &world.Rejection{Code: world.RejectContended}}})
		c.Add(trace.Decision{Tick: 1, AgentID: "agent-1", DecidedBy: trace.ByModel, Outcome: json.RawMessage(outcome)})
		f.Add(c)
		return c.Marks(nil), f
	}
	if marks, f := count(`{"accepted":true,"refused_before":1}`); len(marks) != 0 || f.rows[0][columnRejected] != 0 || f.rows[0][columnReplaced] != 1 {
		t.Errorf("a replaced choice: marks %+v, %d refused, %d replaced", marks, f.rows[0][columnRejected], f.rows[0][columnReplaced])
	}
	if marks, f := count(`{"accepted":false,"rejection":{"code":"contended"}}`); len(marks) != 1 || marks[0].Kind != "rejected" || f.rows[0][columnRejected] != 1 || f.rows[0][columnReplaced] != 0 {
		t.Errorf("a refused action: marks %+v, %d refused, %d replaced", marks, f.rows[0][columnRejected], f.rows[0][columnReplaced])
	}
}

// TestLongHistoriesAreThinnedOut adds more rows and samples than are kept: their sums and order
// stay.
func TestLongHistoriesAreThinnedOut(t *testing.T) {
	f := NewFigures(trace.Header{})
	const ticks = 3*figureRowsMax + 17
	for tick := int64(1); tick <= ticks; tick++ {
		c := Tick{Tick: tick, Refusals: make([]trace.Refusal, tick%3)}
		f.Add(&c)
	}
	columns, sum := f.Columns(), int64(0)
	for i, tick := range columns["tick"] {
		if want := int64(i)*f.Every + 1; tick != want {
			t.Fatalf("row %d begins with tick %d, want %d", i, tick, want)
		}
		sum += columns["refused"][i]
	}
	if n := len(columns["tick"]); n > figureRowsMax || n < figureRowsMax/4 || f.Every != 4 {
		t.Errorf("%d rows of %d ticks", n, f.Every)
	}
	if want := int64(ticks/3*3 + ticks%3*(ticks%3+1)/2); sum != want {
		t.Errorf("the rows count %d, want %d", sum, want)
	}
}

// TestAnyNumberOfReasons counts reasons that a trace makes up.
func TestAnyNumberOfReasons(t *testing.T) {
	f := NewFigures(trace.Header{})
	for tick := int64(1); tick <= 3*reasonsMax; tick++ {
		c := Tick{}
		c.Add(trace.Decision{Tick: tick, AgentID: "a", WaitReason: trace.WaitReason(fmt.Sprint("reason-", tick))})
		f.Add(&c)
	}
	sum := int64(0)
	for _, n := range f.Counts["waits"] {
		sum += n
	}
	if len(f.Counts["waits"]) > reasonsMax+1 || sum != 3*reasonsMax {
		t.Errorf("%d reasons count %d", len(f.Counts["waits"]), sum)
	}
}

// TestTheSlowestTurnKeepsItsAgent merges ticks: of the merged row the longest wait stays, with whom it was for.
func TestTheSlowestTurnKeepsItsAgent(t *testing.T) {
	f := NewFigures(trace.Header{Agents: []trace.HeaderAgent{{ID: "agent-1"}, {ID: "agent-2"}}})
	for tick, took := range [][2]int64{{5, 90}, {300, 40}} {
		c := Tick{Tick: int64(tick) + 1}
		for agent, ms := range took {
			c.Add(trace.ModelCall{Tick: c.Tick, AgentID: fmt.Sprintf("agent-%d", agent+1),
				Timing: &trace.CallTiming{LatencyMS: ms, Attempts: 1}})
		}
		f.Add(&c)
	}
	for _, want := range [][2][]int64{{{90, 300}, {1, 0}}, {{300}, {0}}} {
		of := f.Columns()
		if !slices.Equal(of["slowest_ms"], want[0]) || !slices.Equal(of["slowest_agent"], want[1]) {
			t.Errorf("slowest %d of agents %d, want %d", of["slowest_ms"], of["slowest_agent"], want)
		}
		f.halve()
	}
}
