package world

import "slices"

// Fork returns an independent copy, on which a tick can be tried. It costs time and memory in
// proportion to the state. Like Digest it must not run beside Advance or Apply; afterwards
// both worlds may be used concurrently.
//
// The copy shares what never changes: the scenario's lists, the law, the geography, the terms
// of requests and offers, parents, and records that are only replaced as a whole, such as an
// agent's last outcome.
func (w *World) Fork() *World {
	f := *w
	// Each Advance or Apply makes these again.
	f.events = nil
	f.facts = facts{}
	f.senses = liveSenses{}
	f.turnKeys = nil
	f.turnList = nil

	f.ledger = ledger{slices.Clone(w.ledger.names), slices.Clone(w.ledger.balances), w.ledger.resources}
	f.agents = slices.Clone(w.agents)
	for i := range f.agents {
		a := &f.agents[i]
		a.factories = slices.Clone(a.factories)
		a.orders = slices.Clone(a.orders)
		a.offers = slices.Clone(a.offers)
		a.mail.coming = slices.Clone(a.mail.coming)
		a.mail.inbox = slices.Clone(a.mail.inbox)
		a.mail.outbox = slices.Clone(a.mail.outbox)
		a.mail.sent, a.mail.got = slices.Clone(a.mail.sent), slices.Clone(a.mail.got)
		if a.standing != nil {
			a.standing = new(*a.standing)
		}
	}
	f.sites = slices.Clone(w.sites)
	for i := range f.sites {
		s := &f.sites[i]
		s.present, s.past = slices.Clone(s.present), slices.Clone(s.past)
		s.notes, s.quotes = slices.Clone(s.notes), slices.Clone(s.quotes)
		s.offers = slices.Clone(s.offers)
		s.asks = slices.Clone(s.asks)
		s.bids = slices.Clone(s.bids)
		s.plants = slices.Clone(s.plants)
	}
	f.factories = slices.Clone(w.factories)
	for i := range f.factories {
		f.factories[i].jobs = slices.Clone(f.factories[i].jobs)
	}
	f.orders, f.offers = slices.Clone(w.orders), slices.Clone(w.offers)
	f.calendar = calendar{slices.Clone(w.calendar.entries), slices.Clone(w.calendar.where)}
	f.goals = slices.Clone(w.goals)
	for i := range f.goals {
		f.goals[i] = slices.Clone(f.goals[i])
	}
	f.able = slices.Clone(w.able)
	f.ordered = slices.Clone(w.ordered)
	f.acted = slices.Clone(w.acted)
	f.summoned, f.visited = slices.Clone(w.summoned), slices.Clone(w.visited)
	f.due, f.continuing = slices.Clone(w.due), slices.Clone(w.continuing)
	f.digest.scratch = nil
	f.digest.agents = w.digest.agents.clone()
	for kind := range f.digest.dirty {
		f.digest.hashes[kind], f.digest.dirty[kind] = slices.Clone(w.digest.hashes[kind]), w.digest.dirty[kind].clone()
	}
	return &f
}

func (t *touched) clone() touched { return touched{slices.Clone(t.list), slices.Clone(t.dirty)} }
