package openenv

import (
	"encoding/json"
	"sync"

	"example.com/agentworld/explain"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// fold is what an episode keeps of the records of its run: the score, and the outcome of the client's move.
type fold struct {
	agent string
	// ticks is the length of the task.
	ticks int64

	mu     sync.Mutex
	scorer *world.Scorer
	// tick is the last whole one, score the score after it.
	tick, score int64
	// refused is what the rules of the scenario said of the move before it became a wait.
	refused string
	// result is the outcome of the move, nil before.
	result *Result
}

func newFold(of world.Scenario, agent string) fold {
	scorer := world.NewScorer(of)
	return fold{agent: agent, ticks: of.Task.Ticks, scorer: scorer, score: scorer.Score(0)}
}

// begin forgets the move before.
func (f *fold) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refused = ""
	f.result = nil
}

// add takes a record of the run.
func (f *fold) add(record trace.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch r := record.(type) {
	case trace.Event:
		f.scorer.Observe(r.Event)
	case trace.TickEnd:
		f.tick = r.Tick
		f.score = f.scorer.Score(r.Tick)
	case trace.Step:
		if r.AgentID == f.agent && r.Kind == trace.StepGuard {
			f.refused = r.Code
		}
	case trace.Decision:
		// Later decisions of a step are attempts of an order, whose end the next observation tells.
		if r.AgentID == f.agent && f.result == nil {
			f.result = resultOf(r, f.refused)
		}
	}
}

// reached is the last whole tick with the score after it.
func (f *fold) reached() (tick, score int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tick, f.score
}

// last is the outcome of the last move, nil if its tick never ended.
func (f *fold) last() *Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.result
}

// resultOf is the outcome of a move. refused is what the rules of the scenario said of it.
func resultOf(d trace.Decision, refused string) *Result {
	r := &Result{Tick: d.Tick, Text: clip(explain.DecisionText(d)), Adjusted: len(d.Adjustments) > 0}
	var o world.Outcome
	_ = json.Unmarshal(d.Outcome, &o) // what a decision of our own holds can be read
	r.Accepted = o.Accepted && d.WaitReason == ""
	switch {
	case d.WaitReason != "":
		r.Code = string(d.WaitReason)
		if refused != "" {
			r.Code = refused
		}
		r.Text = "not carried out (" + r.Code + "): the agent waited"
	case o.Rejection != nil:
		r.Code = string(o.Rejection.Code)
	}
	return r
}
