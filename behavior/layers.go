package behavior

import (
	"slices"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/world"
)

// Guards reports whether a layer of the guard is on. All are, unless
// [Config.GuardOff] names them.
func (c Config) Guards(layer policy.Layer) bool { return !slices.Contains(c.GuardOff, layer) }

// sways reports whether words of others may have brought an action about: some were
// in view, and the agent's own plan does not cover it.
func (t *Turn) sways(a world.Action) bool {
	if a == nil || !t.untrusted {
		return false
	}
	e := t.evidence(nil)
	e.View, e.Proposed = t.view, a
	_, own := t.mind.alone.Evaluate(a, e)
	return !own
}
