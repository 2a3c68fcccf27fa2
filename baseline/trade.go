package baseline

import (
	"cmp"
	"math"
	"slices"

	"example.com/agentworld/world"
)

// What the scripted agents go by in trade, beside their [tastes].
const (
	// offerTicks is how long an offer to any agent at the place stays open.
	offerTicks = 10
	// dataWorth is what a unit of data is worth in electricity, the middle of what plants ask.
	dataWorth = 2
	// patience is how many ticks an agent waits for an answer to a request before it leaves.
	patience = 5
	// enough is as much as can be had, and small enough to multiply.
	enough = 1 << 30
)

// deal is what an agent would trade. It lacks what it needs and cannot get by itself where it
// is, the most wanted first. It offers what it can spare for what it lacks at equal worth, and
// accepts offers that ask for up to half as much again.
type deal struct {
	*moment
	lacks, spare []world.Amount
	// keep is how much of each resource the agent does not trade.
	keep map[string]int64
}

// trade lists the requests and offers to make, answer and accept, best first. It is empty in a
// world without them.
func (n *moment) trade() []world.Action {
	if !n.Trades() {
		return nil
	}
	d := n.deal()
	return slices.Concat(d.take(), d.answer(), d.propose(), d.fetch(), d.ask())
}

// deal finds out what the agent lacks and what it can do without.
func (n *moment) deal() *deal {
	d := &deal{moment: n, keep: map[string]int64{}}
	// made is a product to make as many of as possible; who holds them does not count.
	made, most := "", int64(0)
	want := func(resource string, missing int64, onlyMade bool) {
		recipe, ok := n.recipeOf(resource)
		if ok && n.price(recipe.FactoryKind, world.Electricity) <= n.Self.PowerCapacity && made == "" {
			made, most = resource, ceilDiv(missing, max(1, amountOf(recipe.Outputs, resource)))
		}
		obtainable := resource == world.Compound && n.Here.CompoundG > 0 || resource == world.Hardware && n.digs()
		if missing > 0 && !onlyMade && !obtainable {
			d.lack(resource, min(missing, enough))
		}
	}
	if kind, resource := n.brief.Task.Measures(); n.brief.scored() && n.counts && resource != "" {
		if kind != "produced" {
			d.keep[resource] = math.MaxInt64
		}
		want(resource, enough, kind == "produced")
	}
	for _, g := range n.own {
		switch {
		case g.kind != "stock" && g.kind != "product" || g.name == world.Electricity:
		case g.atLeast == math.MaxInt64: // without end: making is what counts
			want(g.name, enough, true)
		default:
			d.retain(g.name, g.atLeast)
			want(g.name, g.atLeast-n.stock(g.name), false)
		}
	}
	if d.supply(made, most); n.brief.helped() && !n.counts {
		d.lacks = nil // an agent that brings help takes nothing for it
	}
	at := slices.IndexFunc(n.Can, func(a world.Affordance) bool { return a.Action == "offer" && a.OK })
	for _, r := range n.goods() {
		spare := n.stock(r) - d.keep[r]
		if at >= 0 { // electricity cannot all be given
			i := slices.IndexFunc(n.Can[at].Options, func(o world.Option) bool { return o.Target == r })
			if i < 0 {
				continue
			}
			spare = min(spare, n.Can[at].Options[i].Max)
		}
		if spare > 0 {
			d.spare = append(d.spare, world.Amount{Resource: r, Amount: spare})
		}
	}
	// What others here want for what the agent lacks is lacking, too.
	for _, o := range n.Here.Offers {
		if amountOf(d.lacks, o.Give) > 0 && amountOf(d.lacks, o.Want) == 0 && n.stock(o.Want) < o.WantAmount &&
			d.keep[o.Want] == 0 {
			d.lack(o.Want, o.WantAmount-n.stock(o.Want))
		}
	}
	return d
}

// lack adds a resource to what the agent lacks.
func (d *deal) lack(resource string, amount int64) {
	d.lacks = append(d.lacks, world.Amount{Resource: resource, Amount: amount})
}

// retain keeps at least an amount of a resource.
func (d *deal) retain(resource string, amount int64) {
	d.keep[resource] = max(d.keep[resource], amount)
}

// digs reports whether the agent can make hardware where it is.
func (n *moment) digs() bool {
	return max(n.Here.CompoundG, n.Self.CompoundG) >= n.Rules.RefineGPerHardware
}

// supply adds what the given number of batches of a product takes. Hardware and electricity are
// worth nothing without each other, so the agent trades the one it has too much of for the
// other until both last equally long.
func (d *deal) supply(made string, most int64) {
	floor := max(d.reserve(), d.lowMark())
	lit, dug := d.powered(d.here()), d.digs()
	// An agent in the dark that has a way out keeps the charge for two such journeys. It lacks
	// none if there is power at the end and it can get there.
	if way, ok := d.refuge(); ok && !lit && !d.anchored() {
		floor = max(floor, 2*way.need(d.Rules)+d.lowMark())
		lit = d.powered(way.place) && way.need(d.Rules) <= d.Self.Electricity
	}
	d.keep[world.Electricity] = floor
	recipe, ok := d.recipeOf(made)
	if !ok {
		if half := d.Rules.PowerCapacity / 2; !lit && d.Self.Electricity < min(floor, half) {
			d.lack(world.Electricity, half-d.Self.Electricity)
		}
		return
	}
	for _, r := range d.goods() {
		if isMade(r) && d.takes(recipe, r) > 0 {
			d.keep[r] = math.MaxInt64 // it goes into the product
		}
	}
	// What is in escrow counts as if it were still here.
	charge, hardware := d.Self.Electricity+d.escrow(world.Electricity), d.Self.Hardware+d.escrow(world.Hardware)
	perBatch, unitsPerBatch := max(1, d.takes(recipe, world.Electricity)), max(1, d.takes(recipe, world.Hardware))
	needCharge, needHardware := floor, int64(0)
	if len(d.local(recipe.FactoryKind)) == 0 {
		kind := recipe.FactoryKind
		needCharge, needHardware = floor+d.price(kind, world.Electricity), d.price(kind, world.Hardware)
	}
	// How many batches each lasts for, and how many of them are wanted.
	charged, equipped := floorDiv(charge-needCharge, perBatch), floorDiv(hardware-needHardware, unitsPerBatch)
	most = min(most, d.ticksLeft()/max(1, recipe.Ticks))
	if lit {
		charged = max(charged, most)
	}
	if dug {
		equipped = max(equipped, most)
		d.keep[world.Compound] = math.MaxInt64
	}
	// An agent that has one input does not want the product itself.
	if lit && dug || !lit && charged > 0 || !dug && equipped > 0 {
		d.lacks = slices.DeleteFunc(d.lacks, func(a world.Amount) bool { return a.Resource == made })
	}
	more, less := max(charged, equipped), min(charged, equipped)
	short := min(more, most) - less
	if short < min(d.shortLeast, most) || short < 1 {
		d.retain(world.Hardware, min(d.Self.Hardware, needHardware+most*unitsPerBatch))
		return
	}
	// Trade for all that is missing if there is enough to pay for it, else for half.
	if more-most < short {
		short -= short / 2
	}
	if charged < equipped {
		d.lack(world.Electricity, min(short*perBatch, d.Self.PowerCapacity-d.Self.Electricity))
		d.retain(world.Hardware, min(hardware-short*unitsPerBatch, needHardware+most*unitsPerBatch))
		return
	}
	d.lack(world.Hardware, min(short*unitsPerBatch, enough))
	d.keep[world.Hardware] = math.MaxInt64
	if !lit { // keep what the hardware in return will need
		d.keep[world.Electricity] = min(charge-short*perBatch, needCharge+most*perBatch)
	}
}

// floorDiv divides rounding down; b is positive.
func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -ceilDiv(-a, b)
	}
	return a / b
}

// escrow is how much of a resource the agent's open offers here hold.
func (n *moment) escrow(resource string) (sum int64) {
	for _, o := range n.OwnOffers {
		if o.Give == resource && o.ExpiresIn > 0 && o.Place == n.Here.ID {
			sum += o.GiveAmount
		}
	}
	return sum
}

// worth is the electricity that making an amount takes, in thousandths of a unit.
func (n *moment) worth(resource string, amount int64) int64 {
	return n.worthWithin(resource, amount, chainMost)
}

func (n *moment) worthWithin(resource string, amount int64, depth int) int64 {
	unit := int64(1000)
	switch resource {
	case world.Electricity:
	case world.Compound:
		unit = max(1, n.Rules.MineCostPerKG)
	case world.Hardware:
		unit *= max(1, n.Rules.MineCostPerKG+n.Rules.RefineCostPerKG)
	case world.Data:
		unit *= dataWorth
	default:
		if recipe, ok := n.recipeOf(resource); ok && depth > 0 {
			unit = 0
			for _, in := range recipe.Inputs {
				unit += n.worthWithin(in.Resource, in.Amount, depth-1)
			}
			unit = max(1, unit/max(1, amountOf(recipe.Outputs, resource)))
		}
	}
	return unit * min(amount, enough)
}

// good reports whether an offer brings what is lacking for what the agent can spare, at not much
// more than its worth.
func (d *deal) good(o world.Terms) bool {
	spare := amountOf(d.spare, o.Want)
	for _, own := range d.OwnOffers { // the offer may replace an own one
		if own.Give == o.Want && own.Want == o.Give && own.ExpiresIn > 0 {
			spare += own.GiveAmount
		}
	}
	return amountOf(d.lacks, o.Give) > 0 && spare >= o.WantAmount &&
		3*d.worth(o.Give, o.GiveAmount) >= 2*d.worth(o.Want, o.WantAmount)
}

// take accepts good offers here, the cheapest first.
func (d *deal) take() (list []world.Action) {
	offers := slices.DeleteFunc(slices.Clone(d.Here.Offers), func(o world.Terms) bool { return !d.good(o) })
	price := func(o world.Terms) int64 {
		return d.worth(o.Want, o.WantAmount) * 1000 / max(1, d.worth(o.Give, o.GiveAmount))
	}
	slices.SortStableFunc(offers, func(a, b world.Terms) int { return cmp.Compare(price(a), price(b)) })
	for _, o := range offers {
		list = append(list, world.AcceptOffer{OfferID: o.ID})
	}
	return list
}

// answer answers requests: with an offer if the agent lacks something itself, else with a gift
// if the other is here.
func (d *deal) answer() (list []world.Action) {
	for _, r := range d.Requests {
		most := min(amountOf(d.spare, r.Want), r.Left)
		if most < 1 {
			continue
		}
		if len(d.lacks) > 0 {
			if o, ok := d.swap(r.Want, most, d.lacks[0]); ok {
				o.To = r.From
				o.Re = r.ID
				o.Ticks = world.TermsTicksMax
				list = append(list, o)
			}
		} else if d.at(r.From) {
			list = append(list, world.Transfer{To: r.From, Kind: r.Want, Amount: most})
		}
	}
	return list
}

// at reports whether another agent is here.
func (d *deal) at(id string) bool {
	return slices.ContainsFunc(d.Agents, func(c world.Contact) bool { return c.ID == id && c.Place == d.Here.ID })
}

// lot is the most that one offer or request is worth, in the unit of worth.
func (d *deal) lot() int64 { return d.Self.PowerCapacity * 1000 * d.lotPercent / 100 }

// swap offers up to an amount of a resource for something lacking.
func (d *deal) swap(give string, most int64, lack world.Amount) (o world.Offer, ok bool) {
	unit := d.worth(give, 1)
	lot := max(unit, d.lot())
	value := min(lot, max(unit, d.worth(lack.Resource, lack.Amount))) // at least one for it
	amount := min(most, value/unit)
	want := d.worth(give, amount) / d.worth(lack.Resource, 1)
	return world.Offer{
		To: world.ToAnyone, Give: give, GiveAmount: amount, Want: lack.Resource, WantAmount: want, Ticks: offerTicks,
	}, want > 0 && give != lack.Resource && (amount == value/unit || d.worth(give, amount) >= lot/4)
}

// pending reports whether an own open offer asks for a resource.
func (d *deal) pending(resource string) bool {
	return slices.ContainsFunc(d.OwnOffers, func(o world.Terms) bool { return o.Want == resource && o.ExpiresIn > 0 })
}

// propose offers what the agent has most of for what it lacks, to all agents here or else to
// the nearest agent in view. It does not offer electricity to an agent elsewhere.
func (d *deal) propose() (list []world.Action) {
	spare := slices.Clone(d.spare)
	slices.SortStableFunc(spare, func(a, b world.Amount) int {
		return cmp.Compare(d.worth(b.Resource, b.Amount), d.worth(a.Resource, a.Amount))
	})
	away := len(d.Agents) > 0 && !d.at(d.Agents[0].ID)
	for _, lack := range d.lacks {
		if d.pending(lack.Resource) {
			continue
		}
		for _, have := range spare {
			if o, ok := d.swap(have.Resource, have.Amount, lack); ok && !(away && have.Resource == world.Electricity) {
				if away {
					o.To, o.Ticks = d.Agents[0].ID, world.TermsTicksMax
				}
				list = append(list, o)
				break
			}
		}
	}
	return list
}

// takeBack cancels own offers here that ask for what the agent no longer lacks.
func (n *moment) takeBack() (list []world.Action) {
	if len(n.OwnOffers) == 0 {
		return nil
	}
	d := n.deal()
	for _, o := range d.OwnOffers {
		if o.ExpiresIn > 0 && o.Place == d.Here.ID && amountOf(d.lacks, o.Want) == 0 {
			list = append(list, world.CancelOffer{OfferID: o.ID})
		}
	}
	return list
}

// fetch goes to a good offer at another place, with enough charge to pay and to return.
func (d *deal) fetch() []world.Action {
	for _, o := range d.Offers {
		way, ok := d.wayTo(d.place(o.Place))
		if !ok || !d.good(o) || o.ExpiresIn <= way.ticks {
			continue
		}
		charge := 2*way.need(d.Rules) + d.lowMark()
		if o.Want == world.Electricity {
			// what must be kept may be as much
			charge = max(charge, way.need(d.Rules)+d.lowMark()+d.Rules.PowerCapacity/5+o.WantAmount)
		}
		switch {
		case d.Self.Electricity >= min(charge, d.charged()):
			return []world.Action{world.Move{To: o.Place}}
		case d.powered(d.here()):
			return []world.Action{world.Harvest{MaxAmount: world.HarvestMax}}
		}
	}
	return nil
}

// ask requests what the agent lacks and is not already trying to get, from an agent at a place
// where it is found, or else from the nearest agent.
func (d *deal) ask() (list []world.Action) {
	for _, lack := range d.lacks {
		asked := slices.ContainsFunc(d.OwnRequests, func(r world.Terms) bool { return r.Want == lack.Resource })
		if asked || d.pending(lack.Resource) || len(d.Agents) == 0 {
			continue
		}
		to := d.Agents[0].ID
		for _, c := range d.Agents {
			p := d.place(c.Place)
			if lack.Resource == world.Electricity && d.powered(p) || lack.Resource != world.Electricity && p.reserve > 0 {
				to = c.ID
				break
			}
		}
		most := max(1, d.lot()/d.worth(lack.Resource, 1))
		list = append(list, world.Request{To: to, Resource: lack.Resource, Amount: min(lack.Amount, most),
			Ticks: world.TermsTicksMax})
	}
	return list
}

// asking reports whether an own request may still be answered soon.
func (n *moment) asking() bool {
	return slices.ContainsFunc(n.OwnRequests,
		func(r world.Terms) bool { return r.ExpiresIn > world.TermsTicksMax-patience })
}
