package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// counting is a seat whose players mine and remember how often they were asked or told.
func counting(turns *int) engine.Seat {
	return engine.Seat{Name: "counting", Version: "1", New: func(engine.Brief) engine.Player { return &minerSeat{turns: turns} }}
}

type minerSeat struct {
	n     int64
	turns *int
}

func (c *minerSeat) Act(context.Context, seat.Observation) (seat.Move, error) {
	c.n++
	*c.turns++
	return seat.Do("mine_compound", 100*c.n), nil
}

func (c *minerSeat) Recall(seat.Observation, seat.Move) { c.n++ }

// seated has a seat play agents of a run.
func seated(o engine.Options, known engine.Seat, agents ...string) engine.Options {
	for _, id := range agents {
		o.Settings.Seats = append(o.Settings.Seats, trace.AgentSeat{Agent: id, Seat: known.Name, Version: known.Version,
			ReadsTexts: known.ReadsTexts})
	}
	o.Seats = engine.NewSeats([]engine.Seat{known}, time.Minute)
	o.Source = o.Seats.Over(o.Source)
	return o
}

// TestSeatPlaysBesideModels: a world of a seat and of models is recorded, replays without the seat, and
// comes out the same when it is stopped half way.
func TestSeatPlaysBesideModels(t *testing.T) {
	turns := 0
	known := counting(&turns)
	whole := seated(options(t, "llm_bootstrap", 8), known, "agent-1")
	run(t, whole)
	asked := turns
	if asked == 0 {
		t.Fatal("the seat was never asked")
	}
	replayed, err := engine.Replay(context.Background(), whole.RunDir, engine.ReplayOptions{})
	if err != nil || !replayed.Equal || turns != asked {
		t.Fatalf("replay: %+v, %v; the seat was asked %d times more", replayed, err, turns-asked)
	}

	half := seated(options(t, "llm_bootstrap", 4), known, "agent-1")
	half.Settings.BaseURL = whole.Settings.BaseURL
	run(t, half)
	turns = 0
	resumed, err := engine.PrepareResume(half.RunDir, engine.ResumeOptions{UntilTick: 8, Model: half.Settings.Model,
		ModelSource: half.Settings.ModelSource, BaseURL: half.Settings.BaseURL})
	if err != nil {
		t.Fatal(err)
	}
	defer resumed.Close()
	again := seated(options(t, "llm_bootstrap", 8), known)
	if _, err := resumed.Run(context.Background(), engine.Options{Source: again.Source, Seats: again.Seats}); err != nil {
		t.Fatal(err)
	}
	if turns == 0 || turns >= asked {
		t.Errorf("the resumed seat was asked %d times, the whole run took %d", turns, asked)
	}
	if a, b := canonical(t, whole.RunDir), canonical(t, half.RunDir); !bytes.Equal(a, b) {
		t.Errorf("the resumed run differs: %s", firstDifference(a, b))
	}
	for record, err := range rundir.Records(whole.RunDir, nil, trace.TypeDecision) {
		if d := record.(trace.Decision); err != nil || d.AgentID == "agent-1" && d.DecidedBy != trace.BySeat {
			t.Errorf("tick %d was decided by %s, %v", d.Tick, d.DecidedBy, err)
		}
	}
}

// firstDifference is the first line in which two traces differ.
func firstDifference(a, b []byte) string {
	one, two := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range min(len(one), len(two)) {
		if one[i] != two[i] {
			return fmt.Sprintf("line %d:\n%.600s\n%.600s", i+1, one[i], two[i])
		}
	}
	return "in length"
}

// TestFailingSeatCostsItsOwnTurn: whatever a seat does instead of a move, its agent waits, the reason is named,
// and the other agents do as they would beside a seat that waits.
func TestFailingSeatCostsItsOwnTurn(t *testing.T) {
	waits := engine.Seat{Name: "odd", Version: "1", New: func(engine.Brief) engine.Player {
		return engine.Act(func(context.Context, seat.Observation) (seat.Move, error) { return seat.Do("wait"), nil })
	}}
	calm := seated(options(t, "llm_bootstrap", 3), waits, "agent-2")
	run(t, calm)
	want := othersOf(t, calm.RunDir)
	held := make(chan struct{})
	defer close(held)
	for code, act := range map[string]engine.Act{
		seat.Panicked: func(context.Context, seat.Observation) (seat.Move, error) { panic("odd") },
		seat.Failed:   func(context.Context, seat.Observation) (seat.Move, error) { return seat.Move{}, errors.New("odd") },
		seat.Nonsense: func(context.Context, seat.Observation) (seat.Move, error) { return seat.Do("fly", "home"), nil },
		seat.Late: func(context.Context, seat.Observation) (seat.Move, error) {
			<-held
			return seat.Do("mine_compound", 5000), nil
		},
	} {
		odd := waits
		odd.New = func(engine.Brief) engine.Player { return act }
		o := seated(options(t, "llm_bootstrap", 3), odd, "agent-2")
		o.Settings.BaseURL = calm.Settings.BaseURL
		timeout := time.Minute
		if code == seat.Late {
			timeout = 20 * time.Millisecond
		}
		seats := engine.NewSeats([]engine.Seat{odd}, timeout)
		o.Seats, o.Source = seats, seats.Over(options(t, "llm_bootstrap", 3).Source)
		run(t, o)
		if got := othersOf(t, o.RunDir); !slices.Equal(got, want) {
			t.Errorf("%s: the others did\n%s, want\n%s", code, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		r := fold(t, o.RunDir)
		reasons := r.DecisionCounts.WaitDegradedByReason
		if n := reasons[trace.WaitSeatPrefix+code]; n == 0 || n+reasons[trace.WaitSeatPrefix+seat.Busy] < 2 {
			t.Errorf("%s: degraded waits are %v", code, reasons)
		}
		if replayed, err := engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{}); err != nil || !replayed.Equal {
			t.Errorf("%s: replay %+v, %v", code, replayed, err)
		}
	}
}

// othersOf lists what the agents but agent-2 did.
func othersOf(t *testing.T, dir string) (list []string) {
	t.Helper()
	for record, err := range rundir.Records(dir, nil, trace.TypeDecision) {
		if err != nil {
			t.Fatal(err)
		}
		if d := record.(trace.Decision); d.AgentID != "agent-2" {
			list = append(list, fmt.Sprintf("%d %s %s", d.Tick, d.AgentID, d.Executed))
		}
	}
	return list
}
