package world

// powerState is how much electricity an agent has left.
type powerState uint8

// The power states, from good to bad; announcements compare them.
const (
	powerNormal powerState = iota
	// powerLow and powerCritical are warnings without an effect of their own.
	powerLow
	powerCritical
	// powerShutdown is the only state in which an agent cannot act. It ends by
	// itself, since the ambient floor is at least 1.
	powerShutdown
)

var powerStateNames = [...]string{"normal", "low", "critical", "shutdown"}

// String is the state's name in events and observations.
func (s powerState) String() string { return powerStateNames[s] }

// LowLevel and CriticalLevel are the highest charges of those states.
func (r Rules) LowLevel() int64      { return r.PowerCapacity * r.LowPercent / 100 }
func (r Rules) CriticalLevel() int64 { return r.PowerCapacity * r.CriticalPercent / 100 }

// RestartLevel is the charge at which a shut-down agent restarts.
func (r Rules) RestartLevel() int64 {
	return max(1, ceilDiv(r.PowerCapacity*r.RestartPercent, 100))
}

// The levels are computed in whole units; with a small capacity two of them may
// coincide, and the state between them then does not occur.

// stateOf is the power state of an awake agent with charge v; an awake agent
// with nothing left shuts down at its next wake-up.
func (r Rules) stateOf(v int64, shut bool) powerState {
	switch {
	case shut:
		return powerShutdown
	case v > r.LowLevel():
		return powerNormal
	case v > r.CriticalLevel():
		return powerLow
	}
	return powerCritical
}
