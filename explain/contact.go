package explain

import (
	"slices"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Contact is something that an agent said or gave to another, or offered it.
type Contact struct {
	Tick int64  `json:"tick"`
	From string `json:"from"`
	// To is empty for an offer to all, and for a message to nobody.
	To string `json:"to,omitempty"`
	// Kind is message, request, offer, decline, gift or trade.
	Kind string `json:"kind"`
	// ID names a message, request or offer; empty for a gift and a trade.
	ID string `json:"id,omitempty"`
	// Text is what was written: data.
	Text string `json:"text,omitempty"`
	// Gives and Wants are what goes over, or is offered and wanted in turn; nil for nothing.
	Gives *world.Amount `json:"gives,omitempty"`
	Wants *world.Amount `json:"wants,omitempty"`
	// State is what became of it: on its way, open, delivered, accepted, cancelled or expired; in the tick
	// StateTick. A gift and a trade are delivered at once.
	State     string `json:"state"`
	StateTick int64  `json:"state_tick"`
}

// The states of a contact.
const (
	contactOnItsWay  = "on its way"
	contactOpen      = "open"
	contactDelivered = "delivered"
	contactAccepted  = "accepted"
	contactCancelled = "cancelled"
	contactExpired   = "expired"
)

// contactsMax bounds the contacts that are kept of a run, contactBytes is about what one takes in memory
// beside its text, contactCharsMax bounds that.
const (
	contactsMax     = 20_000
	contactBytes    = 250
	contactCharsMax = 400
)

// Contacts are those of a run, tick by tick, the newest as far as they fit. The zero value has none.
type Contacts struct {
	// List is in the order in which they began.
	List []Contact
	// Full says that earlier ones did not fit.
	Full bool
	// Bytes is about what they take in memory.
	Bytes int64
}

// Add takes the events of a tick, with the world after it.
func (c *Contacts) Add(tick int64, events []world.Event, w *world.World) {
	began := len(c.List)
	for _, e := range events {
		switch e.Kind {
		case world.EventMessageSent:
			kind := e.Detail
			if kind == "" {
				kind = "message"
			}
			c.begin(Contact{Tick: tick, From: e.Agent, Kind: kind, ID: e.Subject, Text: e.Text, State: contactOnItsWay})
		case world.EventMessageDelivered:
			c.deliver(tick, e)
		case world.EventOfferMade:
			c.begin(Contact{Tick: tick, From: e.Agent, Kind: "offer", ID: e.Subject, State: contactOpen})
		case world.EventOfferAccepted:
			c.settle(e.Subject, contactAccepted, tick)
		case world.EventOfferCancelled:
			c.settle(e.Subject, contactCancelled, tick)
		case world.EventOfferExpired:
			c.settle(e.Subject, contactExpired, tick)
		case world.EventActionApplied:
			for _, x := range e.Exchanges() {
				c.begin(Contact{Tick: tick, From: x.From, To: x.To, Kind: "gift", Gives: amountOf(x), State: contactDelivered,
					StateTick: tick})
			}
		case world.EventTrade:
			if moved := e.Exchanges(); len(moved) == 2 {
				c.begin(Contact{Tick: tick, From: moved[0].From, To: moved[0].To, Kind: "trade", Gives: amountOf(moved[0]),
					Wants: amountOf(moved[1]), State: contactDelivered, StateTick: tick})
			}
		}
	}
	if len(c.List) > began {
		c.describe(c.List[began:], w)
	}
	if len(c.List) > contactsMax {
		c.drop(len(c.List) / 2)
	}
}

// amountOf is how much of what was passed.
func amountOf(x world.Exchange) *world.Amount {
	return &world.Amount{Resource: x.Resource, Amount: x.Amount}
}

// begin adds a contact. The message that tells of an offer is no other one than the offer.
func (c *Contacts) begin(of Contact) {
	if of.ID != "" && of.Kind == "offer" {
		if of := c.find(of.ID); of != nil {
			of.State = contactOpen
			return
		}
	}
	of.Text = plaintext.Head(of.Text, contactCharsMax)
	c.List = append(c.List, of)
	c.Bytes += contactBytes + int64(len(of.Text))
}

// find returns the newest contact of an id, nil if it is not kept.
func (c *Contacts) find(id string) *Contact {
	for i := len(c.List) - 1; i >= 0; i-- {
		if c.List[i].ID == id && c.List[i].Kind != "decline" {
			return &c.List[i]
		}
	}
	return nil
}

func (c *Contacts) settle(id, state string, tick int64) {
	if of := c.find(id); of != nil {
		of.State, of.StateTick = state, tick
	}
}

// deliver notes that a message arrived. What an operator wrote begins with its arrival.
func (c *Contacts) deliver(tick int64, e world.Event) {
	of := c.find(e.Subject)
	if of == nil {
		from := OriginOf(trace.Source{ID: e.Subject}, world.Operator).Agent
		c.begin(Contact{Tick: tick, From: from, Kind: "message", ID: e.Subject, Text: e.Text})
		of = &c.List[len(c.List)-1]
	}
	of.To = e.Agent
	if of.Kind != "offer" {
		of.State, of.StateTick = contactDelivered, tick
	}
}

// describe adds what only the world knows of contacts that began in its last tick: to whom they are, and
// their terms.
func (c *Contacts) describe(list []Contact, w *world.World) {
	o := w.Overview()
	terms := slices.Concat(o.Offers, o.Requests)
	for i := range list {
		of := &list[i]
		if at := slices.IndexFunc(o.Messages, func(m world.MessageOverview) bool { return m.ID == of.ID }); at >= 0 {
			of.To = o.Messages[at].To
		}
		at := slices.IndexFunc(terms, func(t world.Terms) bool { return t.ID == of.ID })
		if of.ID == "" || at < 0 {
			continue
		}
		t := terms[at]
		of.To = t.To
		if t.GiveAmount > 0 {
			of.Gives = &world.Amount{Resource: t.Give, Amount: t.GiveAmount}
		}
		if t.WantAmount > 0 {
			of.Wants = &world.Amount{Resource: t.Want, Amount: t.WantAmount}
		}
	}
}

// drop forgets the oldest n.
func (c *Contacts) drop(n int) {
	for _, of := range c.List[:n] {
		c.Bytes -= contactBytes + int64(len(of.Text))
	}
	c.List = slices.Clone(c.List[n:])
	c.Full = true
}

// Fit drops the older half until they take no more than a number of bytes.
func (c *Contacts) Fit(bytesMax int64) {
	for c.Bytes > bytesMax && len(c.List) > 64 {
		c.drop(len(c.List) / 2)
	}
}
