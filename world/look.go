package world

// View is what agent n knows now. It copies, changes nothing, and may be called
// for several agents at once.
// A view costs what it shows: the places within sightsMax, the agents it lists and
// a count per visible place. It does not look through all agents of the world.
func (w *World) View(n int) View {
	a := &w.agents[n]
	v := View{
		tick: w.tick, facts: w.factsOf(int32(n)), self: w.selfOf(n), chart: w.chart,
		woken: a.woken, last: a.last, hasLast: a.hasLast, allMates: true,
	}
	v.standing, v.hasStanding = w.Standing(n)
	v.inbox, v.inboxDropped = w.messagesOf(a), a.mail.dropped
	for _, k := range a.factories {
		v.factories = append(v.factories, w.describe(&w.factories[k]))
	}
	if a.travelling() {
		return v // a traveller sees nothing
	}
	v.here = w.hereOf(a.place)
	v.position = w.geo.places[a.place].Position
	w.lookAtPlaces(&v, a.place)
	w.lookAtAgents(&v, int32(n))
	return v
}

// selfOf is the agent's own state, charge and heat as of now.
func (w *World) selfOf(n int) Self {
	a := &w.agents[n]
	s := w.stockOf(a)
	self := Self{
		ID: a.id, Name: w.scenario.personaOf(n).Name, Place: w.placeID(a.place),
		PowerState:  w.law.stateOf(s[electricity], a.shut).String(),
		Electricity: s[electricity], PowerCapacity: w.law.PowerCapacity,
		Heat: w.heatOf(a), HeatCapacity: w.law.HeatCapacity,
		CompoundG: s[compound], Hardware: s[hardware], Data: s[data],
	}
	for r := controlChip; r < resourceCount; r++ {
		if s[r] != 0 {
			self.Products = append(self.Products, Amount{r.String(), s[r]})
		}
	}
	return self
}

// hereOf is the place an agent stands at, with what a visitor can know.
func (w *World) hereOf(p int32) Here {
	place := &w.geo.places[p]
	return Here{
		ID: place.ID, Name: place.Name, Material: place.Material,
		Radiation: w.geo.radiation[p], CompoundG: w.book.of(w.sites[p].account, compound),
		Notes: w.notesAt(p),
	}
}

// lookAtPlaces fills in the nearest known places: the visible ones with what
// changes there, those only charted without.
// Places beyond sightsMax are counted but not held. Charted ones among them can
// still be looked up in the chart, by id.
func (w *World) lookAtPlaces(v *View, here int32) {
	visible := w.geo.visible[here]
	for _, k := range visible[:min(len(visible), sightsMax)] {
		s := w.sightOf(k)
		s.Visible = true
		s.Emission = number(w.geo.places[k.place].Emission)
		s.CompoundG = number(w.book.of(w.sites[k.place].account, compound))
		v.sights = append(v.sights, s)
	}
	for _, k := range w.geo.distant[here] {
		v.sights = append(v.sights, w.sightOf(k))
	}
	v.placesShown = min(len(v.sights), int(w.scenario.PlacesShown))
	v.placesOmitted = w.geo.known[here] - v.placesShown
}

// sightOf is what the chart tells of a place, with the way there.
func (w *World) sightOf(k near) Sight {
	place := &w.geo.places[k.place]
	return Sight{
		ID: place.ID, Name: place.Name, Material: place.Material, DistanceCM: k.distanceCM,
		MoveCost: w.law.moveCost(k.distanceCM), MoveTicks: w.law.moveTicks(k.distanceCM),
	}
}

// lookAtAgents fills in the nearest visible agents: those at the same place, then
// place by place outwards.
// Agents at one distance are listed in the order of their numbers. Travellers are
// at no place and so are never met.
func (w *World) lookAtAgents(v *View, n int32) {
	here := w.agents[n].place
	total := w.meet(v, n, near{place: here})
	for _, m := range w.sites[here].present {
		if m != n && len(v.mates) < sightsMax {
			v.mates = append(v.mates, w.agents[m].id)
		}
	}
	v.allMates = len(v.mates) == total
	for _, k := range w.geo.visible[here] {
		total += w.meet(v, n, k)
	}
	v.agentsOmitted = total - len(v.contacts)
}

// meet adds the agents at one place as long as there is room and counts them all.
func (w *World) meet(v *View, n int32, at near) int {
	present := w.sites[at.place].present
	count := len(present)
	for _, m := range present {
		if m == n {
			count--
			continue
		}
		if len(v.contacts) >= int(w.scenario.AgentsShown) {
			continue
		}
		v.contacts = append(v.contacts, Contact{
			ID: w.agents[m].id, Name: w.scenario.personaOf(int(m)).Name,
			Place: w.placeID(at.place), DistanceCM: at.distanceCM,
		})
	}
	return count
}
