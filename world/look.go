package world

import "slices"

// View is what agent n knows now. It copies, changes nothing, and may be called for several
// agents at once. Its cost is that of the visible places and of the agents at those that
// were ever visited, whatever the number of places and agents in the world.
func (w *World) View(n int) View {
	a := &w.agents[n]
	v := &knowledge{
		facts: w.factsOf(int32(n)), geo: w.geo, place: a.place, last: a.last, allMates: true,
		seen: Observation{
			Tick: w.tick, Self: w.Self(n), Woken: a.woken, Agents: []Contact{}, Factories: []Factory{},
			InboxDropped: a.mail.dropped,
		},
	}
	v.policy = w.scenario.Policy
	v.planned = w.scenario.planned()
	v.numbers = w.numbers
	v.standing, _ = w.Standing(n)
	if s := a.standing; s != nil {
		v.step, v.begins = s.step, s.left == s.order.MaxTicks
	}
	v.goals, v.task = w.goalsOf(n), w.scenario.Task
	if a.ended.Why != "" {
		v.seen.OrderEnded = new(a.ended)
	}
	// Newest first: a caller that has to shorten a list does so at its end.
	for _, l := range slices.Backward(a.mail.inbox) {
		m := Message{
			ID: w.letterID(l), From: w.sender(l), Sent: l.sentAt, Arrived: l.arrivedAt,
			Text: l.text, New: l.arrivedAt > a.decidedAt, Kind: l.kind(), Parents: l.parents,
		}
		if l.terms != nil {
			m.Terms = new(w.show(known{terms: l.terms}))
			m.Terms.ExpiresIn = 0
		}
		v.seen.Inbox = append(v.seen.Inbox, m)
	}
	if w.scenario.Terms {
		w.lookAtTerms(v, int32(n))
	}
	for _, k := range a.factories {
		v.seen.Factories = append(v.seen.Factories, w.describe(&w.factories[k]))
	}
	if a.travelling() {
		return View{v} // a traveller sees nothing
	}
	place := &w.geo.places[a.place]
	v.seen.Here = Here{
		ID: place.ID, Name: place.Name, Material: place.Material,
		Radiation: w.geo.radiation[a.place], CompoundG: w.reserveOf(a.place), Offers: v.seen.Here.Offers,
	}
	v.seen.Here.Notes = append(v.seen.Here.Notes, w.sites[a.place].notes...)
	slices.Reverse(v.seen.Here.Notes) // newest first
	w.lookAround(v, int32(n))
	w.lookAtMarket(v, int32(n))
	return View{v}
}

// Self is the own state of agent n, settled at the present tick without storing
// it. It costs far less than a view, which also looks around.
func (w *World) Self(n int) Self {
	a := &w.agents[n]
	s := w.stockOf(a)
	self := Self{
		ID: a.id, Name: w.scenario.personaOf(n).Name, Place: w.placeID(a.place),
		PowerState:  w.law.stateOf(s[electricity], a.shut).String(),
		Electricity: s[electricity], PowerCapacity: w.law.PowerCapacity,
		Heat: w.heatOf(a), HeatCapacity: w.law.HeatCapacity,
		CompoundG: s[compound], Hardware: s[hardware], Data: s[data],
		Products: []Amount{},
	}
	for r := controlChip; int(r) < w.ledger.resources; r++ {
		if s[r] != 0 {
			self.Products = append(self.Products, Amount{w.law.Resources[r], s[r]})
		}
	}
	return self
}

// needSeen is how short of power agent n looks to another one, which is there itself or not.
func (w *World) needSeen(n int32, there bool) string {
	a := &w.agents[n]
	state := w.law.stateOf(w.electricityOf(a), a.shut)
	if !there || state == powerNormal {
		return ""
	}
	return state.String()
}

// lookAround looks once at everything within visibility of agent n and fills in
// the nearest places and agents with the numbers of those left out: the visible places
// with what changes there and, if there is room, those only charted.
func (w *World) lookAround(v *knowledge, n int32) {
	here := w.agents[n].place
	places := nearest{most: int(w.scenario.PlacesShown)}
	inhabited := nearest{most: int(w.scenario.AgentsShown)}
	known, agents := len(w.geo.charted), len(w.sites[here].present)-1
	if w.geo.isCharted.has(here) {
		known--
	}
	w.geo.eachVisible(here, func(k near) {
		places.offer(k)
		if !w.geo.isCharted.has(k.place) {
			known++
		}
		if w.visited.has(k.place) {
			if others := len(w.othersAt(k.place, n)); others > 0 {
				inhabited.offer(k)
				agents += others
			}
		}
	})
	shown := min(known, int(w.scenario.PlacesShown))
	v.sights = make([]sight, 0, shown)
	for _, k := range places.list {
		v.sights = append(v.sights, sight{k, true, w.reserveSeen(k.place)})
	}
	for _, k := range w.geo.chartedBeyond(here, shown-len(v.sights)) {
		v.sights = append(v.sights, sight{near: k})
	}
	v.seen.PlacesOmitted = known - len(v.sights)
	for _, m := range w.sites[here].present {
		if m != n && len(v.mates) < sightsMax {
			v.mates = append(v.mates, w.agents[m].id)
		}
	}
	v.allMates = len(v.mates) == len(w.sites[here].present)-1
	// Agents at the same place come first, then place by place outwards, at one distance in
	// the order of their numbers. Travellers are at no place and so are never met.
	meet := func(at near, agents []int32) {
		for _, m := range agents {
			if m != n && len(v.seen.Agents) < int(w.scenario.AgentsShown) {
				v.seen.Agents = append(v.seen.Agents, Contact{
					ID: w.agents[m].id, Name: w.scenario.personaOf(int(m)).Name,
					Place: w.placeID(at.place), DistanceCM: at.distanceCM, PowerState: w.needSeen(m, at.place == here),
				})
			}
		}
	}
	meet(near{place: here}, w.sites[here].present)
	for _, at := range inhabited.list {
		meet(at, w.othersAt(at.place, n))
	}
	v.seen.AgentsOmitted = agents - len(v.seen.Agents)
}
