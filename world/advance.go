package world

// Advance starts the next tick. It works off the calendar in the order of tick,
// entity and kind, ends standing orders whose condition holds, and fixes who is
// due and who continues. It returns what happened, in order.
func (w *World) Advance() []Event {
	w.tick++
	w.told = 0
	w.digest.touchHeader()
	clear(w.acted)
	for s, ok := w.calendar.next(w.tick); ok; s, ok = w.calendar.next(w.tick) {
		n, kind := int32(s)/wakeUpKinds, int32(s)%wakeUpKinds
		switch {
		case int(n) >= len(w.agents):
			w.factoryStep(n - int32(len(w.agents)))
		case kind == kindPower:
			w.powerChanges(n)
		case kind == kindMail:
			w.deliver(n)
		case kind == kindOrders:
			w.expire(n)
		case w.agents[n].travelling():
			w.arrive(n)
		default:
			w.emit(Event{Kind: EventWaitOver, Agent: w.agents[n].id, Place: w.placeID(w.agents[n].place)})
			w.wake(n, string(EventWaitOver))
		}
	}
	for _, n := range w.able.appendBoth(nil, w.ordered) {
		w.reviewOrder(int32(n))
	}
	w.due = w.due[:0]
	for i, word := range w.able {
		w.due = appendWord(w.due, word&^w.ordered[i], i)
	}
	w.continuing = w.able.appendBoth(w.continuing[:0], w.ordered)
	copy(w.summoned, w.able)
	return w.finish()
}

// arrive ends a journey. An agent that ran dry on the way arrives shut down and
// is not due before it restarts.
// The charge of the journey was paid at departure; nothing is settled here, unless
// orders hold electricity for it.
func (w *World) arrive(n int32) {
	a := &w.agents[n]
	a.place, a.to = a.to, noPlace
	a.woken = string(EventArrived)
	if a.standing != nil {
		a.standing.arrived = true
	}
	w.enter(a.place, n)
	w.touchAgent(n)
	w.refreshAble(n)
	w.emit(Event{Kind: EventArrived, Agent: a.id, Place: w.placeID(a.place), Subject: w.placeID(a.from)})
	w.dropClosed(n)
	w.collect(n)
	a.openingAt = -1 // the tick begins with what was handed over
}

// powerChanges settles agent n, announces a new power state and plans the next.
// A wake-up may find the state unchanged, for instance when a gift came after it
// was planned; it then only plans the next one.
func (w *World) powerChanges(n int32) {
	w.settle(n)
	a := &w.agents[n]
	charge := w.ledger.of(a.account, electricity)
	switch {
	case a.shut && charge >= w.law.RestartLevel():
		// One that is still travelling learns of its restart on arrival; the others are due
		// at once and are told why, unless an order that the shutdown ended says more.
		a.shut = false
		w.announcePower(n, w.law.stateOf(charge, false))
		if !a.travelling() && a.woken == "" {
			a.woken = string(EventPowerState)
		}
		w.refreshAble(n)
	case !a.shut && charge == 0:
		// Wait and standing order end, a journey coasts on.
		a.shut = true
		w.announcePower(n, powerShutdown)
		w.wake(n, "")
		a.woken = ""
		if a.standing != nil {
			w.endOrder(n, StopShutdown)
		}
		w.refreshAble(n)
	case w.law.stateOf(charge, a.shut) != a.announced:
		if told := w.announcePower(n, w.law.stateOf(charge, a.shut)); told && !a.standing.ignores(StopPowerLow) {
			w.wake(n, string(EventPowerState))
		}
	}
	w.planPower(n)
}

// announcePower emits the event of a new power state. If the state got worse, it notes that for a
// chain. A charge that crosses a level again and again has one cause, so the agent is told of one
// worse state once in [AlarmTicks] ticks. told says that it is to be told now. The states are ordered
// from normal to shutdown.
func (w *World) announcePower(n int32, state powerState) (told bool) {
	a := &w.agents[n]
	worse := state > a.announced
	told = !worse || state != a.alarm || w.tick >= a.alarmAt+AlarmTicks
	if worse && told {
		a.alarm, a.alarmAt = state, w.tick
		if a.standing != nil {
			a.standing.powerFell = true
		}
	}
	a.announced = state
	w.touchAgent(n)
	w.emit(Event{Kind: EventPowerState, Agent: a.id, Place: w.placeID(a.place), Detail: state.String()})
	return told
}

// finish looks at the goals of agents that changed in the Advance or Apply under way, which
// changes no balance, and hands over the events collected. The caller may keep them.
func (w *World) finish() []Event {
	for _, n := range w.digest.agents.take() {
		w.reviewGoals(n)
	}
	events := w.events
	w.events = nil
	return events
}
