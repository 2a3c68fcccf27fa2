package behavior

import (
	"strconv"

	"example.com/agentworld/world"
)

// market writes the book of the agent's place, its own orders, which are never
// cut, and what is known of other places.
func (s *observationWriter) market() {
	m, w := s.Market, s.words
	if len(m.Asks)+len(m.Bids) > 0 || m.OwnStore > 0 {
		from := s.line(w.Lines.Market)
		for _, side := range [...]struct {
			name   string
			levels []world.MarketLevel
			left   int
		}{{w.Market.Asks, m.Asks, m.AsksOmitted}, {w.Market.Bids, m.Bids, m.BidsOmitted}} {
			if len(side.levels) == 0 {
				continue
			}
			s.next(from, "; ")
			for i, l := range side.levels {
				if i == 0 {
					s.add(side.name, " ")
				} else {
					s.add(", ")
				}
				s.say(w.Market.Level, l.Amount, l.Price)
			}
			if side.left > 0 {
				s.then(", ", w.Observation.More, side.left)
			}
		}
		if m.OwnStore > 0 {
			s.next(from, "; ")
			s.say(w.Market.OwnStore, m.OwnStore)
		}
	}
	for i, o := range m.Orders {
		if i == 0 {
			s.line(w.Lines.Orders)
		} else {
			s.add("; ")
		}
		if o.Place == s.Self.Place {
			s.say(w.Market.Order, plain(o.ID), o.Side, o.Amount, o.Price, w.Observation.Here)
		} else { // of an order at another place no more than its price is known
			s.say(w.Market.Far, plain(o.ID), o.Side, o.Price, w.Observation.At.Text(plain(o.Place)))
		}
		if o.Claim > 0 {
			s.then(", ", w.Terms.Claim, o.Claim)
		}
		if o.ExpiresIn > 0 {
			s.then(", ", w.Terms.Expires, o.ExpiresIn)
		}
	}
	if len(m.Elsewhere) > 0 {
		from, quotes := s.line(w.Lines.Quotes), m.Elsewhere[:min(len(m.Elsewhere), s.layout.quotes)]
		for _, q := range quotes {
			s.next(from, "; ")
			s.say(w.Market.Quote, plain(q.Place), s.price(q.Bid), s.price(q.Ask), q.Tick)
		}
		s.end(from, len(m.Elsewhere)-len(quotes))
	}
}

// price is a price, or that there is none.
func (s *observationWriter) price(p int64) string {
	if p == 0 {
		return s.words.Observation.None
	}
	return strconv.FormatInt(p, 10)
}
