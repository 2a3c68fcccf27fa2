package engine

import (
	"fmt"
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// takeForks puts the forks into force that begin after the last tick. It is called between ticks.
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

// takeFork puts the settings of a fork into force from the next tick on, except for the length of the run.
// Texts that did not change stay as they are, since a prompt switch may have replaced them.
func (r *runner) takeFork(f trace.Fork) error {
	before, next := r.Settings, f.Settings
	next.Ticks = before.Ticks
	scenario, err := playback.Scenario(next)
	if err != nil {
		return err
	}
	if err := f.Change(r.world, scenario); err != nil {
		return err
	}
	runtime, seed, err := runtimeOf(next, r.world, scenario.Rules)
	if err != nil {
		return err
	}
	r.Settings, r.runtime = next, runtime
	if next.Model != before.Model || next.BaseURL != before.BaseURL ||
		!slices.Equal(next.AgentModels, before.AgentModels) {
		// What is known of endpoints stays known where they stay the same.
		r.endpoints = newEndpoints(next, r.world)
	} else if !slices.Equal(next.Seats, before.Seats) {
		r.endpoints = newEndpoints(next, r.world).after(r.endpoints)
	}
	// Caps that the fork inherits keep counting, even if it removes others; new caps count
	// from here on.
	r.reached.Currency = r.Currency()
	r.spending.budget.BeginTick()
	switch {
	case state.Afresh(before.Caps, r.Caps):
		r.spending = newMeters(r.Settings)
	case r.Caps != before.Caps:
		r.spending = r.spending.under(r.Caps)
	}
	r.spending.meter.Prices = budget.PricesOf(r.Prices)
	r.plan.switches = slices.DeleteFunc(slices.Clone(next.PromptSwitches),
		func(s trace.Switch) bool { return s.Tick <= f.AtTick })
	for _, m := range r.agents {
		if m == nil {
			continue
		}
		m.Adopt(runtime)
		if next.SystemPrompt != before.SystemPrompt {
			m.SetSystemPrompt(next.SystemPrompt)
		}
		m.SetGoals(changed(before.ShortTermGoal, next.ShortTermGoal), changed(before.LongTermGoal, next.LongTermGoal))
		if next.Playbook != before.Playbook {
			m.SetPlaybook(seed)
		}
	}
	if next.Playbook != before.Playbook {
		r.seed = seed
		if r.learning.folder != nil {
			// What was learned on top of the old lessons has nothing to be folded into any more.
			r.learning.folder = reflect.NewFolder(seed, playbook.Limits{BulletsMax: r.PlaybookSize})
		}
	}
	if old := r.learning; r.Learns() {
		// What is learned from now on is evidence of the fork: its decisions are not those of
		// its parent in the same ticks.
		r.prepareLearning(f.RunName())
		if old.folder != nil {
			r.learning.experiences, r.learning.folder = old.experiences, old.folder
			for _, e := range old.experiences {
				e.Rename(f.RunName())
			}
		}
	}
	return nil
}

// changed returns next where it differs from before, and nothing otherwise.
func changed(before, next string) string {
	if next == before {
		return ""
	}
	return next
}

// takeChanges puts the prompt switches of a tick into force, and then the changes by resumes and operators
// that are recorded or planned, in the order of the trace.
func (r *runner) takeChanges(tick int64) error {
	for len(r.plan.switches) > 0 && r.plan.switches[0].Tick <= tick {
		s := r.plan.switches[0]
		r.plan.switches = r.plan.switches[1:]
		r.switchPrompts(s)
		if err := r.sink.write(s); err != nil {
			return err
		}
	}
	r.spending.budget.BeginTick()
	if r.plan.changes == nil {
		return nil
	}
	for _, c := range r.plan.changes(tick) {
		if err := r.takeChange(c); err != nil {
			return err
		}
	}
	return nil
}

// takeChange records a change and puts it into force.
func (r *runner) takeChange(c state.Change) error {
	r.changed()
	if c.Control != nil {
		if err := r.takeControl(*c.Control); err != nil {
			return fmt.Errorf("the control recorded in tick %d: %w", c.Control.Tick, err)
		}
		return r.sink.write(*c.Control)
	}
	if err := r.sink.write(*c.Resumed); err != nil {
		return err
	}
	r.spending, r.Caps = r.spending.under(c.Resumed.Caps), c.Resumed.Caps
	if c.Resumed.Seats != nil {
		r.Settings.Seats = c.Resumed.Seats
		r.endpoints = newEndpoints(r.Settings, r.world).after(r.endpoints)
	}
	if c.Resumed.AskAgain {
		r.endpoints.askAgain()
	}
	return nil
}

// switchPrompts applies a switch to the agents it is for.
func (r *runner) switchPrompts(s trace.Switch) {
	r.changed()
	for n := range r.agents {
		if s.AgentID == "" || s.AgentID == r.world.AgentID(n) {
			applySwitch(r.agent(n), s)
		}
	}
}

func applySwitch(m *behavior.Agent, s trace.Switch) {
	if s.SystemPrompt != nil {
		m.SetSystemPrompt(*s.SystemPrompt)
	}
	var short, long string
	if s.ShortTermGoal != nil {
		short = *s.ShortTermGoal
	}
	if s.LongTermGoal != nil {
		long = *s.LongTermGoal
	}
	m.SetGoals(short, long)
	if s.Persona != nil {
		m.SetPersona(*s.Persona)
	}
}
