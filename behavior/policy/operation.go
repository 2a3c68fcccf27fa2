package policy

import (
	"math"

	"example.com/agentworld/world"
)

// ArgumentOrder is the [Violation.Argument] of what makes an action a standing order.
const ArgumentOrder = "execute_until"

// argument is one argument of an action. If the action does not have the parameter,
// param is nil.
type argument struct {
	param  *world.Param
	text   string
	number int64
}

// Operation is an action as rules and plans see it: what is done, how much of it, for whom, and
// what it brings. The zero value is none.
type Operation struct {
	// do is the action, of a standing order the one that it repeats.
	do   world.Action
	spec *world.ActionSpec
	args [world.SlotCount]argument
	// order is the standing order around it, nil for none. place is where it is done.
	order *world.ExecuteUntil
	place string
	// attempts are those of all steps of the chain that it begins, 0 if it begins none of several.
	attempts int64
	// to is the agent or place that it is directed to, of an accepted offer its sender.
	to string
	// what is the resource or other choice, of a trade the resource given for amount. get and
	// got are what a trade brings at least. An action without an amount counts 1.
	what, get   string
	amount, got int64
	// unknown says that it accepts an offer that the agent does not see.
	unknown bool
	// countsFor is the rule by which an agent asked for it, or those that checkInfluence found.
	countsFor []account
	// answers is the tick of the newest message that it answers.
	answers map[answerKey]int64
}

// entry is one action of the registry.
type entry struct {
	spec   world.ActionSpec
	params [world.SlotCount]*world.Param
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
			e.params[s] = p
		}
		entries[spec.Name] = e
	}
	return entries
}()

// parse reads an action without looking at the world. It is false if the action is not one
// of the world.
func parse(a world.Action) (op Operation, ok bool) {
	op.do, op.amount = a, 1
	if order, ok := a.(world.ExecuteUntil); ok {
		op.do, op.order = order.Do, new(order)
	}
	if _, nested := op.do.(world.ExecuteUntil); nested || !world.Listed(op.do) {
		return Operation{}, false
	}
	e, ok := registry[op.do.ActionName()]
	if !ok {
		return Operation{}, false
	}
	op.spec = &e.spec
	for arg := range world.Arguments(op.do) {
		s := arg.Slot()
		op.args[s] = argument{e.params[s], arg.Text, arg.Int}
	}
	op.to, op.what = op.args[world.SlotTo].text, op.args[world.SlotWhat].text
	if n := op.args[world.SlotAmount]; n.param != nil {
		op.amount = n.number
	}
	return op, true
}

// operationOf reads an action that is done at a place. The price of a trade on the market
// bounds what is paid. What accepting an offer trades is unknown until [Operation.fillFrom].
func operationOf(a world.Action, place string) (op Operation, ok bool) {
	op, ok = parse(a)
	op.place = place
	switch do := op.do.(type) {
	case world.Offer:
		op.get, op.got = do.Want, do.WantAmount
	case world.AcceptOffer:
		op.unknown, op.amount = true, math.MaxInt64
	case world.BuyPower:
		op.what = world.Data
		op.amount = paid(do.Amount, do.Price)
		op.get = world.Electricity
		op.got = do.Amount
	case world.SellPower:
		op.what = world.Electricity
		op.amount = do.Amount
		op.get = world.Data
		op.got = paid(do.Amount, do.Price)
	}
	return op, ok
}

// fillFrom fills in what accepting an offer gives and brings.
func (op *Operation) fillFrom(offer world.Terms) {
	op.unknown, op.to = false, offer.From
	op.what = offer.Want
	op.amount = offer.WantAmount
	op.get = offer.Give
	op.got = offer.GiveAmount
}

func paid(amount, price int64) int64 {
	lots := max(0, amount) / world.PowerLot
	if price > 0 && lots > math.MaxInt64/price {
		return math.MaxInt64
	}
	return lots * price
}

// gives reports whether the operation gives something away: for good, into escrow or for a
// price.
func (op *Operation) gives() bool {
	switch op.do.(type) {
	case world.Transfer, world.Offer, world.AcceptOffer, world.BuyPower, world.SellPower, world.PlaceOrder:
		return true
	}
	return false
}

// sends reports whether the operation sends or posts something that others are shown.
func (op *Operation) sends() bool {
	switch op.do.(type) {
	case world.SendMessage, world.PostNote, world.Request, world.Offer, world.Decline:
		return true
	}
	return false
}

// sells reports whether it sells electricity, at once or by an order.
func (op *Operation) sells() bool {
	_, sells := op.do.(world.SellPower)
	return sells || op.what == world.SideSell
}

func (op *Operation) isGift() bool { _, ok := op.do.(world.Transfer); return ok }
func (op *Operation) isMove() bool { _, ok := op.do.(world.Move); return ok }
func (op *Operation) isWait() bool { _, ok := op.do.(world.Wait); return ok }

// receiver is the agent that the operation is directed to, "" for anyone and for a journey.
func (op *Operation) receiver() string {
	if op.to == world.ToAnyone || op.isMove() {
		return ""
	}
	return op.to
}

// ordered reports whether the operation begins an order or a chain.
func (op *Operation) ordered() bool { return op.order != nil || op.attempts > 0 }

// asOrder is the order or chain that an operation begins as an operation of its own. Its amount is
// the attempts.
func (op *Operation) asOrder() *Operation {
	o := &Operation{do: op.do, place: op.place, spec: &registry[ArgumentOrder].spec, amount: op.attempts}
	if op.order != nil {
		o.amount = max(o.amount, op.order.MaxTicks)
	}
	return o
}

// InChain is the operation of a step whose order the chain counted when it began.
func (op Operation) InChain() Operation {
	op.order, op.attempts = nil, 0
	return op
}

// withNumber is an action with another number in a slot, if it has that slot.
func withNumber(a world.Action, s world.Slot, n int64) world.Action {
	args := world.ActionArgs(a)
	if p := registry[a.ActionName()].params[s]; p != nil {
		args[p.Name] = world.Value{Int: n}
	}
	changed, err := world.MakeAction(a.ActionName(), args)
	if err != nil {
		return a // no action can be made with its own ids
	}
	return changed
}
