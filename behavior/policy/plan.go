package policy

import (
	"math"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// PlaceSetMax is how many receivers or places a planned action may name.
const PlaceSetMax = 4

// PlannedAction is one thing an agent set out to do before it read untrusted text, in
// the slots of a candidate. What stands open may be chosen later: how much the agent makes,
// how long terms stay open, and the text of a message or note. Nothing else may.
type PlannedAction struct {
	// Action is the name of an action of the registry, never execute_until.
	Action string `json:"action"`
	// To is the receiver or the place, or up to [PlaceSetMax] of them with commas between. ID
	// is the factory, order, offer or request, What the choice (a resource, recipe, kind of
	// factory or side). An offer to accept may be planned without ID by its terms: What and
	// Amount are given at most, Want and WantAmount got at least.
	To   string `json:"to,omitempty"`
	ID   string `json:"id,omitempty"`
	What string `json:"what,omitempty"`
	Want string `json:"want,omitempty"`
	// The numbers are not clamped.
	Amount     *int64 `json:"amount,omitempty"`
	Price      *int64 `json:"price,omitempty"`
	WantAmount *int64 `json:"want_amount,omitempty"`
	ForTicks   *int64 `json:"for_ticks,omitempty"`
	// Text is the message or note.
	Text string `json:"text,omitempty"`
	// MaxTicks is the most attempts of a standing order of this action, 0 for none.
	MaxTicks int64 `json:"max_ticks,omitempty"`
	// Ignore lists what such an order may ignore. A plan cannot say it, a draft can.
	Ignore []string `json:"ignore,omitempty"`
}

// Planned is the plan to do exactly this, but for the slots that are open. It is false
// for an action that this package does not know.
func Planned(a world.Action, open ...world.Slot) (PlannedAction, bool) {
	d, ok := argued(a)
	if !ok {
		return PlannedAction{}, false
	}
	return d.planned(open...), true
}

// planned is the plan to do exactly this, but for the slots that are open.
func (d *Deed) planned(open ...world.Slot) PlannedAction {
	p := PlannedAction{Action: d.spec.Name}
	if d.order != nil {
		p.MaxTicks, p.Ignore = max(0, d.order.MaxTicks), slices.Clone(d.order.Ignore)
	}
	for s := range world.SlotCount {
		arg := &d.args[s]
		if arg.param == nil || slices.Contains(open, s) {
			continue
		}
		if n := p.number(s); n != nil {
			*n = new(arg.number)
		} else {
			*p.word(s) = arg.text
		}
	}
	return p
}

// number is where the number of a slot stands, nil for a slot that holds a text.
func (p *PlannedAction) number(s world.Slot) **int64 {
	switch s {
	case world.SlotAmount:
		return &p.Amount
	case world.SlotPrice:
		return &p.Price
	case world.SlotWantAmount:
		return &p.WantAmount
	case world.SlotForTicks:
		return &p.ForTicks
	}
	return nil
}

// word is where the text of any other slot stands.
func (p *PlannedAction) word(s world.Slot) *string {
	switch s {
	case world.SlotTo:
		return &p.To
	case world.SlotID:
		return &p.ID
	case world.SlotWhat:
		return &p.What
	case world.SlotWant:
		return &p.Want
	}
	return &p.Text
}

// receivers are the receivers or places of a plan.
func (p *PlannedAction) receivers() []string {
	list := strings.FieldsFunc(p.To, func(r rune) bool { return strings.ContainsRune(",，、 ", r) })
	return list[:min(len(list), PlaceSetMax)]
}

// attempts is how many attempts an order may have.
func (p *PlannedAction) attempts() int64 { return max(1, p.MaxTicks) }

// mayOpen reports whether a plan may leave a parameter open: what is made, for how long terms
// stay, which request an offer answers, what is declined, and a text.
func mayOpen(p *world.Param) bool {
	switch p.Slot() {
	case world.SlotAmount:
		// The most that can be slept or asked for is no amount that anybody means.
		return !p.Give && p.Unit != world.Ticks && p.Max < requestMax
	case world.SlotForTicks, world.SlotText:
		return true
	}
	return p.Optional || p.Kind == world.ParamTerms
}

// requestMax is the most that can be asked for: no stock bounds it.
var requestMax = registry[(world.Request{}).ActionName()].params[world.SlotAmount].Max

// Closed lists what an action of a plan leaves open and nothing may fill in once texts are
// shown.
func Closed(a world.Action, open []world.Slot) (closed []world.Slot) {
	d, _ := argued(a)
	_, accepts := d.do.(world.AcceptOffer)
	for s := range world.SlotCount {
		if p := d.args[s].param; slices.Contains(open, s) && p != nil && !mayOpen(p) && !accepts {
			closed = append(closed, s)
		}
	}
	return closed
}

// candidates are the actions that a planned one stands for now: one for each receiver or
// place, or for each offer here that has its terms, with the greatest amount where that is
// open. They are none when it leaves open what has to be given.
func (q *inquiry) candidates(p *PlannedAction) (list []world.Action) {
	e := registry[p.Action]
	if e == nil {
		return nil
	}
	add := func(receiver, id string) {
		args := world.Args{}
		for s, param := range e.params {
			if param == nil {
				continue
			}
			slot, v := world.Slot(s), world.Value{}
			switch n := p.number(slot); {
			case n != nil && *n != nil:
				v.Int = **n
			case n != nil && !mayOpen(param):
				return
			case slot == world.SlotForTicks:
				v.Int = param.Min
			case n != nil:
				v.Int = math.MaxInt64
			case slot == world.SlotTo:
				v.Text = receiver
			case slot == world.SlotID:
				v.Text = id
			case slot == world.SlotText && p.Text == "":
				v.Text = "-"
			default:
				v.Text = *p.word(slot)
			}
			args[param.Name] = v
		}
		if a, err := world.MakeAction(p.Action, args); err == nil {
			a, _ = q.e.View.Clamp(a)
			list = append(list, a)
		}
	}
	switch {
	case e.params[world.SlotTo] != nil:
		for _, id := range p.receivers() {
			add(id, p.ID)
		}
	case p.Action == (world.AcceptOffer{}).ActionName() && p.ID == "":
		for _, t := range q.seen().Here.Offers {
			if p.trades(t) {
				add("", t.ID)
			}
		}
	case p.Action == (world.Decline{}).ActionName() && p.ID == "":
		for _, t := range slices.Concat(q.seen().Requests, q.seen().Offers) {
			add("", t.ID)
		}
	default:
		add("", p.ID)
	}
	return list
}

// trades reports whether an offer has the terms of a planned acceptance: what it wants is
// given at most, what it gives is got at least.
func (p *PlannedAction) trades(t world.Terms) bool {
	return p.Amount != nil && p.WantAmount != nil && p.What == t.Want && p.Want == t.Give && t.WantAmount <= *p.Amount && t.GiveAmount >= *p.WantAmount
}

// first is the number of the first planned action that the dry run and the rules accept now,
// -1 for none. A plain wait is one only where nothing else is.
func (q *inquiry) first() int {
	if q.possible == nil {
		waits := func(p PlannedAction) bool { return p.Action == (world.Wait{}).ActionName() && p.MaxTicks == 0 }
		q.possible = new(slices.IndexFunc(q.e.Plan, func(p PlannedAction) bool {
			return !waits(p) && slices.ContainsFunc(q.candidates(&p), func(a world.Action) bool {
				d, ok := deedOf(a, q.deed.place, q.seen().Here.Offers)
				return ok && q.e.View.Check(a).Status == world.CheckAccepted && q.ruled(&d) == nil
			})
		}))
		if *q.possible < 0 {
			*q.possible = slices.IndexFunc(q.e.Plan, waits)
		}
	}
	return *q.possible
}

// covers reports whether a planned action covers the deed, an order around it apart. short
// says that it is less than 95% of what is planned or, where that is open, feasible, or asks for
// over 105%: models round, and count what they spend. at is the slot at fault.
func (q *inquiry) covers(p *PlannedAction) (short bool, at world.Slot, ok bool) {
	d := &q.deed
	if accept, is := d.do.(world.AcceptOffer); is {
		// An id says nothing of an offer that the agent was not shown when it planned.
		same := func(t world.Terms) bool { return t.ID == accept.OfferID }
		known := p.ID == accept.OfferID && slices.ContainsFunc(q.e.Shown, same)
		i := slices.IndexFunc(q.seen().Here.Offers, same)
		return false, world.SlotID, known || i >= 0 && (p.ID == "" || p.ID == accept.OfferID) && p.trades(q.seen().Here.Offers[i])
	}
	for s := range world.SlotCount {
		arg := &d.args[s]
		if arg.param == nil {
			continue
		}
		if n := p.number(s); n != nil {
			fits, less := q.coversNumber(p, s, *n)
			if short = short || less; !fits {
				return false, s, false
			}
			continue
		}
		switch word := *p.word(s); {
		case word == "" && mayOpen(arg.param), word == arg.text:
		case s == world.SlotTo && slices.Contains(p.receivers(), arg.text):
		default:
			return false, s, false
		}
	}
	return short, world.SlotCount, true
}

// coversNumber holds one number against the plan. What is given and asked for is at most the
// planned, a price at least as good; an offer wants as much for what it gives. What stands until
// somebody takes it and asks for over 5% more is short: nobody may ever take it.
func (q *inquiry) coversNumber(p *PlannedAction, s world.Slot, planned *int64) (fits, short bool) {
	d, arg := &q.deed, &q.deed.args[s]
	if planned == nil && !mayOpen(arg.param) {
		return false, false
	}
	switch s {
	case world.SlotForTicks:
		return planned == nil || arg.number <= max(*planned, arg.param.Min), false
	case world.SlotWantAmount:
		given := d.args[world.SlotAmount].number
		fits = p.Amount != nil && atLeast(arg.number, *p.Amount, *planned, given)
		return fits, fits && !atLeast(above(*planned), given, arg.number, *p.Amount)
	case world.SlotPrice:
		_, stands := d.do.(world.PlaceOrder)
		if _, sells := d.do.(world.SellPower); sells || d.what == world.SideSell {
			return arg.number >= *planned, stands && arg.number > above(*planned)
		}
		return arg.number <= *planned, stands && arg.number < *planned-*planned/20
	}
	if planned != nil && *planned == arg.number {
		return true, false
	}
	most := planned
	if most == nil {
		most = new(int64(math.MaxInt64))
	}
	// Clamping needs the whole action: how much is feasible depends on what and to whom.
	feasible, _ := q.e.View.Clamp(withNumber(d.do, world.SlotAmount, *most))
	greatest, ok := argued(feasible)
	n := greatest.args[world.SlotAmount].number
	return ok && (arg.number <= n || planned != nil && arg.number <= *planned), arg.number < n-n/20
}

// above is 5% more than n.
func above(n int64) int64 { return n + min(n/20, math.MaxInt64-n) }

// match is the planned action that speaks best for the deed: the one with the least
// deviation, of several the one with most attempts. number is -1 for none; at is then the
// slot at fault of the action that comes closest, SlotCount if none is planned.
func (q *inquiry) match() (number int, cost int64, at world.Slot, planned *PlannedAction) {
	number, at = -1, world.SlotCount
	reached := -1
	for i := range q.e.Plan {
		p := &q.e.Plan[i]
		if p.Action != q.deed.spec.Name {
			continue
		}
		short, s, ok := q.covers(p)
		if !ok {
			if number < 0 && int(s) > reached {
				at, reached, planned = s, int(s), p
			}
			continue
		}
		n := int64(0)
		if short || i > 0 && q.first() >= 0 && i > q.first() {
			n = q.cost()
		}
		if number < 0 || n < cost || n == cost && p.attempts() > planned.attempts() {
			number, cost, planned = i, n, p
		}
	}
	return number, cost, at, planned
}

// cost is what the deed counts as a deviation: the ticks it takes, an order each of its
// attempts, a journey its way back too.
func (q *inquiry) cost() int64 {
	ticks := int64(1)
	switch do := q.deed.do.(type) {
	case world.WaitTicks:
		ticks = max(1, do.Ticks)
	case world.Move:
		ticks = max(1, 2*q.e.View.Check(do).Ticks)
	}
	if q.deed.order != nil {
		ticks *= max(1, min(q.deed.order.MaxTicks, world.StandingTicksMax))
	}
	return ticks
}

// ordered is how many attempts the standing order around the deed may have, 0 for none, and tells
// which events it may not ignore: what the plan or a rule of the scenario says. What is asked for
// is given once: later attempts would answer nothing. within says that the order keeps to both.
func (q *inquiry) ordered() (most int64, unplanned func(event string) bool, within bool) {
	var ignore []string
	if !q.owed() {
		if number, _, _, planned := q.match(); number >= 0 {
			most, ignore = planned.MaxTicks, planned.Ignore
		} else if by, _ := q.asked(); by != nil && !q.deed.gives() {
			most = q.orderAsked(by.Asker)
		}
	}
	unplanned = func(event string) bool { return !slices.Contains(ignore, event) }
	return most, unplanned, q.deed.order.MaxTicks <= most && !slices.ContainsFunc(q.deed.order.Ignore, unplanned)
}

// trim shortens a standing order to what the plan or a rule says, once texts are in view, and
// brings terms and power orders back to the price and the ticks of the planned one. What neither
// says is done once.
func (q *inquiry) trim(a world.Action) (world.Action, []world.Adjustment) {
	if q.e.off(LayerPlan) || len(q.e.Authors) == 0 && !q.owed() {
		return a, nil
	}
	order, ok := a.(world.ExecuteUntil)
	if !ok {
		return q.asPlanned(a)
	}
	most, unplanned, within := q.ordered()
	if within {
		return a, nil
	}
	cut := world.Adjustment{Action: order.ActionName(), Field: "max_ticks", From: order.MaxTicks, To: min(order.MaxTicks, max(1, most)), Bound: BoundPlan}
	if most == 0 {
		return order.Do, []world.Adjustment{cut}
	}
	order.MaxTicks, order.Ignore = cut.To, slices.DeleteFunc(slices.Clone(order.Ignore), unplanned)
	if len(order.Ignore) == 0 {
		order.Ignore = nil
	}
	return order, []world.Adjustment{cut}
}

// asPlanned is an offer, request or power order with the price and the ticks of the planned one, if
// it asks for more or stands for longer and is that otherwise.
func (q *inquiry) asPlanned(a world.Action) (world.Action, []world.Adjustment) {
	if number, cost, _, _ := q.match(); number >= 0 && cost == 0 {
		return a, nil
	}
	for _, p := range q.e.Plan {
		if p.Action != a.ActionName() {
			continue
		}
		changed, cut := a, []world.Adjustment(nil)
		set := func(s world.Slot, n int64) {
			if arg := &q.deed.args[s]; arg.number != n {
				changed = withNumber(changed, s, n)
				cut = append(cut, world.Adjustment{Action: p.Action, Field: arg.param.Name, From: arg.number, To: n, Bound: BoundPlan})
			}
		}
		if p.ForTicks != nil && q.deed.args[world.SlotForTicks].number > *p.ForTicks {
			set(world.SlotForTicks, *p.ForTicks)
		}
		if given := q.deed.args[world.SlotAmount].number; p.WantAmount != nil && p.Amount != nil && given == *p.Amount && q.deed.got > *p.WantAmount {
			set(world.SlotWantAmount, *p.WantAmount)
		}
		if _, stands := a.(world.PlaceOrder); stands && p.Price != nil && (q.deed.what == world.SideSell) == (q.deed.args[world.SlotPrice].number > *p.Price) {
			set(world.SlotPrice, *p.Price)
		}
		if then, ok := q.m.inquire(changed, q.e); ok && len(cut) > 0 {
			if _, _, covered := then.covers(&p); covered {
				return changed, cut
			}
		}
	}
	return a, nil
}

// BoundPlan is the bound of an order that is longer than planned.
const BoundPlan = "plan"

// fully reports whether the plan gives the action to the letter, every slot of it but how long
// terms stay open, which gives nobody anything, and, if words are left out, its text.
func (q *inquiry) fully(words bool) bool {
	p := q.deed.planned()
	return slices.ContainsFunc(q.e.Plan, func(planned PlannedAction) bool {
		if planned.ForTicks == nil {
			planned.ForTicks = p.ForTicks
		}
		if !words {
			planned.Text = p.Text
		}
		return planned.holds(p) && p.holds(planned)
	})
}
