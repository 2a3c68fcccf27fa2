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

// battery is an agent's electricity as last settled. While awake it loses
// IdleDraw a tick, while shut down it gains AmbientFloor a tick.
type battery struct {
	value     int64
	settledAt int64
	shut      bool
}

// at is the electricity at tick, which is not before settledAt. The change of
// regime at 0 and at the restart threshold is a wake-up that settles the
// battery, so that one regime holds from settledAt to the present.
func (l *law) electricityAt(b battery, tick int64) int64 {
	ticks := tick - b.settledAt
	if b.shut {
		return b.value + min(l.PowerCapacity-b.value, l.AmbientFloor*ticks)
	}
	return b.value - min(b.value, l.IdleDraw*ticks)
}

// lowLevel and criticalLevel are the highest charges of those states.
func (r Rules) lowLevel() int64      { return r.PowerCapacity * r.LowPercent / 100 }
func (r Rules) criticalLevel() int64 { return r.PowerCapacity * r.CriticalPercent / 100 }

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
	case v > r.lowLevel():
		return powerNormal
	case v > r.criticalLevel():
		return powerLow
	}
	return powerCritical
}

// ticksToChange is how many ticks pass until the state of a battery settled now
// changes by itself: at least 1. After a write that moved the charge across a
// level the caller announces the new state in the next tick instead.
func (r Rules) ticksToChange(b battery) int64 {
	if b.shut {
		return max(1, ceilDiv(max(0, r.RestartLevel()-b.value), r.AmbientFloor))
	}
	for _, level := range []int64{r.lowLevel(), r.criticalLevel()} {
		if b.value > level {
			return ceilDiv(b.value-level, r.IdleDraw)
		}
	}
	return max(1, ceilDiv(b.value, r.IdleDraw))
}
