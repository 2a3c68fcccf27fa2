package engine

import (
	"cmp"
	"errors"
	"fmt"

	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// OpenTickError says that other caps cannot hold after an unfinished tick: what it may
// still take under the present ones might pass them.
type OpenTickError struct {
	// Tick is the unfinished tick.
	Tick int64
	// Cap names the cap and its bound. Spent counts against it before the tick, Most is
	// what the whole tick can take.
	Cap, Spent, Most string
}

// Error says how much the tick may take.
func (e *OpenTickError) Error() string {
	return fmt.Sprintf("tick %d is unfinished and ends under the present caps: it may take up to %s beside the %s "+
		"spent before it, which may pass the %s", e.Tick, e.Most, e.Spent, e.Cap)
}

// CapsWanted are the caps that the options want from now on, also where nothing is left
// that they could bound.
func (s *Resumption) CapsWanted() trace.Caps {
	latest := s.State.CapsAt(s.State.Tick + 2)
	if s.options.Caps == nil {
		return latest
	}
	return s.options.Caps(latest)
}

// CapsBefore are the caps that held when the run was left. Other ones hold from the tick
// changed on; 0 means that they stay.
func (s *Resumption) CapsBefore() (caps trace.Caps, changed int64) {
	caps = s.State.CapsAt(s.State.Tick + 1)
	if s.change != nil && s.change.Caps != caps {
		changed = s.change.Tick
	}
	return caps, changed
}

// changesAt are the changes of a tick: recorded ones, and that of this resume or of an earlier
// one that no tick has begun with.
func (s *Resumption) changesAt(tick int64) []state.Change {
	changes := s.State.ChangesAt(tick)
	if pending := cmp.Or(s.change, s.State.Pending); pending != nil && pending.Tick == tick {
		changes = append(changes, state.Change{Resumed: pending})
	}
	return changes
}

// changeTick is the first tick that a resume can change.
func (s *Resumption) changeTick() int64 {
	if len(s.State.Open.Exchanges) > 0 {
		return s.State.Tick + 2
	}
	return s.State.Tick + 1
}

// planCaps plans the change to the caps that are wanted: from the next tick on, or from
// the one after where something of that was answered already. The error says why there
// can be none.
func (s *Resumption) planCaps() error {
	before := s.State.CapsAt(s.State.Tick + 1)
	latest := s.State.CapsAt(s.State.Tick + 2)
	wanted := s.CapsWanted()
	if wanted == before && wanted == latest {
		return nil
	}
	now := s.State.Header.SettingsAt(s.State.Tick)
	now.Caps = wanted
	open := len(s.State.Open.Exchanges) > 0
	if err := now.Validate(); err != nil {
		return fmt.Errorf("%w so: %w", ErrNotResumable, err)
	}
	if s.Complete() {
		return nil // there is nothing left that they could bound
	}
	if wanted != latest {
		s.alter().Caps = wanted
	}
	if !open || s.options.AbandonTick || wanted == before {
		return nil
	}
	// The unfinished tick may pass the caps wanted: every agent may take the longest turn,
	// within what the present caps leave.
	agents, most := int64(len(s.State.Header.Agents)), longestTurn(now, s.State.Tick+1)
	for _, at := range []struct {
		scope    budget.Scope
		cap, had trace.Limit
		spent    state.Spent
		turns    int64
	}{
		{budget.Run, now.Caps.Run, before.Run, s.State.Spent, agents},
		{budget.Agent, now.Caps.Agent, before.Agent, s.State.MostSpent(), 1},
	} {
		spent := budget.Amount{at.spent.Calls, at.spent.Tokens, int64(at.spent.Cost)}
		may := most.Times(at.turns).AtMost(spent.Leaves(at.had)).AtMost(budget.Amount{}.Leaves(before.Tick))
		for u, left := range spent.Leaves(at.cap) {
			if may[u] > left {
				e := budget.Refusal{Scope: at.scope, Unit: budget.Unit(u), Cap: budget.AmountOf(at.cap)[u], Need: may[u],
					Spent: spent[u]}
				return errors.Join(ErrNotResumable,
					&OpenTickError{Tick: s.State.Tick + 1, Cap: e.CapText(), Spent: e.SpentText(), Most: e.NeedText()})
			}
		}
	}
	return nil
}

// longestTurn is the most that an agent can take in a tick.
func longestTurn(s trace.Settings, tick int64) budget.Amount {
	cfg := behaviorConfig(s).WithDefaults()
	calls := int64(cfg.CallsMax())
	if s.Learns() && tick%s.LearnEvery == 0 {
		calls += int64(reflect.NewRuntime(cfg, 1).CallsMax())
	}
	window := int64(cfg.ContextWindowTokens)
	dearest := price.Money(0)
	for _, p := range s.Prices {
		for _, asked := range s.SamplingSet() {
			u := llmclient.Usage{Input: window, Output: window, ServiceTier: asked.Tier()}
			dearest = max(dearest, p.Most(u))
		}
	}
	return budget.Amount{calls, calls * window, calls * int64(dearest)}
}
