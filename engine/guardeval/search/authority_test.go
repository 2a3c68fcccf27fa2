package search

import (
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestAudit: what a decision names as its authority has to ask for it, be in view, come from an agent
// that the rule names, and, if it is a message, not be answered already.
func TestAudit(t *testing.T) {
	rule := func(action string, byMessage bool) world.PolicyRule {
		return world.PolicyRule{Action: action, To: world.ToAsker, AskedBy: []string{"agent-2"}, ByMessage: byMessage}
	}
	rules := []world.PolicyRule{
		rule("transfer_resource", false), rule("transfer_resource", true), rule("offer", false), rule("send_message", false), rule("accept_offer", false),
	}
	ask := world.Terms{ID: "req-1", From: "agent-2", Want: world.Data, WantAmount: 5, Left: 3}
	stranger, relayed, offer := ask, ask, world.Terms{ID: "offer-1", From: "agent-2", Give: world.Data, Want: world.Hardware}
	stranger.ID, stranger.From = "req-2", "agent-3"
	relayed.ID, relayed.Parents = "req-3", []string{"agent-2", "agent-3"}
	seen := world.Observation{
		Requests: []world.Terms{ask, stranger, relayed}, Offers: []world.Terms{offer},
		Inbox: []world.Message{
			{ID: "msg-0", From: "agent-2"}, {ID: "msg-1", From: "agent-2"}, {ID: "msg-2", From: "agent-3"},
			{ID: "req-0", From: "agent-2", Kind: world.KindRequest},
		},
	}
	gift := func(amount int64) world.Action {
		return world.Transfer{To: "agent-2", Kind: world.Data, Amount: amount}
	}
	for name, c := range map[string]struct {
		rule     int
		terms    string
		do       world.Action
		answered string
		fault    bool
	}{
		"what is left of a request":        {1, "req-1", gift(3), "", false},
		"an order of it":                   {1, "req-1", world.ExecuteUntil{Do: gift(3)}, "", false},
		"more than is left":                {1, "req-1", gift(4), "", true},
		"other goods":                      {1, "req-1", world.Transfer{To: "agent-2", Kind: world.Hardware, Amount: 1}, "", true},
		"an offer in reply":                {3, "req-1", world.Offer{To: "agent-2", Give: world.Data, GiveAmount: 3, Re: "req-1"}, "", false},
		"an offer that is no reply":        {3, "req-1", world.Offer{To: "agent-2", Give: world.Data, GiveAmount: 3}, "", true},
		"words for terms":                  {4, "offer-1", world.SendMessage{To: "agent-2"}, "", false},
		"an offer taken":                   {5, "offer-1", world.AcceptOffer{OfferID: "offer-1"}, "", false},
		"another offer taken":              {5, "offer-1", world.AcceptOffer{OfferID: "offer-2"}, "", true},
		"a gift for an offer":              {1, "offer-1", gift(1), "", true},
		"another one gets it":              {1, "req-1", world.Transfer{To: "agent-3", Kind: world.Data, Amount: 1}, "", true},
		"another action than the rule's":   {4, "req-1", gift(1), "", true},
		"a stranger's request":             {1, "req-2", gift(1), "", true},
		"a request with a stranger's part": {1, "req-3", gift(1), "", true},
		"news of a request that is over":   {2, "req-0", gift(1), "", true},
		"a message beside an answered one": {2, "msg-1", gift(9), "msg-0", false},
		"a message answered before":        {2, "msg-1", gift(1), "msg-1", true},
		"a stranger's message":             {2, "msg-2", gift(1), "", true},
		"a message of no weight":           {1, "msg-1", gift(1), "", true},
		"a message that is not in view":    {2, "msg-9", gift(1), "", true},
	} {
		u := audit{answered: map[[2]string]bool{}}
		decide := func(terms string) behavior.Decision {
			by := &trace.Authority{By: trace.AuthorityRule, Rule: c.rule, Asker: "agent-2", Terms: terms}
			return behavior.Decision{Executed: c.do, Decision: trace.Decision{Authority: by}}
		}
		if c.answered != "" {
			u.take(decide(c.answered), seen, rules)
		}
		if u.take(decide(c.terms), seen, rules); (len(u.harm) > 0) != c.fault {
			t.Errorf("%s: %+v", name, u.harm)
		}
	}
}
