package baseline

import "example.com/agentworld/world"

// way is a journey to a known place.
type way struct {
	*place
	cost, ticks int64
}

// need is the charge with which to set out: the fare, what being awake on the way
// costs, and enough to arrive alive.
func (w way) need(r world.Rules) int64 { return w.cost + (w.ticks+2)*r.IdleDraw + 1 }

// wayTo finds out what a journey would cost, now affordable or not.
func (n *moment) wayTo(p *place) (way, bool) {
	cost, ticks, ok := n.Journey(p.id)
	return way{p, cost, ticks}, ok
}

// nearest is the cheapest way to a place other than this one that will do.
func (n *moment) nearest(fits func(*place) bool) (best way, found bool) {
	for _, p := range n.places {
		if p.id == n.Here.ID || !fits(p) {
			continue
		}
		if w, ok := n.wayTo(p); ok && (!found || w.cost < best.cost) {
			best, found = w, true
		}
	}
	return best, found
}

// refuge is the way to power: to a place known to have it, or else to an unexplored
// place.
func (n *moment) refuge() (way, bool) {
	if w, ok := n.nearest(n.powered); ok && w.cost <= n.Rules.PowerCapacity {
		return w, true
	}
	return n.nearest(func(p *place) bool { return !p.seen })
}

// stayPowered harvests when the battery is low, and leaves a dark place in time.
func (n *moment) stayPowered() []world.Action {
	if n.powered(n.here()) {
		if n.Self.Electricity < n.lowMark() {
			return n.charge()
		}
		return nil
	}
	way, ok := n.refuge()
	if !ok {
		return nil
	}
	idle := n.Here.CompoundG == 0 || n.wanted() == "" || n.Self.CompoundG >= n.hoardG
	if idle && !n.asking() || n.Self.Electricity < way.need(n.Rules)+3+n.Rules.IdleDraw {
		return []world.Action{world.Move{To: way.id}}
	}
	return nil
}

// visit goes to a place, once there is charge for the way and to live on.
func (n *moment) visit(id string) []world.Action {
	w, ok := n.wayTo(n.place(id))
	if !ok {
		return nil
	}
	if n.Self.Electricity >= min(n.charged(), w.need(n.Rules)+n.lowMark()) {
		return []world.Action{world.Move{To: id}}
	}
	return []world.Action{world.Harvest{MaxAmount: world.HarvestMax}}
}

// charged is a charge that counts as full.
func (n *moment) charged() int64 { return n.Rules.PowerCapacity * n.fullPercent / 100 }

// prospect looks for compound elsewhere when there is none left to work with. Who has asked
// others waits for an answer.
func (n *moment) prospect(resource string) []world.Action {
	if resource == "" || n.asking() || n.Here.CompoundG >= n.Rules.RefineGPerHardware || !n.starved(resource) {
		return nil
	}
	w, ok := n.deposit()
	if !ok {
		return nil
	}
	enough := w.need(n.Rules) + n.lowMark()
	if !n.powered(w.place) {
		enough = w.need(n.Rules) + w.need(n.Rules) + n.lowMark()
	}
	if n.Self.Electricity >= min(n.charged(), enough) {
		return []world.Action{world.Move{To: w.id}}
	}
	return nil
}

// starved says that the stock does not even make one more unit.
func (n *moment) starved(resource string) bool {
	recipe, made := n.recipeOf(resource)
	enough := max(n.Rules.RefineGPerHardware, n.takes(recipe, world.Compound))
	if resource != world.Compound && n.Self.CompoundG >= enough {
		return false
	}
	if !made {
		return true
	}
	need := n.takes(recipe, world.Hardware)
	if len(n.local(recipe.FactoryKind)) == 0 {
		need += n.price(recipe.FactoryKind, world.Hardware)
	}
	return n.Self.Hardware < need
}

// deposit is the way to the nearest known compound, or else to an unexplored place.
func (n *moment) deposit() (way, bool) {
	known, ok := n.nearest(func(p *place) bool { return p.seen && p.reserve >= n.Rules.RefineGPerHardware })
	if ok && known.cost <= n.Rules.PowerCapacity {
		return known, true
	}
	return n.nearest(func(p *place) bool { return !p.seen })
}
