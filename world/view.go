package world

// View is what one agent knows in a tick, as an immutable value: it was copied
// out of the world and keeps no pointer to anything that changes. It answers
// only from what the agent may know; two worlds that differ in what the agent
// cannot see give equal views. Views may be used from several goroutines.
type View struct {
	tick int64
	// facts are what the rules judge by.
	facts facts
	// self and here are ready for an observation; here is zero for travellers.
	self Self
	here Here
	// position is where the agent's place is; travellers have none.
	position Position
	// chart is the same for all views and never changes.
	chart chart
	// sights are the nearest known places, at most sightsMax.
	sights []Sight
	// mates are agents at the same place, at most sightsMax; allMates says that
	// none was left out.
	mates    []string
	allMates bool
	// placesOmitted and agentsOmitted count what an observation leaves out.
	placesShown, placesOmitted int
	// contacts are the agents an observation lists, those at the same place first.
	contacts      []Contact
	agentsOmitted int
	// factories are all of the agent's own, wherever they stand.
	factories []Factory
	// inbox are the arrived messages that were kept, newest first.
	inbox        []Message
	inboxDropped int64
	woken        string
	// last and standing are held in common with the world's record, which replaces them as
	// a whole and never changes them in place; they are copied on the way out.
	last        Outcome
	hasLast     bool
	standing    ExecuteUntil
	hasStanding bool
}

// AgentID is the id of the agent whose view this is.
func (v View) AgentID() string { return v.self.ID }

// Rules are the numbers of physics and industry; they are the same in all views
// of a world.
func (v View) Rules() Rules { return v.facts.law.Rules }

// Last is what became of the agent's last action; false before its first.
func (v View) Last() (Outcome, bool) { return v.last.clone(), v.hasLast }

// Standing is the agent's standing order with the attempts left in MaxTicks;
// false when it has none.
func (v View) Standing() (ExecuteUntil, bool) {
	return cloneAction(v.standing).(ExecuteUntil), v.hasStanding
}

// Check is a dry run of a: would the world accept it now, if nobody else acted?
// An accepted answer lists the very changes that Apply then makes.
func (v View) Check(a Action) Check { return v.facts.judge(a, &v).check() }

// route implements senses from what the view holds.
func (v *View) route(id string) route {
	if id == v.self.Place {
		return route{kind: routeHere}
	}
	for i := range v.sights {
		if v.sights[i].ID == id {
			return route{routeKnown, v.sights[i].DistanceCM}
		}
	}
	if p, ok := v.chart[id]; ok {
		return route{routeKnown, v.position.distanceCM(p.Position)}
	}
	return route{kind: routeUnknown}
}

// contact implements senses: a view never knows how full a receiver is.
func (v *View) contact(id string) contact {
	for _, mate := range v.mates {
		if mate == id {
			return contact{presenceHere, roomUnknown}
		}
	}
	if v.allMates {
		return contact{presenceElsewhere, roomUnknown}
	}
	return contact{presenceUnknown, roomUnknown}
}

// Observe writes down the view as plain data. Each call makes a fresh copy.
func (v View) Observe() Observation {
	o := Observation{
		Tick: v.tick, Self: v.self, Here: v.here,
		Can:           v.affordances(),
		Places:        append([]Sight{}, v.sights[:v.placesShown]...),
		PlacesOmitted: v.placesOmitted,
		Agents:        append([]Contact{}, v.contacts...),
		AgentsOmitted: v.agentsOmitted,
		Factories:     append([]Factory{}, v.factories...),
		Inbox:         append([]Message(nil), v.inbox...),
		InboxDropped:  v.inboxDropped,
		Woken:         v.woken,
	}
	o.Here.Notes = append([]Note(nil), v.here.Notes...)
	o.Self.Products = append([]Amount{}, v.self.Products...)
	for i := range o.Places {
		o.Places[i].Emission = copied(o.Places[i].Emission)
		o.Places[i].CompoundG = copied(o.Places[i].CompoundG)
	}
	return o
}

// copied keeps an absent number absent.
func copied(n *int64) *int64 {
	if n == nil {
		return nil
	}
	return number(*n)
}
