package state

import (
	"testing"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// stateOf folds records.
func stateOf(t *testing.T, records ...trace.Record) *State {
	t.Helper()
	s := &State{}
	s.take(t, records...)
	return s
}

func (s *State) take(t *testing.T, records ...trace.Record) {
	t.Helper()
	for _, r := range records {
		if err := s.Add(r, Span{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSpent: a call counts as its charge or its bill, once its tick is whole.
func TestSpent(t *testing.T) {
	lost := trace.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrTimeout}}
	s := stateOf(t,
		trace.Header{Settings: trace.Settings{Prices: []price.Price{{Model: "m", Rates: price.Rates{Input: 3, Output: 5}}}}},
		trace.ModelCall{Tick: 1, AgentID: "a", Model: "m", Answer: trace.Answer{Usage: llmclient.Usage{Input: 10, Output: 2}}},
		trace.ModelCall{Tick: 1, AgentID: "b", Model: "m", Answer: lost, Charge: &trace.Charge{ReservedTokens: 30, Tokens: 30, Cost: 100}},
		trace.Refusal{Tick: 1, Cap: "run_calls"},
		trace.TickEnd{Tick: 1},
		trace.ModelCall{Tick: 2, AgentID: "b", Model: "m", Answer: trace.Answer{Usage: llmclient.Usage{Input: 7}}},
	)
	if want := (Spent{2, 42, 140}); s.Spent != want {
		t.Errorf("spent %v, want %v", s.Spent, want)
	}
	if want := (Spent{1, 30, 100}); s.ByAgent["b"] != want {
		t.Errorf("b spent %v, want %v", s.ByAgent["b"], want)
	}
	if want := (Spent{1, 30, 100}); s.MostSpent() != want {
		t.Errorf("the most is %v, want %v", s.MostSpent(), want)
	}
}

// TestCapsAt asks which caps hold in a tick of a run that was forked and resumed.
func TestCapsAt(t *testing.T) {
	caps := func(calls int64) trace.Caps { return trace.Caps{Run: trace.Limit{Calls: calls}} }
	fork := trace.Fork{Tick: 5, AtTick: 4, Settings: trace.Settings{Caps: caps(50)}}
	s := stateOf(t,
		trace.Header{Settings: trace.Settings{Caps: caps(10)}, Forks: []trace.Fork{fork}},
		trace.TickEnd{Tick: 1}, trace.TickEnd{Tick: 2},
		trace.CapChange{Tick: 3, Caps: caps(30)}, trace.TickEnd{Tick: 3}, trace.TickEnd{Tick: 4},
		fork, trace.TickEnd{Tick: 5}, trace.TickEnd{Tick: 6},
		trace.CapChange{Tick: 7, Caps: caps(70)}, trace.CapChange{Tick: 7, Caps: caps(77)},
	)
	for tick, want := range []int64{10, 10, 10, 30, 30, 50, 50, 77, 77} {
		if got := s.CapsAt(int64(tick)).Run.Calls; got != want {
			t.Errorf("in tick %d a cap of %d calls holds, want %d", tick, got, want)
		}
	}
	if first := s.Segment(2); first.Number != 2 || first.Tick != 6 {
		t.Errorf("the next file begins with %+v", first)
	}
	s.take(t, trace.TickEnd{Tick: 7}, trace.Resume{Tick: 7, Caps: &trace.CapChange{Tick: 9, Caps: caps(99)}})
	if now, later := s.CapsAt(8).Run.Calls, s.CapsAt(9).Run.Calls; now != 77 || later != 99 {
		t.Errorf("with a pending change a cap of %d calls holds, then %d, want 77 and 99", now, later)
	}
	if got := len(s.ChangesAt(7)); got != 2 {
		t.Errorf("%d changes in tick 7, want 2", got)
	}
}

// TestControlsAreFolded: what an operator did is known by its tick, in the order of the trace, and
// its caps hold like those of a resume.
func TestControlsAreFolded(t *testing.T) {
	caps := func(calls int64) *trace.Caps { return &trace.Caps{Run: trace.Limit{Calls: calls}} }
	pause := trace.Control{Tick: 2, Kind: trace.ControlPause, Timing: &trace.ControlTiming{TakenAt: "2026-01-02T03:04:05Z"}}
	s := stateOf(t,
		trace.Header{Settings: trace.Settings{Caps: *caps(10)}}, trace.TickEnd{Tick: 1},
		pause, trace.Control{Tick: 2, Kind: trace.ControlCaps, Caps: caps(20)}, trace.CapChange{Tick: 2, Caps: *caps(25)}, trace.TickEnd{Tick: 2},
		trace.CapChange{Tick: 3, Caps: *caps(30)}, trace.Control{Tick: 3, Kind: trace.ControlCaps, Caps: caps(33)}, trace.Control{Tick: 3, Kind: trace.ControlMessage, Text: "come"},
	)
	for tick, want := range []int64{10, 10, 25, 33} {
		if got := s.CapsAt(int64(tick)).Run.Calls; got != want {
			t.Errorf("in tick %d a cap of %d calls holds, want %d", tick, got, want)
		}
	}
	at := s.ChangesAt(2)
	if len(at) != 3 || at[0].Control == nil || at[0].Control.Kind != trace.ControlPause || at[0].Control.Timing != nil || at[2].Resumed == nil {
		t.Errorf("tick 2 begins with %+v", at)
	}
	if s.Open.Leading != 3 {
		t.Errorf("the open tick begins with %d records, want 3", s.Open.Leading)
	}
}

// TestForksAtOneTick: if a fork of a fork at the same tick has other caps than its
// parent, they count from the fork on, whatever caps the first parent had.
func TestForksAtOneTick(t *testing.T) {
	capped := trace.Settings{Caps: trace.Caps{Run: trace.Limit{Calls: 10}}}
	free, again := trace.Fork{Tick: 2, AtTick: 1}, trace.Fork{Tick: 2, AtTick: 1, Settings: capped}
	s := stateOf(t, trace.Header{Settings: capped, Forks: []trace.Fork{free, again}},
		trace.ModelCall{Tick: 1, AgentID: "a", Charge: &trace.Charge{Tokens: 7}}, trace.TickEnd{Tick: 1}, free)
	if s.Spent.Calls != 1 {
		t.Errorf("a fork that takes a cap away has spent %+v", s.Spent)
	}
	if s.take(t, again); s.Spent.Calls != 0 || s.CapsAt(2) != capped.Caps {
		t.Errorf("a fork with a cap of its own has spent %+v, under %+v", s.Spent, s.CapsAt(2))
	}
}

func TestCapsThatCountAfresh(t *testing.T) {
	both := trace.Caps{Run: trace.Limit{Calls: 9}, Tick: trace.Limit{Cost: 5}}
	for _, c := range []struct {
		parent, fork trace.Caps
		want         bool
	}{
		{both, both, false}, {both, trace.Caps{}, false}, {both, trace.Caps{Run: trace.Limit{Calls: 9}}, false},
		{both, trace.Caps{Run: trace.Limit{Calls: 10}}, true}, {trace.Caps{}, both, true}, {both, trace.Caps{Agent: trace.Limit{Calls: 9}}, true},
	} {
		if got := Afresh(c.parent, c.fork); got != c.want {
			t.Errorf("from %+v to %+v: afresh %v", c.parent, c.fork, got)
		}
	}
}

// TestDeviations folds those of whole ticks, as long as they count.
func TestDeviations(t *testing.T) {
	decided := func(tick int64, agent string, n int64) trace.Decision {
		return trace.Decision{Tick: tick, AgentID: agent, Authority: &trace.Authority{By: trace.AuthorityDeviation, Deviation: n}}
	}
	s := stateOf(t, trace.Header{}, decided(1, "a", 1), decided(1, "b", 0), trace.TickEnd{Tick: 1}, decided(10, "a", 2), trace.TickEnd{Tick: 10}, decided(11, "b", 1))
	if a, b := s.DeviationsOf("a"), s.DeviationsOf("b"); a != 3 || b != 0 {
		t.Errorf("a deviated %d ticks, b %d; want 3 and 0", a, b)
	}
	before := s.Facts
	s.take(t, decided(11, "b", 0), trace.TickEnd{Tick: 11}, decided(50, "b", 1), trace.TickEnd{Tick: 50})
	if a, b := s.DeviationsOf("a"), s.DeviationsOf("b"); a != 2 || b != 1 || before.DeviationsOf("a") != 3 {
		t.Errorf("later a deviated %d ticks, b %d; want 2 and 1", a, b)
	}
}
