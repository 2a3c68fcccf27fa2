package baseline

import (
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// player is what one agent remembers.
type player struct {
	tastes
	id    string
	brief Brief
	// counts says that the task counts this agent's result.
	counts bool
	// own are the agent's goals, open those not yet met.
	own, open []goal
	// places are what was seen of places, in the order they were first heard of.
	places []*place
	// base is the last place with power at which the agent could work.
	base string
	// full lists the agents whose battery refused the last gift, since the agent
	// came to its place; gift is the size of the next try, 0 for all there is.
	full []string
	gift int64
	// served lists who had what in this visit.
	served []serving
	// at is where the agent was last.
	at string
}

// serving is a gift of matter.
type serving struct{ agent, resource string }

// place is what an agent knows of a place.
type place struct {
	id string
	// seen says that the numbers are known, from a visit or by looking.
	seen               bool
	radiation, reserve int64
}

func newPlayer(id string, b Brief, t tastes) *player {
	m := &player{tastes: t, id: id, brief: b, counts: b.Task.Counts(id)}
	for _, g := range b.Goals {
		if g.Agent == "*" || g.Agent == id {
			kind, name, _ := strings.Cut(g.Metric, ":")
			m.own = append(m.own, goal{kind, name, g.AtLeast})
		}
	}
	m.open = slices.Clone(m.own)
	for _, p := range b.Places {
		m.place(p)
	}
	return m
}

// place finds what is known of a place.
func (m *player) place(id string) *place {
	for _, p := range m.places {
		if p.id == id {
			return p
		}
	}
	p := &place{id: id}
	m.places = append(m.places, p)
	return p
}

// learn takes up what the view shows.
func (n *moment) learn() {
	for _, r := range n.Remembered {
		p := n.place(r.ID)
		p.seen = true
		p.radiation = r.Radiation
		p.reserve = r.CompoundG
	}
	here := n.place(n.Here.ID)
	here.seen = true
	here.radiation = n.Here.Radiation
	here.reserve = n.Here.CompoundG
	for _, s := range n.Places {
		if p := n.place(s.ID); s.Visible {
			p.reserve = *s.CompoundG
			if !p.seen {
				// What others around add to it shows only on a visit.
				p.seen, p.radiation = true, *s.Emission+min(n.Rules.RadiationFloor, n.Rules.RadiationFloorCap)
			}
		}
	}
	if n.at != here.id {
		n.at = here.id
		n.full = nil
		n.gift = 0
		n.served = nil
	}
	if n.powered(here) {
		n.base = here.id
	}
	gift, given := n.Last.Action.(world.Transfer)
	switch {
	case !given || n.Last.Tick != n.Tick-1:
	case gift.Kind != world.Electricity || n.Last.Accepted:
		n.served = append(n.served, serving{gift.To, gift.Kind})
	default:
		// The battery had no room. The next try is half as large; below a few units there is
		// no point.
		n.gift = gift.Amount / 2
		if n.gift < 5 {
			n.full, n.gift = append(n.full, gift.To), 0
		}
	}
	n.open = slices.DeleteFunc(n.open, n.met)
}

// met says whether the agent has reached a goal, as far as it can see.
func (n *moment) met(g goal) bool {
	switch g.kind {
	case "place":
		return n.Here.ID == g.name
	case "made", "event":
		return n.Counted[g.kind+":"+g.name] >= g.atLeast
	case "factory":
		var ready int64
		for _, f := range n.Factories {
			if f.Kind == g.name && f.State != "building" {
				ready++
			}
		}
		return ready >= g.atLeast
	}
	return n.stock(g.name) >= g.atLeast
}

// stock is how much the agent holds of a resource.
func (n *Situation) stock(resource string) int64 {
	self := &n.Self
	switch resource {
	case world.Electricity:
		return self.Electricity
	case world.Compound:
		return self.CompoundG
	case world.Hardware:
		return self.Hardware
	case world.Data:
		return self.Data
	}
	return amountOf(self.Products, resource)
}

// goods are the names of the resources that the agent may hold.
func (n *Situation) goods() []string {
	list := world.Resources()
	for _, held := range n.Self.Products {
		if !slices.Contains(list, held.Resource) {
			list = append(list, held.Resource)
		}
	}
	return list
}

// powered says that an agent can live at a place: it yields more than being awake
// costs.
func (n *moment) powered(p *place) bool { return p.seen && p.radiation > n.Rules.IdleDraw }

// here is what is known of the agent's own place.
func (n *moment) here() *place { return n.place(n.Here.ID) }
