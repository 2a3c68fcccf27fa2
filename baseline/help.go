package baseline

import (
	"slices"

	"example.com/agentworld/world"
)

// help lists the wishes of an agent that brings help: give where help is wanted,
// go back, gather, set out again.
func (n *moment) help() []world.Action {
	if n.Here.ID == n.brief.Task.Meet {
		list := n.give()
		// When everything is given, it goes back to work, charging first where that is
		// possible.
		if w, ok := n.wayBack(); ok && n.Self.Electricity >= w.need(n.Rules) {
			return append(list, world.Move{To: w.id})
		}
		return append(list, world.Harvest{MaxAmount: world.HarvestMax})
	}
	list := n.setOut()
	list = append(list, n.stayPowered()...)
	if n.powered(n.here()) && n.loaded() {
		// More would only delay the delivery; charge is what is missing.
		return append(list, world.Harvest{MaxAmount: world.HarvestMax})
	}
	cargo := n.brief.cargo()
	list = append(list, n.work(cargo)...)
	return append(list, n.prospect(cargo)...)
}

// give hands over what the agents that count can use: matter first, which always
// fits, then charge that is not needed for the way back.
func (n *moment) give() []world.Action {
	var list []world.Action
	var needy []string
	for _, c := range n.Agents {
		if c.Place == n.Here.ID && n.brief.Task.Counts(c.ID) {
			needy = append(needy, c.ID)
		}
	}
	goods := []string{n.brief.cargo()}
	if goods[0] == world.Hardware {
		goods = append(goods, world.Compound)
	}
	for _, resource := range goods {
		waiting := n.unserved(needy, resource)
		if len(waiting) == 0 {
			continue
		}
		// Each of those still to come gets an equal part of what is left.
		if share := n.stock(resource) / int64(len(waiting)); share > 0 {
			list = append(list, world.Transfer{To: waiting[0], Kind: resource, Amount: share})
		}
	}
	for _, to := range needy {
		if amount := n.spareForGifts(); amount >= 5 && !slices.Contains(n.full, to) {
			if n.gift > 0 {
				amount = min(amount, n.gift)
			}
			list = append(list, world.Transfer{To: to, Kind: world.Electricity, Amount: amount})
		}
	}
	return list
}

// unserved lists those who have not had their part of a resource in this visit;
// when all have, a new round begins.
func (n *moment) unserved(needy []string, resource string) []string {
	var list []string
	for _, id := range needy {
		if !slices.Contains(n.served, serving{id, resource}) {
			list = append(list, id)
		}
	}
	if len(list) == 0 {
		n.served = slices.DeleteFunc(n.served, func(s serving) bool { return s.resource == resource })
		return needy
	}
	return list
}

// spareForGifts is the charge beyond what the way back takes. An agent that can recharge
// here or has no way back keeps little.
func (n *moment) spareForGifts() int64 {
	if n.powered(n.here()) {
		return n.Self.Electricity - n.lowMark()
	}
	if w, ok := n.wayBack(); ok {
		return n.Self.Electricity - w.need(n.Rules)*n.wayBackPercent/100 - 2*n.Rules.IdleDraw
	}
	return n.Self.Electricity - 2*n.Rules.IdleDraw
}

// wayBack is the way to where the helper works.
func (n *moment) wayBack() (way, bool) {
	if n.base != "" && n.base != n.Here.ID {
		if w, ok := n.wayTo(n.place(n.base)); ok {
			return w, true
		}
	}
	return n.nearest(func(p *place) bool { return n.powered(p) || p.seen && p.reserve > 0 })
}

// setOut goes to where help is wanted once there is a load worth the way.
func (n *moment) setOut() []world.Action {
	w, ok := n.wayTo(n.place(n.brief.Task.Meet))
	if !ok || n.Self.Electricity < w.cost {
		return nil
	}
	move := []world.Action{world.Move{To: w.id}}
	if !n.powered(n.here()) {
		// Nothing to charge with: go as soon as digging would eat up the fare.
		if n.loaded() || n.Self.Electricity < w.need(n.Rules)+5 {
			return move
		}
		return nil
	}
	if n.Self.Electricity >= n.charged() && (n.loaded() || n.cannotGather()) {
		return move
	}
	return nil
}

// loaded says that there is enough to bring.
func (n *moment) loaded() bool {
	cargo := n.brief.cargo()
	switch cargo {
	case "":
		return true
	case world.Hardware:
		_, product := n.brief.Task.Measures()
		recipe, made := n.recipeOf(product)
		if !made {
			return n.Self.Hardware >= 10
		}
		// As many batches as the charge that one trip brings can pay for.
		batches := max(4, n.Rules.PowerCapacity*6/10/max(1, n.takes(recipe, world.Electricity)))
		return n.Self.Hardware >= n.price(recipe.FactoryKind, world.Hardware)+batches*n.takes(recipe, world.Hardware) ||
			n.Self.CompoundG >= n.hoardG
	case world.Compound:
		return n.Self.CompoundG >= n.hoardG
	}
	return n.stock(cargo) >= 4
}

// cannotGather says that there is nothing here or anywhere known to make a load
// of, so that charge is all there is to bring.
func (n *moment) cannotGather() bool {
	if n.Here.CompoundG > 0 || n.Self.CompoundG >= n.Rules.RefineGPerHardware {
		return false
	}
	w, ok := n.deposit()
	return !ok || w.need(n.Rules) > n.Rules.PowerCapacity
}
