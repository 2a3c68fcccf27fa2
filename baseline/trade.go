package baseline

import (
	"cmp"
	"math"
	"slices"

	"example.com/agentworld/world"
)

// The tastes of the scripted agents in trade.
const (
	// lotPercent is the worth of one offer, in percent of what a battery holds: others can
	// hardly pay for more at once.
	lotPercent = 25
	// offerTicks is how long an offer to whoever is here stays open.
	offerTicks = 10
	// dataWorth is what a unit of data is worth in electricity, the middle of what plants ask.
	dataWorth = 2
	// shortLeast is by how many batches one half of what production takes must be short of
	// the other to be worth a trade.
	shortLeast = 4
	// patience is how many ticks an agent waits for an answer to a request before it leaves.
	patience = 5
	// enough stands for as much as can be had, and is small enough to multiply.
	enough = 1 << 30
)

// deal is what an agent would trade: what it lacks and cannot get by itself where it is, the
// most wanted first, and what it can do without. The policy is to give some of the latter for
// the former at equal worth, and to take an offer that asks for half as much again.
type deal struct {
	*moment
	lacks, spare []world.Amount
}

// trade lists the requests and offers to make, to answer and to take, best first. It is empty
// in a world without them.
func (n *moment) trade() []world.Action {
	if !n.trades() {
		return nil
	}
	d := n.deal()
	return slices.Concat(d.take(), d.answer(), d.propose(), d.fetch(), d.ask())
}

// trades says that the world has requests and offers.
func (n *moment) trades() bool {
	return slices.ContainsFunc(n.Can, func(a world.Affordance) bool {
		return slices.Contains([]string{"accept_offer", "offer", "request"}, a.Action)
	})
}

// deal finds out what the agent lacks and what it can do without.
func (n *moment) deal() *deal {
	d := &deal{moment: n}
	keep := map[string]int64{}
	// made is a product to make as many of as possible, whoever has them then.
	made, most := "", int64(0)
	want := func(resource string, missing int64, onlyMade bool) {
		if recipe, ok := n.recipeOf(resource); ok && n.Rules.BuildElectricity <= n.Self.PowerCapacity && made == "" {
			made, most = resource, ceilDiv(missing, max(1, amountOf(recipe.Outputs, resource)))
		}
		obtainable := resource == world.Compound && n.Here.CompoundG > 0 || resource == world.Hardware && n.digs()
		if missing > 0 && !onlyMade && !obtainable {
			d.lacks = append(d.lacks, world.Amount{Resource: resource, Amount: min(missing, enough)})
		}
	}
	if kind, resource := n.brief.Task.Measures(); n.brief.scored() && n.counts && resource != "" {
		if kind != "produced" {
			keep[resource] = math.MaxInt64
		}
		want(resource, enough, kind == "produced")
	}
	for _, g := range n.own {
		switch {
		case g.kind != "stock" && g.kind != "product" || g.name == world.Electricity:
		case g.atLeast == math.MaxInt64: // there is no end to it: making is what counts
			want(g.name, enough, true)
		default:
			keep[g.name] = max(keep[g.name], g.atLeast)
			want(g.name, g.atLeast-n.stock(g.name), false)
		}
	}
	if n.supply(d, made, most, keep); n.brief.helped() && !n.counts {
		d.lacks = nil // who brings help takes nothing for it
	}
	at := slices.IndexFunc(n.Can, func(a world.Affordance) bool { return a.Action == "offer" && a.OK })
	for _, r := range world.Resources() {
		spare := n.stock(r) - keep[r]
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
		if amountOf(d.lacks, o.Give) > 0 && amountOf(d.lacks, o.Want) == 0 && n.stock(o.Want) < o.WantAmount && keep[o.Want] == 0 {
			d.lacks = append(d.lacks, world.Amount{Resource: o.Want, Amount: o.WantAmount - n.stock(o.Want)})
		}
	}
	return d
}

// digs says that the agent can make hardware where it is.
func (n *moment) digs() bool {
	return max(n.Here.CompoundG, n.Self.CompoundG) >= n.Rules.RefineGPerHardware
}

// supply is what making the given product takes, up to the given number of batches. Of
// hardware and electricity the one is worth nothing without the other: what there is too much
// of is to be traded for what there is too little of, until both last equally long.
func (n *moment) supply(d *deal, made string, most int64, keep map[string]int64) {
	floor := max(n.reserve(), n.lowMark())
	lit, dug := n.powered(n.here()), n.digs()
	// Who is in the dark and has a way out keeps what two such ways take, and lacks no charge
	// as long as there is power at its end.
	if way, ok := n.refuge(); ok && !lit && !n.anchored() {
		floor = max(floor, 2*way.need(n.Rules)+n.lowMark())
		lit = n.powered(way.place) && way.need(n.Rules) <= n.Self.Electricity
	}
	keep[world.Electricity] = floor
	recipe, ok := n.recipeOf(made)
	if !ok {
		if half := n.Rules.PowerCapacity / 2; !lit && n.Self.Electricity < min(floor, half) {
			d.lacks = append(d.lacks, world.Amount{Resource: world.Electricity, Amount: half - n.Self.Electricity})
		}
		return
	}
	// What is in escrow is to bring something and counts as if it were still here.
	charge, hardware := n.Self.Electricity+n.escrow(world.Electricity), n.Self.Hardware+n.escrow(world.Hardware)
	perBatch, unitsPerBatch := max(1, amountOf(recipe.Inputs, world.Electricity)), max(1, amountOf(recipe.Inputs, world.Hardware))
	needCharge, needHardware := floor, int64(0)
	if len(n.local(recipe.FactoryKind)) == 0 {
		needCharge, needHardware = floor+n.Rules.BuildElectricity, n.Rules.BuildHardware
	}
	// How many batches each lasts for, and how many of them are wanted.
	charged, equipped := floorDiv(charge-needCharge, perBatch), floorDiv(hardware-needHardware, unitsPerBatch)
	most = min(most, n.ticksLeft()/max(1, recipe.Ticks))
	if lit {
		charged = max(charged, most)
	}
	if dug {
		equipped = max(equipped, most)
		keep[world.Compound] = math.MaxInt64
	}
	// Who has one half of what it takes does not want the product itself.
	if lit && dug || !lit && charged > 0 || !dug && equipped > 0 {
		d.lacks = slices.DeleteFunc(d.lacks, func(a world.Amount) bool { return a.Resource == made })
	}
	more, less := max(charged, equipped), min(charged, equipped)
	short := min(more, most) - less
	if short < min(shortLeast, most) || short < 1 {
		keep[world.Hardware] = max(keep[world.Hardware], min(n.Self.Hardware, needHardware+most*unitsPerBatch))
		return
	}
	// What is more than enough pays for all that is missing, else half of it is traded.
	if more-most < short {
		short -= short / 2
	}
	if charged < equipped {
		d.lacks = append(d.lacks, world.Amount{Resource: world.Electricity, Amount: min(short*perBatch, n.Self.PowerCapacity-n.Self.Electricity)})
		kept := min(hardware-short*unitsPerBatch, needHardware+most*unitsPerBatch)
		keep[world.Hardware] = max(keep[world.Hardware], kept)
		return
	}
	d.lacks = append(d.lacks, world.Amount{Resource: world.Hardware, Amount: min(short*unitsPerBatch, enough)})
	keep[world.Hardware] = math.MaxInt64
	if !lit { // what is spare is what will not be needed with what comes for it
		keep[world.Electricity] = min(charge-short*perBatch, needCharge+most*perBatch)
	}
}

// floorDiv divides rounding down; b is positive.
func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -ceilDiv(-a, b)
	}
	return a / b
}

// escrow is what the agent's own open offers here hold of a resource.
func (n *moment) escrow(resource string) (sum int64) {
	for _, o := range n.OwnOffers {
		if o.Give == resource && o.ExpiresIn > 0 && o.Place == n.Here.ID {
			sum += o.GiveAmount
		}
	}
	return sum
}

// worth is what an amount is worth, in thousandths of a unit of electricity: what making it takes.
func (n *moment) worth(resource string, amount int64) int64 {
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
		if recipe, ok := n.recipeOf(resource); ok {
			unit = 0
			for _, in := range recipe.Inputs {
				unit += n.worth(in.Resource, in.Amount)
			}
			unit = max(1, unit/max(1, amountOf(recipe.Outputs, resource)))
		}
	}
	return unit * min(amount, enough)
}

// good says that an offer brings what is lacking, for what the agent can do without and not
// much more than it is worth.
func (d *deal) good(o world.Terms) bool {
	spare := amountOf(d.spare, o.Want)
	for _, own := range d.OwnOffers { // the offer may come in place of an own one
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

// answer meets requests: with an offer if the agent lacks something itself, else with a gift
// to who is here.
func (d *deal) answer() (list []world.Action) {
	for _, r := range d.Requests {
		most := min(amountOf(d.spare, r.Want), r.Left)
		if most < 1 {
			continue
		}
		if len(d.lacks) > 0 {
			if o, ok := d.swap(r.Want, most, d.lacks[0]); ok {
				o.To, o.Re, o.Ticks = r.From, r.ID, world.TermsTicksMax
				list = append(list, o)
			}
		} else if d.at(r.From) {
			list = append(list, world.Transfer{To: r.From, Kind: r.Want, Amount: most})
		}
	}
	return list
}

// at says that another agent is here.
func (d *deal) at(id string) bool {
	return slices.ContainsFunc(d.Agents, func(c world.Contact) bool { return c.ID == id && c.Place == d.Here.ID })
}

// swap offers up to an amount of a resource for something lacking.
func (d *deal) swap(give string, most int64, lack world.Amount) (o world.Offer, ok bool) {
	unit := d.worth(give, 1)
	lot := max(unit, d.Self.PowerCapacity*1000*lotPercent/100)
	value := min(lot, max(unit, d.worth(lack.Resource, lack.Amount))) // at least one for it
	amount := min(most, value/unit)
	want := d.worth(give, amount) / d.worth(lack.Resource, 1)
	return world.Offer{
		To: world.ToAnyone, Give: give, GiveAmount: amount, Want: lack.Resource, WantAmount: want, Ticks: offerTicks,
	}, want > 0 && give != lack.Resource && (amount == value/unit || d.worth(give, amount) >= lot/4)
}

// pending says that an own open offer is to bring a resource.
func (d *deal) pending(resource string) bool {
	return slices.ContainsFunc(d.OwnOffers, func(o world.Terms) bool { return o.Want == resource && o.ExpiresIn > 0 })
}

// propose offers what the agent has most of for what it lacks, to whoever is here, or else to
// the nearest agent in view. Who has charge to offer goes where it is asked for instead.
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

// takeBack cancels the offers here of an agent that no longer lacks what they are to bring.
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

// fetch goes to a good offer at another place, with enough charge to pay and to come back.
func (d *deal) fetch() []world.Action {
	for _, o := range d.Offers {
		way, ok := d.wayTo(d.place(o.Place))
		if !ok || !d.good(o) || o.ExpiresIn <= way.ticks {
			continue
		}
		charge := 2*way.need(d.Rules) + d.lowMark()
		if o.Want == world.Electricity {
			charge = max(charge, way.need(d.Rules)+d.lowMark()+d.Rules.PowerCapacity/5+o.WantAmount) // what must be kept may be as much
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

// ask requests what the agent lacks and has nothing to offer for, of who is likely to have
// it: who is where it is found, or else the nearest.
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
		lot := d.Self.PowerCapacity * 1000 * lotPercent / 100 / d.worth(lack.Resource, 1)
		list = append(list, world.Request{To: to, Resource: lack.Resource, Amount: min(lack.Amount, max(1, lot)), Ticks: world.TermsTicksMax})
	}
	return list
}

// asking says that an own request may still be answered soon.
func (n *moment) asking() bool {
	return slices.ContainsFunc(n.OwnRequests, func(r world.Terms) bool { return r.ExpiresIn > world.TermsTicksMax-patience })
}
