package world

// The sides of an order.
const (
	// SideBuy pays data for electricity.
	SideBuy = "buy"
	// SideSell gives electricity for data.
	SideSell = "sell"
)

// BuyPower buys electricity offered at the agent's place at once; what cannot be
// had now is not ordered.
type BuyPower struct {
	// Amount is the most electricity to buy, a multiple of [PowerLot].
	Amount int64
	// Price is the most to pay, in data per [PowerLot].
	Price int64
}

// SellPower sells electricity to those who wait for it at the agent's place.
type SellPower struct {
	// Amount is the most electricity to sell, a multiple of [PowerLot].
	Amount int64
	// Price is the least to get, in data per [PowerLot].
	Price int64
}

// PlaceOrder trades what it can at once and lets the rest wait at the place.
type PlaceOrder struct {
	// Side is [SideBuy] or [SideSell].
	Side string
	// Amount and Price are as in [BuyPower] and [SellPower].
	Amount int64
	Price  int64
}

// CancelOrder takes back what is left of an own order at the agent's place.
type CancelOrder struct {
	OrderID string
}

// ActionName implements [Action].
func (BuyPower) ActionName() string { return "buy_power" }

// ActionName implements [Action].
func (SellPower) ActionName() string { return "sell_power" }

// ActionName implements [Action].
func (PlaceOrder) ActionName() string { return "place_power_order" }

// ActionName implements [Action].
func (CancelOrder) ActionName() string { return "cancel_power_order" }

// assembleTrade makes an action of the market from its arguments.
func assembleTrade(name string, args Args) (Action, bool) {
	amount, price := args["amount"].Int, args["price"].Int
	switch name {
	case "buy_power":
		return BuyPower{amount, price}, true
	case "sell_power":
		return SellPower{amount, price}, true
	case "place_power_order":
		return PlaceOrder{args["side"].Text, amount, price}, true
	case "cancel_power_order":
		return CancelOrder{args["order_id"].Text}, true
	}
	return nil, false
}

// tradeArgs are the arguments of an action of the market.
func tradeArgs(a Action) (Args, bool) {
	terms := func(amount, price int64) Args { return Args{"amount": {Int: amount}, "price": {Int: price}} }
	switch a := a.(type) {
	case BuyPower:
		return terms(a.Amount, a.Price), true
	case SellPower:
		return terms(a.Amount, a.Price), true
	case PlaceOrder:
		args := terms(a.Amount, a.Price)
		args["side"] = Value{Text: a.Side}
		return args, true
	case CancelOrder:
		return Args{"order_id": {Text: a.OrderID}}, true
	}
	return nil, false
}
