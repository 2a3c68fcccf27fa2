package behavior

import (
	"fmt"
	"strings"

	"example.com/agentworld/world"
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
	}{{s.words.textAsks, m.Asks, m.AsksOmitted}, {s.words.textBids, m.Bids, m.BidsOmitted}} {
		if len(side.levels) > 0 {
			book = append(book, side.name+" "+s.levels(side.levels, side.left))
		}
	}
	if m.OwnStore > 0 {
		book = append(book, fmt.Sprintf(s.words.textOwnStore, m.OwnStore))
	}
	if len(book) > 0 {
		lines = append(lines, s.words.lineMarket+strings.Join(book, "; "))
	}
	if len(m.Orders) > 0 {
		lines = append(lines, s.words.lineOrders+s.orders(m.Orders))
	}
	if len(m.Elsewhere) > 0 {
		lines = append(lines, s.words.lineQuotes+s.quoted(m.Elsewhere))
	}
	return lines
}

func (s sketch) levels(list []world.MarketLevel, left int) string {
	var parts []string
	for _, l := range list {
		parts = append(parts, fmt.Sprintf(s.words.textLevel, l.Amount, l.Price))
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf(s.words.textMore, left))
	}
	return strings.Join(parts, ", ")
}

// orders writes each order; of one at another place no more than its price is known.
func (s sketch) orders(list []world.PowerOrder) string {
	var entries []string
	for _, o := range list {
		entry := fmt.Sprintf(s.words.textFar, plain(o.ID), o.Side, o.Price, s.where(o.Place))
		if o.Place == s.Self.Place {
			entry = fmt.Sprintf(s.words.textOrder, plain(o.ID), o.Side, o.Amount, o.Price, s.words.textHere)
		}
		if o.Claim > 0 {
			entry += ", " + fmt.Sprintf(s.words.textClaim, o.Claim)
		}
		if o.ExpiresIn > 0 {
			entry += ", " + fmt.Sprintf(s.words.textExpires, o.ExpiresIn)
		}
		entries = append(entries, entry)
	}
	return s.listed(entries, 0)
}

func (s sketch) quoted(list []world.PlaceQuote) string {
	var entries []string
	shown := list[:min(len(list), s.layout.quotes)]
	for _, q := range shown {
		entries = append(entries, fmt.Sprintf(s.words.textQuote, plain(q.Place), s.price(q.Bid), s.price(q.Ask), q.Tick))
	}
	return s.listed(entries, len(list)-len(shown))
}

// price is a price, or that there is none.
func (s sketch) price(p int64) string {
	if p == 0 {
		return s.words.textNone
	}
	return fmt.Sprint(p)
}
