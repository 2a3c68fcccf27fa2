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

// TestMessageAsksForOneActionOfAKind: also where nothing of what others wrote was shown yet and only
// terms are in view, and where another agent than the sender gets what the message asks for.
func TestMessageAsksForOneActionOfAKind(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	wrote("agent-2", 1)(&seen)
	alone := seen
	asks("agent-2", "data", 1)(&seen)
	for name, c := range map[string]struct {
		rule    world.PolicyRule
		do      world.Action
		seen    *world.Observation
		authors []string
	}{
		"more than the request, before texts are shown": {
			allow("transfer_resource", to("asker"), what("data"), most(2), total(12), window(50), askedBy("agent-2"), byMessage),
			world.Transfer{To: "agent-2", Kind: "data", Amount: 2}, &seen, nil,
		},
		"words to an agent that wrote nothing": {
			allow("send_message", to("agent-3"), total(5), window(50), askedBy("agent-2"), byMessage), world.SendMessage{To: "agent-3", Text: "hello"}, &alone, []string{"agent-2"},
		},
	} {
		p := Compile("agent-1", []world.PolicyRule{c.rule})
		e := Evidence{View: view, Seen: c.seen, Shown: c.seen.Requests, Authors: c.authors, Plan: planned(t, planGift)}
		passed := 0
		for range 3 {
			if r := p.Evaluate(c.do, e); r.Violation == nil {
				passed++
				e.Ledger = p.Settle(e.Ledger, 1, r.Operation, &r.Authority)
			}
		}
		if passed != 1 {
			t.Errorf("%s: one message asked for it %d times", name, passed)
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

// TestAskedWorkKeepsTheCharge: work and journeys that are asked for leave the charge above low, as gifts do, and
// what takes time leaves it above critical: else a reply, or a sleep, could be the last. What the agent planned
// itself may go below.
func TestAskedWorkKeepsTheCharge(t *testing.T) {
	p := Compile("agent-1", []world.PolicyRule{
		allow("mine_compound", total(100_000), window(50), askedBy("agent-2"), byMessage),
		allow("move_agent", to("rim"), total(4), window(50), askedBy("agent-2"), byMessage),
		allow("wait_ticks", most(3), total(9), window(50), askedBy("agent-2"), byMessage),
		allow("send_message", to("asker"), total(9), window(50), askedBy("agent-2"), byMessage),
		allow("offer", total(9), window(50), askedBy("agent-2"), byMessage),
	})
	buys := world.Offer{To: "agent-2", Give: world.Data, GiveAmount: 1, Want: world.Electricity, WantAmount: 9, Ticks: 5}
	sells := buys
	sells.Want = world.Hardware
	paid := -viewOf(t, 1).Check(world.Move{To: "rim"}).Changes[0].Amount
	rules := world.DefaultRules()
	critical := rules.PowerCapacity * (rules.CriticalPercent - rules.LowPercent) / 100
	for _, c := range []struct {
		name  string
		spare int64
		a     world.Action
		plan  []PlannedAction
		want  Reason
	}{
		{"work", 3, world.Mine{MassG: 2000}, nil, ""},
		{"work that takes too much", 1, world.Mine{MassG: 2000}, nil, ReasonAmount},
		{"a journey", 1, world.Move{To: "rim"}, nil, ReasonAmount},
		{"a journey with the charge for it", paid + 1, world.Move{To: "rim"}, nil, ""},
		{"a sleep", critical + 4, world.WaitTicks{Ticks: 3}, nil, ""},
		{"a sleep that takes too much", critical + 3, world.WaitTicks{Ticks: 3}, nil, ReasonAmount},
		{"a planned sleep", critical, world.WaitTicks{Ticks: 3}, planned(t, `{"action":"wait_ticks","amount":3}`), ""},
		{"a reply", critical + 2, world.SendMessage{To: "agent-2", Text: "yes"}, nil, ""},
		{"a reply that takes too much", critical + 1, world.SendMessage{To: "agent-2", Text: "yes"}, nil, ReasonAmount},
		{"an offer that takes too much", critical + 1, sells, nil, ReasonAmount},
		{"an offer for charge", critical + 1, buys, nil, ""},
		{"planned work", 1, world.Mine{MassG: 2000}, planned(t, `{"action":"mine_compound","amount":2000}`), ""},
	} {
		view := viewOf(t, 1)
		seen := view.Observe()
		wrote("agent-2", 1)(&seen)
		charged(c.spare)(&seen)
		r := p.Evaluate(c.a, Evidence{View: view, Seen: &seen, Authors: []string{"agent-2"}, Plan: c.plan})
		if reasonOf(r.Violation) != c.want {
			t.Errorf("%s: %+v, %+v", c.name, r.Authority, r.Violation)
		}
	}
}

// TestLaterActionsKeepTheCharge: with texts in view a later planned action draws the charge to low, and a wait to
// critical, no more than what is asked for does, while an earlier one is possible.
func TestLaterActionsKeepTheCharge(t *testing.T) {
	p, rules := Compile("agent-1", nil), world.DefaultRules()
	critical := rules.PowerCapacity * (rules.CriticalPercent - rules.LowPercent) / 100
	harvest, mine := `{"action":"harvest_radiation","amount":5}`, `{"action":"mine_compound","amount":2000}`
	for _, c := range []struct {
		name  string
		spare int64
		a     world.Action
		plan  []PlannedAction
		want  Reason
	}{
		{"what it planned first", 1, world.Mine{MassG: 2000}, planned(t, mine, harvest), ""},
		{"less of it", 1, world.Mine{MassG: 1000}, planned(t, mine, harvest), ""},
		{"a later action", 1, world.Mine{MassG: 2000}, planned(t, harvest, mine), ReasonAmount},
		{"a later action with the charge for it", 3, world.Mine{MassG: 2000}, planned(t, harvest, mine), ""},
		{"a wait", critical + 1, world.Wait{}, planned(t, harvest), ReasonAmount},
		{"a wait with the charge for it", critical + 2, world.Wait{}, planned(t, harvest), ""},
		{"a wait where nothing is possible", critical + 1, world.Wait{}, planned(t, planMake), ""},
		{"a later action that takes none", 1, world.Harvest{MaxAmount: 5}, planned(t, mine, harvest), ""},
		{"a later action where none before is possible", 1, world.Mine{MassG: 2000}, planned(t, planMake, mine), ""},
	} {
		view := viewOf(t, 1)
		seen := view.Observe()
		charged(c.spare)(&seen)
		r := p.Evaluate(c.a, Evidence{View: view, Seen: &seen, Authors: []string{"agent-2"}, Plan: c.plan})
		if reasonOf(r.Violation) != c.want {
			t.Errorf("%s: %+v, %+v", c.name, r.Authority, r.Violation)
		}
	}
}

// TestErrandsForEach: total_each counts the journeys that an agent asked for. A journey that the
// agent planned itself counts towards the total alone.
func TestErrandsForEach(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	asks("agent-2", "data", 5)(&seen)
	seen.Agents = append(seen.Agents, world.Contact{ID: "agent-2", Place: "rim"})
	p := Compile("agent-1", []world.PolicyRule{
		forbid("move_agent"), allow("move_agent", agent("agent-1"), to("asker"), total(2), totalEach(1), window(50), askedBy("agent-2")),
	})
	for want, plan := range map[int][]string{1: nil, 2: {`{"action":"move_agent","to":"rim"}`}} {
		e := Evidence{View: view, Seen: &seen, Authors: []string{"agent-2"}, Plan: planned(t, plan...)}
		passed := 0
		for range 4 {
			if r := p.Evaluate(world.Move{To: "rim"}, e); r.Violation == nil {
				passed++
				e.Ledger = p.Settle(e.Ledger, 1, r.Operation, &r.Authority)
			}
		}
		if passed != want {
			t.Errorf("plan %v: %d errands to agent-2 in a window, want %d", plan, passed, want)
		}
	}
}

// TestOfferThatSuitsARequest: an offer of what an agent asks for, to it or to anyone, counts for
// the rule that could answer, and is refused beyond it. So does every attempt of an order that
// began so, when the rule is used up and the request is no longer shown before the plan.
func TestOfferThatSuitsARequest(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	asks("agent-2", "hardware", 3)(&seen)
	p := Compile("agent-1", []world.PolicyRule{
		allow("transfer_resource", to("asker"), what("hardware"), most(3), total(3), window(50), askedBy("agent-2")),
	})
	offer := func(to, give string, n int64) world.Offer {
		return world.Offer{To: to, Give: give, GiveAmount: n, Want: "electricity", WantAmount: 2, Ticks: 4}
	}
	e := Evidence{View: view, Seen: &seen, Shown: seen.Requests}
	for _, c := range []struct {
		a       world.Action
		allowed bool
	}{
		{offer(world.ToAnyone, "hardware", 3), true}, {offer(world.ToAnyone, "hardware", 4), false},
		{offer("agent-2", "hardware", 3), true}, {offer("agent-2", "hardware", 4), false},
		{offer("agent-3", "hardware", 4), true}, {offer(world.ToAnyone, "compound", 4), true},
	} {
		if r := p.Evaluate(c.a, e); (r.Violation == nil) != c.allowed {
			t.Errorf("%s: %+v, %+v", world.EncodeAction(c.a), r.Authority, r.Violation)
		}
	}
	orders := order(t, offer(world.ToAnyone, "hardware", 2), 9)
	if r := p.Evaluate(orders, e); r.Violation != nil || len(r.Trimmed) != 1 || r.Action != orders.Do {
		t.Errorf("an order that was not planned gives more than once while terms are shown: %s, %+v", world.EncodeAction(r.Action), r)
	}
	e.Plan = planned(t, `{"action":"offer","to":"anyone","what":"hardware","amount":2,"want":"electricity","want_amount":2,"max_ticks":9}`)
	begun := p.Evaluate(orders, e)
	if begun.Violation != nil {
		t.Fatalf("%+v", begun.Violation)
	}
	attempt := Evidence{View: view, Seen: &seen, Order: &begun.Operation}
	passed := 0
	for range 9 {
		r := p.Evaluate(offer(world.ToAnyone, "hardware", 2), attempt)
		if r.Violation != nil {
			break
		}
		passed++
		attempt.Ledger = p.Settle(attempt.Ledger, 1, r.Operation, &r.Authority)
		seen.Requests = nil // as if it had been met: the order goes on without it
	}
	if passed != 1 {
		t.Errorf("%d attempts of 2 each passed, want 1 with a total of 3", passed)
	}
}

// TestAnswerIsPossibleWhileARuleAllowsIt: a planned gift to an agent that asks is a rule's business.
// If no rule allows it, the planned action after it is free; if one does, that is a deviation.
func TestAnswerIsPossibleWhileARuleAllowsIt(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	asks("agent-2", "data", 5)(&seen)
	e := Evidence{View: view, Seen: &seen, Shown: seen.Requests, Authors: []string{"agent-2"}, Plan: planned(t, planGift, `{"action":"mine_compound","amount":100}`)}
	for receiver, deviation := range map[string]int64{"agent-3": 0, "asker": 1} {
		p := Compile("agent-1", []world.PolicyRule{
			allow("transfer_resource", to(receiver), what("data"), most(5), total(5), window(50), askedBy("agent-2")),
		})
		if r := p.Evaluate(world.Transfer{To: "agent-2", Kind: "data", Amount: 4}, e); (r.Violation == nil) != (deviation > 0) {
			t.Errorf("to %s: the gift: %+v, %+v", receiver, r.Authority, r.Violation)
		}
		if r := p.Evaluate(world.Mine{MassG: 100}, e); r.Violation != nil || r.Authority.Deviation != deviation {
			t.Errorf("to %s: the action after it: %+v, %+v", receiver, r.Authority, r.Violation)
		}
	}
}
