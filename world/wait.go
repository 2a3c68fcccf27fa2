package world

// WaitTicksMax bounds one wait_ticks.
const WaitTicksMax = 64

// Wait does nothing this tick; the agent is due again next tick.
type Wait struct{}

func (Wait) describe(*Industry) ActionSpec {
	return ActionSpec{
		Aliases: []string{"idle", "noop", "no_op", "pass", "skip", "do_nothing", "rest", "等待",
			"待机"},
	}
}

func (Wait) rule(*facts, senses) ruling { return ruling{} }

func (Wait) afford(*knowledge) Affordance { return Affordance{OK: true} }

func (Wait) carryOut(*World, int32, ruling) effect { return effect{} }

// WaitTicks sleeps until Ticks ticks have passed or something wakes the agent.
type WaitTicks struct {
	// Ticks is at least 1.
	Ticks int64
}

func (WaitTicks) describe(*Industry) ActionSpec {
	return ActionSpec{
		Aliases: []string{"sleep", "sleep_ticks", "休眠"},
		Params: []Param{{
			Name: "ticks", Kind: ParamAmount, Unit: Ticks, Min: 1, Max: WaitTicksMax, Doc: "ticks to sleep",
			Aliases: []string{"duration", "amount", "n"},
		}},
	}
}

// rule costs nothing but the idle draw.
func (a WaitTicks) rule(*facts, senses) ruling {
	if a.Ticks < 1 || a.Ticks > WaitTicksMax {
		return invalidAmount("ticks", a.Ticks, WaitTicksMax, Ticks)
	}
	return ruling{ticks: a.Ticks}
}

func (a WaitTicks) clamp(*knowledge) (Action, []Adjustment) {
	n, adjusted := clampTo(a, a.Ticks, limit{WaitTicksMax, boundRule})
	return WaitTicks{n}, adjusted
}

func (WaitTicks) afford(v *knowledge) Affordance {
	return v.bounded(WaitTicks{1}, limit{WaitTicksMax, boundRule})
}

func (a WaitTicks) carryOut(w *World, n int32, _ ruling) effect {
	w.agents[n].waitUntil = w.tick + a.Ticks
	w.calendar.set(wakeUpOf(n, kindBody), w.agents[n].waitUntil)
	return effect{}
}
