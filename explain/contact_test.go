package explain_test

import (
	"testing"

	"example.com/agentworld/explain"
	"example.com/agentworld/world"
)

// TestGiftsAreWhatGoesToAnother: what an agent harvests, uses or takes back from its own offer is none.
func TestGiftsAreWhatGoesToAnother(t *testing.T) {
	post := func(from, to string) []world.Posting {
		return []world.Posting{{From: from, To: to, Resource: "hardware", Amount: 3}}
	}
	for what, c := range map[string]struct {
		event world.Event
		want  []string
	}{
		"harvest":  {world.Event{Postings: post("source:radiation", "agent:a")}, nil},
		"idle":     {world.Event{Postings: post("agent:a", "sink:idle")}, nil},
		"transfer": {world.Event{Postings: post("agent:a", "agent:b")}, []string{"a b"}},
		"escrow":   {world.Event{Kind: world.EventOfferAccepted, From: "a", Postings: post("offer:x", "agent:a")}, nil},
		"accepted": {world.Event{Kind: world.EventOfferAccepted, From: "a", Postings: post("offer:x", "agent:b")}, []string{"a b"}},
		"paid":     {world.Event{Kind: world.EventOfferAccepted, From: "a", Postings: post("agent:b", "offer:x")}, []string{"b a"}},
		"trade": {world.Event{Kind: world.EventTrade, Trade: &world.Trade{Buyer: "a", Seller: "b", Price: 2, Amount: 10}},
			[]string{"b a", "a b"}},
	} {
		gifts := explain.Gifts(c.event)
		if len(gifts) != len(c.want) {
			t.Errorf("%s: %v", what, gifts)
			continue
		}
		for i, g := range gifts {
			if g.From+" "+g.To != c.want[i] || g.Amount.Amount < 1 {
				t.Errorf("%s: %v, want %s", what, gifts, c.want[i])
			}
		}
	}
}

// TestContactsSayWhatBecameOfThem follows a message to its arrival, and an offer until it expires. The oldest are
// dropped if they do not fit.
func TestContactsSayWhatBecameOfThem(t *testing.T) {
	c := explain.Contacts{List: []explain.Contact{
		{Tick: 1, From: "a", Kind: "message", ID: "msg-1-a-1"}, {Tick: 2, From: "b", Kind: "offer", ID: "offer-2-b-1"},
	}}
	c.Add(3, []world.Event{
		{Kind: world.EventMessageDelivered, Agent: "b", Subject: "msg-1-a-1"},
		{Kind: world.EventOfferExpired, Agent: "b", Subject: "offer-2-b-1"},
	}, nil)
	if m := c.List[0]; m.To != "b" || m.State != "delivered" || m.StateTick != 3 {
		t.Errorf("the message is %+v", m)
	}
	if o := c.List[1]; o.State != "expired" || o.StateTick != 3 {
		t.Errorf("the offer is %+v", o)
	}
	for len(c.List) < 200 {
		c.List = append(c.List, explain.Contact{Tick: int64(len(c.List))})
	}
	c.Bytes = 200 * 250
	c.Fit(100 * 250)
	if len(c.List) != 100 || c.List[0].Tick != 100 || !c.Full {
		t.Errorf("%d are kept from tick %d on", len(c.List), c.List[0].Tick)
	}
}
