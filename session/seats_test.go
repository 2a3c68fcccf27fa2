package session_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/engine"
	"example.com/agentworld/report"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// TestOwnSeatsScoreAsBaselines: the program's own seats, played through the engine in every agent's place, score
// what the table of baselines says of them, if it lists them. In tasks whose rules bind what agents may give, the
// players of the table are not bound. AGENT_WORLD_LONG plays all tasks.
func TestOwnSeatsScoreAsBaselines(t *testing.T) {
	names := []string{"task_production_chips_40", "task_survival_low_start_60"}
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		names = scenario.Names()
	}
	played := 0
	missing := map[string]bool{"wait": true, "random": true, "greedy": true, "scripted": true}
	for _, name := range names {
		s, _, ok := scenario.Embedded(name)
		if !ok {
			t.Fatalf("no scenario %s", name)
		}
		if s.Task == nil || len(s.Policy) > 0 {
			continue
		}
		played++
		for _, of := range session.OwnSeats() {
			settings := settingsOf(t, name, s.Task.Ticks)
			settings.Seats = []trace.AgentSeat{{Agent: trace.AnyAgent, Seat: of.Name}}
			r := seatedRun(t, session.Config{Settings: settings}).Report
			b := r.Task.Baselines
			table := map[string]int64{"wait": b.Nothing, "random": b.Random, "greedy": b.Greedy, "scripted": b.Scripted}
			want, listed := table[of.Name]
			if !listed {
				want = r.Task.Score
			}
			delete(missing, of.Name)
			if r.Task.Score != want || r.ModelSource != trace.SourceNone || r.TraceCounts.ModelCalls != 0 {
				t.Errorf("%s: %s scores %d, the table says %d; %s, %d calls of models", name, of.Name, r.Task.Score,
					want, r.ModelSource, r.TraceCounts.ModelCalls)
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("no seats of these names: %v", slices.Sorted(maps.Keys(missing)))
	}
	if played < 2 {
		t.Errorf("only %d tasks were played", played)
	}
}

// seatedRun plays a run in a directory of its own.
func seatedRun(t *testing.T, c session.Config) session.Result {
	t.Helper()
	if c.Dir == "" {
		c.Dir = filepath.Join(t.TempDir(), "run")
	}
	s, err := session.New(c)
	return played(t, s, err)
}

// mine is a seat of one's own.
func mine(version string) engine.Seat {
	return engine.Seat{Name: "mine", Version: version, New: func(engine.Brief) engine.Player {
		return engine.Act(func(context.Context, seat.Observation) (seat.Move, error) {
			return seat.Do("mine_compound", 500), nil
		})
	}}
}

// TestMissingSeatIsNamed: a resume and a fork whose seat is missing, or of another version, stop and say which
// and what to do; another seat takes over, which is recorded; a replay needs none of them.
func TestMissingSeatIsNamed(t *testing.T) {
	settings := settingsOf(t, "llm_bootstrap", 3)
	settings.Seats = []trace.AgentSeat{{Agent: "agent-2", Seat: "mine"}}
	dir := filepath.Join(t.TempDir(), "run")
	seatedRun(t, session.Config{Settings: settings, Dir: dir, Seats: []engine.Seat{mine("1")}})
	agrees(t, dir)
	more := session.Continued{UntilTick: 5}
	allowed := "model"
	for _, own := range session.OwnSeats() {
		allowed += ", " + own.Name
	}
	for _, tc := range []struct {
		known []engine.Seat
		want  string
	}{
		{nil, `agent-2 is played by the seat "mine" version 1, which this program does not have; set another one with ` +
			`agent-2=NAME; allowed names: ` + allowed},
		{[]engine.Seat{mine("2")}, `agent-2 is played by the seat "mine" version 1, and this program has version 2`},
	} {
		_, err := session.Resume(session.Config{Dir: dir, Seats: tc.known}, more)
		missing, is := errors.AsType[*session.SeatError](err)
		if !is || !strings.HasPrefix(missing.Error(), tc.want) {
			t.Errorf("resume: %v, want %s", err, tc.want)
		}
		forked, err := session.Parent(dir, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		forked.Ticks = 4
		c := session.Config{Settings: forked, Dir: filepath.Join(t.TempDir(), "fork"), Seats: tc.known}
		if _, err := session.Fork(c, session.Left{Parent: dir, AtTick: 2}); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("fork: %v, want %s", err, tc.want)
		}
	}
	more.Seats = []trace.AgentSeat{{Agent: "agent-2", Seat: "greedy"}}
	s, err := session.Resume(session.Config{Dir: dir}, more)
	r := played(t, s, err).Report
	if len(r.Seats) != 2 || r.Seats[1].Seat != "greedy" || r.Seats[0].Moves != 3 || r.Seats[1].Moves == 0 {
		t.Errorf("the seats of the resumed run are %+v", r.Seats)
	}
	who := report.SettingRow{Setting: "seats", Value: "agent-2 mine 1; from tick 4 on agent-2 greedy 1"}
	if !slices.Contains(r.Settings, who) || !slices.Contains(r.NotDefault, who) {
		t.Errorf("the settings do not have who plays from when on: %+v", r.NotDefault)
	}
	agrees(t, dir)
	// The next resume has what this one set, and needs no seat of one's own.
	s, err = session.Resume(session.Config{Dir: dir}, session.Continued{UntilTick: 6})
	played(t, s, err)
	s, err = session.Resume(session.Config{Dir: dir}, session.Continued{UntilTick: 7,
		Seats: []trace.AgentSeat{{Agent: "agent-2", Seat: trace.ModelSeat}}})
	if r := played(t, s, err).Report; r.PerAgent[1].Seat != "" {
		t.Errorf("agent-2 is still played by %s", r.PerAgent[1].Seat)
	}
	agrees(t, dir)
}

// TestSeatsOfAScenario: a scenario gives seats to its agents, and the settings go before it.
func TestSeatsOfAScenario(t *testing.T) {
	settings := settingsOf(t, "llm_bootstrap", 2)
	settings.ScenarioTOML = strings.Replace(settings.ScenarioTOML, "[agents]\n", "[agents]\nseats = { agent-1 = \"greedy\", agent-3 = \"wait\" }\n", 1)
	settings.Seats = []trace.AgentSeat{{Agent: "agent-3", Seat: trace.ModelSeat}}
	dir := filepath.Join(t.TempDir(), "run")
	r := seatedRun(t, session.Config{Settings: settings, Dir: dir}).Report
	if r.PerAgent[0].Seat != "greedy 1" || r.PerAgent[2].Seat != "" {
		t.Errorf("agents are %+v", r.PerAgent)
	}
	agrees(t, dir)
}
