package world

import (
	"encoding/binary"
	"reflect"
)

// appendRecord appends the canonical bytes of a stored record: its kind, its
// identity and every field that bears on the future. What only tells contention
// apart within a tick is left out.
//
// An agent is written with its account, goals met, order and last outcome, which its
// next view shows. A factory is written with its escrow and queue, a place with its book
// in the order of priority and how it looked lately; the agents and plants there follow
// from the other records. The name of an order's account holds its id.
func (w *World) appendRecord(b []byte, kind recordKind, n int32) []byte {
	b = append(b, byte(kind))
	switch kind {
	case recordHeader:
		b = appendText(b, w.scenario.ID)
		b = appendNumbers(b, int64(w.seed), w.tick, int64(len(w.agents)), int64(len(w.factories)), int64(len(w.orders)))
		if len(w.offers) > 0 {
			b = appendNumbers(b, int64(len(w.offers)))
		}
		return b
	case recordSystem:
		return w.appendAccount(b, account(n))
	case recordAgent:
		a := &w.agents[n]
		b = w.appendAccount(b, a.account)
		b = appendNumbers(b, int64(a.place), int64(a.from), int64(a.to), a.departedAt, a.arriveAt, a.waitUntil)
		b = appendNumbers(b, a.settledAt, a.heat, a.heatAt, int64(a.announced), bit(a.shut))
		b = appendList(b, a.factories)
		b = appendNumbers(b, a.mail.dropped, int64(len(a.mail.inbox)), int64(len(a.mail.coming)), int64(len(a.mail.outbox)))
		for _, list := range [][]letter{a.mail.inbox, a.mail.coming} {
			for _, l := range list {
				b = appendParents(appendText(appendNumbers(b, int64(l.from), l.sentAt, l.dueAt, l.arrivedAt), l.text), l.parents)
				if l.terms != nil {
					b = appendTerms(b, l.terms) // a text is never empty
				}
				if l.from == fromOperator {
					b = appendNumbers(b, int64(l.told))
				}
			}
		}
		b = appendNumbers(appendNumbers(b, a.mail.outbox...), a.decidedAt)
		// What few agents have is led by a negative number, which no length is.
		if a.mail.wokenAt != 0 {
			b = appendNumbers(b, -1, a.mail.wokenAt)
		}
		if a.mail.endedAt != 0 {
			b = appendNumbers(b, -4, a.mail.endedAt)
		}
		if a.alarmAt != 0 {
			b = appendNumbers(b, -5, int64(a.alarm), a.alarmAt)
		}
		if len(a.offers)+len(a.mail.sent)+len(a.mail.got) > 0 {
			b = appendList(appendNumbers(b, -2), a.offers)
			for _, list := range [][]known{a.mail.sent, a.mail.got} {
				b = appendNumbers(b, int64(len(list)))
				for _, k := range list {
					b = appendTerms(appendNumbers(b, k.left), k.terms)
				}
			}
		}
		b = appendNumbers(appendList(b, a.orders), a.placed)
		b = appendText(b, a.woken)
		b = appendNumbers(appendText(b, a.ended.Why), a.ended.Attempts, int64(a.ended.Step), int64(a.ended.Steps))
		if s := a.standing; s != nil {
			b = appendNumbers(b, int64(s.step), s.left, bit(s.arrived), bit(s.jobDone), bit(s.idled), bit(s.powerFell),
				bit(s.messaged), bit(s.filled))
			b = appendAction(b, s.order)
			b = appendParents(appendList(appendList(b, s.agents), s.places), s.parents)
		} else {
			b = appendNumbers(b, 0)
		}
		for _, p := range w.goals[n] {
			b = appendNumbers(b, p.metAt)
			if p.metric.counts != nil {
				b = appendNumbers(b, p.count)
			}
		}
		o := &a.last
		if o.Tick == 0 {
			return b
		}
		b = appendAction(appendNumbers(b, o.Tick, bit(o.Accepted)), o.Action)
		b = appendText(b, o.Created)
		for _, c := range o.Changes {
			b = appendNumbers(appendText(b, c.Resource), c.Amount)
		}
		if o.Rejection != nil {
			b = appendText(b, string(o.Rejection.Code)) // its numbers follow from the state it was made in
		}
		if o.RefusedBefore > 0 {
			b = appendNumbers(b, int64(o.RefusedBefore))
		}
		return b
	case recordSite:
		s := &w.sites[n]
		b = appendNumbers(w.appendAccount(b, s.account), s.settledAt, int64(len(s.notes)))
		for _, note := range s.notes {
			b = appendParents(appendText(appendNumbers(b, int64(w.numbers[note.Author]), note.Tick), note.Text), note.Parents)
		}
		b = appendList(appendList(b, s.asks), s.bids)
		for _, q := range s.quotes {
			b = appendNumbers(b, q.Tick, q.Bid, q.Ask)
		}
		b = appendNumbers(b, s.since)
		for _, old := range s.past {
			b = appendList(appendNumbers(b, old.storedG, old.settledAt, old.until), old.present)
		}
		return b
	case recordFactory:
		f := &w.factories[n]
		b = w.appendAccount(b, f.account)
		b = appendNumbers(b, int64(f.owner), int64(f.kind), int64(f.place), f.stepAt, bit(f.ready), int64(len(f.jobs)))
		for _, j := range f.jobs {
			b = appendNumbers(b, int64(j.recipe), j.batches)
		}
		b = appendNumbers(b, f.wear, f.settledAt)
		if w.isPlant(f) {
			b = w.appendAccount(b, f.store)
		}
		return b
	case recordOrder:
		o := &w.orders[n]
		return appendNumbers(w.appendAccount(b, o.account), int64(o.owner), int64(o.place), bit(o.bid), o.price, o.remaining,
			o.expiresAt)
	case recordOffer:
		o := &w.offers[n]
		return appendTerms(appendNumbers(w.appendAccount(b, o.account), int64(o.owner), bit(o.open)), o.terms)
	}
	panic("world: unknown record kind")
}

// appendTerms writes terms; their id holds the kind, the tick and the sender.
func appendTerms(b []byte, t *terms) []byte {
	b = appendText(appendText(appendText(b, t.ID), t.To), t.Re)
	return appendParents(appendNumbers(b, t.until, int64(t.place), int64(t.give), t.GiveAmount, int64(t.want),
		t.WantAmount), t.Parents)
}

// appendParents writes parents, led by a negative number that nothing else here is; most
// of what is sent has none.
func appendParents(b []byte, parents []string) []byte {
	if len(parents) == 0 {
		return b
	}
	b = appendNumbers(b, -3, int64(len(parents)))
	for _, id := range parents {
		b = appendText(b, id)
	}
	return b
}

// appendAccount writes the name and the stored balances of an account. The name
// is the identity of the record, so that equal balances of two agents differ.
func (w *World) appendAccount(b []byte, a account) []byte {
	b = appendText(b, w.ledger.names[a])
	return appendNumbers(b, w.ledger.all(a)...)
}

// appendAction writes an action: its name, a marker of the form, then its arguments.
// Some actions were first written in their JSON form, which takes ten times as long,
// and keep it so that digests stay the same.
func appendAction(b []byte, a Action) []byte {
	b = appendText(b, a.ActionName())
	switch a.(type) {
	case BuildFactory, ScheduleRecipe, BuyPower, SellPower, PlaceOrder, CancelOrder, SendMessage, PostNote, ExecuteUntil:
		return appendText(appendNumbers(b, 2), string(EncodeAction(a)))
	}
	b = appendNumbers(b, 1)
	fields := reflect.ValueOf(a)
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Kind() == reflect.String {
			b = appendText(b, f.String())
		} else {
			b = appendNumbers(b, f.Int())
		}
	}
	return b
}

// appendNumbers writes each number in as few bytes as it needs, in a form that
// tells by itself where it ends; most numbers of a record are small, and hashing
// costs by the byte.
func appendNumbers(b []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	return b
}

// appendText and appendList write the length first, so that no two sequences of
// fields have the same bytes.
func appendText(b []byte, s string) []byte {
	return append(appendNumbers(b, int64(len(s))), s...)
}

// appendList writes a list of record numbers.
func appendList(b []byte, list []int32) []byte {
	b = appendNumbers(b, int64(len(list)))
	for _, n := range list {
		b = appendNumbers(b, int64(n))
	}
	return b
}

// bit is 1 for true and 0 for false.
func bit(on bool) int64 {
	if on {
		return 1
	}
	return 0
}
