package engine

import (
	"fmt"
	goreflect "reflect"

	"example.com/agentworld/engine/budget"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Prepared is a run before its first tick: settings that can run, and the world they
// make. It can be looked at, and then played once.
type Prepared struct {
	r *runner
	// first is the world as it wakes into its first tick, nil before somebody looks at it.
	first *world.World
}

// Prepare builds a run without recording or sending anything. The error says why the
// settings cannot run.
func Prepare(s trace.Settings) (*Prepared, error) {
	if err := behaviorConfig(s).Validate(); err != nil {
		return nil, err
	}
	var o Options
	o.Settings = s
	r, err := newRunner(o, discarding{})
	if err != nil {
		return nil, err
	}
	for i, sw := range r.PromptSwitches {
		if _, known := r.world.AgentNumber(sw.AgentID); sw.AgentID != "" && !known {
			return nil, fmt.Errorf("prompt switch %d: there is no agent %q", i+1, sw.AgentID)
		}
	}
	for _, a := range r.AgentModels {
		if _, known := r.world.AgentNumber(a.Agent); !known {
			return nil, fmt.Errorf("model of agent %q: there is no such agent", a.Agent)
		}
	}
	for _, s := range r.Settings.Seats {
		if _, known := r.world.AgentNumber(s.Agent); !known && s.Agent != trace.AnyAgent {
			return nil, fmt.Errorf("seat of agent %q: there is no such agent", s.Agent)
		}
	}
	if err := r.checkWindow(); err != nil {
		return nil, err
	}
	return &Prepared{r: r}, nil
}

// plays reports whether the run has these settings; what it was expected to take changes
// nothing.
func (p *Prepared) plays(s trace.Settings) bool {
	has := p.r.Settings
	s.Estimate, has.Estimate = nil, nil
	return goreflect.DeepEqual(s, has)
}

// checkWindow reports texts that leave no room in the context window, at the
// start or after a switch. Agents with the same persona are checked once.
func (r *runner) checkWindow() error {
	checked := map[world.Persona]bool{}
	for n := range r.world.Agents() {
		persona := r.world.Persona(n)
		if checked[persona] || r.endpoint(n).seat != nil {
			continue
		}
		checked[persona] = true
		m := r.runtime.Agent(r.world.AgentID(n), persona)
		m.SetGoals(r.ShortTermGoal, r.LongTermGoal)
		if err := m.Fits(); err != nil {
			return err
		}
		for _, sw := range r.PromptSwitches {
			applySwitch(m, sw)
			if err := m.Fits(); err != nil {
				return fmt.Errorf("prompt switch at tick %d: %w", sw.Tick, err)
			}
		}
	}
	return nil
}

// look lets the run be looked at in its first tick until back is called. Its own world stays
// before that tick, which may begin with more than is known now.
func (p *Prepared) look() (back func()) {
	before := p.r.world
	if p.first == nil {
		p.first = before.Fork()
		p.first.Advance()
	}
	p.r.world = p.first
	return func() { p.r.world = before }
}

// CheckFirstTick reports a cap that is too small for every turn of the first tick: the
// run would end before its first call. It says what the smallest turn needs.
func (p *Prepared) CheckFirstTick() error {
	r := p.r
	if !r.spending.capped() {
		return nil
	}
	defer p.look()()
	due := r.asking(r.world.Due())
	for _, n := range due {
		for _, s := range r.plan.switches {
			if s.Tick <= 1 && (s.AgentID == "" || s.AgentID == r.world.AgentID(n)) {
				applySwitch(r.agent(n), s)
			}
		}
		r.agent(n)
	}
	reservations := r.allowDecisions(due, r.turns(due)).reservations()
	why := budget.Exhausted(reservations, r.world.Agents())
	if why == nil {
		return nil
	}
	why = budget.Smallest(reservations, why)
	return fmt.Errorf("%s: no turn fits; the smallest one of the first tick, of %s, needs %s, for its shortest path "+
		"with answers of full length",
		why.CapText(), why.Agent, why.NeedText())
}
