package world

// CancelOrder takes back what is left of an own order at the agent's place.
type CancelOrder struct {
	OrderID string
}

func (CancelOrder) describe(*Industry) ActionSpec {
	return ActionSpec{
		Params: []Param{{Name: "order_id", Kind: ParamOrder, Doc: "id of your order"}},
	}
}

// rule knows no order that was filled or has expired, and those of others are not the
// actor's to know.
func (a CancelOrder) rule(f *facts, _ senses) ruling {
	for _, o := range f.orders {
		switch {
		case o.ID != a.OrderID:
		case o.Place != f.place:
			return refuse(Rejection{Code: RejectOrderNotHere, Field: "order_id"})
		case o.Amount == 0:
		case o.Side == SideBuy:
			return ruling{changes: gained(Data, o.Amount/PowerLot*o.Price)}
		default:
			return ruling{changes: gained(Electricity, min(o.Amount, f.room()))}
		}
	}
	return refuse(Rejection{Code: RejectOrderNotFound, Field: "order_id"})
}

// afford offers the open orders here. If there are only others, it says that
// they are elsewhere.
func (CancelOrder) afford(v *knowledge) Affordance {
	return choices(v, RejectOrderNotFound, v.facts.orders, func(o PowerOrder) string { return o.ID },
		func(id string) Action { return CancelOrder{id} })
}

func (a CancelOrder) carryOut(w *World, n int32, _ ruling) effect {
	w.noteOpening(w.agents[n].place)
	for _, k := range w.agents[n].orders {
		if o := &w.orders[k]; o.id == a.OrderID && o.open() {
			w.withdraw(k, EventOrderCancelled)
			return effect{subject: a.OrderID}
		}
	}
	panic("world: an accepted cancel_power_order names no open order")
}
