package world

import "encoding/binary"

// appendRecord appends the canonical bytes of a stored record: its kind, its
// identity and every field that bears on the future. What only tells contention
// apart within a tick is left out.
func (w *World) appendRecord(b []byte, kind recordKind, n int32) []byte {
	b = append(b, byte(kind))
	switch kind {
	case recordHeader:
		b = appendText(b, w.scenario.ID)
		return appendNumbers(b, int64(w.seed), w.tick, int64(len(w.agents)), int64(len(w.factories)))
	case recordSystem:
		return w.appendAccount(b, account(n))
	case recordAgent:
		return w.appendAgent(b, n)
	case recordSite:
		// Who is present follows from the agents' records.
		return w.appendAccount(b, w.sites[n].account)
	case recordFactory:
		return w.appendFactory(b, &w.factories[n])
	}
	panic("world: unknown record kind")
}

func (w *World) appendAgent(b []byte, n int32) []byte {
	a := &w.agents[n]
	b = w.appendAccount(b, a.account)
	b = appendNumbers(b, int64(a.place), int64(a.from), int64(a.to), a.departedAt, a.arriveAt, a.waitUntil)
	b = appendNumbers(b, a.settledAt, a.heat, a.heatAt, int64(a.announced), flag(a.shut))
	b = appendList(b, a.factories)
	b = appendText(b, a.woken)
	b = appendOrder(b, a.order)
	for _, p := range w.goals[n] {
		b = appendNumbers(b, p.metAt)
	}
	if !a.hasLast {
		return b
	}
	return appendOutcome(b, a.last)
}

func (w *World) appendFactory(b []byte, f *factory) []byte {
	b = w.appendAccount(b, f.account)
	b = appendNumbers(b, int64(f.owner), int64(f.kind), int64(f.place), f.stepAt, flag(f.ready), int64(len(f.jobs)))
	for _, j := range f.jobs {
		b = appendNumbers(b, int64(j.recipe), j.batches)
	}
	return b
}

func (w *World) appendAccount(b []byte, a account) []byte {
	b = appendText(b, w.book.names[a])
	return appendNumbers(b, w.book.balances[a][:]...)
}

func appendOrder(b []byte, s *standing) []byte {
	if s == nil {
		return appendNumbers(b, 0)
	}
	b = appendNumbers(b, 1, s.left, flag(s.arrived), flag(s.jobDone), flag(s.powerFell))
	b = appendText(b, string(EncodeAction(s.order)))
	b = appendList(b, s.agents)
	return appendList(b, s.places)
}

func appendOutcome(b []byte, o Outcome) []byte {
	b = appendNumbers(b, o.Tick, flag(o.Accepted))
	b = appendText(b, string(EncodeAction(o.Action)))
	b = appendText(b, o.Created)
	for _, c := range o.Changes {
		b = appendNumbers(appendText(b, c.Resource), c.Amount)
	}
	if o.Rejection != nil {
		b = appendText(b, string(o.Rejection.Code))
	}
	return b
}

func appendNumbers(b []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// appendText and appendList write the length first, so that no two sequences of
// fields have the same bytes.
func appendText(b []byte, s string) []byte {
	return append(appendNumbers(b, int64(len(s))), s...)
}

func appendList(b []byte, list []int32) []byte {
	b = appendNumbers(b, int64(len(list)))
	for _, n := range list {
		b = appendNumbers(b, int64(n))
	}
	return b
}

func flag(on bool) int64 {
	if on {
		return 1
	}
	return 0
}
