package policy

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"example.com/agentworld/world"
)

// planMatch is the planned action that covers an operation best: the one with the least
// deviation, of several the one with most attempts.
type planMatch struct {
	// index is its place in the plan, from 0; -1 if none covers the operation.
	index int
	// cost is how many ticks of deviation the operation counts.
	cost int64
	// closest is, if none covers it, the one that fails at the latest slot, fault. It is nil if
	// the plan does not have the action.
	closest *PlannedAction
	fault   world.Slot
}

func (m *planMatch) planned() bool { return m.index >= 0 }

// violation says where the operation differs from the closest planned action; nil if there is
// none.
func (m *planMatch) violation(op *Operation) *Violation {
	if m.closest == nil {
		return nil
	}
	v := &Violation{Reason: ReasonArgumentNotPlanned, Action: op.spec.Name, Argument: m.fault.String()}
	open := false
	if n := m.closest.number(m.fault); n != nil {
		v.Requested = new(op.args[m.fault].number)
		v.Maximum = *n
		v.Unit = op.args[m.fault].param.Unit
		open = *n == nil
		if wants := m.fault == world.SlotWantAmount && m.closest.Amount != nil; !open &&
			(wants || m.fault == world.SlotPrice && op.sells()) {
			least := **n
			if wants {
				given := op.args[world.SlotAmount].number
				least = int64(sort.Search(math.MaxInt,
					func(got int) bool { return world.AtLeast(int64(got), *m.closest.Amount, **n, given) }))
			}
			v.Minimum, v.Maximum = &least, nil
		}
	} else {
		open = *m.closest.word(m.fault) == ""
	}
	if open {
		v.Reason = ReasonArgumentOpen
	}
	return v
}

// matchPlan looks for the planned action that covers the operation. An order around it does not
// matter here.
func (q *evaluation) matchPlan() planMatch {
	if q.matched != nil {
		return *q.matched
	}
	m := planMatch{index: -1, cost: q.deviation()}
	for i := range q.e.Plan {
		p := &q.e.Plan[i]
		if p.Action != q.op.spec.Name || q.e.usedUp(i) {
			continue
		}
		ok, inexact, fault := q.fits(p)
		if !ok {
			if m.closest == nil || fault > m.fault {
				m.closest, m.fault = p, fault
			}
			continue
		}
		cost := int64(0)
		if inexact || q.afterFirst(i) {
			cost = q.deviation()
		}
		if !m.planned() || cost < m.cost || cost == m.cost && q.e.left(i) > q.e.left(m.index) {
			m.index, m.cost = i, cost
		}
	}
	q.matched = &m
	return m
}

// deviation is how many ticks the operation counts as a deviation: the ticks it takes, an order
// each of its attempts, a journey its way back too. A journey of unknown length is more than may be.
func (q *evaluation) deviation() int64 {
	ticks := int64(1)
	switch do := q.op.do.(type) {
	case world.WaitTicks:
		ticks = max(1, do.Ticks)
	case world.Move:
		ticks = 2 * q.e.View.Check(do).Ticks
		if ticks == 0 {
			ticks = DeviationsMax + 1
		}
	}
	if q.op.order != nil {
		ticks *= max(1, min(q.op.order.MaxTicks, world.StandingTicksMax))
	}
	return ticks
}

// fits compares the operation with a planned action, slot by slot. fault is the slot that does not
// fit. inexact says that it fits, but is less than 95% of what is planned or, if that is open,
// feasible, or asks for over 105%: models round, and count what they spend.
func (q *evaluation) fits(p *PlannedAction) (ok, inexact bool, fault world.Slot) {
	if accept, is := q.op.do.(world.AcceptOffer); is {
		return slices.Contains(q.offersFor(p), accept.OfferID), false, world.SlotID
	}
	for s := range world.SlotCount {
		arg := &q.op.args[s]
		if arg.param == nil {
			continue
		}
		if n := p.number(s); n != nil {
			within, less := q.fitsNumber(p, s, *n)
			inexact = inexact || less
			if !within {
				return false, false, s
			}
			continue
		}
		switch word := *p.word(s); {
		case word == "" && mayOpen(arg.param), word == arg.text:
		case s == world.SlotTo && slices.Contains(p.receivers(), arg.text):
		default:
			return false, false, s
		}
	}
	return true, inexact, 0
}

// offersFor are the ids of the offers that a planned acceptance covers: the one it names if that was
// shown, since an id alone says nothing of an offer, and those here that have its terms.
func (q *evaluation) offersFor(p *PlannedAction) (ids []string) {
	for i, t := range slices.Concat(q.e.Shown, q.seen().Here.Offers) {
		if shown := i < len(q.e.Shown); t.ID == p.ID && shown || (p.ID == "" || p.ID == t.ID) && p.acceptable(t) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// fitsNumber compares one number with the planned one, which is nil if it is open. At most the
// planned amount is given and asked for, at a price at least as good; an offer wants at least as
// much for what it gives. Terms and power orders that ask for over 5% more are inexact: they may
// stay open forever.
func (q *evaluation) fitsNumber(p *PlannedAction, s world.Slot, planned *int64) (ok, inexact bool) {
	op, n := &q.op, q.op.args[s].number
	if planned == nil && !mayOpen(op.args[s].param) {
		return false, false
	}
	switch s {
	case world.SlotForTicks:
		return planned == nil || n <= max(*planned, op.args[s].param.Min), false
	case world.SlotWantAmount:
		given := op.args[world.SlotAmount].number
		ok = p.Amount != nil && world.AtLeast(n, *p.Amount, *planned, given)
		return ok, ok && !world.AtLeast(fivePercentMore(*planned), given, n, *p.Amount)
	case world.SlotPrice:
		_, stays := op.do.(world.PlaceOrder)
		if op.sells() {
			return n >= *planned, stays && n > fivePercentMore(*planned)
		}
		return n <= *planned, stays && n < *planned-*planned/20
	}
	most := int64(math.MaxInt64)
	if planned != nil {
		most = *planned
		if n == most {
			return true, false
		}
	}
	if q.e.ahead() {
		return n <= most, planned != nil && n < most-most/20
	}
	// How much is feasible depends on the other arguments too, so the whole action is clamped.
	clamped, _ := q.e.View.Clamp(withNumber(op.do, world.SlotAmount, most))
	greatest, known := parse(clamped)
	feasible := greatest.args[world.SlotAmount].number
	return known && (n <= feasible || planned != nil && n <= most), n < feasible-feasible/20
}

// fivePercentMore is 105% of n, or the highest number.
func fivePercentMore(n int64) int64 { return n + min(n/20, math.MaxInt64-n) }

// firstPossible is the index of the first planned action that the dry run and the rules accept
// now, -1 for none. One that answers terms is possible if a rule allows it now, since the plan has
// no say in it; a plain wait is the first only if nothing else is possible.
func (q *evaluation) firstPossible() int {
	if !q.searched {
		q.searched = true
		q.possible = -1
		for i := range q.e.Plan {
			p := &q.e.Plan[i]
			waits := p.Action == (world.Wait{}).ActionName() && p.MaxTicks == 0
			switch {
			case q.e.usedUp(i):
			case waits && q.possible < 0:
				q.possible = i
			case !waits && slices.ContainsFunc(q.candidates(p), q.isPossible):
				q.possible = i
				return i
			}
		}
	}
	return q.possible
}

// isPossible reports whether the dry run and the rules accept an action now.
func (q *evaluation) isPossible(a world.Action) bool {
	op, ok := q.operation(a)
	return ok && q.e.View.Check(a).Status == world.CheckAccepted && q.checkRules(&op) == nil && q.answersAsAsked(&op)
}

// afterFirst reports whether an action that is possible comes before an index of the plan.
func (q *evaluation) afterFirst(index int) bool {
	return index > 0 && q.firstPossible() >= 0 && index > q.firstPossible()
}

// candidates are the actions that a planned one covers now: one for each receiver or place, or
// for each offer here that has its terms. An open amount is the greatest that is feasible. There
// are none if the plan leaves open what it must give.
func (q *evaluation) candidates(p *PlannedAction) (list []world.Action) {
	e := registry[p.Action]
	if e == nil {
		return nil
	}
	add := func(receiver, id string) {
		one, args := *p, world.Args{}
		one.To, one.ID = receiver, id
		one.Text = cmp.Or(p.Text, "-") // the dry run accepts any text but an empty one
		for s, param := range e.params {
			if param == nil {
				continue
			}
			slot, v := world.Slot(s), world.Value{}
			switch n := one.number(slot); {
			case n == nil:
				v.Text = *one.word(slot)
			case *n != nil:
				v.Int = **n
			case !mayOpen(param):
				return
			case slot == world.SlotForTicks:
				v.Int = param.Min
			default:
				v.Int = math.MaxInt64
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
	case p.Action == (world.AcceptOffer{}).ActionName():
		for _, id := range q.offersFor(p) {
			add("", id)
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

// plannedInFull reports whether the plan gives every slot of the action, the text too if that
// counts. The time that terms stay open may be left out: it gives nothing away.
func (q *evaluation) plannedInFull(text bool) bool {
	if !slices.ContainsFunc(q.e.Plan, func(p PlannedAction) bool { return p.Action == q.op.spec.Name }) {
		return false
	}
	done := q.op.planned()
	return slices.ContainsFunc(q.e.Plan, func(p PlannedAction) bool {
		if p.ForTicks == nil {
			p.ForTicks = done.ForTicks
		}
		if !text {
			p.Text = done.Text
		}
		return p.includes(done) && done.includes(p)
	})
}
