package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// learning is what a run needs for its agents to learn. Every agent has an
// experience and a playbook of its own, so that agents that never meet cannot
// influence each other by what they learn.
type learning struct {
	runtime *reflect.Runtime
	limits  playbook.Limits
	// experiences are by agent.
	experiences []*reflect.Experience
	// folder has everything that changed a playbook, in order of tick and agent; nil while
	// agents do not learn.
	folder *reflect.Folder
	// collected is nil but where a finished run is reflected at.
	collected *collector
}

// prepareLearning makes the run, which has a name, ready to learn, if it is to.
func (r *runner) prepareLearning(name string) {
	if !r.Learns() {
		return
	}
	limits := playbook.Limits{BulletsMax: r.PlaybookSize}
	r.learning = learning{
		runtime: reflect.NewRuntime(r.runtime.Config(), 1, r.seed.OwnSections()...), limits: limits,
		experiences: experiencesOf(r.world, name), folder: reflect.NewFolder(r.seed, limits),
		collected: r.learning.collected,
	}
}

// experiencesOf are the empty experiences of all agents of a run at the present tick.
func experiencesOf(w *world.World, run string) []*reflect.Experience {
	list := make([]*reflect.Experience, w.Agents())
	for n := range list {
		list[n] = reflect.NewExperience(run, w.AgentID(n), w.Stock(n), w.PolicyRules(n)...)
	}
	return list
}

// lived are the experiences that are kept of agent n: to reflect at in the run, and to collect.
func (l *learning) lived(n int) (list []*reflect.Experience) {
	if l.folder != nil {
		list = append(list, l.experiences[n])
	}
	if l.collected != nil {
		list = append(list, l.collected.experiences[n])
	}
	return list
}

// witness tells each agent that may ever decide what happened to it. An agent that is
// given something may decide.
func (r *runner) witness(events []world.Event) {
	for _, e := range events {
		for _, id := range e.Concerns() {
			n, ok := r.world.AgentNumber(id)
			if !ok {
				continue
			}
			if r.agents[n] != nil || e.Kind == world.EventActionApplied {
				r.agent(n).Witness(e)
			}
			for _, lived := range r.learning.lived(n) {
				lived.Witness(r.runtime, e)
			}
		}
	}
}

// remember tells every agent that acted the outcome of its action.
func (r *runner) remember(tick int64, turns []deliberation, outcomes []world.Outcome) {
	for i, t := range turns {
		r.agents[t.agent].Learn(tick, t.decision, outcomes[i])
		lived := r.learning.lived(t.agent)
		if len(lived) == 0 {
			continue
		}
		var refused []string // the codes with which the guard refused actions, each once
		for _, s := range t.steps {
			if s.Kind == trace.StepGuard && s.Status != trace.StatusOK && s.Code != "" && !slices.Contains(refused, s.Code) {
				refused = append(refused, s.Code)
			}
		}
		judged := reflect.Evaluate(r.runtime, tick, t.decision, outcomes[i], refused)
		for _, e := range lived {
			e.Add(judged, t.decision.SourcesRetrieved)
		}
		if c := r.learning.collected; c != nil && c.experiences[t.agent].Len() == reflect.DecisionsMax {
			c.cut(r.world, t.agent)
		}
	}
}

// reflected is what came of one agent's reflection.
type reflected struct {
	agent  int
	result reflect.Result
	bill   budget.Bill
	steps  []trace.Step
	// failure is how the last request ended, nil when it was answered.
	failure *llmclient.Failure
	// shown is what the answers show of the tool choices.
	shown []llmclient.Shown
}

// reflections lets the agents reflect if the tick is one to do so, all at the same time. One that has
// nothing to learn from yet is not asked. A turn that fails does not end the run. The error is a failure
// to record.
func (r *runner) reflections(ctx context.Context, tick int64, turns []deliberation) ([]reflected, error) {
	if !r.Learns() || tick%r.LearnEvery != 0 {
		return nil, nil
	}
	steps := make(map[int]int, len(turns))
	for _, t := range turns {
		steps[t.agent] = t.decision.Calls
	}
	var list []reflected
	for n, e := range r.learning.experiences {
		if p := r.endpoint(n); e.Len() > 0 && !e.Idle() && p.seat == nil && !p.stopped {
			e.Hold(r.world.Stock(n))
			list = append(list, reflected{agent: n})
		}
	}
	begin := once(len(list), func(i int) *reflect.Turn {
		n := list[i].agent
		return r.learning.runtime.Begin(r.learning.experiences[n], r.agents[n].Playbook(),
			goalsOf(r.world, r.world.AgentID(n)), tick, steps[n]+1)
	})
	// What decisions left may be spent.
	allowed := r.allow(len(list), func(i int) (string, behavior.Ask, int) {
		agent := r.world.AgentID(list[i].agent)
		ask, more := begin(i).Next()
		if !more {
			return agent, ask, 0
		}
		return agent, ask, begin(i).CallsLeast()
	})
	if err := r.workers.each(len(list),
		func(i int) error { return r.reflect(ctx, tick, begin(i), &list[i], allowed.of(i)) }); err != nil {
		return nil, err
	}
	r.settle(allowed, len(list), func(i int) (int, budget.Bill) { return list[i].agent, list[i].bill })
	return list, nil
}

// reflect carries out one agent's turn.
func (r *runner) reflect(ctx context.Context, tick int64, turn *reflect.Turn, b *reflected, allowed *quota) error {
	ctx, cancel := r.withDeadline(ctx)
	defer cancel()
	agent := r.world.AgentID(b.agent)
	ctx, end := r.beginTurn(ctx, tick, agent, true)
	defer func() { end(Ending{Error: b.result.Failure}) }()
	for ask, more := turn.Next(); more; ask, more = turn.Next() {
		answer, err := r.ask(ctx, trace.CallKey{Tick: tick, Agent: agent, Step: ask.Number}, ask, allowed)
		if err != nil {
			return err
		}
		b.bill.Add(r.spending.meter, r.endpoints.of(agent).model, answer)
		b.failure = answer.Failure
		if answer.Reply != nil {
			b.shown = append(b.shown, llmclient.ShownBy(ask.Request, *answer.Reply))
		}
		turn.Answer(answer)
	}
	b.result = turn.Result()
	return nil
}

// consolidate changes the playbooks. Decisions that could not be reflected at wait for
// the next time.
func (r *runner) consolidate(ctx context.Context, tick int64, list []reflected) {
	for i := range list {
		b := &list[i]
		agent := r.agents[b.agent]
		_, changed := r.begin(ctx, Span{Kind: SpanPlaybook, Tick: tick, Agent: b.result.Agent})
		consolidated := b.result.Apply(agent.Playbook(), r.learning.limits)
		changed(Ending{Error: b.result.Failure, Records: len(consolidated.Applied)})
		agent.SetPlaybook(consolidated.Playbook)
		b.steps = consolidated.Steps
		if len(consolidated.Applied) > 0 {
			r.learning.folder.Add(reflect.Learned{
				Agent: b.result.Agent, Applied: consolidated.Applied, Input: b.result.Input,
			})
		}
		if b.result.Failure == "" {
			e := r.learning.experiences[b.agent]
			e.Clear()
			e.Refuse(consolidated.Rejected)
		}
		r.reached.ModelCalls += b.bill.Calls
		r.reached.spend(b.bill)
	}
}

// goalsOf is how far an agent has got.
func goalsOf(w *world.World, agent string) []reflect.Goal {
	var goals []reflect.Goal
	for _, g := range w.Goals() {
		if g.AgentID == agent {
			goals = append(goals, reflect.Goal{Text: g.Goal.Text, Now: g.Now, AtLeast: g.Goal.AtLeast,
				MetAt: g.MetAt})
		}
	}
	return goals
}

// writePlaybooks leaves every agent's playbook in the run directory.
func (r *runner) writePlaybooks() error {
	if r.learning.folder == nil || r.RunDir == "" {
		return nil
	}
	for n := range r.agents {
		if err := run.Dir(r.RunDir).KeepPlaybook(filepath.Base(r.world.AgentID(n)),
			r.agent(n).Playbook().Encode()); err != nil {
			return fmt.Errorf("keep what %s learned: %w", r.world.AgentID(n), err)
		}
	}
	return nil
}

// WritePlaybook replaces the file at path with p atomically, and creates its directory.
func WritePlaybook(path string, p *playbook.Playbook) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write playbook: %w", err)
	}
	return atomicfile.Write(path, p.Encode())
}

// ReplacePlaybook is [WritePlaybook] unless the file no longer holds the bytes seen; see
// [atomicfile.Swap].
func ReplacePlaybook(path string, seen []byte, p *playbook.Playbook) (replaced bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, fmt.Errorf("write playbook: %w", err)
	}
	return atomicfile.Swap(path, seen, p.Encode())
}
