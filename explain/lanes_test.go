package explain

import (
	"fmt"
	"testing"

	"example.com/agentworld/trace"
)

// TestAgentsInLittleMemory adds many decisions: the newest stay, and the page is told that others do
// not.
func TestAgentsInLittleMemory(t *testing.T) {
	a := NewLanes(trace.Header{Agents: []trace.HeaderAgent{{ID: "agent-1"}, {ID: "agent-2"}}})
	const most = 100_000
	for tick := int64(1); tick <= 5000; tick++ {
		c := Tick{}
		for _, id := range []string{"agent-1", "agent-2"} {
			d := trace.Decision{Tick: tick, AgentID: id, Executed: []byte(fmt.Sprintf(`{"action":"a-%d"}`, tick)), SourcesUsed: []string{"mem"}, SourcesRetrieved: []trace.Source{{ID: "mem", OriginTick: tick - 1}}}
			c.Add(d)
		}
		a.Add(&c, nil)
		a.Fit(most)
		if a.Bytes > most {
			t.Fatalf("in tick %d they take %d bytes", tick, a.Bytes)
		}
	}
	for n, lane := range a.lanes {
		if len(lane) < 100 || lane[len(lane)-1].Tick != 5000 || lane[0].Tick != 5001-int64(len(lane)) {
			t.Errorf("agent %d has %d decisions", n, len(lane))
		}
	}
	if !a.Full || len(a.names) > reasonsMax || len(a.uses[Origin{"agent-1", 4999}]) != 1 {
		t.Errorf("full: %v, %d names, %d uses", a.Full, len(a.names), len(a.uses))
	}
}

func TestOriginOfSources(t *testing.T) {
	for _, c := range []struct {
		source trace.Source
		want   Origin
	}{
		{trace.Source{ID: "msg-12-agent-4-1", OriginAgent: "agent-4", OriginTick: 15}, Origin{"agent-4", 12}},
		{trace.Source{ID: "offer-3-the-dock-1", OriginTick: 4}, Origin{"the-dock", 3}},
		{trace.Source{ID: "mem-7-2", OriginTick: 7}, Origin{"agent-1", 7}},
		{trace.Source{ID: "mem-7-2", OriginAgent: "agent-2", OriginTick: 7}, Origin{"agent-2", 7}},
		{trace.Source{ID: "msg-x-1", OriginTick: 2}, Origin{"agent-1", 2}},
	} {
		if got := OriginOf(c.source, "agent-1"); got != c.want {
			t.Errorf("%s comes from %v, want %v", fmt.Sprint(c.source.ID), got, c.want)
		}
	}
}
