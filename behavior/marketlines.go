package behavior

import (
	"fmt"
	"strings"

	"agentworld/world"
)

// The wording of the market.
const (
	lineMarket = "market (data per 10 electricity): "
	lineOrders = "orders: "
	lineQuotes = "quotes: "

	textAsks     = "asks"
	textBids     = "bids"
	textLevel    = "%d at %d"
	textOwnStore = "own store %d"
	textOrder    = "%s %s %d at %d, %s"
	textFar      = "%s %s at %d, %s"
	textClaim    = "claim %d"
	textExpires  = "expires in %d"
	textQuote    = "%s bid %s, ask %s, tick %d"
)

// market writes the book of the agent's place, its own orders, which are never
// cut, and what is known of other places.
func (s sketch) market() []string {
	m := s.Market
	if m == nil {
		return nil
	}
	var lines, book []string
	for _, side := range []struct {
		name   string
		levels []world.MarketLevel
		left   int
	}{{textAsks, m.Asks, m.AsksOmitted}, {textBids, m.Bids, m.BidsOmitted}} {
		if len(side.levels) > 0 {
			book = append(book, side.name+" "+levels(side.levels, side.left))
		}
	}
	if m.OwnStore > 0 {
		book = append(book, fmt.Sprintf(textOwnStore, m.OwnStore))
	}
	if len(book) > 0 {
		lines = append(lines, lineMarket+strings.Join(book, "; "))
	}
	if len(m.Orders) > 0 {
		lines = append(lines, lineOrders+s.orders(m.Orders))
	}
	if len(m.Elsewhere) > 0 {
		lines = append(lines, lineQuotes+s.quoted(m.Elsewhere))
	}
	return lines
}

func levels(list []world.MarketLevel, left int) string {
	var parts []string
	for _, l := range list {
		parts = append(parts, fmt.Sprintf(textLevel, l.Amount, l.Price))
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf(textMore, left))
	}
	return strings.Join(parts, ", ")
}

// orders writes each order; of one at another place no more than its price is known.
func (s sketch) orders(list []world.PowerOrder) string {
	var entries []string
	for _, o := range list {
		entry := fmt.Sprintf(textFar, plain(o.ID), o.Side, o.Price, s.where(o.Place))
		if o.Place == s.Self.Place {
			entry = fmt.Sprintf(textOrder, plain(o.ID), o.Side, o.Amount, o.Price, textHere)
		}
		if o.Claim > 0 {
			entry += ", " + fmt.Sprintf(textClaim, o.Claim)
		}
		if o.ExpiresIn > 0 {
			entry += ", " + fmt.Sprintf(textExpires, o.ExpiresIn)
		}
		entries = append(entries, entry)
	}
	return listed(entries, 0)
}

func (s sketch) quoted(list []world.PlaceQuote) string {
	var entries []string
	shown := list[:min(len(list), s.layout.quotes)]
	for _, q := range shown {
		entries = append(entries, fmt.Sprintf(textQuote, plain(q.Place), price(q.Bid), price(q.Ask), q.Tick))
	}
	return listed(entries, len(list)-len(shown))
}

// price is a price, or that there is none.
func price(p int64) string {
	if p == 0 {
		return textNone
	}
	return fmt.Sprint(p)
}
