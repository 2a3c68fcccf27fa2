package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestOddSeatsInRandomGames: in games at random of a seat that panics, fails, hangs, answers nonsense or late,
// every lost turn is a wait that is named and counted, all agents do as they would if the seat had answered what
// was done, and the game replays without the seat. In all games together a turn is lost in every way that there is.
// AGENT_WORLD_LONG plays 1,000 games.
func TestOddSeatsInRandomGames(t *testing.T) {
	lost := map[string]int64{}
	for seed := range uint64(ticksUpTo(12, 1000)) {
		synctest.Test(t, func(t *testing.T) {
			for code, n := range oddGame(t, seed) {
				lost[code] += n
			}
		})
	}
	for _, code := range []string{seat.Panicked, seat.Failed, seat.Late, seat.Busy, seat.Nonsense} {
		if lost[code] == 0 {
			t.Errorf("no turn was lost by %s: %v", code, lost)
		}
	}
	t.Log(lost)
}

// oddGame plays a game twice: with an odd seat, and with one that answers what came of that. It returns how many
// turns were lost by each code.
func oddGame(t *testing.T, seed uint64) (lost map[string]int64) {
	random := rand.New(rand.NewPCG(seed, 1))
	odd := engine.Act(func(ctx context.Context, o seat.Observation) (seat.Move, error) { return oddMove(ctx, random, o) })
	dir := oddRun(t, seed, odd)
	var done []world.Action
	lost = map[string]int64{}
	for record, err := range rundir.Records(dir, nil, trace.TypeDecision) {
		if err != nil {
			t.Fatalf("seed=%d: %v", seed, err)
		}
		d := record.(trace.Decision)
		if d.AgentID != "agent-2" || d.DecidedBy == trace.ByStanding {
			continue
		}
		a, err := world.DecodeAction(d.Executed)
		if err != nil {
			t.Fatalf("seed=%d: %v", seed, err)
		}
		done = append(done, a)
		if code, is := strings.CutPrefix(string(d.WaitReason), trace.WaitSeatPrefix); is {
			lost[code]++
			if d.ErrorClass != trace.ClassSeat || a != (world.Wait{}) {
				t.Errorf("seed=%d tick %d: %s came to %s, class %s", seed, d.Tick, code, d.Executed, d.ErrorClass)
			}
		}
	}
	r := fold(t, dir)
	undecided := int64(0)
	for code, n := range lost {
		undecided += n
		if got := r.Seats[0].Failures[code]; got != n {
			t.Errorf("seed=%d: the report counts %d of %s, want %d", seed, got, code, n)
		}
	}
	if r.DecisionCounts.Undecided != undecided || r.RunStatus != trace.RunCompleted {
		t.Errorf("seed=%d: %s with %d turns undecided, want %d", seed, r.RunStatus, r.DecisionCounts.Undecided, undecided)
	}
	if replayed, err := engine.Replay(t.Context(), dir, engine.ReplayOptions{}); err != nil || !replayed.Equal {
		t.Errorf("seed=%d: replay %+v, %v", seed, replayed, err)
	}
	next := 0
	twin := oddRun(t, seed, func(context.Context, seat.Observation) (seat.Move, error) {
		next++
		return seat.Move{Action: done[next-1]}, nil
	})
	if a, b := allMoves(t, dir), allMoves(t, twin); !slices.Equal(a, b) {
		t.Errorf("seed=%d: the agents did\n%s\nand with a sound seat\n%s", seed, strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	return lost
}

// oddMove is a move, or what a seat may do instead.
func oddMove(ctx context.Context, random *rand.Rand, o seat.Observation) (seat.Move, error) {
	switch random.IntN(12) {
	case 0:
		panic(fmt.Sprintf("odd in tick %d", o.Tick))
	case 1:
		var none *seat.Observation
		return seat.Do("wait").Because(string(none.Ask)), nil
	case 2:
		return seat.Move{}, errors.New("odd")
	case 3:
		return seat.Move{}, nil
	case 4:
		return seat.Do("mine_compound", "much"), nil
	case 5:
		return seat.Move{Action: world.ExecuteUntil{MaxTicks: 3}}, nil
	case 6: // returns with the end of its time, too late
		<-ctx.Done()
		return seat.Do("mine_compound", 5000), nil
	case 7: // ignores the end of its time
		time.Sleep(2 * engine.SeatTimeout)
		return seat.Do("mine_compound", 5000), nil
	case 8:
		return seat.Do("mine_compound", 100+random.IntN(900)).For(2), nil
	}
	o.Can = nil // changes nothing
	return seat.Do("harvest_radiation", 1+random.IntN(40)), nil
}

// oddRun plays a game of seats without a model: agent-2 plays by act, and the others take the time of a seat and
// mine.
func oddRun(t *testing.T, seed uint64, act engine.Act) (dir string) {
	t.Helper()
	o := withoutModel(t, "llm_bootstrap", 8)
	o.Settings.Seed = seed
	mines := engine.Act(func(_ context.Context, o seat.Observation) (seat.Move, error) {
		time.Sleep(time.Second)
		return seat.Do("mine_compound", 1000+o.Tick), nil
	})
	o.Settings.Seats = []trace.AgentSeat{{Agent: "agent-2", Seat: "odd"}, {Agent: trace.AnyAgent, Seat: "miner"}}
	o.Seats = engine.NewSeats([]engine.Seat{
		{Name: "odd", New: func(engine.Brief) engine.Player { return act }},
		{Name: "miner", New: func(engine.Brief) engine.Player { return mines }},
	}, 0)
	o.Source = o.Seats.Over(nil)
	run(t, o)
	time.Sleep(10 * engine.SeatTimeout) // whoever hangs returns
	return o.RunDir
}

// allMoves lists what all agents did.
func allMoves(t *testing.T, dir string) (list []string) {
	t.Helper()
	for record, err := range rundir.Records(dir, nil, trace.TypeDecision) {
		if err != nil {
			t.Fatal(err)
		}
		d := record.(trace.Decision)
		list = append(list, fmt.Sprintf("%d %s %s", d.Tick, d.AgentID, d.Executed))
	}
	return list
}
