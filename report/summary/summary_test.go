package summary

import (
	"strings"
	"testing"

	"example.com/agentworld/baseline"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// played100 is a completed run of one agent with 100 turns of which some failed.
func played100(failed, undecided int64) report.Report {
	return report.Report{RunStatus: trace.RunCompleted, WorldTime: 100, TotalActions: 1, ActionSuccess: 1, MaxDegradedPct: 50,
		PerAgent:       []report.AgentRow{{AgentID: "agent-1", Turns: 100, FailedTurns: failed}},
		DecisionCounts: report.DecisionCounts{Undecided: undecided}}
}

// TestOutcomeWarns tries both sides of the shares from which a reader is warned.
func TestOutcomeWarns(t *testing.T) {
	idle := played100(0, 0)
	idle.TotalActions = 0
	killed := played100(0, 0)
	killed.RunStatus, killed.TicksRequested = trace.RunUnfinished, 200
	refused := played100(0, 0)
	refused.RunStatus, refused.TicksRequested = trace.RunProviderFailed, 200
	for name, test := range map[string]struct {
		r    report.Report
		says string
		tone Tone
	}{
		"none failed":    {played100(0, 0), "1 action done, 0 refused in 100 ticks; none of 100 turns failed.", Good},
		"few failed":     {played100(4, 4), "4 of 100 turns failed (4%).", Good},
		"some failed":    {played100(5, 0), "5 of 100 turns failed (5%).", Warn},
		"half undecided": {played100(60, 50), "60 of 100 turns failed (60%).", Warn},
		"too many":       {played100(60, 51), "60 of 100 turns failed (60%).", Bad},
		"all failed":     {played100(100, 0), "all of 100 turns failed.", Warn},
		"nobody acted":   {idle, "Nobody acted in 100 ticks; ", Warn},
		"killed":         {killed, "The run has no end: it is under way, or its process was killed, after 100 of 200 ticks; ", Warn},
		"no model":       {refused, "after 100 of 200 ticks; ", Bad},
	} {
		if says, tone := Outcome(test.r); !strings.Contains(says, test.says) || tone != test.tone {
			t.Errorf("%s: %q with tone %d, want %q with %d", name, says, tone, test.says, test.tone)
		}
	}
}

// TestScoreIsPlaced orders a score among those of others.
func TestScoreIsPlaced(t *testing.T) {
	best := int64(61)
	r := report.Report{Task: &report.TaskScore{Family: "production", Metric: "produced:data", Score: 12, From: 1, Ticks: 40,
		Complete: true, Baselines: &baseline.Scores{Random: 2, Greedy: 12, Scripted: 9, Best: &best, Bound: 80}}}
	want := "production, data made in ticks 1 to 40: doing nothing 0 < random 2 < scripted 9 < this run 12 = greedy 12 < " +
		"best known 61 < upper bound 80"
	if got := score(r); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r.Task.Complete, r.Task.Baselines = false, nil
	r.Advanced = &report.Advanced{Score: 30}
	want = "production, data made in ticks 1 to 40: this run so far 12 < this run if nobody had acted on 30"
	if got := score(r); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestHostileTextsStayOnTheirLines puts what a trace may hold into every place that shows a text of others.
func TestHostileTextsStayOnTheirLines(t *testing.T) {
	evil := "a\x1b[2J\r\nrun completed\u202e" + strings.Repeat("é", 500)
	r := played100(50, 50)
	r.RunStatus = trace.RunStatus(evil)
	for _, field := range []*string{&r.RunReason, &r.Model, &r.Scenario} {
		*field = evil
	}
	r.NotDefault = []report.SettingRow{{Setting: "words", Value: evil}}
	r.Goals = []trace.GoalOutcome{{AgentID: evil, Text: evil}}
	r.PerAgent = append(r.PerAgent, report.AgentRow{AgentID: evil, Name: evil, LastTick: 1, LastAction: evil, StoppedBy: evil,
		Gave: []world.Amount{{Resource: evil, Amount: 1}}})
	r.ActionKindSuccessCounts = report.Counts{evil: 1}
	r.ActionFailure = 1
	r.ActionRejectReasonCounts = report.Counts{evil: 1}
	r.DecisionCounts.WaitDegradedByReason = report.Counts{evil: 1}
	r.FirstFailure = &report.TurnFailure{Tick: 1, AgentID: evil, Reason: trace.WaitReason(evil)}
	for _, columns := range []int{0, 80} {
		for _, line := range Of(r, Options{Columns: columns}) {
			for _, c := range line.Text {
				if c < ' ' || c == 0x7f || c == 0x202e {
					t.Fatalf("%d columns: control character %U in %q", columns, c, line.Text)
				}
			}
		}
	}
}
