package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"example.com/agentworld/baseline"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

const taskTOML = `id = "t"
[[places]]
id = "p"
offset_pct = { x = 0, y = 0, z = 0 }
material = "ice"
[agents]
count = 2
spawn = ["p"]
[task]
family = "production"
ticks = 20
from = 2
metric = "produced:data"
agents = ["agent-1"]
`

// taskHeader is a header of a run with the given scenario and number of agents.
func taskHeader(toml string, agents int) trace.Header {
	h := trace.Header{
		Format: trace.FormatVersion, Settings: trace.Settings{ModelSource: trace.SourceLive, ScenarioTOML: toml},
	}
	for n := range agents {
		h.Agents = append(h.Agents, trace.HeaderAgent{ID: "agent-" + string(rune('1'+n))})
	}
	return h
}

// yields is an event in which agent-1 is delivered some data.
func yields(tick, n int64) trace.Event {
	return trace.Event{Tick: tick, Event: world.Event{Tick: tick, Kind: world.EventJobDone, Agent: "agent-1", Postings: []world.Posting{
		{From: "source:production", To: "agent:agent-1", Resource: world.Data, Amount: n},
		{From: "source:production", To: "agent:agent-2", Resource: world.Data, Amount: 100},
	}}}
}

// foldTask reports on records after a header.
func foldTask(t *testing.T, h trace.Header, records ...trace.Record) Report {
	t.Helper()
	r, err := Fold(trace.NewReader(bytes.NewReader(encoded(t, append([]trace.Record{h}, records...)))))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(r.JSON()); err != nil {
		t.Error(err)
	}
	return r
}

func TestTaskScore(t *testing.T) {
	h := taskHeader(taskTOML, 2)
	end := func(tick int64) trace.Record { return trace.TickEnd{Tick: tick, WorldTime: tick} }
	for _, tc := range []struct {
		name     string
		records  []trace.Record
		want     int64
		complete bool
	}{
		{"nothing happened", nil, 0, false},
		{"before the window", []trace.Record{yields(1, 3), end(1)}, 0, false},
		{"in the window", []trace.Record{yields(2, 3), end(2), end(3), yields(4, 1), end(4)}, 4, false},
		{"a tick that did not end", []trace.Record{yields(2, 3), end(2), yields(3, 1)}, 3, false},
		{"a tick that was played again", []trace.Record{yields(2, 3), h, yields(2, 3), end(2)}, 3, false},
		{"the last tick that counts", []trace.Record{yields(20, 3), end(20)}, 3, true},
		{"after the last tick", []trace.Record{yields(20, 3), end(20), yields(21, 1), end(21)}, 3, true},
	} {
		r := foldTask(t, h, tc.records...)
		if r.Task == nil || r.Task.Baselines == nil || r.Task.Baselines.Bound != 0 {
			t.Fatalf("%s: the task is %+v", tc.name, r.Task)
		}
		r.Task.Baselines = nil
		if want := (TaskScore{Family: "production", Metric: "produced:data", Score: tc.want, Complete: tc.complete, Ticks: 20, From: 2}); *r.Task != want {
			t.Errorf("%s: the task is %+v, want %+v", tc.name, r.Task, want)
		}
	}
	line := "task       production, data made in ticks 2 to 20: 3, cut short (nothing 0, random 0, greedy 0, scripted 0, bound 0)\n"
	if text := foldTask(t, h, yields(2, 3), end(2)).Text(); !strings.Contains(text, line) {
		t.Errorf("the text lacks %q:\n%s", line, text)
	}
}

// TestTaskBaselines: what a score is compared with belongs to the run's own instance, and to the
// rules that the run ended with.
func TestTaskBaselines(t *testing.T) {
	s, text, _ := scenario.Embedded("task_production_chips_40")
	h := taskHeader(string(text), 1)
	h.Settings.Seed = 3
	want, _, err := baseline.ScoresOf(s.Instance(3))
	if got := foldTask(t, h).Task.Baselines; err != nil || *got != want {
		t.Errorf("of seed 3: %+v, want %+v, %v", got, want, err)
	}
	rules := s.Instance(3).Rules
	rules.BuildHardware *= 4
	h.Settings.Rules = &rules
	if got := foldTask(t, h).Task.Baselines; got.Bound >= want.Bound || got.Scripted >= want.Scripted {
		t.Errorf("with dearer factories: %+v, before %+v", got, want)
	}
	h.Settings.ScenarioTOML = strings.Replace(string(text), "count = 1", "count = 90000", 1)
	h.Settings.Rules, h.Agents = nil, make([]trace.HeaderAgent, 90_000)
	if got := foldTask(t, h).Task; got == nil || got.Baselines != nil {
		t.Errorf("with 90,000 agents: %+v", got)
	}
}

func TestNoTaskIsNull(t *testing.T) {
	without, _, _ := strings.Cut(taskTOML, "[task]")
	for name, h := range map[string]trace.Header{
		"no task": taskHeader(without, 2), "another number of agents": taskHeader(taskTOML, 3), "unreadable": taskHeader("?", 2),
	} {
		r := foldTask(t, h, yields(2, 3))
		if r.Task != nil || !bytes.Contains(r.JSON(), []byte(`"task": null`)) {
			t.Errorf("%s: the task is %+v, want null", name, r.Task)
		}
	}
}

// TestNobodyEverActed: a run that ended before its first tick scores what doing nothing scores, and one under
// other rules is not played on.
func TestNobodyEverActed(t *testing.T) {
	for _, task := range []string{"task_survival_low_start_60", "task_production_chips_40"} {
		s, text, _ := scenario.Embedded(task)
		want, _, err := baseline.ScoresOf(s)
		if err != nil {
			t.Fatal(err)
		}
		h := taskHeader(string(text), int(s.Agents.Count))
		h.Settings.Seed, h.RulesVersion = s.Seed, world.RulesVersion
		end := trace.RunEnd{RunStatus: trace.RunBudgetReached, Reason: "cap on tokens"}
		r, err := Of(inMemory(encoded(t, []trace.Record{h, end})))
		if err != nil || r.Advanced == nil || r.Advanced.Score != want.Nothing ||
			r.Advanced.Text() != "advanced from tick 1, cap on tokens" {
			t.Errorf("%s: advanced %+v, doing nothing scores %d, %v", task, r.Advanced, want.Nothing, err)
		}
		if text := fmt.Sprintf("%d if nobody had acted on", want.Nothing); !strings.Contains(r.Text(), text) {
			t.Errorf("the text lacks %q:\n%s", text, r.Text())
		}
		h.RulesVersion = "0"
		r, err = Of(inMemory(encoded(t, []trace.Record{h, end})))
		if _, scored := r.Metrics()["score"]; err != nil || r.Advanced != nil || scored {
			t.Errorf("%s under other rules: advanced %+v, %v", task, r.Advanced, err)
		}
	}
}
