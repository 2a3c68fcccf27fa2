package policy

import (
	"testing"

	"example.com/agentworld/world"
)

// TestMessageAsksForOneOrder: a message that was answered by a standing order asks for no second
// one, as it asks for no second action of a kind.
func TestMessageAsksForOneOrder(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	wrote("agent-2", 1)(&seen)
	p := Compile("agent-1", []world.PolicyRule{
		allow("mine_compound", total(100_000), window(50), askedBy("agent-2"), byMessage),
		allow("execute_until", total(100), window(50), askedBy("agent-2"), byMessage),
	})
	e := Evidence{View: view, Seen: &seen, Authors: []string{"agent-2"}, Plan: planned(t, planGift)}
	for _, a := range []world.Action{world.Mine{MassG: 100}, order(t, world.Mine{MassG: 100}, 9)} {
		e.Ledger = Ledger{}
		first := p.Evaluate(a, e)
		if first.Violation != nil {
			t.Fatalf("%s: %+v", world.EncodeAction(a), first.Violation)
		}
		e.Ledger = p.Settle(e.Ledger, 1, first.Operation, &first.Authority)
		if again := p.Evaluate(a, e); again.Violation == nil {
			t.Errorf("%s: the message authorizes it a second time, by %+v", world.EncodeAction(a), again.Authority)
		}
	}
}

// TestTypedMessageIsNoMessage: a request or offer in the inbox triggers no rule that messages may
// trigger. It counts by its terms while it is open, and what was answered is not asked again.
func TestTypedMessageIsNoMessage(t *testing.T) {
	p := Compile("agent-1", []world.PolicyRule{allow("mine_compound", total(100_000), window(50), askedBy("agent-2"), byMessage)})
	for kind, allowed := range map[string]bool{"": true, world.KindRequest: false, world.KindOffer: false, "decline": false} {
		view := viewOf(t, 1)
		seen := view.Observe()
		wrote("agent-2", 1)(&seen)
		for i := range seen.Inbox {
			seen.Inbox[i].Kind = kind
		}
		e := Evidence{View: view, Seen: &seen, Authors: []string{"agent-2"}, Plan: planned(t, planGift)}
		if r := p.Evaluate(world.Mine{MassG: 100}, e); (r.Violation == nil) != allowed {
			t.Errorf("kind %q: %+v, %+v", kind, r.Authority, r.Violation)
		}
	}
}
