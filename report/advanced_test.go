package report_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/baseline"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// playedUntil plays a task for so many ticks, in which a seat acts until a tick and waits after it.
func playedUntil(t *testing.T, task, policy string, last, ticks int64) report.Report {
	t.Helper()
	settings, err := agentworld.Defaults(task)
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks = ticks
	settings.Seats = []agentworld.AgentSeat{{Agent: "*", Seat: "until"}}
	player := func(b agentworld.SeatBrief) agentworld.SeatPlayer {
		decide := baseline.Players()[policy](b.Brief)
		return agentworld.SeatAct(func(_ context.Context, o agentworld.Observation) (agentworld.Move, error) {
			if o.Tick > last {
				return agentworld.Do("wait"), nil
			}
			return agentworld.Move{Action: decide(o.View)}, nil
		})
	}
	o := agentworld.Options{Settings: settings, Dir: filepath.Join(t.TempDir(), "run"),
		Seats: []agentworld.Seat{{Name: "until", New: player}}}
	result, err := agentworld.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result.Report
}

// TestAdvancedIsTheRunInWhichAllWait compares the score of a run that was cut short with that of the whole run in
// which the same players wait from there on: the engine plays it, the report only derives it.
func TestAdvancedIsTheRunInWhichAllWait(t *testing.T) {
	t.Parallel()
	moved := false
	for _, tc := range []struct {
		task, policy string
		last         int64
	}{
		{"task_production_chips_40", "scripted", 13},
		{"task_production_chips_40", "scripted", 30},
		{"task_survival_low_start_60", "greedy", 5},
		{"task_cooperation_ring_40", "scripted", 21},
		{"task_cooperation_ring_40", "random", 9},
	} {
		short := playedUntil(t, tc.task, tc.policy, tc.last, tc.last)
		whole := playedUntil(t, tc.task, tc.policy, tc.last, short.Task.Ticks)
		a := short.Advanced
		if a == nil || whole.Advanced != nil || !whole.Task.Complete || short.Task.Complete {
			t.Fatalf("%+v: advanced %+v, the whole run %+v", tc, a, whole.Advanced)
		}
		moved = moved || a.Score != short.Task.Score
		if a.Score != whole.Task.Score || a.GoalsMet != whole.GoalsMet || a.FromTick != tc.last+1 ||
			a.ToTick != short.Task.Ticks {
			t.Errorf("%+v: advanced %+v, the whole run scores %d and meets %d goals", tc, *a, whole.Task.Score, whole.GoalsMet)
		}
		for _, name := range []string{"score", "score_share", "goals_met"} {
			if got, want := short.Metrics()[name], whole.Metrics()[name]; got != want {
				t.Errorf("%+v: %s is %v, of the whole run %v", tc, name, got, want)
			}
		}
	}
	if !moved {
		t.Error("no score changed after the last tick: the cases show nothing")
	}
}

// TestWhichRunsAreAdvanced: those that a cap of their own, their length or their model ended.
func TestWhichRunsAreAdvanced(t *testing.T) {
	t.Parallel()
	settings, err := agentworld.Defaults("task_production_chips_40")
	if err != nil {
		t.Fatal(err)
	}
	settings.Caps.Run.Calls = 6
	dir := filepath.Join(t.TempDir(), "run")
	result, err := agentworld.Run(t.Context(), agentworld.Options{Settings: settings, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	capped := result.Report
	a := capped.Advanced
	if capped.RunStatus != trace.RunBudgetReached || a == nil || a.FromTick != capped.WorldTime+1 ||
		!strings.Contains(a.Text(), "cap on calls of the run, 6") {
		t.Fatalf("%s: advanced %+v", capped.RunStatus, a)
	}
	again, err := report.Of(run.Dir(dir))
	if err != nil || again.Advanced == nil || *again.Advanced != *a {
		t.Errorf("read again: %+v, %v, want %+v", again.Advanced, err, *a)
	}
	for status, want := range map[trace.RunStatus]bool{
		trace.RunBudgetReached: true, trace.RunNoUsableAnswers: true, trace.RunCompleted: true,
		trace.RunInterrupted: false, trace.RunProviderFailed: false, trace.RunUnfinished: false,
		trace.RunInternalError: false, trace.RunReplayDiffers: false, trace.RunRecordingDamaged: false,
	} {
		r := capped
		r.RunStatus, r.Advanced = status, nil
		if err := r.Advance(run.Dir(dir)); err != nil || (r.Advanced != nil) != want {
			t.Errorf("%s: advanced %+v, %v", status, r.Advanced, err)
		}
	}
	whole := capped
	whole.WorldTime, whole.Advanced = 40, nil
	if err := whole.Advance(run.Dir(dir)); err != nil || whole.Advanced != nil {
		t.Errorf("a whole run: advanced %+v, %v", whole.Advanced, err)
	}
}
