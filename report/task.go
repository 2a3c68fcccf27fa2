package report

import (
	"fmt"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// TaskScore is how a run did in its scenario's task, between what doing nothing
// scores and what the rules allow. The baselines hold for the scenario's own seed.
type TaskScore struct {
	// What the task asks for: production, survival or cooperation.
	Family string `json:"family"`
	// What the score measures.
	Metric string `json:"metric"`
	// Score of the run, of its complete ticks.
	Score int64 `json:"score"`
	// Score of agents that do nothing.
	BaselineNothing int64 `json:"baseline_nothing"`
	// Score of the built-in scripted agents.
	BaselineScripted int64 `json:"baseline_scripted"`
	// Score that the rules allow nobody to exceed.
	UpperBound int64 `json:"upper_bound"`
	// Ticks of a run that counts; a shorter run gains nothing by being short.
	Ticks int64 `json:"ticks"`
	// First tick that counts.
	From int64 `json:"from"`
}

// taskFold computes the score from the events of complete ticks. The events of a
// tick wait for its end, because a tick that was cut off is played again when the
// run is resumed.
type taskFold struct {
	task    world.Task
	scorer  *world.Scorer
	waiting []world.Event
	tick    int64
}

// newTaskFold reads the task from the scenario in a header; nil if there is none.
// A task belongs to its scenario's own number of agents. A scenario that this
// version cannot read has no task either: the rest of the trace still counts.
func newTaskFold(h trace.Header) *taskFold {
	s, err := scenario.Parse(h.Settings.Scenario, []byte(h.Settings.ScenarioTOML))
	if err != nil || s.Task == nil || s.Agents.Count != int64(len(h.Agents)) {
		return nil
	}
	return &taskFold{task: *s.Task, scorer: world.NewScorer(s)}
}

// event keeps an event until its tick ends.
func (f *taskFold) event(e world.Event) {
	if f != nil {
		f.waiting = append(f.waiting, e)
	}
}

// restart forgets the events of a tick that was cut off.
func (f *taskFold) restart() {
	if f != nil {
		f.waiting = nil
	}
}

// tickEnd counts the events of a tick that is complete.
func (f *taskFold) tickEnd(tick int64) {
	if f == nil {
		return
	}
	for _, e := range f.waiting {
		if e.Tick == tick {
			f.scorer.Observe(e)
		}
	}
	f.waiting, f.tick = f.waiting[:0], tick
}

// score is the result so far, nil without a task.
func (f *taskFold) score() *TaskScore {
	if f == nil {
		return nil
	}
	return &TaskScore{
		Family: f.task.Family, Metric: f.task.Metric, Score: f.scorer.Score(f.tick),
		BaselineNothing: f.task.BaselineNothing, BaselineScripted: f.task.BaselineScripted,
		UpperBound: f.task.UpperBound, Ticks: f.task.Ticks, From: f.task.From,
	}
}

// taskLine is the task's line of the text form, empty without a task.
func (r Report) taskLine() string {
	t := r.Task
	if t == nil {
		return ""
	}
	return fmt.Sprintf("%s, %s in ticks %d to %d: %d (nothing %d, scripted %d, bound %d)",
		plain(t.Family), plain(t.Metric), t.From, t.Ticks, t.Score, t.BaselineNothing, t.BaselineScripted, t.UpperBound)
}
