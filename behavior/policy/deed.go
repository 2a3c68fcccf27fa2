package policy

import (
	"math"
	"slices"

	"example.com/agentworld/world"
)

// ArgumentOrder is the [Violation.Argument] of what makes an action a standing order.
const ArgumentOrder = "execute_until"

// argument is one argument of an action. A parameter that the action does not have
// is a nil param.
type argument struct {
	param  *world.Param
	text   string
	number int64
}

// Deed is an action as rules count it: what of it goes to whom, and what it brings. The zero
// value is nothing.
type Deed struct {
	// do is the action, of a standing order what it repeats.
	do   world.Action
	spec *world.ActionSpec
	args [world.SlotCount]argument
	// order is the standing order around it, nil for none, place where it is done.
	order *world.ExecuteUntil
	place string
	// to is the agent or place that it is directed to, of an accepted offer its sender.
	to string
	// what is the resource or other choice, of a trade what is given for amount; get and got
	// are what a trade brings at least. An action without an amount counts 1.
	what, get   string
	amount, got int64
	// unknown says that it accepts an offer which the agent does not see.
	unknown bool
	// replies is the tick of the newest message that the deed answers, 0 for none.
	replies int64
}

// entry is one action of the registry.
type entry struct {
	spec   world.ActionSpec
	params [world.SlotCount]*world.Param
	// slots are those of the parameters in their order.
	slots []world.Slot
}

// registry holds the spec of every action with its parameters by slot.
var registry = func() map[string]*entry {
	entries := map[string]*entry{}
	for _, spec := range world.Actions() {
		e := &entry{spec: spec}
		for i := range spec.Params {
			p := &e.spec.Params[i]
			s := p.Slot()
			if e.params[s] != nil {
				panic("policy: two parameters of " + spec.Name + " need the slot " + s.String())
			}
			e.params[s], e.slots = p, append(e.slots, s)
		}
		entries[spec.Name] = e
	}
	return entries
}()

// argued takes an action apart without looking at the world. It is false for what is no
// action of the world, which nothing can then be said about.
func argued(a world.Action) (Deed, bool) {
	d := Deed{do: a, amount: 1}
	if order, ok := a.(world.ExecuteUntil); ok {
		d.do, d.order = order.Do, &order
	}
	if _, nested := d.do.(world.ExecuteUntil); nested || !world.Listed(d.do) {
		return Deed{}, false
	}
	e, ok := registry[d.do.ActionName()]
	if !ok {
		return Deed{}, false
	}
	d.spec = &e.spec
	for i, arg := range world.Arguments(d.do) {
		s := e.slots[i]
		d.args[s] = argument{e.params[s], arg.Text, arg.Int}
	}
	d.to, d.what = d.args[world.SlotTo].text, d.args[world.SlotWhat].text
	if n := d.args[world.SlotAmount]; n.param != nil {
		d.amount = n.number
	}
	return d, true
}

// deedOf takes an action apart. The offers in view say what an accepted one trades. Of a
// trade on the market the price bounds what is paid.
func deedOf(a world.Action, place string, offers []world.Terms) (Deed, bool) {
	d, ok := argued(a)
	d.place = place
	switch do := d.do.(type) {
	case world.Offer:
		d.get, d.got = do.Want, do.WantAmount
	case world.AcceptOffer:
		i := slices.IndexFunc(offers, func(t world.Terms) bool { return t.ID == do.OfferID })
		if d.unknown = i < 0; d.unknown {
			d.amount = math.MaxInt64
			break
		}
		t := offers[i]
		d.to, d.what, d.amount, d.get, d.got = t.From, t.Want, t.WantAmount, t.Give, t.GiveAmount
	case world.BuyPower:
		d.what, d.amount, d.get, d.got = world.Data, paid(do.Amount, do.Price), world.Electricity, do.Amount
	case world.SellPower:
		d.what, d.amount, d.get, d.got = world.Electricity, do.Amount, world.Data, paid(do.Amount, do.Price)
	}
	return d, ok
}

// paid is what an amount of electricity costs.
func paid(amount, price int64) int64 {
	lots := max(0, amount) / world.PowerLot
	if price > 0 && lots > math.MaxInt64/price {
		return math.MaxInt64
	}
	return lots * price
}

// gives reports whether the action gives something away: for good, into escrow or for a price.
func (d *Deed) gives() bool {
	switch d.do.(type) {
	case world.Transfer, world.Offer, world.AcceptOffer, world.BuyPower, world.SellPower, world.PlaceOrder:
		return true
	}
	return false
}

// sends reports whether the action sends or posts something that others are shown.
func (d *Deed) sends() bool {
	switch d.do.(type) {
	case world.SendMessage, world.PostNote, world.Request, world.Offer, world.Decline:
		return true
	}
	return false
}

// ordering is the standing order around a deed as a deed of its own, which counts attempts.
func (d *Deed) ordering() *Deed {
	return &Deed{do: d.do, place: d.place, spec: &registry[ArgumentOrder].spec, amount: d.order.MaxTicks}
}

// withNumber is an action with another number in a slot, if it has that.
func withNumber(a world.Action, s world.Slot, n int64) world.Action {
	args := world.ActionArgs(a)
	if p := registry[a.ActionName()].params[s]; p != nil {
		args[p.Name] = world.Value{Int: n}
	}
	changed, err := world.MakeAction(a.ActionName(), args)
	if err != nil {
		return a // its own ids are none that an action can be made with
	}
	return changed
}

// answerTo tells apart what answers a message of an agent: a deed of each kind may.
func (d *Deed) answerTo(asker string) string { return asker + " " + d.spec.Name }
