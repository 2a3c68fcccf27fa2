package behavior

import (
	"fmt"
	"strings"

	"example.com/agentworld/world"
)

// market writes the book of the agent's place, its own orders, which are never
// cut, and what is known of other places.
func (s sketch) market() []string {
	m, w := s.Market, s.words
	if m == nil {
		return nil
	}
	var lines, book []string
	for _, side := range []struct {
		name   string
		levels []world.MarketLevel
		left   int
	}{{w.textAsks, m.Asks, m.AsksOmitted}, {w.textBids, m.Bids, m.BidsOmitted}} {
		var levels []string
		for _, l := range side.levels {
			levels = append(levels, fmt.Sprintf(w.textLevel, l.Amount, l.Price))
		}
		if side.left > 0 {
			levels = append(levels, fmt.Sprintf(w.textMore, side.left))
		}
		if len(side.levels) > 0 {
			book = append(book, side.name+" "+strings.Join(levels, ", "))
		}
	}
	if m.OwnStore > 0 {
		book = append(book, fmt.Sprintf(w.textOwnStore, m.OwnStore))
	}
	if len(book) > 0 {
		lines = append(lines, w.lineMarket+strings.Join(book, "; "))
	}
	var orders []string
	for _, o := range m.Orders {
		// Of an order at another place no more than its price is known.
		order := fmt.Sprintf(w.textFar, plain(o.ID), o.Side, o.Price, s.where(o.Place))
		if o.Place == s.Self.Place {
			order = fmt.Sprintf(w.textOrder, plain(o.ID), o.Side, o.Amount, o.Price, w.textHere)
		}
		if o.Claim > 0 {
			order += ", " + fmt.Sprintf(w.textClaim, o.Claim)
		}
		if o.ExpiresIn > 0 {
			order += ", " + fmt.Sprintf(w.textExpires, o.ExpiresIn)
		}
		orders = append(orders, order)
	}
	if len(orders) > 0 {
		lines = append(lines, w.lineOrders+s.listed(orders, 0))
	}
	var quotes []string
	for _, q := range m.Elsewhere[:min(len(m.Elsewhere), s.layout.quotes)] {
		quotes = append(quotes, fmt.Sprintf(w.textQuote, plain(q.Place), s.price(q.Bid), s.price(q.Ask), q.Tick))
	}
	if len(m.Elsewhere) > 0 {
		lines = append(lines, w.lineQuotes+s.listed(quotes, len(m.Elsewhere)-len(quotes)))
	}
	return lines
}

// price is a price, or that there is none.
func (s sketch) price(p int64) string {
	if p == 0 {
		return s.words.textNone
	}
	return fmt.Sprint(p)
}
