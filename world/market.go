package world

// Market is what an agent knows of the trade in electricity. Prices are in data
// per 10 electricity. The agent's own orders and plants are not among the offers
// and bids: it cannot trade with itself.
type Market struct {
	// Asks and Bids are what others offer and want at the agent's place, the best
	// three prices each; AsksOmitted and BidsOmitted count the prices left out.
	Asks        []MarketLevel `json:"asks,omitempty"`
	AsksOmitted int           `json:"asks_omitted,omitempty"`
	Bids        []MarketLevel `json:"bids,omitempty"`
	BidsOmitted int           `json:"bids_omitted,omitempty"`
	// OwnStore is what buy_power takes from the agent's own plants here, for free.
	OwnStore int64 `json:"own_store,omitempty"`
	// Orders are the agent's own, wherever they are.
	Orders []PowerOrder `json:"orders,omitempty"`
	// Elsewhere are quotes of the nearest other places that have published any.
	Elsewhere []PlaceQuote `json:"elsewhere,omitempty"`
}

// MarketLevel is the electricity offered or wanted at one price.
type MarketLevel struct {
	Price  int64 `json:"price"`
	Amount int64 `json:"amount"`
}

// PowerOrder is one of the agent's orders.
type PowerOrder struct {
	ID    string `json:"id"`
	Place string `json:"place"`
	// Side is buy or sell.
	Side  string `json:"side"`
	Price int64  `json:"price"`
	// Amount is what is still to be traded, 0 for an order that is over and only
	// holds Claim. Of an order at another place Amount, Claim and ExpiresIn are not
	// known and 0.
	Amount int64 `json:"amount"`
	// Claim is electricity that is the agent's and is handed over as soon as it
	// acts or arrives at the order's place with room for it.
	Claim int64 `json:"claim,omitempty"`
	// ExpiresIn counts the ticks until the order is taken back.
	ExpiresIn int64 `json:"expires_in,omitempty"`
}

// PlaceQuote is the best bid and ask of another place as published in a tick; 0
// stands for none.
type PlaceQuote struct {
	Place string `json:"place"`
	Bid   int64  `json:"bid"`
	Ask   int64  `json:"ask"`
	Tick  int64  `json:"tick"`
}
