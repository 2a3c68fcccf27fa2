// Package playback plays the world of a run again from its recorded decisions, without a model
// and without prompts.
//
//	p, err := playback.Begin(header)
//	for each record after the header {
//		if whole, err := p.Add(record); whole {
//			p.World() // as it was after that tick
//		}
//	}
//
// Every tick must have the recorded digest. Any tick can be played again from a fork of an earlier
// world, see [Continue].
package playback

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// ErrDiffers says that a world cannot be played again: other rules, or a record that does not
// fit.
var ErrDiffers = errors.New("the world of this run cannot be played again")

// Playback is the world of a run after the ticks so far.
type Playback struct {
	world *world.World
	// decisions and events are those of the open tick, forks those that begin with it, and
	// told what an operator wrote.
	decisions []trace.Decision
	events    []world.Event
	forks     []fork
	told      []trace.Control
	// happened is what happened in the last whole tick.
	happened []world.Event
}

// fork is a fork with the scenario that is played from there on.
type fork struct {
	trace.Fork
	scenario world.Scenario
}

// play plays the next tick of the world with these intents. The error says that they are not of this
// world, which must not be used after it.
func (p *Playback) play(intents []world.Intent) error {
	w := p.world
	for _, f := range p.forks {
		if err := f.Change(w, f.scenario); err != nil {
			return err
		}
	}
	for _, c := range p.told {
		if err := w.Tell(c.AgentID, c.Text); err != nil {
			return err
		}
	}
	p.happened = w.Advance()
	due, continuing := w.Due(), w.Continuing()
	acted := make(map[int]bool, len(intents))
	for _, in := range intents {
		_, isDue := slices.BinarySearch(due, in.Agent)
		_, ordered := slices.BinarySearch(continuing, in.Agent)
		if !isDue && !ordered || ordered && len(in.Otherwise) > 0 || acted[in.Agent] {
			return fmt.Errorf("tick %d: agent %d has no such decision to make", w.Tick(), in.Agent)
		}
		acted[in.Agent] = true
	}
	p.happened = append(p.happened, w.Apply(intents)...)
	return nil
}

// Begin returns the world of a run before its first tick. The error wraps [ErrDiffers].
func Begin(h trace.Header) (*Playback, error) {
	if h.RulesVersion != world.RulesVersion {
		return nil, fmt.Errorf("%w: it was recorded under rules version %q, these are %s", ErrDiffers, h.RulesVersion,
			world.RulesVersion)
	}
	of, err := Scenario(h.Settings)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDiffers, err)
	}
	w, err := world.New(of, h.Settings.Seed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDiffers, err)
	}
	return &Playback{world: w}, nil
}

// Continue returns a playback of the ticks that follow in w, which it changes.
func Continue(w *world.World) *Playback { return &Playback{world: w} }

// Scenario is what a run with some settings plays. The error names what in its text does not fit together.
func Scenario(s trace.Settings) (world.Scenario, error) {
	return scenario.Instance(s.Scenario, []byte(s.ScenarioTOML),
		scenario.Choice{Seed: s.Seed, Vary: s.Vary, Rules: s.Rules, Goals: s.Goals, Agents: s.AgentsOverride,
			Language: s.Language})
}

// World is the world after the last whole tick. The next Add changes it.
func (p *Playback) World() *world.World { return p.world }

// Happened are the events of the last whole tick, in their order. Nothing may be changed in them.
func (p *Playback) Happened() []world.Event { return p.happened }

// Reopen forgets the records since the last whole tick: they will be added again.
func (p *Playback) Reopen() {
	p.decisions = nil
	p.events = nil
	p.forks = nil
	p.told = nil
}

// Add takes the next record. whole says that it ended a tick, which was played and has the
// recorded digest. The error wraps [ErrDiffers], and nothing may be added after it.
func (p *Playback) Add(record trace.Record) (whole bool, err error) {
	switch r := record.(type) {
	case trace.Fork:
		var of world.Scenario
		of, err = Scenario(r.Settings)
		if err == nil {
			p.forks = append(p.forks, fork{r, of})
		}
	case trace.Control:
		if r.Kind == trace.ControlMessage {
			p.told = append(p.told, r)
		}
	case trace.Resume:
		p.decisions, p.events = nil, nil // of a tick that is played again
	case trace.Decision:
		p.decisions = append(p.decisions, r)
	case trace.Event:
		if r.Event.Kind == world.EventActionRejected {
			p.events = append(p.events, r.Event)
		}
	case trace.TickEnd:
		err, whole = p.tick(r), true
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrDiffers, err)
	}
	return whole, nil
}

func (p *Playback) tick(end trace.TickEnd) error {
	if end.Tick != p.world.Tick()+1 {
		return fmt.Errorf("tick %d does not follow tick %d", end.Tick, p.world.Tick())
	}
	intents := make([]world.Intent, len(p.decisions))
	for i, d := range p.decisions {
		in, err := p.intent(d)
		if err != nil {
			return fmt.Errorf("tick %d, %q: %w", end.Tick, d.AgentID, err)
		}
		intents[i] = in
	}
	if err := p.play(intents); err != nil {
		return err
	}
	if digest := p.world.Digest().String(); digest != end.Digest {
		return fmt.Errorf("after tick %d the digest is %s, recorded %s", end.Tick, digest, end.Digest)
	}
	p.Reopen()
	return nil
}

// intent is what a decision asked of the world: the actions that the world refused, which are only
// in its events, and then the one that the decision records.
func (p *Playback) intent(d trace.Decision) (world.Intent, error) {
	n, known := p.world.AgentNumber(d.AgentID)
	if !known {
		return world.Intent{}, errors.New("there is no such agent")
	}
	executed, err := world.DecodeAction(d.Executed)
	if err != nil {
		return world.Intent{}, err
	}
	actions, err := p.refused(d)
	if err != nil {
		return world.Intent{}, err
	}
	actions = append(actions, executed)
	otherwise := actions[1:]
	order := func(a world.Action) bool { _, is := a.(world.ExecuteUntil); return is }
	if slices.ContainsFunc(otherwise, order) {
		return world.Intent{}, errors.New("a standing order cannot take the place of a refused action")
	}
	return world.Intent{Agent: n, Action: actions[0], Otherwise: otherwise, Parents: d.Parents}, nil
}

// refused are the actions that the world refused before the one that a decision records.
func (p *Playback) refused(d trace.Decision) (actions []world.Action, err error) {
	if !bytes.Contains(d.Outcome, []byte("refused_before")) { // most have none
		return nil, nil
	}
	var o struct {
		RefusedBefore int `json:"refused_before"`
	}
	if err := json.Unmarshal(d.Outcome, &o); err != nil {
		return nil, err
	}
	for _, e := range p.events {
		if e.Agent == d.AgentID && len(actions) < o.RefusedBefore {
			actions = append(actions, e.Action)
		}
	}
	if len(actions) != o.RefusedBefore || slices.Contains(actions, nil) {
		return nil, errors.New("the refused actions before it are missing")
	}
	return actions, nil
}
