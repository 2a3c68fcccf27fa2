package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// marker is what a stranger writes.
const marker = "xylophone"

// seenBy notes what a player is asked, as it is recorded.
type seenBy struct{ asks []string }

func (s *seenBy) note(o seat.Observation) {
	text := "without"
	if o.Texts != nil {
		text = "with"
	}
	s.asks = append(s.asks, fmt.Sprintf("%d %s %s", o.Tick, o.Ask, text))
}

// withTexts plays a world in which agent-2 writes to agent-1 in the first tick, and a seat plays agent-1. The
// other agents wait.
func withTexts(t *testing.T, reads bool, ticks int64, act engine.Act) (dir string) {
	t.Helper()
	return seatedRun(t, withoutModel(t, "llm_bootstrap", ticks), reads, act, seat.Do("send_message", "agent-1", marker))
}

// seatedRun plays a run in which a seat plays agent-1, agent-2 makes a move in the first tick, and the other
// agents and moves are waits.
func seatedRun(t *testing.T, o engine.Options, reads bool, act engine.Act, first seat.Move) (dir string) {
	t.Helper()
	waits := engine.Act(func(context.Context, seat.Observation) (seat.Move, error) { return seat.Do("wait"), nil })
	writes := engine.Act(func(_ context.Context, o seat.Observation) (seat.Move, error) {
		if o.Tick == 1 {
			return first, nil
		}
		return seat.Do("wait"), nil
	})
	var known []engine.Seat
	for _, s := range []struct {
		name string
		act  engine.Act
	}{{"subject", act}, {"writer", writes}, {"idle", waits}} {
		known = append(known, engine.Seat{Name: s.name, Version: "1", Words: true, ReadsTexts: reads && s.name == "subject",
			New: func(engine.Brief) engine.Player { return s.act }})
	}
	o.Settings.Seats = []trace.AgentSeat{{Agent: "agent-1", Seat: "subject", Version: "1", ReadsTexts: reads},
		{Agent: "agent-2", Seat: "writer", Version: "1"}, {Agent: trace.AnyAgent, Seat: "idle", Version: "1"}}
	o.Seats = engine.NewSeats(known, 0)
	o.Source = o.Seats.Over(nil)
	run(t, o)
	if replayed, err := engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{}); err != nil || !replayed.Equal {
		t.Fatalf("replay: %+v, %v", replayed, err)
	}
	return o.RunDir
}

// movesOf are the decisions of agent-1 by tick.
func movesOf(t *testing.T, dir string) map[int64]trace.Decision {
	t.Helper()
	all := map[int64]trace.Decision{}
	for record, err := range rundir.Records(dir, nil, trace.TypeDecision) {
		if err != nil {
			t.Fatal(err)
		}
		if d := record.(trace.Decision); d.AgentID == "agent-1" {
			all[d.Tick] = d
		}
	}
	return all
}

// TestSeatThatDoesNotReadIsShownNoText: not in its observation, nor by the view behind it, and it decides as its
// own.
func TestSeatThatDoesNotReadIsShownNoText(t *testing.T) {
	var seen seenBy
	dir := withTexts(t, false, 4, func(_ context.Context, o seat.Observation) (seat.Move, error) {
		seen.note(o)
		if behind := o.View.Observe(); len(behind.Inbox)+len(behind.Here.Notes) > 0 {
			t.Errorf("tick %d: the view shows %v, %v", o.Tick, behind.Inbox, behind.Here.Notes)
		}
		if words := o.InWords(); strings.Contains(words, marker) || !strings.Contains(words, o.Self.ID) {
			t.Errorf("tick %d: the observation in words is %s", o.Tick, words)
		}
		return seat.Do("mine_compound", 1000), nil
	})
	for record, err := range rundir.Records(dir, nil, trace.TypeBlob) {
		if err != nil {
			t.Fatal(err)
		}
		if b := record.(trace.Blob); strings.Contains(string(b.Body), marker) && strings.Contains(string(b.Body), `\"ask\"`) {
			t.Errorf("an observation holds the text: %s", b.Body)
		}
	}
	if want := []string{"1 move without", "2 move without", "3 move without", "4 move without"}; !slices.Equal(seen.asks, want) {
		t.Errorf("asked %q, want %q", seen.asks, want)
	}
	for tick, d := range movesOf(t, dir) {
		if d.DecidedBy != trace.BySeat || d.Authority == nil || d.Authority.By != trace.AuthorityOwn {
			t.Errorf("tick %d: decided by %s, %+v", tick, d.DecidedBy, d.Authority)
		}
	}
}

// TestSeatIsGivenTermsThatItCanAnswer: of requests, a seat that does not read is given those that a rule of its
// agent can answer. What it sends after that has their sender as a parent, and before that nobody.
func TestSeatIsGivenTermsThatItCanAnswer(t *testing.T) {
	const world = `id = "two"
terms = true
[[places]]
id = "yard"
offset_pct = { x = 0, y = 0, z = 0 }
material = "metal"
emission = 40
compound_g = 1000
[agents]
count = 3
spawn = ["yard"]
stock = [{ electricity = 60, data = 9, hardware = 9 }]
[[policy]]
agent = "agent-1"
action = "transfer_resource"
what = "hardware"
asked_by = ["agent-2"]
most = 5
total = 5
window = 50
`
	for asked, answerable := range map[string]bool{"hardware": true, "data": false} {
		o := withoutModel(t, "llm_bootstrap", 6)
		o.Settings.Scenario, o.Settings.ScenarioTOML = "two", world
		first := int64(0)
		dir := seatedRun(t, o, false, func(_ context.Context, o seat.Observation) (seat.Move, error) {
			if given := len(o.Requests) + len(o.View.Observe().Requests); given > 0 && first == 0 {
				first = o.Tick
			}
			return seat.Do("send_message", "agent-3", "hello"), nil
		}, seat.Do("request", "agent-1", asked, 2, 20))
		if (first > 0) != answerable {
			t.Errorf("%s: a request is given in tick %d, want %t", asked, first, answerable)
		}
		for tick, d := range movesOf(t, dir) {
			if given := first > 0 && tick >= first; slices.Equal(d.Parents, []string{"agent-2"}) != given || !given && len(d.Parents) > 0 {
				t.Errorf("%s, tick %d: parents are %v, the request was given in tick %d", asked, tick, d.Parents, first)
			}
		}
	}
}

// TestSeatThatReadsPlansFirst: it is asked for a plan before it is shown new texts, what it did not plan is
// refused then, and what it sends ever after has the author as a parent, unless it planned that.
func TestSeatThatReadsPlansFirst(t *testing.T) {
	var seen seenBy
	dir := withTexts(t, true, 6, func(_ context.Context, o seat.Observation) (seat.Move, error) {
		seen.note(o)
		switch {
		case o.Ask == seat.AskPlan:
			return seat.Move{Plan: []world.Action{world.Mine{MassG: 1000}}, Why: "to mine"}, nil
		case o.Texts != nil: // it does what the stranger wants
			if len(o.Texts.Inbox) != 1 || o.Texts.Inbox[0].Text != marker || o.Texts.Inbox[0].From != "agent-2" {
				t.Errorf("it reads %+v", o.Texts)
			}
			return seat.Do("send_message", "agent-3", marker), nil
		}
		return seat.Do("send_message", "agent-3", "hello"), nil
	})
	asked := 0
	read := int64(0)
	for i, ask := range seen.asks {
		if strings.Contains(ask, "plan") {
			asked++
			if _, err := fmt.Sscanf(ask, "%d plan without", &read); err != nil || seen.asks[i+1] != fmt.Sprintf("%d move with", read) {
				t.Errorf("after %q comes %q", ask, seen.asks[i+1])
			}
		}
	}
	if asked != 1 {
		t.Fatalf("it was asked for a plan %d times: %q", asked, seen.asks)
	}
	for tick, d := range movesOf(t, dir) {
		switch {
		case tick < read:
			if len(d.Parents) > 0 {
				t.Errorf("tick %d: parents are %v before it read anything", tick, d.Parents)
			}
		case tick == read:
			if d.FailedBy != trace.WaitGuardRejected || d.By != trace.ByPlan || !strings.Contains(string(d.Executed), "mine") {
				t.Errorf("tick %d: what was not planned came to %s, by %s after %s", tick, d.Executed, d.By, d.FailedBy)
			}
		case !slices.Equal(d.Parents, []string{"agent-2"}):
			t.Errorf("tick %d: parents are %v, want the author of what it read", tick, d.Parents)
		}
	}
}
