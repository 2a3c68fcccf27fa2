package engine

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// learning is what a run needs for its agents to learn. Every agent has an
// experience and a playbook of its own, so that agents that never meet cannot
// influence each other by what they learn.
type learning struct {
	kit    *reflect.Kit
	limits playbook.Limits
	// experiences are by agent, nil before its first decision.
	experiences []*reflect.Experience
	run         string
	// folder has everything that changed a playbook, in order of tick and agent; nil while
	// agents do not learn.
	folder *reflect.Folder
	// collected is nil but where a finished run is looked back at.
	collected *collector
}

// prepareLearning makes the run, which has a name, ready to learn, if it is to.
func (r *runner) prepareLearning(name string) {
	if !r.Learns() {
		return
	}
	limits := playbookLimits(r.Settings)
	r.learning = learning{
		kit: reflect.NewKit(r.kit.Config(), 1), limits: limits, run: name,
		experiences: make([]*reflect.Experience, r.world.Agents()), folder: reflect.NewFolder(r.seed, limits), collected: r.learning.collected,
	}
}

// experience returns what agent n has to look back at.
func (r *runner) experience(n int) *reflect.Experience {
	if r.learning.experiences[n] == nil {
		r.learning.experiences[n] = reflect.NewExperience(r.learning.run, r.world.AgentID(n))
	}
	return r.learning.experiences[n]
}

// remember tells every agent that acted what came of it.
func (r *runner) remember(tick int64, turns []deliberated) {
	for _, t := range turns {
		o, ok := r.world.LastOutcome(t.agent)
		if !ok {
			panic("engine: an applied action has no outcome")
		}
		r.minds[t.agent].Learn(tick, t.decision, o)
		if r.learning.folder == nil && r.learning.collected == nil {
			continue
		}
		judged := reflect.Judge(r.kit, tick, t.decision, o, refusedCodes(t.steps))
		if r.learning.folder != nil {
			r.experience(t.agent).Add(judged, t.decision.SourcesRetrieved)
		}
		if r.learning.collected != nil {
			r.learning.collected.add(r.world, t.agent, judged, t.decision.SourcesRetrieved)
		}
	}
}

// refusedCodes are why the guard refused actions in a turn, each once.
func refusedCodes(steps []trace.Step) []string {
	var codes []string
	seen := map[string]bool{}
	for _, n := range steps {
		if n.Kind == trace.StepGuard && n.Status != trace.StatusOK && n.Code != "" && !seen[n.Code] {
			seen[n.Code] = true
			codes = append(codes, n.Code)
		}
	}
	return codes
}

// lookedBack is one agent's look back.
type lookedBack struct {
	agent  int
	result reflect.Result
	bill   bill
	steps  []trace.Step
	// failure is how the last request ended, nil when it was answered.
	failure *llmclient.Failure
}

// lookBack lets the agents look back when the tick is one to do so, all at the same time.
// Whatever a turn fails by, the run goes on. The error is a failure to record.
func (r *runner) lookBack(ctx context.Context, tick int64, turns []deliberated) ([]lookedBack, error) {
	if !r.Learns() || tick%r.LearnEvery != 0 {
		return nil, nil
	}
	steps := make(map[int]int, len(turns))
	for _, t := range turns {
		steps[t.agent] = t.decision.Calls
	}
	var backs []lookedBack
	for n, e := range r.learning.experiences {
		if e != nil && e.Len() > 0 && !r.endpoint(n).stopped {
			backs = append(backs, lookedBack{agent: n})
		}
	}
	begin := once(len(backs), func(i int) *reflect.Turn { return r.beginLookBack(backs[i].agent, tick, steps[backs[i].agent]+1) })
	allowed := r.allowLookBacks(backs, begin)
	var group errgroup.Group
	group.SetLimit(r.Concurrency)
	for i := range backs {
		group.Go(func() error { return r.reflect(ctx, tick, begin(i), &backs[i], allowed.of(i)) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	r.settle(allowed)
	for _, b := range backs {
		r.count(allowed, b.agent, b.bill)
	}
	return backs, nil
}

// beginLookBack opens the turn of agent n.
func (r *runner) beginLookBack(n int, tick int64, firstStep int) *reflect.Turn {
	e := r.learning.experiences[n]
	return r.learning.kit.Begin(e, r.minds[n].Playbook(), goalsOf(r.world, e.Agent()), tick, firstStep)
}

// reflect carries out one agent's turn.
func (r *runner) reflect(ctx context.Context, tick int64, turn *reflect.Turn, back *lookedBack, allowed *allowance) error {
	ctx, cancel := r.withDeadline(ctx)
	defer cancel()
	agent := r.world.AgentID(back.agent)
	ctx, end := r.beginTurn(ctx, tick, agent, true)
	defer func() { end(Ending{Error: back.result.Failure}) }()
	for ask, more := turn.Next(); more; ask, more = turn.Next() {
		answer, err := r.ask(ctx, trace.CallKey{Tick: tick, Agent: agent, Step: ask.Number}, ask, allowed)
		if err != nil {
			return err
		}
		back.bill.add(r.spending.prices, r.endpoints.of(agent).model, answer)
		back.failure = answer.Failure
		turn.Answer(answer)
	}
	back.result = turn.Result()
	return nil
}

// curate changes the playbooks. Decisions that could not be looked back at wait for
// the next time.
func (r *runner) curate(tick int64, backs []lookedBack) {
	for i := range backs {
		back := &backs[i]
		mind := r.minds[back.agent]
		curated := back.result.Apply(mind.Playbook(), r.learning.limits)
		mind.SetPlaybook(curated.Playbook)
		back.steps = curated.Steps
		if len(curated.Applied) > 0 {
			r.learning.folder.Add(reflect.Learned{
				Tick: tick, Agent: back.result.Agent, Applied: curated.Applied, Ground: back.result.Ground,
			})
		}
		if back.result.Failure == "" {
			r.learning.experiences[back.agent].Clear()
		}
		r.reached.ModelCalls += back.bill.calls
		r.reached.spend(back.bill)
	}
}

// goalsOf is how far an agent has got.
func goalsOf(w *world.World, agent string) []reflect.Goal {
	var goals []reflect.Goal
	for _, g := range w.Goals() {
		if g.AgentID == agent {
			goals = append(goals, reflect.Goal{Text: g.Goal.Text, Now: g.Now, AtLeast: g.Goal.AtLeast})
		}
	}
	return goals
}

// learned is what the run's agents learned, folded into the playbook they all began
// with; nil when it stays as it is.
func (r *runner) learned() *playbook.Playbook {
	if r.learning.folder == nil {
		return nil
	}
	if next := r.learning.folder.Playbook(); next != r.seed {
		return next
	}
	return nil
}

// writePlaybooks leaves every agent's playbook in the run directory.
func (r *runner) writePlaybooks() error {
	if r.learning.folder == nil || r.RunDir == "" {
		return nil
	}
	for n := range r.minds {
		if err := WritePlaybook(playbookPath(r.RunDir, r.world.AgentID(n)), r.mind(n).Playbook()); err != nil {
			return fmt.Errorf("keep what %s learned: %w", r.world.AgentID(n), err)
		}
	}
	return nil
}
