package engine

import (
	"fmt"
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/modules"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// takeForks puts the forks into force whose parents end with the tick just done. It
// is called between ticks.
func (r *runner) takeForks() error {
	for len(r.plan.forks) > 0 && r.plan.forks[0].AtTick == r.reached.Tick {
		f := r.plan.forks[0]
		r.plan.forks = r.plan.forks[1:]
		if err := r.takeFork(f); err != nil {
			return fmt.Errorf("%w: at tick %d: %w", ErrFork, f.AtTick, err)
		}
		if err := r.sink.write(f); err != nil {
			return err
		}
	}
	return nil
}

// takeFork makes everything from the next tick on as the fork has it, but for the length of
// the run. Texts that did not change stay as they are, since a prompt switch may have
// replaced them.
func (r *runner) takeFork(f trace.Fork) error {
	before, next := r.Settings, f.Settings
	next.Ticks = before.Ticks
	scenario, err := scenarioOf(next)
	if err != nil {
		return err
	}
	if err := r.world.SetRules(scenario.Rules); err != nil {
		return err
	}
	kit, err := behavior.NewKit(behaviorConfig(next), scenario.Rules, modules.New())
	if err != nil {
		return err
	}
	seed, err := seedPlaybook(next)
	if err != nil {
		return err
	}
	r.Settings, r.kit = next, kit
	if next.Model != before.Model || next.BaseURL != before.BaseURL || !slices.Equal(next.AgentModels, before.AgentModels) {
		// What is known of endpoints stays known where they stay the same.
		r.endpoints = newEndpoints(next, r.world)
	}
	r.spendAs(before)
	r.plan.switches = slices.DeleteFunc(slices.Clone(next.PromptSwitches), func(s trace.Switch) bool { return s.Tick <= f.AtTick })
	for _, m := range r.minds {
		if m == nil {
			continue
		}
		m.Adopt(kit)
		if next.SystemPrompt != before.SystemPrompt {
			m.SetSystemPrompt(next.SystemPrompt)
		}
		m.SetGoals(changed(before.ShortTermGoal, next.ShortTermGoal), changed(before.LongTermGoal, next.LongTermGoal))
	}
	if next.Playbook != before.Playbook {
		r.reseed(seed)
	}
	r.learnAs(f.RunName())
	return nil
}

// spendAs applies the fork's prices and caps. Caps that it takes over go on counting, also
// when it takes others away; other ones count from here on.
func (r *runner) spendAs(before trace.Settings) {
	r.reached.Currency = r.Currency()
	r.spending.budget.BeginTick()
	switch {
	case state.Afresh(before.Caps, r.Caps):
		r.spending = newSpending(r.Settings)
	case r.Caps != before.Caps:
		r.spending = r.spending.under(r.Caps)
	}
	r.spending.prices = pricesOf(r.Prices)
}

// reseed gives every agent other lessons. What was learned on top of the old ones
// has nothing to be folded into any more.
func (r *runner) reseed(seed *playbook.Playbook) {
	r.seed = seed
	for _, m := range r.minds {
		if m != nil {
			m.SetPlaybook(seed)
		}
	}
	if r.learning.folder != nil {
		r.learning.folder = reflect.NewFolder(seed, playbookLimits(r.Settings))
	}
}

// learnAs makes what is learned from now on evidence of the fork: its decisions are
// not those of its parent in the same ticks.
func (r *runner) learnAs(name string) {
	if !r.Learns() {
		return
	}
	old := r.learning
	r.prepareLearning(name)
	if old.folder == nil {
		return
	}
	r.learning.experiences, r.learning.folder = old.experiences, old.folder
	for _, e := range old.experiences {
		if e != nil {
			e.Rename(name)
		}
	}
}

// changed returns next where it differs from before, and nothing otherwise.
func changed(before, next string) string {
	if next == before {
		return ""
	}
	return next
}
