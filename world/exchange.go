package world

import "strings"

// Exchange is what one agent passed to another: a gift, or one side of a trade.
type Exchange struct {
	// From and To are agent ids.
	From, To string
	// Resource is what was passed, Amount how much of it; it is positive.
	Resource string
	Amount   int64
}

// Exchanges are what agents passed to each other in an event: a gift, both sides of a trade at a market, or both
// of an accepted offer. What went into escrow or came back from it is none.
func (e Event) Exchanges() (list []Exchange) {
	switch {
	case e.Kind == EventTrade && e.Trade != nil:
		t := e.Trade
		return []Exchange{
			{t.Seller, t.Buyer, Electricity, t.Amount},
			{t.Buyer, t.Seller, Data, t.Amount / PowerLot * t.Price},
		}
	case e.Kind == EventOfferAccepted:
		for _, gain := range e.Gains(e.Agent) {
			if gain.Amount > 0 {
				list = append(list, Exchange{e.From, e.Agent, gain.Resource, gain.Amount})
			} else {
				list = append(list, Exchange{e.Agent, e.From, gain.Resource, -gain.Amount})
			}
		}
		return list
	}
	for _, p := range e.Postings {
		from, ours := strings.CutPrefix(p.From, accountOf(""))
		to, theirs := strings.CutPrefix(p.To, accountOf(""))
		if ours && theirs && from != to {
			list = append(list, Exchange{from, to, p.Resource, p.Amount})
		}
	}
	return list
}
