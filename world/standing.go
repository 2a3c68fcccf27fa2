package world

import "slices"

// standing is an agent's chain under way with what happened since its present step began.
type standing struct {
	// order is the present step with the steps that follow it, a copy of what was submitted.
	order ExecuteUntil
	// step is the number of the present step, from 1.
	step int
	// left counts the attempts of the step not yet made.
	left int64
	// agents and places were visible when the step began; nil where no condition
	// asks for them.
	agents, places []int32
	// parents are those of the intent that began the chain.
	parents []string
	// arrived, jobDone, idled (a factory of the agent ran out of work), powerFell and messaged are
	// set by wake-ups, filled by trades of others; they are kept while the agent cannot act, so that
	// nothing is missed on a journey or in a wait.
	arrived, jobDone, idled, powerFell, messaged, filled bool
}

// ignores says that a chain is under way whose present step is not to be disturbed by
// one of the events in [Ignorable].
func (s *standing) ignores(event string) bool {
	return s != nil && slices.Contains(s.order.Ignore, event)
}

// names says whether a condition of the step is about an event.
func (s *standing) names(event string) bool {
	return slices.ContainsFunc(s.order.Until, func(c Condition) bool { return c.Event == event })
}

// newStanding notes what is visible at the start of the tick, before anyone acts.
func (w *World) newStanding(n int32, order ExecuteUntil) *standing {
	s := &standing{order: cloneAction(order).(ExecuteUntil), step: 1, left: order.MaxTicks}
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

// reviewOrder ends the present step of an able agent when its time has come, and the chain with the
// last step. The refusal of an attempt comes first: it ends the chain, as what [StopAlways] lists
// does. Of the reasons to end the last step the most telling one wins: the conditions in the order
// given, then what ends every chain, then the number of attempts.
func (w *World) reviewOrder(n int32) {
	a := &w.agents[n]
	if !a.last.Accepted {
		w.endOrder(n, StopActionRejected)
		return
	}
	s := a.standing
	done, disturbed := "", ""
	for _, c := range s.order.Until {
		if done == "" && w.holds(n, c) {
			done = c.Event
		}
	}
	for _, event := range StopAlways() {
		if disturbed == "" && !s.ignores(event) && w.holds(n, Condition{Event: event}) {
			disturbed = event
		}
	}
	last := len(s.order.Then) == 0
	switch {
	case done != "" && last:
		w.endOrder(n, done)
	case disturbed != "":
		w.endOrder(n, disturbed)
	case done == "" && s.left > 0:
	case last:
		w.endOrder(n, StopMaxTicks)
	default:
		w.nextStep(n)
	}
}

// nextStep goes on to the next step of agent n's chain. What happened until now is none of its
// conditions.
func (w *World) nextStep(n int32) {
	a := &w.agents[n]
	was := a.standing
	next := was.order.Then[0]
	next.Then = was.order.Then[1:]
	a.standing = w.newStanding(n, next)
	a.standing.step = was.step + 1
	a.standing.parents = was.parents
	w.touchAgent(n)
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

// endOrder drops the chain of agent n and says why.
// The agent is due again at once if it is able.
func (w *World) endOrder(n int32, why string) {
	a := &w.agents[n]
	s := a.standing
	a.ended = OrderEnded{Why: why, Attempts: s.order.MaxTicks - s.left}
	if s.step > 1 || len(s.order.Then) > 0 {
		a.ended.Step, a.ended.Steps = s.step, s.step+len(s.order.Then)
	}
	a.standing = nil
	a.woken = string(EventStandingEnded) + ":" + why
	w.ordered.set(n, false)
	w.touchAgent(n)
	w.emit(Event{Kind: EventStandingEnded, Agent: a.id, Place: w.placeID(a.place), Detail: why})
}

// EndOrders ends all orders and chains between two ticks, because something outside the world that
// they rest on has changed. Sleepers sleep on.
func (w *World) EndOrders() {
	for n := range w.agents {
		if w.agents[n].standing != nil {
			w.endOrder(int32(n), StopChanged)
		}
	}
}

// Standing is what is left of the chain of agent n, with the attempts left of its present step in
// MaxTicks; false when it has none.
func (w *World) Standing(n int) (ExecuteUntil, bool) {
	s := w.agents[n].standing
	if s == nil {
		return ExecuteUntil{}, false
	}
	order := cloneAction(s.order).(ExecuteUntil)
	order.MaxTicks = s.left
	return order, true
}
