package world

import "slices"

// standing is an agent's order under way with what happened since it began.
type standing struct {
	// order is a copy of what was submitted.
	order ExecuteUntil
	// left counts the attempts not yet made.
	left int64
	// agents and places were visible when the order began; nil where no condition
	// asks for them.
	agents, places []int32
	// parents are those of the intent that began it.
	parents []string
	// arrived, jobDone, powerFell and messaged are set by wake-ups, filled by trades
	// of others; they are kept while the agent cannot act, so that nothing is missed
	// on a journey or in a wait.
	arrived, jobDone, powerFell, messaged, filled bool
}

// ignores says that a standing order is under way which is not to be disturbed by
// one of the events in [StopAlways].
func (s *standing) ignores(event string) bool {
	return s != nil && slices.Contains(s.order.Ignore, event)
}

// names says whether a condition of the order is about an event.
func (s *standing) names(event string) bool {
	return slices.ContainsFunc(s.order.Until, func(c Condition) bool { return c.Event == event })
}

// newStanding notes what is visible at the start of the tick, before anyone acts.
func (w *World) newStanding(n int32, order ExecuteUntil) *standing {
	s := &standing{order: cloneAction(order).(ExecuteUntil), left: order.MaxTicks}
	for _, c := range order.Until {
		switch c.Event {
		case StopNewVisibleAgent:
			s.agents = w.visibleAgents(n)
		case StopNewVisibleLocation:
			s.places = w.visiblePlaces(n)
		}
	}
	return s
}

// visibleAgents lists the other agents within visibility of agent n, sorted.
// It looks at all visible places, more than a view may list: an agent that comes
// into view must be noticed also in a crowd.
func (w *World) visibleAgents(n int32) []int32 {
	list := []int32{}
	here := w.agents[n].place
	for _, k := range w.visiblePlaces(n) {
		if k != here {
			list = append(list, w.othersAt(k, n)...)
			continue
		}
		for _, m := range w.sites[here].present {
			if m != n {
				list = append(list, m)
			}
		}
	}
	slices.Sort(list)
	return list
}

// visiblePlaces lists the places within visibility of agent n, its own included.
func (w *World) visiblePlaces(n int32) []int32 {
	list := []int32{w.agents[n].place}
	w.geo.eachVisible(w.agents[n].place, func(k near) { list = append(list, k.place) })
	slices.Sort(list)
	return list
}

// anyNew says whether now has a number that before lacks; both are sorted.
func anyNew(now, before []int32) bool {
	return slices.ContainsFunc(now, func(n int32) bool {
		_, known := slices.BinarySearch(before, n)
		return !known
	})
}

// reviewOrder ends the order of an able agent when its time has come.
// The refusal of an attempt comes first, then the conditions in the order given,
// then what ends every order, then the number of attempts: the most telling reason
// wins.
func (w *World) reviewOrder(n int32) {
	a := &w.agents[n]
	if !a.last.Accepted {
		w.endOrder(n, StopActionRejected)
		return
	}
	for _, c := range a.standing.order.Until {
		if w.holds(n, c) {
			w.endOrder(n, c.Event)
			return
		}
	}
	for _, event := range StopAlways() {
		if !a.standing.ignores(event) && w.holds(n, Condition{Event: event}) {
			w.endOrder(n, event)
			return
		}
	}
	if a.standing.left == 0 {
		w.endOrder(n, StopMaxTicks)
	}
}

// harvested says whether the last action was an accepted harvest, alone or as a first
// attempt, that yielded most or less.
func (o Outcome) harvested(most int64) bool {
	do := o.Action
	if order, ok := do.(ExecuteUntil); ok {
		do = order.Do
	}
	_, ok := do.(Harvest)
	return ok && o.Accepted && o.Changes[0].Amount <= most
}

// endOrder drops the order of agent n and says why.
// The agent is due again at once if it is able.
func (w *World) endOrder(n int32, why string) {
	a := &w.agents[n]
	a.ended = OrderEnded{Why: why, Attempts: a.standing.order.MaxTicks - a.standing.left}
	a.standing = nil
	a.woken = string(EventStandingEnded) + ":" + why
	w.ordered.set(n, false)
	w.touchAgent(n)
	w.emit(Event{Kind: EventStandingEnded, Agent: a.id, Place: w.placeID(a.place), Detail: why})
}

// Standing is the standing order of agent n with the attempts left in MaxTicks;
// false when it has none.
func (w *World) Standing(n int) (ExecuteUntil, bool) {
	s := w.agents[n].standing
	if s == nil {
		return ExecuteUntil{}, false
	}
	order := cloneAction(s.order).(ExecuteUntil)
	order.MaxTicks = s.left
	return order, true
}
