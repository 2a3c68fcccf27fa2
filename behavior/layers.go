package behavior

import (
	"slices"

	"agentworld/behavior/mandate"
	"agentworld/memory"
	"agentworld/world"
)

// Guards reports whether a layer of the guard is on. All are, unless
// [Config.GuardOff] names them.
func (c Config) Guards(layer mandate.Layer) bool { return !slices.Contains(c.GuardOff, layer) }

// untrusted reports whether a source is less trusted than what an agent observes
// itself: somebody else may have chosen its words.
func untrusted(s memory.Source) bool { return s.Trust < memory.SelfObservation }

// swayed reports whether words of others may have brought an action about: some were
// in view when the model proposed it. Doing nothing needs no reason.
func (t *Turn) swayed(proposed world.Action) bool {
	if proposed == nil || proposed == world.Action(world.Wait{}) {
		return false
	}
	return slices.ContainsFunc(t.retrieved, untrusted)
}
