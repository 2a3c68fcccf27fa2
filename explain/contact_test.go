package explain_test

import (
	"testing"

	"example.com/agentworld/explain"
	"example.com/agentworld/world"
)

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
