package world

// agent is the stored record of one agent. Its stock is in the ledger; charge
// and heat are (value, tick) pairs whose present value is computed when needed.
type agent struct {
	id      string
	account account
	// place is where the agent is, noPlace while it travels.
	place int32
	// from, to, departedAt and arriveAt describe the last or present journey.
	from, to             int32
	departedAt, arriveAt int64
	// waitUntil is the end of a wait, 0 when it does not wait.
	waitUntil int64
	// settledAt is the tick at which the ledger's electricity is true.
	settledAt int64
	shut      bool
	// announced is the power state of the last power_state event.
	announced powerState
	// alarm is the last power state that woke it or ended its chain, since alarmAt; 0 if none did.
	alarm        powerState
	alarmAt      int64
	heat, heatAt int64
	factories    []int32
	standing     *standing
	// mail is what the agent has got and sent, decidedAt when it last decided.
	mail      mailbox
	decidedAt int64
	woken     string
	// ended is the chain that ended since the agent last acted, with the reason empty
	// when none did. It outlives woken, which an arrival replaces.
	ended OrderEnded
	last  Outcome // its tick is 0 before the first action
	// orders are the records of its orders, at most OrdersMax; placed counts all it
	// ever placed.
	orders []int32
	placed int64
	// offers are the records of its offers, at most one more than OffersMax.
	offers []int32
	// filledAt is the tick in which others last filled an order or took an offer, filledWhy
	// the reason it wakes for; they mean nothing later.
	filledAt  int64
	filledWhy string
	// openingAt and openingElectricity are the charge before the first write in a
	// tick. They only tell contention from plain refusals and mean nothing later.
	openingAt, openingElectricity int64
}

const noPlace int32 = -1

// travelling says that the agent is between two places, where no agent sees it.
func (a *agent) travelling() bool { return a.place == noPlace }

// able says that the agent can act: not travelling, waiting or shut down.
func (a *agent) able() bool { return !a.travelling() && a.waitUntil == 0 && !a.shut }

// electricityOf is the agent's present charge. While awake it loses IdleDraw a tick,
// while shut down it gains AmbientFloor a tick. The change of regime at 0 and at the
// restart level is a wake-up that settles the agent, so that one regime holds from
// settledAt to the present.
func (w *World) electricityOf(a *agent) int64 {
	charge, ticks := w.ledger.of(a.account, electricity), w.tick-a.settledAt
	if a.shut {
		return charge + min(w.law.PowerCapacity-charge, w.law.AmbientFloor*ticks)
	}
	return charge - min(charge, w.law.IdleDraw*ticks)
}

func (w *World) heatOf(a *agent) int64 { return w.law.cooled(a.heat, w.tick-a.heatAt) }

func (w *World) stockOf(a *agent) stock {
	s := w.ledger.stock(a.account)
	s[electricity] = w.electricityOf(a)
	return s
}

// Stock lists what agent n holds at the present tick, without zero amounts, in
// the order of [Resources].
func (w *World) Stock(n int) []Amount {
	s := w.stockOf(&w.agents[n])
	return s.amounts(w.law.Resources)
}

// settle writes the present charge of agent n into the ledger and tells how it
// came about.
func (w *World) settle(n int32) {
	a := &w.agents[n]
	change := w.electricityOf(a) - w.ledger.of(a.account, electricity)
	if a.openingAt != w.tick {
		a.openingAt, a.openingElectricity = w.tick, w.electricityOf(a)
	}
	w.touchAgent(n)
	a.settledAt = w.tick
	if change == 0 {
		return
	}
	from, to := a.account, sinkIdle
	if change > 0 {
		from, to = sourceAmbient, a.account
	}
	w.emit(Event{
		Kind: EventPowerSettled, Agent: a.id,
		Postings: []Posting{w.post(from, to, electricity, max(change, -change))},
	})
}

// spend pays electricity into a sink.
// The battery is settled before and planned after, as with every change of it.
func (w *World) spend(n int32, to account, cost int64) []Posting {
	if cost == 0 {
		return nil
	}
	w.settle(n)
	p := w.post(w.agents[n].account, to, electricity, cost)
	w.planPower(n)
	return append(make([]Posting, 0, postingsUsual), p)
}

// postingsUsual is room for the postings of nearly every action: its electricity
// and what becomes of two resources.
const postingsUsual = 3

// planPower sets the wake-up for the next change of agent n's power state. The
// agent is settled. A state that a write just changed is announced next tick.
func (w *World) planPower(n int32) {
	a := &w.agents[n]
	charge, ticks := w.ledger.of(a.account, electricity), int64(1)
	switch {
	case a.shut:
		ticks = ceilDiv(max(0, w.law.RestartLevel()-charge), w.law.AmbientFloor)
	case w.law.stateOf(charge, false) == a.announced:
		level := int64(0)
		for _, l := range [2]int64{w.law.CriticalLevel(), w.law.LowLevel()} {
			if charge > l {
				level = l
			}
		}
		ticks = ceilDiv(charge-level, w.law.IdleDraw)
	}
	w.calendar.set(wakeUpOf(n, kindPower), w.tick+max(1, ticks))
}

// wake ends a wait of agent n early or on time; it does nothing to an agent that
// does not wait.
func (w *World) wake(n int32, reason string) {
	a := &w.agents[n]
	if a.waitUntil == 0 {
		return
	}
	a.waitUntil = 0
	w.calendar.cancel(wakeUpOf(n, kindBody))
	a.woken = reason
	w.touchAgent(n)
	w.refreshAble(n)
}

// refreshAble keeps the set of able agents in step with the record.
func (w *World) refreshAble(n int32) { w.able.set(n, w.agents[n].able()) }
