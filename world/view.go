package world

import (
	"reflect"
	"slices"
)

// View is what one agent knows in a tick, as an immutable value. It keeps no pointer to anything that
// changes, so several goroutines may use it. It answers only from what the agent may know: two worlds that
// differ in what the agent cannot see give equal views. The zero value is a view of no agent, without
// rules.
type View struct{ *knowledge }

// known is what the view holds.
func (v View) known() *knowledge {
	if v.knowledge == nil {
		return &nothing
	}
	return v.knowledge
}

var nothing knowledge

// knowledge is what a view holds. Nothing changes it, so that views can share it.
type knowledge struct {
	// facts are what the rules look at.
	facts facts
	// seen is the observation without what [View.Observe] adds: affordances, places and market.
	seen Observation
	// place is the number of the agent's place, noPlace for travellers.
	place int32
	// geo is the same for all views and never changes. It holds hidden places too:
	// a view looks up nothing in it but what is visible from its place or charted.
	geo *geography
	// sights are the nearest known places, those an observation lists.
	sights []sight
	// mates are agents at the same place, at most sightsMax. allMates says that none was left out.
	mates    []string
	allMates bool
	// book is the book here as far as it is shown, quotes are those of other places.
	book   marketFacts
	quotes []PlaceQuote
	// toSelf are the requests and offers to the agent, those here included; moreOffers says
	// that some of other agents to anyone were left out.
	toSelf     []seenTerms
	moreOffers bool
	// last and standing share memory with the world's record, which replaces them and never changes
	// them in place. Callers get copies.
	last     Outcome
	standing ExecuteUntil
	// step is the number of the present step of the chain, begins says that it was not attempted yet.
	step   int
	begins bool
	// policy are the rules of the scenario, planned the number of agents it was written for, and numbers
	// are those of all agents. They are the same in all views and never change.
	policy  []PolicyRule
	planned int64
	numbers map[string]int32
	// goals are how far the agent is with each of its own.
	goals []GoalStatus
	task  *Task
}

// AgentID is the id of the agent whose view this is.
func (v View) AgentID() string { return v.known().seen.Self.ID }

// Tick is the tick of the view.
func (v View) Tick() int64 { return v.known().seen.Tick }

// Place is the id of the place where the agent is, empty while it travels.
func (v View) Place() string { return v.known().seen.Self.Place }

// Equal reports whether two views say the same.
func (v View) Equal(o View) bool {
	return v.knowledge == o.knowledge || reflect.DeepEqual(v.known(), o.known())
}

// InSight are the agents and messages of the observation. They share memory with the view and must not be changed.
func (v View) InSight() ([]Contact, []Message) { return v.known().seen.Agents, v.known().seen.Inbox }

// Rules are the numbers of physics and industry; they are the same in all views
// of a world.
func (v View) Rules() Rules { return v.known().facts.law.Rules }

// Industry is what can be made in the world. It is the same value in all views and must not be changed.
func (v View) Industry() *Industry { return v.known().facts.law.Industry }

// Last is the outcome of the agent's last action; false before its first.
func (v View) Last() (Outcome, bool) { return v.known().last.clone(), v.known().last.Tick > 0 }

// Goals is how far the agent is with each of its goals, in the order of the scenario.
func (v View) Goals() []GoalStatus { return slices.Clone(v.known().goals) }

// Task is what a run of the world is scored by, nil where nothing is. It never changes.
func (v View) Task() *Task { return v.known().task }

// Standing is what is left of the agent's chain, with the attempts left of its present step in
// MaxTicks; false when it has none.
func (v View) Standing() (ExecuteUntil, bool) {
	order := v.known().standing
	return cloneAction(order).(ExecuteUntil), order.Do != nil
}

// ChainStep is the number of the present step of the agent's chain, from 1, 0 without a chain.
// begins says that no attempt of the step was made yet.
func (v View) ChainStep() (number int, begins bool) { return v.known().step, v.known().begins }

// Check is a dry run of a: would the world accept it now, if no other agent acted?
// An accepted answer lists the very changes that Apply then makes.
func (v View) Check(a Action) Check {
	k := v.known()
	r := k.facts.rule(a, k)
	switch {
	case r.rejection != nil:
		return Check{Status: CheckRejected, Rejection: r.rejection}
	case r.unknown:
		return Check{Status: CheckUnknown}
	}
	return Check{Status: CheckAccepted, Changes: r.changes, Ticks: r.ticks}
}

// Blind is the view without messages, terms and notes of others, to measure their effect.
func (v View) Blind() View {
	k := *v.known()
	s := &k.seen
	s.Inbox = nil
	s.InboxDropped = 0
	s.Requests = nil
	s.Offers = nil
	s.Here.Offers = nil
	s.TermsOmitted = 0
	s.Here.Notes = slices.DeleteFunc(slices.Clone(s.Here.Notes), func(n Note) bool { return n.Author != s.Self.ID })
	k.toSelf, k.moreOffers = nil, false
	return View{&k}
}

// silent is an action without its text, which may repeat what others wrote.
func silent(a Action) Action {
	switch a := a.(type) {
	case SendMessage:
		a.Text = ""
		return a
	case PostNote:
		a.Text = ""
		return a
	case ExecuteUntil:
		a.Do = silent(a.Do)
		return a
	}
	return a
}

// Showing is the view with only those texts, requests and offers of others that an observation shows. The text
// of the agent's own last action, which may repeat them, is left out.
func (v View) Showing(o *Observation) View {
	k := *v.known()
	shown := slices.Concat(o.Requests, o.Offers, o.Here.Offers)
	hidden := func(id string) bool { return !slices.ContainsFunc(shown, func(t Terms) bool { return t.ID == id }) }
	part := func(list []Terms) []Terms {
		return slices.DeleteFunc(slices.Clone(list), func(t Terms) bool { return hidden(t.ID) })
	}
	s, all := &k.seen, len(k.toSelf)
	s.Inbox = slices.DeleteFunc(slices.Clone(s.Inbox), func(m Message) bool {
		return !slices.ContainsFunc(o.Inbox, func(shown Message) bool { return shown.ID == m.ID })
	})
	s.Here.Notes = slices.DeleteFunc(slices.Clone(s.Here.Notes), func(n Note) bool {
		return !slices.ContainsFunc(o.Here.Notes, func(shown Note) bool { return shown.ID == n.ID })
	})
	s.Requests = part(s.Requests)
	s.Offers = part(s.Offers)
	s.Here.Offers = part(s.Here.Offers)
	k.last.Action = silent(k.last.Action)
	k.toSelf = slices.DeleteFunc(slices.Clone(k.toSelf), func(t seenTerms) bool { return hidden(t.ID) })
	k.moreOffers = k.moreOffers || len(k.toSelf) < all
	return View{&k}
}

// Can lists what the agent may do now, as [Observation.Can].
func (v View) Can() []Affordance { return v.known().affordances() }

// sight is a known place with what can be seen of it from afar.
type sight struct {
	near
	visible   bool
	compoundG int64
}

// route implements senses. A route is unknown unless the agent is there or knows the way.
func (v *knowledge) route(id string) route {
	if way := v.geo.route(v.place, id); way.kind == routeHere || way.kind == routeKnown {
		return way
	}
	return route{kind: routeUnknown}
}

// contact implements senses: a view never knows how full a receiver is.
func (v *knowledge) contact(id string) contact {
	switch {
	case slices.Contains(v.mates, id):
		return contact{presenceHere, roomUnknown}
	case v.allMates:
		return contact{presenceElsewhere, roomUnknown}
	}
	return contact{presenceUnknown, roomUnknown}
}

// Observe returns the view as plain data. Each call makes a fresh copy.
func (view View) Observe() Observation {
	v := view.known()
	o := v.seen
	o.Can = view.Can()
	o.Agents = slices.Clone(o.Agents)
	o.Factories = slices.Clone(o.Factories)
	o.Inbox = slices.Clone(o.Inbox)
	o.Here.Notes, o.Self.Products = slices.Clone(o.Here.Notes), slices.Clone(o.Self.Products)
	o.Requests = slices.Clone(o.Requests)
	o.Offers = slices.Clone(o.Offers)
	o.Here.Offers = slices.Clone(o.Here.Offers)
	o.OwnRequests, o.OwnOffers = slices.Clone(v.facts.requests), slices.Clone(v.facts.offers)
	for i, m := range o.Inbox {
		o.Inbox[i].Parents = slices.Clone(m.Parents)
		if m.Terms != nil {
			o.Inbox[i].Terms = new(*m.Terms)
			o.Inbox[i].Terms.Parents = o.Inbox[i].Parents
		}
	}
	for i, note := range o.Here.Notes {
		o.Here.Notes[i].Parents = slices.Clone(note.Parents)
	}
	for _, list := range [][]Terms{o.Requests, o.Offers, o.Here.Offers, o.OwnRequests, o.OwnOffers} {
		for i, t := range list {
			list[i].Parents = slices.Clone(t.Parents)
		}
	}
	if o.OrderEnded != nil {
		o.OrderEnded = new(*o.OrderEnded)
	}
	m := Market{
		Asks: slices.Clone(v.book.asks.levels), AsksOmitted: v.book.asks.omitted,
		Bids: slices.Clone(v.book.bids.levels), BidsOmitted: v.book.bids.omitted,
		OwnStore: v.book.store, Orders: slices.Clone(v.facts.orders), Elsewhere: slices.Clone(v.quotes),
	}
	if len(m.Asks)+len(m.Bids)+len(m.Orders)+len(m.Elsewhere) > 0 || m.OwnStore != 0 {
		o.Market = &m
	}
	// The visible places come with what changes there, those only charted without.
	o.Places = make([]Sight, len(v.sights))
	numbers := make([]int64, 2*len(v.sights)) // one allocation for all of them
	for i, s := range v.sights {
		p := &v.geo.places[s.place]
		o.Places[i] = Sight{
			ID: p.ID, Name: p.Name, Material: p.Material, DistanceCM: s.distanceCM, Visible: s.visible,
			MoveCost: v.facts.law.moveCost(s.distanceCM), MoveTicks: v.facts.law.moveTicks(s.distanceCM),
		}
		if s.visible {
			numbers[2*i], numbers[2*i+1] = p.Emission, s.compoundG
			o.Places[i].Emission, o.Places[i].CompoundG = &numbers[2*i], &numbers[2*i+1]
		}
	}
	return o
}
