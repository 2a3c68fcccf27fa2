package world

import (
	"fmt"
	"strconv"
)

// carryOut makes the effects of an accepted turn. It is the one place that
// switches over all actions for effect. The subject is whom or what it is about.
// An order carries out its inner action. Amounts come from the verdict and are
// never computed anew.
func (w *World) carryOut(t *turn, r ruling) (postings []Posting, subject string) {
	n := t.agent
	switch do := t.do.(type) {
	case Wait:
		return nil, ""
	case WaitTicks:
		w.agents[n].waitUntil = w.tick + do.Ticks
		w.calendar.set(slotOf(n, kindBody), w.agents[n].waitUntil)
		return nil, ""
	case Move:
		return w.depart(n, do.To, r), do.To
	case Harvest:
		return w.harvest(n, r.amount), ""
	case Mine:
		return w.mine(n, r), ""
	case Refine:
		return w.refine(n, r), ""
	case BuildFactory:
		return w.build(n, do)
	case ScheduleRecipe:
		return w.schedule(n, do), do.FactoryID
	case Transfer:
		return w.give(n, do), do.To
	case SendMessage:
		return nil, w.send(n, do)
	case PostNote:
		return nil, w.postNote(n, do)
	case BuyPower, SellPower, PlaceOrder, CancelOrder:
		return w.carryOutTrade(n, do, r)
	}
	panic(fmt.Sprintf("world: no effect for action type %T", t.do))
}

// spend pays electricity into a sink.
// The battery is settled before and planned after, as with every change of it.
func (w *World) spend(n int32, to account, cost int64) []Posting {
	if cost == 0 {
		return nil
	}
	w.settle(n)
	p := w.post(w.agents[n].account, to, electricity, cost)
	w.planPower(n)
	return append(w.listPostings(postingsUsual), p)
}

// postingsUsual is room for the postings of nearly every action: its electricity
// and what becomes of two resources.
const postingsUsual = 3

// depart takes agent n off its place and plans its arrival. From here on nobody
// sees it, those who act later in the same tick included.
func (w *World) depart(n int32, to string, r ruling) []Posting {
	postings := w.spend(n, sinkMove, r.cost)
	a := &w.agents[n]
	w.leave(a.place, n)
	number, _ := w.geo.number(to)
	a.from, a.to, a.place = a.place, number, noPlace
	a.departedAt, a.arriveAt = w.tick, w.tick+r.ticks
	w.calendar.set(slotOf(n, kindBody), a.arriveAt)
	return postings
}

// harvest charges the battery and heats the agent. Radiation is not used up: all
// who stand at a place may harvest it.
func (w *World) harvest(n int32, amount int64) []Posting {
	w.settle(n)
	a := &w.agents[n]
	a.heat, a.heatAt = w.heatOf(a)+amount*w.law.HeatFactor, w.tick
	p := w.post(sourceRadiation, a.account, electricity, amount)
	w.planPower(n)
	return append(w.listPostings(1), p)
}

// mine pays for the digging and moves compound from the place to the agent. What
// was taken in this tick is remembered for those who come later and find too
// little.
func (w *World) mine(n int32, r ruling) []Posting {
	postings := w.spend(n, sinkWork, r.cost)
	a := &w.agents[n]
	w.settleSite(a.place)
	s := &w.sites[a.place]
	if s.takenAt != w.tick {
		s.takenG, s.takenAt = 0, w.tick
	}
	s.takenG += r.amount
	return append(postings, w.post(s.account, a.account, compound, r.amount))
}

// refine turns compound into tailings and makes hardware. Resources do not change
// into one another in the ledger: one goes to a sink, the other comes from a source.
func (w *World) refine(n int32, r ruling) []Posting {
	postings := w.spend(n, sinkWork, r.cost)
	own := w.agents[n].account
	postings = append(postings, w.post(own, sinkTailings, compound, r.amount))
	return append(postings, w.post(sourceProduction, own, hardware, r.amount/w.law.RefineGPerHardware))
}

// build founds a factory. Its id counts only its owner's, so that it tells
// nothing about others.
func (w *World) build(n int32, do BuildFactory) ([]Posting, string) {
	k, _ := kindNumber(w.law.kinds, do.FactoryKind)
	a := &w.agents[n]
	number := int32(len(w.factories))
	f := factory{owner: n, kind: k, place: a.place, stepAt: w.tick + w.law.kinds[k].Ticks}
	f.id = a.id + "-f" + strconv.Itoa(len(a.factories)+1)
	f.account = w.book.open("factory:" + f.id)
	if w.isPlant(&f) {
		f.store = w.book.open("store:" + f.id)
	}
	w.factories = append(w.factories, f)
	a.factories = append(a.factories, number)
	w.touchFactory(number)
	w.digest.touchHeader() // it counts the factories
	w.calendar.set(slotOf(int32(len(w.agents))+number, kindBody), f.stepAt)
	return w.deposit(n, f.account, w.law.kinds[k].cost), f.id
}

// deposit pays inputs into a factory's escrow.
// Inputs in escrow belong to nobody who could give them away or spend them twice.
func (w *World) deposit(n int32, escrow account, inputs stock) []Posting {
	postings := w.spend(n, escrow, inputs[electricity])
	for r, amount := range inputs {
		if resource(r) != electricity {
			postings = w.postAny(postings, w.agents[n].account, escrow, resource(r), amount)
		}
	}
	return postings
}

// schedule pays the inputs of all batches into the factory's escrow and queues
// them as one job; an idle factory starts at once.
func (w *World) schedule(n int32, do ScheduleRecipe) []Posting {
	k := w.ownFactory(n, do.FactoryID)
	r, _ := recipeNumber(w.law.recipes, do.RecipeID)
	f := &w.factories[k]
	f.jobs = append(f.jobs, job{r, do.Batches})
	w.touchFactory(k)
	w.startBatch(k)
	return w.deposit(n, f.account, w.law.recipes[r].inputs.times(do.Batches))
}

// ownFactory finds a factory of agent n that the rules have already seen.
func (w *World) ownFactory(n int32, id string) int32 {
	for _, k := range w.agents[n].factories {
		if w.factories[k].id == id {
			return k
		}
	}
	panic("world: an accepted schedule_recipe names no own factory")
}

// give moves part of the stock; electricity settles both batteries.
// The receiver may be asleep or shut down; a change of its power state is
// announced in the next tick.
func (w *World) give(n int32, do Transfer) []Posting {
	r, _ := resourceNamed(do.Kind)
	to := w.numbers[do.To]
	own, other := w.agents[n].account, w.agents[to].account
	if r != electricity {
		w.touchAgent(to)
		return append(w.listPostings(1), w.post(own, other, r, do.Amount))
	}
	w.settle(n)
	w.settle(to)
	p := w.post(own, other, r, do.Amount)
	w.planPower(n)
	w.planPower(to)
	return append(w.listPostings(1), p)
}
