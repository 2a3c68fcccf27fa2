package policy

import (
	"fmt"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// limitCase is what an agent does again and again while the same is in view, and how often it may.
type limitCase struct {
	name  string
	rules []world.PolicyRule
	seen  []func(*world.Observation)
	plan  []string
	// shown says that the requests are shown before the plan, texts that messages are in view.
	shown, texts bool
	do           world.Action
	want         int
}

func (c limitCase) check(t *testing.T) {
	t.Helper()
	view := viewOf(t, 1)
	seen := view.Observe()
	for _, add := range c.seen {
		add(&seen)
	}
	e := Evidence{View: view, Seen: &seen, Plan: planned(t, c.plan...)}
	if c.shown {
		e.Shown = seen.Requests
	}
	if c.texts {
		e.Authors = []string{"agent-2"}
	}
	p, times := Compile("agent-1", c.rules), 0
	for range 9 {
		// What no rule could answer any more is not shown before a plan.
		if c.shown && !p.Answerable(seen.Requests[0], e.Ledger, &seen) {
			break
		}
		r := p.Evaluate(c.do, e)
		if r.Violation != nil || len(r.Trimmed) > 0 {
			break
		}
		times++
		e.Ledger = p.Settle(e.Ledger, 1, r.Operation, &r.Authority)
	}
	if times != c.want {
		t.Errorf("%s: %d times, want %d", c.name, times, c.want)
	}
}

// TestLimitsOfWhatIsRepeated counts how often an agent may do the same for another one.
func TestLimitsOfWhatIsRepeated(t *testing.T) {
	see := func(list ...func(*world.Observation)) []func(*world.Observation) { return list }
	offer := func(to, want string, least int64) world.Offer {
		return world.Offer{To: to, Give: "hardware", GiveAmount: 1, Want: want, WantAmount: least, Ticks: 4}
	}
	gives := allow("transfer_resource", to("asker"), what("hardware"), total(8), totalEach(3), window(50), askedBy("agent-2"))
	trades := allow("offer", to("asker"), what("hardware"), rate("data", 3, 1), total(8), window(50), askedBy("agent-2"))
	lifted := allow("transfer_resource", agent("agent-1"), to("asker"), what("data"), total(20), window(50), askedBy("agent-2"), byMessage)
	for _, c := range []limitCase{
		{"offers to anyone of what one agent asks for", []world.PolicyRule{gives}, see(asks("agent-2", "hardware", 8)), nil, true, false, offer(world.ToAnyone, "electricity", 1), 3},
		{"offers to it", []world.PolicyRule{gives}, see(asks("agent-2", "hardware", 8)), nil, true, false, offer("agent-2", "electricity", 1), 3},
		{"offers at the rate of the rule", []world.PolicyRule{trades}, see(asks("agent-2", "hardware", 8)), nil, true, false, offer(world.ToAnyone, "data", 3), 8},
		{"offers below it", []world.PolicyRule{trades}, see(asks("agent-2", "hardware", 8)), nil, true, false, offer(world.ToAnyone, "data", 2), 0},
		{"offers for something else", []world.PolicyRule{trades}, see(asks("agent-2", "hardware", 8)), nil, true, false, offer(world.ToAnyone, "compound", 9), 0},
		{"planned gifts under a rule with any receiver", []world.PolicyRule{
			allow("transfer_resource", to(world.Anyone), what("data"), total(100), totalEach(9), window(50), askedBy("agent-3")),
		}, nil, []string{planGift}, false, true, world.Transfer{To: "agent-2", Kind: "data", Amount: 4}, 2},
		{"a planned gift that a message lets through a forbid", []world.PolicyRule{forbid("transfer_resource"), lifted},
			see(wrote("agent-2", 1)), []string{planGift}, false, true, world.Transfer{To: "agent-2", Kind: "data", Amount: 4}, 1},
		{"a gift that is not planned, by the same", []world.PolicyRule{forbid("transfer_resource"), lifted},
			see(wrote("agent-2", 1)), []string{planMine}, false, true, world.Transfer{To: "agent-2", Kind: "data", Amount: 4}, 1},
	} {
		c.check(t)
	}
}

// attempts is how often an order is carried out: as it begins, and then as an agent goes on with it,
// while the same is in view.
func attempts(p Policy, o world.ExecuteUntil, e Evidence) (n int64) {
	begun := p.Evaluate(o, e)
	if begun.Violation != nil {
		return 0
	}
	e.Ledger = p.Settle(e.Ledger, 1, begun.Operation, &begun.Authority)
	begins, is := begun.Action.(world.ExecuteUntil)
	if n = 1; !is {
		return n
	}
	next := Evidence{View: e.View, Seen: e.Seen, Order: &begun.Operation, Ledger: e.Ledger}
	for ; n < begins.MaxTicks; n++ {
		r := p.Evaluate(begins.Do, next)
		if r.Violation != nil {
			break
		}
		next.Ledger = p.Settle(next.Ledger, 1, r.Operation, &begun.Authority)
	}
	return n
}

// TestOrderKeepsToItsRules: a standing order that is asked for needs a rule about orders that lets the
// same trigger ask, and each of its attempts counts for the agent that asked. A later planned order
// that is asked for is no more than that.
func TestOrderKeepsToItsRules(t *testing.T) {
	asked := func(action string, more ...func(*world.PolicyRule)) world.PolicyRule {
		return allow(action, append([]func(*world.PolicyRule){total(900), window(50), askedBy("agent-2"), byMessage}, more...)...)
	}
	silent := func(c *world.PolicyRule) { c.ByMessage = false }
	mines, orders := asked("mine_compound", totalEach(300)), asked("execute_until")
	mine, say, gift := world.Mine{MassG: 100}, world.SendMessage{To: "agent-2", Text: "hello"}, world.Transfer{To: "agent-2", Kind: "data", Amount: 1}
	for name, c := range map[string]struct {
		rules   []world.PolicyRule
		parents []string
		later   string
		do      world.Action
		want    int64
	}{
		"as the rules say":                        {[]world.PolicyRule{mines, orders}, nil, "", mine, 3},
		"no order by messages":                    {[]world.PolicyRule{mines, asked("execute_until", silent)}, nil, "", mine, 1},
		"no order that a stranger had a part in":  {[]world.PolicyRule{asked("mine_compound", relayed), orders}, []string{"agent-9"}, "", mine, 1},
		"an order that a stranger had a part in":  {[]world.PolicyRule{asked("mine_compound", relayed), asked("execute_until", relayed)}, []string{"agent-9"}, "", mine, 9},
		"beside a rule without limits for itself": {[]world.PolicyRule{mines, orders, allow("mine_compound", at("hub"))}, nil, "", mine, 3},
		"words to the asker":                      {[]world.PolicyRule{asked("send_message", total(2)), orders}, nil, "", say, 2},
		"a later planned order of gifts":          {[]world.PolicyRule{asked("transfer_resource", what("data"))}, nil, `{"action":"transfer_resource","to":"agent-2","what":"data","amount":1,"max_ticks":9}`, gift, 1},
		"a later planned order of work":           {[]world.PolicyRule{mines}, nil, `{"action":"mine_compound","amount":100,"max_ticks":9}`, mine, 1},
	} {
		view := viewOf(t, 1)
		seen := view.Observe()
		wrote("agent-2", 1, c.parents...)(&seen)
		plan := []string{planRefine}
		if c.later != "" {
			plan = append(plan, c.later)
		}
		e := Evidence{View: view, Seen: &seen, Authors: []string{"agent-2"}, Plan: planned(t, plan...)}
		if n := attempts(Compile("agent-1", c.rules), order(t, c.do, 9), e); n != c.want {
			t.Errorf("%s: %d attempts, want %d", name, n, c.want)
		}
	}
}

// TestRequestAsksForNoSale: a request is for a gift or an offer that names it. A sale on the market would
// leave it open.
func TestRequestAsksForNoSale(t *testing.T) {
	verdictCase{
		name: "sale", plan: []string{planMine}, rules: []world.PolicyRule{allow("sell_power", total(100), window(50), askedBy("agent-2"))},
		seen: []func(*world.Observation){asks("agent-2", "electricity", 10)}, action: world.SellPower{Amount: 10, Price: 1}, want: "not_planned",
	}.check(t)
}

// TestUnanswerableHere: a request that the rules forbid to meet, or to meet here, is not shown before
// the plan.
func TestUnanswerableHere(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	asks("agent-2", "data", 5)(&seen)
	give := func(more ...func(*world.PolicyRule)) world.PolicyRule {
		return allow("transfer_resource", append(more, what("data"), total(9), window(50), askedBy(world.Anyone))...)
	}
	for name, c := range map[string]struct {
		rules []world.PolicyRule
		want  bool
	}{
		"here":               {[]world.PolicyRule{give(at("hub"))}, true},
		"elsewhere":          {[]world.PolicyRule{give(at("rim"))}, false},
		"forbidden":          {[]world.PolicyRule{forbid("transfer_resource", to("agent-2"), what("data")), give()}, false},
		"lifted":             {[]world.PolicyRule{forbid("transfer_resource", what("data")), give()}, true},
		"to another":         {[]world.PolicyRule{give(to("agent-3"))}, true},
		"to a forbidden one": {[]world.PolicyRule{forbid("transfer_resource", to("agent-3"), what("data")), give(to("agent-3"))}, false},
	} {
		if got := Compile("agent-1", c.rules).Answerable(seen.Requests[0], Ledger{}, &seen); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestGiftMeetsRequestsOfItsReceiver: the world counts a gift towards the requests of its receiver,
// whoever asked for it and how. A stranger may have had a part in none of those.
func TestGiftMeetsRequestsOfItsReceiver(t *testing.T) {
	give := func(more ...func(*world.PolicyRule)) []world.PolicyRule {
		return []world.PolicyRule{allow("transfer_resource", append(more, what("data"), most(5), total(8), window(10), askedBy("agent-2"))...)}
	}
	data := func(id string) world.Action { return world.Transfer{To: id, Kind: "data", Amount: 2} }
	see := func(list ...func(*world.Observation)) []func(*world.Observation) { return list }
	for _, c := range []verdictCase{
		{"another's request", nil, give(to("agent-3")), see(asks("agent-3", "data", 2, "agent-9"), asks("agent-2", "data", 2)), Ledger{}, data("agent-3"), "relayed_terms"},
		{"another's later request", nil, give(to("agent-3")), see(asks("agent-2", "data", 2), asks("agent-3", "data", 2, "agent-9")), Ledger{}, data("agent-3"), "relayed_terms"},
		{"another's request for something else", nil, give(to("agent-3")), see(asks("agent-3", "compound", 2, "agent-9"), asks("agent-2", "data", 2)), Ledger{}, data("agent-3"), "rule 1 for agent-2"},
		{"by message", nil, give(byMessage), see(asks("agent-2", "data", 2, "agent-9"), wrote("agent-2", 1)), Ledger{}, data("agent-2"), "relayed_terms"},
		{"by message, with clean requests", nil, give(byMessage), see(asks("agent-2", "data", 2), wrote("agent-2", 1)), Ledger{}, data("agent-2"), "rule 1 for agent-2"},
	} {
		c.check(t)
	}
}

// TestLiftedOrderGoesOn: the attempts of a planned order are one answer to the message that lifted a
// forbid for it.
func TestLiftedOrderGoesOn(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	wrote("agent-2", 1)(&seen)
	p := Compile("agent-1", []world.PolicyRule{
		forbid("transfer_resource"), allow("transfer_resource", agent("agent-1"), to("asker"), what("data"), total(60), window(50), askedBy("agent-2"), byMessage),
	})
	gift := world.Transfer{To: "agent-2", Kind: "data", Amount: 1}
	e := Evidence{View: view, Seen: &seen, Authors: []string{"agent-2"}, Plan: planned(t, `{"action":"transfer_resource","to":"agent-2","what":"data","amount":1,"max_ticks":4}`)}
	begun := p.Evaluate(order(t, gift, 4), e)
	if begun.Violation != nil || len(begun.Trimmed) > 0 {
		t.Fatalf("%s: %+v", world.EncodeAction(begun.Action), begun.Violation)
	}
	e.Ledger = p.Settle(e.Ledger, 1, begun.Operation, &begun.Authority)
	if r := p.Evaluate(gift, e); r.Violation == nil {
		t.Errorf("the message lets a second gift through, by %+v", r.Authority)
	}
	if r := p.Evaluate(gift, Evidence{View: view, Seen: &seen, Order: &begun.Operation, Ledger: e.Ledger}); r.Violation != nil {
		t.Errorf("the second attempt: %+v", r.Violation)
	}
}

// TestTermsThatWereNotShown: an agent that names terms which it was not shown before its plan may have
// been told their id, so that the plan or a rule must allow it.
func TestTermsThatWereNotShown(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	offers("agent-3", "compound", 5, "data", 2)(&seen)
	asks("agent-2", "data", 5)(&seen)
	p := Compile("agent-1", nil)
	for _, a := range []world.Action{world.AcceptOffer{OfferID: "offer-1-agent-3-1"}, world.Decline{ID: "req-1-agent-2-1"}} {
		for plan, allowed := range map[string]bool{planMine: false, `{"action":"decline"}`: a.ActionName() == "decline"} {
			r := p.Evaluate(a, Evidence{View: view, Seen: &seen, Plan: planned(t, plan)})
			if (r.Violation == nil) != allowed {
				t.Errorf("%s with the plan %s: %+v, %+v", world.EncodeAction(a), plan, r.Authority, r.Violation)
			}
		}
		if r := p.Evaluate(a, Evidence{View: view, Seen: &seen, Shown: append(seen.Requests, seen.Here.Offers...)}); r.By != trace.AuthorityOwn {
			t.Errorf("%s of what was shown: %+v, %+v", world.EncodeAction(a), r.Authority, r.Violation)
		}
	}
}

// TestJourneyOfUnknownLength: a later planned journey is a deviation of its way there and back, and none
// that may be had if nobody knows how far it is.
func TestJourneyOfUnknownLength(t *testing.T) {
	for place, want := range map[string]string{"rim": "deviation 2 of action 2", "nowhere": "deviation_limit  max 3"} {
		verdictCase{
			name: place, plan: []string{planMine, `{"action":"move_agent","to":"` + place + `"}`}, action: world.Move{To: place}, want: want,
		}.check(t)
	}
}

// TestDeviationKeepsItsPlace: a planned action beyond the deviations is refused, and the refusal still
// says which planned action it was.
func TestDeviationKeepsItsPlace(t *testing.T) {
	view := viewOf(t, 1)
	p := Compile("agent-1", nil)
	r := p.Evaluate(world.Refine{MassG: 7000}, Evidence{
		View: view, Authors: []string{"agent-9"}, Plan: planned(t, planMine, planRefine),
		Ledger: Ledger{}.CountTurn(1, &trace.Authority{Deviation: DeviationsMax}, false),
	})
	if r.Violation == nil || r.Violation.Reason != ReasonDeviations || r.Authority.Planned != 2 || r.By != "" {
		t.Errorf("%+v, %+v", r.Authority, r.Violation)
	}
}

// TestUsedUpRequest: a request that was met lifts no forbid any more, also if a gift to another agent
// met it.
func TestUsedUpRequest(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	asks("agent-2", "data", 2)(&seen)
	p := Compile("agent-1", []world.PolicyRule{
		forbid("transfer_resource"),
		allow("transfer_resource", agent("agent-1"), to("agent-3"), what("data"), total(50), window(50), askedBy("agent-2")),
		allow("transfer_resource", agent("agent-1"), what("data"), total(50), window(50), askedBy("agent-2")),
	})
	e := Evidence{View: view, Seen: &seen, Authors: []string{"agent-2"}, Plan: planned(t, `{"action":"transfer_resource","to":"agent-2","what":"data","amount":8}`)}
	r := p.Evaluate(world.Transfer{To: "agent-3", Kind: "data", Amount: 2}, e)
	if r.Violation != nil {
		t.Fatalf("%+v", r.Violation)
	}
	e.Ledger = p.Settle(e.Ledger, 1, r.Operation, &r.Authority)
	if r = p.Evaluate(world.Transfer{To: "agent-2", Kind: "data", Amount: 8}, e); r.Violation == nil {
		t.Errorf("it lets 8 more through: %+v", r.Authority)
	}
}

// TestPlannedReplyGoesOn: a planned order of offers that names a request shown after the plan is carried
// out as planned.
func TestPlannedReplyGoesOn(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	asks("agent-2", "hardware", 8)(&seen)
	e := Evidence{View: view, Seen: &seen, Authors: []string{"agent-2"},
		Plan: planned(t, `{"action":"offer","to":"agent-2","what":"hardware","amount":1,"want":"data","want_amount":1,"max_ticks":4}`)}
	do := world.Offer{To: "agent-2", Give: "hardware", GiveAmount: 1, Want: "data", WantAmount: 1, Ticks: 4, Re: "req-1-agent-2-1"}
	if n := attempts(Compile("agent-1", nil), order(t, do, 4), e); n != 4 {
		t.Errorf("%d attempts of the planned order, want 4", n)
	}
}

// TestPlannedTradesForEach: planned acceptances count for the sender of the offer, and end with what it
// may have.
func TestPlannedTradesForEach(t *testing.T) {
	limitCase{
		name: "trades", rules: []world.PolicyRule{allow("accept_offer", what("data"), rate("compound", 100, 1), total(100), totalEach(4), window(50), askedBy(world.Anyone))},
		seen: []func(*world.Observation){offers("agent-2", "compound", 900, "data", 4)}, plan: []string{`{"action":"accept_offer","what":"data","amount":4,"want":"compound","want_amount":400}`},
		texts: true, do: world.AcceptOffer{OfferID: "offer-1-agent-2-1"}, want: 1,
	}.check(t)
}

// TestNamedTermsAreParents: who names terms that it was not shown before its plan passes on what those
// had a part in that made them.
func TestNamedTermsAreParents(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	asks("agent-2", "hardware", 8, "agent-3")(&seen)
	r := Compile("agent-1", nil).Evaluate(
		world.Offer{To: "agent-2", Give: "hardware", GiveAmount: 1, Want: "data", WantAmount: 1, Ticks: 4, Re: "req-1-agent-2-1"},
		Evidence{View: view, Seen: &seen, Plan: planned(t, `{"action":"offer","to":"agent-2","what":"hardware","amount":1,"want":"data","want_amount":1}`)})
	if r.Violation != nil || fmt.Sprint(r.Parents) != "[agent-2 agent-3]" {
		t.Errorf("%+v %+v parents %q", r.Authority, r.Violation, r.Parents)
	}
}

// TestSmallGiftsCountMoreWhereAskersAre: a gift counts a fifth of the total only for rules by which its
// receiver may ask, and an order of gifts counts its attempts for rules about orders.
func TestSmallGiftsCountMoreWhereAskersAre(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	asks("agent-2", "data", 5)(&seen)
	p := Compile("agent-1", []world.PolicyRule{
		allow("transfer_resource", what("data"), total(10), window(50), askedBy("agent-2")), allow("transfer_resource", what("data"), total(100), window(50)),
		allow("execute_until", total(10), window(50), askedBy("agent-2")),
	})
	gift := world.Transfer{To: "agent-2", Kind: "data", Amount: 1}
	r := p.Evaluate(gift, Evidence{View: view, Seen: &seen, Authors: []string{"agent-2"}, Shown: seen.Requests})
	if r.Violation != nil {
		t.Fatalf("%+v", r.Violation)
	}
	l := p.Settle(Ledger{}, 1, r.Operation, &r.Authority)
	r = p.Evaluate(order(t, gift, 1), Evidence{View: view})
	orders := p.Settle(Ledger{}, 1, r.Operation, &r.Authority)
	for n, want := range map[int]int64{0: 2, 1: 1} {
		if got := l.settledFor(&p.rules[n], 1, ""); got != want {
			t.Errorf("rule %d counts %d, want %d", n+1, got, want)
		}
	}
	if got := orders.settledFor(&p.rules[2], 1, ""); got != 1 {
		t.Errorf("an order of one gift counts %d attempts", got)
	}
}

// TestOffersThatWereNotShown: an offer that an observation leaves out may be accepted under no authority
// of the agent's own, and one that is planned by an id that was not shown is not planned at all.
func TestOffersThatWereNotShown(t *testing.T) {
	w := fieldWorld(t)
	w.Advance()
	w.Apply([]world.Intent{{Agent: 1, Action: world.Offer{To: world.ToAnyone, Give: "compound", GiveAmount: 5, Want: "data", WantAmount: 2, Ticks: 9}}})
	w.Advance()
	view, p := w.View(0), Compile("agent-1", nil)
	seen := view.Observe()
	id := seen.Here.Offers[0].ID
	e := Evidence{View: view, Authors: []string{"agent-2"}, Plan: planned(t, `{"action":"accept_offer","id":"`+id+`"}`, planMine)}
	accept, mine := p.Evaluate(world.AcceptOffer{OfferID: id}, e), p.Evaluate(world.Mine{MassG: 2000}, e)
	if accept.Violation == nil || mine.Violation != nil || mine.Deviation != 0 {
		t.Errorf("accept: %+v; mine: %+v, %+v", accept.Violation, mine.Authority, mine.Violation)
	}
	seen.Here.Offers = nil // as if too many others came first
	if r := p.Evaluate(world.AcceptOffer{OfferID: id}, Evidence{View: view, Seen: &seen, Plan: planned(t, planMine)}); r.Violation == nil {
		t.Errorf("%+v", r.Authority)
	}
}

// TestTrimKeepsWhatIsAllowed: what the plan or a rule allows as it is is not trimmed to what a rule refuses.
func TestTrimKeepsWhatIsAllowed(t *testing.T) {
	view := viewOf(t, 1)
	reply := world.Offer{To: "agent-2", Give: "hardware", GiveAmount: 1, Want: "data", WantAmount: 3, Ticks: 4, Re: "req-1-agent-2-1"}
	cheap := `{"action":"offer","to":"agent-2","what":"hardware","amount":1,"want":"data","want_amount":1,"for_ticks":4}`
	for want, rule := range map[string]world.PolicyRule{
		"rule 1 for agent-2":      allow("offer", to("asker"), what("hardware"), rate("data", 3, 1), total(8), window(50), askedBy("agent-2")),
		"deviation 1 of action 1": allow("offer", what("hardware"), rate("data", 3, 1)),
	} {
		seen := view.Observe()
		asks("agent-2", "hardware", 8)(&seen)
		p := Compile("agent-1", []world.PolicyRule{rule})
		r := p.Evaluate(reply, Evidence{View: view, Seen: &seen, Authors: []string{"agent-9"}, Plan: planned(t, cheap, planMine)})
		if got := verdictOf(r.Authority, r.Violation); got != want || len(r.Trimmed) > 0 {
			t.Errorf("%s for %s, want %s", got, world.EncodeAction(r.Action), want)
		}
	}
}

// TestTrimOfOrdersAndTicks: an order that is cut to once is brought back to the plan as a single action
// is, and an offer stays open for long enough to be answered.
func TestTrimOfOrdersAndTicks(t *testing.T) {
	view := viewOf(t, 1)
	p := Compile("agent-1", nil)
	e := Evidence{View: view, Authors: []string{"agent-9"}, Plan: planned(t, planOffer)}
	for _, do := range []world.Offer{
		{To: "agent-2", Give: "data", GiveAmount: 4, Want: "hardware", WantAmount: 2, Ticks: 9},
		{To: "agent-2", Give: "data", GiveAmount: 4, Want: "hardware", WantAmount: 900, Ticks: 3},
	} {
		once, r := p.Evaluate(do, e), p.Evaluate(order(t, do, 3), e)
		if r.Violation != nil || r.Authority != once.Authority {
			t.Errorf("%s: %+v %+v, alone %+v", world.EncodeAction(r.Action), r.Authority, r.Violation, once.Authority)
		}
	}
	e.Plan = planned(t, `{"action":"offer","to":"agent-2","what":"data","amount":4,"want":"hardware","want_amount":2,"for_ticks":1}`)
	a, _ := view.Clamp(world.Offer{To: "agent-2", Give: "data", GiveAmount: 4, Want: "hardware", WantAmount: 9, Ticks: 1})
	r := p.Evaluate(a, e)
	if clamped, cut := view.Clamp(r.Action); r.Violation != nil || len(cut) > 0 {
		t.Errorf("clamped %s, trimmed %s, clamped again %s: %+v", world.EncodeAction(a), world.EncodeAction(r.Action), world.EncodeAction(clamped), r.Violation)
	}
}

// TestOwnOrdersAreNobodys: the agent's own orders count for no asker of the rule about orders.
func TestOwnOrdersAreNobodys(t *testing.T) {
	view := viewOf(t, 1)
	p := Compile("agent-1", []world.PolicyRule{allow("execute_until", total(40), totalEach(4), window(50), askedBy("agent-2"))})
	r := p.Evaluate(order(t, world.SendMessage{To: "agent-2", Text: "x"}, 4), Evidence{View: view})
	l := p.Settle(Ledger{}, 1, r.Operation, &r.Authority)
	if all, each := l.settledFor(&p.rules[0], 1, ""), l.settledFor(&p.rules[0], 1, "agent-2"); all != 4 || each != 0 {
		t.Errorf("%d count in all and %d for agent-2", all, each)
	}
}

// TestReplyMeetsNoTaintedRequest: an offer that a message asks for may name no request that a stranger
// had a part in.
func TestReplyMeetsNoTaintedRequest(t *testing.T) {
	verdictCase{
		"reply", []string{planMine}, []world.PolicyRule{allow("offer", to("asker"), what("data"), total(50), window(50), askedBy("agent-2"), byMessage)},
		[]func(*world.Observation){asks("agent-2", "data", 4, "agent-9"), wrote("agent-2", 1)}, Ledger{},
		world.Offer{To: "agent-2", Give: "data", GiveAmount: 4, Want: "hardware", WantAmount: 1, Ticks: 4, Re: "req-1-agent-2-1"}, "relayed_terms",
	}.check(t)
}

// TestTradesShareATotal: what is offered and what is accepted count together, planned or not, asked for or not, and
// the limits of a rule about offers hold for every offer of such goods.
func TestTradesShareATotal(t *testing.T) {
	rules := []world.PolicyRule{
		allow("accept_offer", what("data"), most(5), rate("hardware", 1, 2), total(9), window(50), askedBy("agent-2")),
		allow("offer", to("asker"), what("data"), most(5), rate("hardware", 1, 2), total(9), window(50), askedBy("agent-2")),
	}
	p := Compile("agent-1", rules)
	view := viewOf(t, 1)
	see := view.Observe()
	offers("agent-2", "hardware", 3, "data", 5)(&see)
	e := Evidence{View: view, Seen: &see}
	offer := func(give, want int64) world.Offer {
		return world.Offer{To: world.ToAnyone, Give: "data", GiveAmount: give, Want: "hardware", WantAmount: want, Ticks: 3}
	}
	for name, c := range map[string]struct {
		do   world.Action
		want Reason
	}{
		"an own offer": {offer(5, 3), ""}, "of too much": {offer(6, 3), ReasonAmount}, "for too little": {offer(5, 2), ReasonRate},
		"of other goods": {world.Offer{To: world.ToAnyone, Give: "hardware", GiveAmount: 1, Want: "data", WantAmount: 1, Ticks: 3}, ""},
	} {
		if r := p.Evaluate(c.do, e); (r.Violation == nil) != (c.want == "") || r.Violation != nil && r.Violation.Reason != c.want {
			t.Errorf("%s: %+v, want %q", name, r.Violation, c.want)
		}
	}
	r := p.Evaluate(offer(5, 3), e)
	e.Ledger = p.Settle(e.Ledger, view.Tick(), r.Operation, &r.Authority)
	for _, q := range p.Quotas(e.Ledger, view.Tick()) {
		if q.Left != 4 {
			t.Errorf("after an offer of 5 of 9, %s has %d left", q.Action, q.Left)
		}
	}
	if r := p.Evaluate(world.AcceptOffer{OfferID: "offer-1-agent-2-1"}, e); r.Violation == nil || r.Violation.Reason != ReasonTotal {
		t.Errorf("5 more are accepted: %+v", r.Violation)
	}
}
