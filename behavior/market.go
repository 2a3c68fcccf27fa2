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
			s.part(side.left > 0, w.Observation.More, side.left)
		}
		if m.OwnStore > 0 {
			s.next(from, "; ")
			s.say(w.Market.OwnStore, m.OwnStore)
		}
	}
	if len(m.Orders) > 0 {
		s.list(w.Lines.Orders, len(m.Orders), 0, func(i int) { s.order(&m.Orders[i]) })
	}
	if len(m.Elsewhere) > 0 {
		n := min(len(m.Elsewhere), s.layout.quotes)
		s.list(w.Lines.Quotes, n, len(m.Elsewhere)-n, func(i int) {
			q := &m.Elsewhere[i]
			s.say(w.Market.Quote, plain(q.Place), s.price(q.Bid), s.price(q.Ask), q.Tick)
		})
	}
}

// order writes one order of the agent's own.
func (s *observationWriter) order(o *world.PowerOrder) {
	w := s.words
	if o.Place == s.Self.Place {
		s.say(w.Market.Order, plain(o.ID), o.Side, o.Amount, o.Price, w.Observation.Here)
	} else { // of an order at another place no more than its price is known
		s.say(w.Market.Far, plain(o.ID), o.Side, o.Price, w.Observation.At.Text(plain(o.Place)))
	}
	s.part(o.Claim > 0, w.Terms.Claim, o.Claim)
	s.part(o.ExpiresIn > 0, w.Terms.Expires, o.ExpiresIn)
}

// price is a price, or that there is none.
func (s *observationWriter) price(p int64) string {
	if p == 0 {
		return s.words.Observation.None
	}
	return strconv.FormatInt(p, 10)
}
