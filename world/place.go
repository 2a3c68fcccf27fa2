package world

// The sides of an order.
const (
	// SideBuy pays data for electricity.
	SideBuy = "buy"
	// SideSell gives electricity for data.
	SideSell = "sell"
)

// PlaceOrder trades what it can at once and lets the rest wait at the place.
type PlaceOrder struct {
	// Side is [SideBuy] or [SideSell].
	Side string
	// Amount and Price are as in [BuyPower] and [SellPower].
	Amount int64
	Price  int64
}

func (PlaceOrder) describe(*Industry) ActionSpec {
	side := Param{Name: "side", Kind: ParamChoice, Choices: []string{SideBuy, SideSell}, Doc: "buy or sell"}
	return ActionSpec{Params: append([]Param{side}, tradeParams()...)}
}

// rule lets what crosses trade at once, at prices of the others; the rest goes into
// escrow at the order's own price.
//
// Refusals, first match: the side, the terms, too many orders, too little stock.
func (a PlaceOrder) rule(f *facts, s senses) ruling {
	if a.Side != SideBuy && a.Side != SideSell {
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "side"})
	}
	if r := onTerms(a.Amount, a.Price); !r.accepted() {
		return r
	}
	value := a.Amount / PowerLot * a.Price
	switch {
	case len(f.orders) >= OrdersMax:
		return refuse(Rejection{
			Code: RejectOrderLimit, Available: number(int64(len(f.orders))), Maximum: number(OrdersMax), Unit: "orders",
		})
	case a.Side == SideBuy && value > f.stock[data]:
		return f.insufficient("amount", data, value, f.stock[data])
	case a.Side == SideSell && a.Amount > f.stock[electricity]:
		return f.insufficient("amount", electricity, a.Amount, f.stock[electricity])
	}
	m := s.market()
	crossed := m.asks
	if a.Side == SideSell {
		crossed = m.bids
	}
	traded := crossed.meet(a.Price, a.Amount, unlimited)
	if traded.unknown {
		return ruling{unknown: true}
	}
	r := ruling{amount: a.Amount, traded: traded.amount, paid: traded.data}
	if a.Side == SideSell {
		r.changes = f.costs(stock{electricity: a.Amount}, gained(Data, traded.data)...)
		return r
	}
	escrow := (a.Amount - traded.amount) / PowerLot * a.Price
	r.changes = f.costs(stock{data: traded.data + escrow}, gained(Electricity, min(traded.amount, f.room()))...)
	return r
}

// gained is a gain, or none.
func gained(resource string, n int64) []Amount {
	if n == 0 {
		return nil
	}
	return []Amount{{resource, n}}
}

// clamp keeps an order within what can be put into escrow.
func (a PlaceOrder) clamp(v *knowledge) (Action, []Adjustment) {
	f := &v.facts
	var adjusted []Adjustment
	l := limit{PowerTradeMax, boundRule}
	switch a.Side {
	case SideBuy:
		a.Price, adjusted = clampPrice(a, a.Price)
		l = l.tighten(affordable(f.stock[data], a.Price, PowerTradeMax/PowerLot)*PowerLot, boundStock)
	case SideSell:
		l = l.tighten(lots(f.stock[electricity]), boundStock)
	}
	n, more := clampLots(a, a.Amount, l)
	a.Amount = n
	return a, append(more, adjusted...)
}

// afford offers both sides as far as there is something to put into escrow: a
// buy at the lowest price, a sale at the highest. At those no offer of the other
// side is out of sight.
func (PlaceOrder) afford(v *knowledge) Affordance {
	f := &v.facts
	var options []Option
	buy := PlaceOrder{SideBuy, PowerLot, 1}.rule(f, v)
	if buy.accepted() {
		most := min(f.stock[data], PowerTradeMax/PowerLot) * PowerLot
		options = append(options, Option{Target: SideBuy, Max: most})
	}
	if (PlaceOrder{SideSell, PowerLot, PowerPriceMax}).rule(f, v).accepted() {
		most := min(lots(f.stock[electricity]), PowerTradeMax)
		options = append(options, Option{Target: SideSell, Max: most})
	}
	if len(options) == 0 {
		return refused(buy)
	}
	return Affordance{OK: true, Options: options}
}

// carryOut trades what crosses and lets the rest wait. Where nothing is left of the
// order, there is no id to speak of.
func (a PlaceOrder) carryOut(w *World, n int32, r ruling) effect {
	place := w.agents[n].place
	w.noteOpening(place)
	k := w.openOrder(n, a)
	if a.Side == SideBuy {
		w.takeAsks(n, k, r)
	} else {
		w.takeBids(n, r)
	}
	if left := a.Amount - r.traded; left > 0 {
		w.rest(k, left)
	}
	w.publish(place)
	if o := &w.orders[k]; o.open() || !w.free(o) {
		return effect{subject: o.id, made: o.id}
	}
	return effect{}
}
