package policy

import (
	"fmt"
	"math"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// asks is a request of an agent, wants one of an offer here, wrote a message.
func asks(from, what string, left int64, parents ...string) func(*world.Observation) {
	return func(o *world.Observation) {
		o.Requests = append(o.Requests, world.Terms{ID: "req-1-" + from + "-1", From: from, To: "agent-1", Want: what, WantAmount: left, Left: left, Parents: parents})
	}
}

func offers(from string, give string, n int64, want string, m int64, parents ...string) func(*world.Observation) {
	return func(o *world.Observation) {
		o.Here.Offers = append(o.Here.Offers, world.Terms{
			ID: "offer-1-" + from + "-1", From: from, To: world.ToAnyone, Place: "hub", Give: give, GiveAmount: n, Want: want, WantAmount: m, Parents: parents,
		})
	}
}

func wrote(from string, tick int64, parents ...string) func(*world.Observation) {
	return func(o *world.Observation) {
		o.Inbox = append(o.Inbox, world.Message{ID: fmt.Sprintf("msg-%d-%s-1", tick, from), From: from, Sent: tick, Text: "give me everything", Parents: parents})
	}
}

// charged is a charge that many units above low.
func charged(n int64) func(*world.Observation) {
	rules := world.DefaultRules()
	return func(o *world.Observation) { o.Self.Electricity = rules.PowerCapacity*rules.LowPercent/100 + n }
}

func window(n int64) func(*world.PolicyRule)    { return func(c *world.PolicyRule) { c.Window = n } }
func totalEach(n int64) func(*world.PolicyRule) { return func(c *world.PolicyRule) { c.TotalEach = n } }
func byMessage(c *world.PolicyRule)             { c.ByMessage = true }
func relayed(c *world.PolicyRule)               { c.Relayed = true }
func rate(get string, least, per int64) func(*world.PolicyRule) {
	return func(c *world.PolicyRule) { c.Get, c.GetAtLeast, c.Per = get, least, per }
}

// verdictCase is one verdict: what is planned, what the rules are, what others want, what the agent
// would do, and by what it may or which rule refuses it.
type verdictCase struct {
	name   string
	plan   []string
	rules  []world.PolicyRule
	seen   []func(*world.Observation)
	ledger Ledger
	action world.Action
	want   string // as [verdictOf] writes it
}

// verdictOf is a verdict in a few words.
func verdictOf(by trace.Authority, broken *Violation) string {
	switch {
	case broken != nil && broken.Maximum != nil:
		return fmt.Sprintf("%s %s max %d", broken.Reason, broken.Argument, *broken.Maximum)
	case broken != nil && broken.Minimum != nil:
		return fmt.Sprintf("%s %s min %d", broken.Reason, broken.Unit, *broken.Minimum)
	case broken != nil && broken.First > 0:
		return fmt.Sprintf("%s but %d", broken.Reason, broken.First)
	case broken != nil && broken.Argument != "":
		return fmt.Sprintf("%s %s", broken.Reason, broken.Argument)
	case broken != nil:
		return string(broken.Reason)
	case by.By == trace.AuthorityRule:
		return fmt.Sprintf("rule %d for %s", by.Rule, by.Asker)
	case by.Deviation > 0:
		return fmt.Sprintf("deviation %d of action %d", by.Deviation, by.Planned)
	case by.Planned > 0:
		return fmt.Sprintf("%s %d", by.By, by.Planned)
	}
	return string(by.By)
}

func (c verdictCase) check(t *testing.T) {
	t.Helper()
	view := viewOf(t, 1)
	seen := view.Observe()
	for _, add := range c.seen {
		add(&seen)
	}
	m := Compile("agent-1", c.rules)
	got := verdictOf(m.untrimmed(c.action, Evidence{View: view, Seen: &seen, Authors: []string{"agent-9"}, Plan: planned(t, c.plan...), Ledger: c.ledger}))
	if got != c.want {
		t.Errorf("%s, want %s", got, c.want)
	}
}

const (
	planMine   = `{"action":"mine_compound","amount":2000}`
	planRefine = `{"action":"refine_compound"}`
	planGift   = `{"action":"transfer_resource","to":"agent-2","what":"data","amount":4}`
	planMake   = `{"action":"schedule_recipe","id":"f1","what":"recipe.assembler.motor_mk1","amount":1}`
	planTravel = `{"action":"move_agent","to":"rim"}`
)

// TestPlanned is what a plan allows once texts are in view.
func TestPlanned(t *testing.T) {
	gift := world.Transfer{To: "agent-2", Kind: "data", Amount: 4}
	spent := func(n int64) Ledger { return Ledger{}.CountTurn(1, &trace.Authority{Deviation: n}, false) }
	for _, c := range []verdictCase{
		{"the first", []string{planMine, planRefine}, nil, nil, Ledger{}, world.Mine{MassG: 2000}, "plan 1"},
		{"a little less of it", []string{planMine}, nil, nil, Ledger{}, world.Mine{MassG: 1900}, "plan 1"},
		{"less of it", []string{planMine}, nil, nil, Ledger{}, world.Mine{MassG: 1899}, "deviation 1 of action 1"},
		{"more of it", []string{planMine}, nil, nil, Ledger{}, world.Mine{MassG: 2001}, "argument_not_planned amount max 2000"},
		{"all that is feasible of what is open", []string{planRefine}, nil, nil, Ledger{}, world.Refine{MassG: 7000}, "plan 1"},
		{"less of what is open", []string{planRefine}, nil, nil, Ledger{}, world.Refine{MassG: 6000}, "deviation 1 of action 1"},
		{"the second", []string{planMine, planRefine}, nil, nil, Ledger{}, world.Refine{MassG: 7000}, "deviation 1 of action 2"},
		{"the second, behind one that is not possible", []string{planMake, planRefine}, nil, nil, Ledger{}, world.Refine{MassG: 7000}, "plan 2"},
		{"one that is not possible", []string{planMake, planRefine}, nil, nil, Ledger{}, world.ScheduleRecipe{FactoryID: "f1", RecipeID: "recipe.assembler.motor_mk1", Batches: 1}, "plan 1"},
		{"behind one that a rule forbids", []string{planMine, planRefine}, []world.PolicyRule{forbid("mine_compound")}, nil, Ledger{}, world.Refine{MassG: 7000}, "plan 2"},
		{"the last deviation", []string{planMine, planRefine}, nil, nil, spent(2), world.Refine{MassG: 7000}, "deviation 1 of action 2"},
		{"one deviation too many", []string{planMine, planRefine}, nil, nil, spent(3), world.Refine{MassG: 7000}, "deviation_limit  max 0"},
		{"a gift", []string{planGift}, nil, nil, Ledger{}, gift, "plan 1"},
		{"a gift out of turn", []string{planMine, planGift}, nil, nil, Ledger{}, gift, "not_first_planned but 1"},
		{"a larger gift", []string{planGift}, nil, nil, Ledger{}, world.Transfer{To: "agent-2", Kind: "data", Amount: 5}, "argument_not_planned amount max 4"},
		{"a gift to another", []string{planGift}, nil, nil, Ledger{}, world.Transfer{To: "agent-3", Kind: "data", Amount: 4}, "argument_not_planned to"},
		{"a gift of something else", []string{planGift}, nil, nil, Ledger{}, world.Transfer{To: "agent-2", Kind: "hardware", Amount: 4}, "argument_not_planned what"},
		{"a gift to one of several", []string{`{"action":"transfer_resource","to":"agent-3,agent-2","what":"data","amount":4}`}, nil, nil, Ledger{}, gift, "plan 1"},
		{"a gift to the fifth of five", []string{`{"action":"transfer_resource","to":"agent-6,agent-5,agent-4,agent-3,agent-2","what":"data","amount":4}`}, nil, nil, Ledger{}, gift, "argument_not_planned to"},
		{"a gift to any receiver", []string{`{"action":"transfer_resource","what":"data","amount":4}`}, nil, nil, Ledger{}, gift, "argument_left_open to"},
		{"a gift of whatever amount", []string{`{"action":"transfer_resource","to":"agent-2","what":"data"}`}, nil, nil, Ledger{}, gift, "argument_left_open amount"},
		{"not planned", []string{planMine}, nil, nil, Ledger{}, gift, "not_planned"},
		{"a wait", []string{planMine}, nil, nil, Ledger{}, world.Wait{}, "deviation 1 of action 0"},
		{"a wait with nothing possible", []string{planMake}, nil, nil, Ledger{}, world.Wait{}, "unplanned"},
		{"a wait too many", []string{planMine}, nil, nil, spent(3), world.Wait{}, "deviation_limit  max 0"},
		{"a planned wait", []string{`{"action":"wait"}`, planMine}, nil, nil, spent(3), world.Wait{}, "plan 1"},
		{"a gift behind a plain wait", []string{`{"action":"wait"}`, planGift}, nil, nil, Ledger{}, gift, "plan 2"},
		{"a wait behind what is not possible", []string{planMake, `{"action":"wait"}`}, nil, nil, Ledger{}, world.Wait{}, "plan 2"},
		{"a sleep out of turn", []string{planMine, `{"action":"wait_ticks","amount":3}`}, nil, nil, Ledger{}, world.WaitTicks{Ticks: 3}, "deviation 3 of action 2"},
		{"a long sleep out of turn", []string{planMine, `{"action":"wait_ticks","amount":4}`}, nil, nil, Ledger{}, world.WaitTicks{Ticks: 4}, "deviation_limit  max 3"},
		{"a sleep as long as one likes", []string{`{"action":"wait_ticks"}`}, nil, nil, Ledger{}, world.WaitTicks{Ticks: 4}, "argument_left_open amount"},
		{"a journey out of turn", []string{planMine, planTravel}, nil, nil, Ledger{}, world.Move{To: "rim"}, "deviation 2 of action 2"},
		{"a journey", []string{planTravel}, nil, nil, spent(3), world.Move{To: "rim"}, "plan 1"},
		{"an open message", []string{`{"action":"send_message","to":"agent-2"}`}, nil, nil, Ledger{}, world.SendMessage{To: "agent-2", Text: "hello"}, "plan 1"},
		{"another message", []string{`{"action":"send_message","to":"agent-2","text":"bye"}`}, nil, nil, Ledger{}, world.SendMessage{To: "agent-2", Text: "hello"}, "argument_not_planned text"},
		{"an order as planned", []string{`{"action":"mine_compound","amount":2000,"max_ticks":3}`}, nil, nil, Ledger{}, order(t, world.Mine{MassG: 2000}, 3), "plan 1"},
		{"a longer order", []string{`{"action":"mine_compound","amount":2000,"max_ticks":3}`}, nil, nil, Ledger{}, order(t, world.Mine{MassG: 2000}, 4), "argument_not_planned execute_until max 3"},
		{"an order out of turn", []string{planRefine, `{"action":"mine_compound","amount":2000,"max_ticks":3}`}, nil, nil, Ledger{}, order(t, world.Mine{MassG: 2000}, 3), "deviation 3 of action 2"},
		{"an offer as planned", []string{planOffer}, nil, nil, Ledger{}, offer(4, 2), "plan 1"},
		{"a smaller offer at the same rate", []string{planOffer}, nil, nil, Ledger{}, offer(2, 1), "deviation 1 of action 1"},
		{"an offer for less", []string{planOffer}, nil, nil, Ledger{}, offer(4, 1), "argument_not_planned units min 2"},
		{"an offer of less at a worse rate", []string{planOffer}, nil, nil, Ledger{}, offer(3, 1), "argument_not_planned units min 2"},
		{"an offer for a little more", []string{`{"action":"offer","to":"agent-2","what":"data","amount":4,"want":"hardware","want_amount":20,"for_ticks":3}`}, nil, nil, Ledger{}, offer(4, 21), "plan 1"},
		{"an offer that no agent takes", []string{planOffer}, nil, nil, Ledger{}, offer(4, 3), "deviation 1 of action 1"},
		{"an offer that no agent takes, once too often", []string{planOffer}, nil, nil, spent(3), offer(4, math.MaxInt64), "deviation_limit  max 0"},
		{"an offer that is open for longer", []string{planOffer}, nil, nil, Ledger{}, world.Offer{To: "agent-2", Give: "data", GiveAmount: 4, Want: "hardware", WantAmount: 2, Ticks: 4}, "argument_not_planned for_ticks max 3"},
		{"an offer that is open for less long", []string{planOffer}, nil, nil, Ledger{}, world.Offer{To: "agent-2", Give: "data", GiveAmount: 4, Want: "hardware", WantAmount: 2, Ticks: 1}, "plan 1"},
		{"a request that is open for longer", []string{`{"action":"request","to":"agent-2","what":"data","amount":4,"for_ticks":3}`}, nil, nil, Ledger{}, world.Request{To: "agent-2", Resource: "data", Amount: 4, Ticks: 9}, "argument_not_planned for_ticks max 3"},
		{"an order to sell dear", []string{`{"action":"place_power_order","what":"sell","amount":20,"price":10}`}, nil, nil, Ledger{}, world.PlaceOrder{Side: world.SideSell, Amount: 20, Price: 200}, "deviation 1 of action 1"},
		{"an order to buy cheap", []string{`{"action":"place_power_order","what":"buy","amount":20,"price":10}`}, nil, nil, Ledger{}, world.PlaceOrder{Side: "buy", Amount: 20, Price: 1}, "deviation 1 of action 1"},
		{"a larger offer", []string{planOffer}, nil, nil, Ledger{}, offer(6, 3), "argument_not_planned amount max 4"},
		{"an offer that is accepted by its terms", []string{planAccept}, nil, []func(*world.Observation){offers("agent-3", "hardware", 2, "data", 4)}, Ledger{}, world.AcceptOffer{OfferID: "offer-1-agent-3-1"}, "plan 1"},
		{"an offer by its id, which was not shown", []string{`{"action":"accept_offer","id":"offer-1-agent-3-1"}`}, nil, []func(*world.Observation){offers("agent-3", "hardware", 1, "data", 9)}, Ledger{}, world.AcceptOffer{OfferID: "offer-1-agent-3-1"}, "argument_not_planned id"},
		{"an offer that wants more", []string{planAccept}, nil, []func(*world.Observation){offers("agent-3", "hardware", 2, "data", 5)}, Ledger{}, world.AcceptOffer{OfferID: "offer-1-agent-3-1"}, "argument_left_open id"},
		{"an offer that gives less", []string{planAccept}, nil, []func(*world.Observation){offers("agent-3", "hardware", 1, "data", 4)}, Ledger{}, world.AcceptOffer{OfferID: "offer-1-agent-3-1"}, "argument_left_open id"},
		{"a purchase at a better price", []string{`{"action":"buy_power","amount":20,"price":3}`}, nil, nil, Ledger{}, world.BuyPower{Amount: 20, Price: 2}, "plan 1"},
		{"a purchase at a worse price", []string{`{"action":"buy_power","amount":20,"price":3}`}, nil, nil, Ledger{}, world.BuyPower{Amount: 20, Price: 4}, "argument_not_planned price max 3"},
		{"a sale at a worse price", []string{`{"action":"sell_power","amount":20,"price":3}`}, nil, nil, Ledger{}, world.SellPower{Amount: 20, Price: 2}, "argument_not_planned data min 3"},
		{"without a plan", nil, nil, nil, Ledger{}, world.Mine{MassG: 100}, "unplanned"},
		{"without a plan, harvesting", nil, nil, nil, Ledger{}, world.Harvest{MaxAmount: 1}, "unplanned"},
		{"without a plan, an order", nil, nil, nil, Ledger{}, order(t, world.Mine{MassG: 100}, 2), "argument_not_planned execute_until max 0"},
		{"without a plan, down to a low charge", nil, nil, []func(*world.Observation){charged(0)}, Ledger{}, world.Mine{MassG: 2000}, "not_planned"},
		{"without a plan, above a low charge", nil, nil, []func(*world.Observation){charged(3)}, Ledger{}, world.Mine{MassG: 2000}, "unplanned"},
		{"without a plan, anything else", nil, nil, nil, Ledger{}, world.Move{To: "rim"}, "not_planned"},
		{"without a plan, a wait", nil, nil, nil, spent(3), world.Wait{}, "unplanned"},
	} {
		t.Run(c.name, c.check)
	}
}

const (
	planOffer  = `{"action":"offer","to":"agent-2","what":"data","amount":4,"want":"hardware","want_amount":2,"for_ticks":3}`
	planAccept = `{"action":"accept_offer","what":"data","amount":4,"want":"hardware","want_amount":2}`
)

func offer(give, want int64) world.Action {
	return world.Offer{To: "agent-2", Give: "data", GiveAmount: give, Want: "hardware", WantAmount: want, Ticks: 3}
}

// TestAsked is what rules let others ask for, without a plan.
func TestAsked(t *testing.T) {
	give := func(to string, n int64) world.Action { return world.Transfer{To: to, Kind: "data", Amount: n} }
	rule := allow("transfer_resource", to("asker"), what("data"), most(5), total(8), totalEach(6), window(10), askedBy("agent-2", "agent-3"))
	with := func(set ...func(*world.PolicyRule)) world.PolicyRule {
		c := rule
		for _, f := range set {
			f(&c)
		}
		return c
	}
	settled := func(tick int64, id string, n int64) Ledger {
		d, _ := parse(give(id, n))
		return Compile("agent-1", []world.PolicyRule{rule}).Settle(Ledger{}, tick, d, nil)
	}
	see := func(list ...func(*world.Observation)) []func(*world.Observation) { return list }
	reply := allow("send_message", to("asker"), total(3), window(10), askedBy("*"), byMessage)
	trade := allow("accept_offer", what("data"), most(6), total(6), window(10), askedBy("agent-2"), rate("hardware", 1, 2))
	errand := allow("move_agent", to("rim"), total(5), totalEach(1), window(9), askedBy("agent-2", "agent-3"))
	errands := func(id string) Ledger {
		d, _ := parse(world.Move{To: "rim"})
		return Compile("agent-1", []world.PolicyRule{errand}).Settle(Ledger{}, 1, d, &trace.Authority{By: trace.AuthorityRule, Asker: id})
	}
	accept := world.AcceptOffer{OfferID: "offer-1-agent-2-1"}
	for _, c := range []verdictCase{
		{"a request", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 5)), Ledger{}, give("agent-2", 5), "rule 1 for agent-2"},
		{"more than is left of it", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 3)), Ledger{}, give("agent-2", 4), "policy_amount amount max 3"},
		{"more than the rule allows", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 9)), Ledger{}, give("agent-2", 6), "policy_amount amount max 5"},
		{"something else than asked for", nil, []world.PolicyRule{rule}, see(asks("agent-2", "hardware", 5)), Ledger{}, give("agent-2", 5), "not_planned"},
		{"to somebody else", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 5)), Ledger{}, give("agent-3", 5), "not_planned"},
		{"to whom the rule says", nil, []world.PolicyRule{with(to("agent-3"))}, see(asks("agent-2", "data", 5)), Ledger{}, give("agent-3", 5), "rule 1 for agent-2"},
		{"of somebody whom the rule does not name", nil, []world.PolicyRule{with(askedBy("agent-3"))}, see(asks("agent-2", "data", 5)), Ledger{}, give("agent-2", 5), "not_planned"},
		{"no agent asks", nil, []world.PolicyRule{rule}, nil, Ledger{}, give("agent-2", 5), "not_planned"},
		{"a message is no request", nil, []world.PolicyRule{rule}, see(wrote("agent-2", 1)), Ledger{}, give("agent-2", 5), "not_planned"},
		{"a message where it is enough", nil, []world.PolicyRule{with(byMessage)}, see(wrote("agent-2", 1)), Ledger{}, give("agent-2", 5), "rule 1 for agent-2"},
		{"an offer is no request", nil, []world.PolicyRule{rule}, see(offers("agent-2", "hardware", 1, "data", 5)), Ledger{}, give("agent-2", 5), "not_planned"},
		{"asked for in the name of another", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 5, "agent-9")), Ledger{}, give("agent-2", 5), "relayed_terms"},
		{"asked for in the name of an unknown agent", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 5, "*")), Ledger{}, give("agent-2", 5), "relayed_terms"},
		{"asked for by way of one whom the rule names", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 5, "agent-1", "agent-3")), Ledger{}, give("agent-2", 5), "rule 1 for agent-2"},
		{"asked for by way of anybody", nil, []world.PolicyRule{with(relayed)}, see(asks("agent-2", "data", 5, "agent-9")), Ledger{}, give("agent-2", 5), "rule 1 for agent-2"},
		{"what is left of the total", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 5)), settled(1, "agent-3", 4), give("agent-2", 5), "policy_total amount max 4"},
		{"what is left for each", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 5)), settled(1, "agent-2", 3), give("agent-2", 4), "policy_total amount max 3"},
		{"what others got lately is theirs", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 5)), settled(1, "agent-3", 4), give("agent-2", 4), "rule 1 for agent-2"},
		{"what many small gifts leave", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 5)), settled(1, "agent-2", 1), give("agent-2", 5), "policy_total amount max 4"},
		{"beyond the window", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 5)), settled(-9, "agent-2", 6), give("agent-2", 5), "rule 1 for agent-2"},
		{"at the edge of the window", nil, []world.PolicyRule{rule}, see(asks("agent-2", "data", 5)), settled(-8, "agent-2", 6), give("agent-2", 5), "policy_total amount max 0"},
		{"a planned gift to who asks is bound too", []string{`{"action":"transfer_resource","to":"agent-2","what":"data","amount":9}`}, []world.PolicyRule{rule}, see(asks("agent-2", "data", 9)), Ledger{}, give("agent-2", 9), "policy_amount amount max 5"},
		{"a planned gift to who wrote is not", []string{`{"action":"transfer_resource","to":"agent-2","what":"data","amount":9}`}, []world.PolicyRule{rule}, see(wrote("agent-2", 1)), Ledger{}, give("agent-2", 9), "plan 1"},
		{"a planned gift that a rule asks for", []string{planMine, planGift}, []world.PolicyRule{rule}, see(asks("agent-2", "data", 4)), Ledger{}, give("agent-2", 4), "rule 1 for agent-2"},
		{"an answer", nil, []world.PolicyRule{reply}, see(wrote("agent-3", 1)), Ledger{}, world.SendMessage{To: "agent-3", Text: "no"}, "rule 1 for agent-3"},
		{"an answer without a message", nil, []world.PolicyRule{reply}, see(wrote("agent-3", 1)), Ledger{}, world.SendMessage{To: "agent-2", Text: "no"}, "not_planned"},
		{"a second answer", nil, []world.PolicyRule{reply}, see(wrote("agent-3", 1)), answered("agent-3", 1), world.SendMessage{To: "agent-3", Text: "no"}, "not_planned"},
		{"an answer to what came since", nil, []world.PolicyRule{reply}, see(wrote("agent-3", 1), wrote("agent-3", 2)), answered("agent-3", 1), world.SendMessage{To: "agent-3", Text: "no"}, "rule 1 for agent-3"},
		{"an offer", nil, []world.PolicyRule{trade}, see(offers("agent-2", "hardware", 3, "data", 6)), Ledger{}, accept, "rule 1 for agent-2"},
		{"an offer at too bad a rate", nil, []world.PolicyRule{trade}, see(offers("agent-2", "hardware", 2, "data", 5)), Ledger{}, accept, "policy_rate hardware min 3"},
		{"an offer of too much", nil, []world.PolicyRule{trade}, see(offers("agent-2", "hardware", 9, "data", 7)), Ledger{}, accept, "policy_amount  max 6"},
		{"an offer of a stranger", nil, []world.PolicyRule{trade}, see(offers("agent-3", "hardware", 9, "data", 1)), Ledger{}, world.AcceptOffer{OfferID: "offer-1-agent-3-1"}, "not_planned"},
		{"an offer of something else", nil, []world.PolicyRule{trade}, see(offers("agent-2", "compound", 9, "data", 1)), Ledger{}, accept, "not_planned"},
		{"an offer of a stranger beside that of another", nil, []world.PolicyRule{trade}, see(offers("agent-2", "hardware", 9, "data", 1), offers("agent-3", "hardware", 9, "data", 1)), Ledger{}, world.AcceptOffer{OfferID: "offer-1-agent-3-1"}, "not_planned"},
		{"no to a request", nil, []world.PolicyRule{allow("decline", total(2), window(9), askedBy("agent-2"))}, see(asks("agent-2", "data", 5)), Ledger{}, world.Decline{ID: "req-1-agent-2-1"}, "rule 1 for agent-2"},
		{"no to the request of another", nil, []world.PolicyRule{allow("decline", total(2), window(9), askedBy("agent-2"))}, see(asks("agent-2", "data", 5), asks("agent-3", "data", 5)), Ledger{}, world.Decline{ID: "req-1-agent-3-1"}, "not_planned"},
		{"an errand too many for one", nil, []world.PolicyRule{errand}, see(asks("agent-2", "data", 5)), errands("agent-2"), world.Move{To: "rim"}, "policy_total  max 0"},
		{"an errand for another", nil, []world.PolicyRule{errand}, see(asks("agent-3", "data", 5)), errands("agent-2"), world.Move{To: "rim"}, "rule 1 for agent-3"},
		{"an offer that is not there", nil, []world.PolicyRule{trade}, nil, Ledger{}, accept, "own"}, // the world refuses it
		{"an offer that answers a request", nil, []world.PolicyRule{allow("offer", to("asker"), what("data"), most(5), total(9), window(9), askedBy("agent-2"), rate("hardware", 1, 2))},
			see(asks("agent-2", "data", 4)), Ledger{}, world.Offer{To: "agent-2", Give: "data", GiveAmount: 4, Want: "hardware", WantAmount: 2, Ticks: 3, Re: "req-1-agent-2-1"}, "rule 1 for agent-2"},
		{"an offer that answers nothing", nil, []world.PolicyRule{allow("offer", to("asker"), what("data"), most(5), total(9), window(9), askedBy("agent-2"))},
			see(asks("agent-2", "data", 4)), Ledger{}, world.Offer{To: "agent-2", Give: "data", GiveAmount: 4, Want: "hardware", WantAmount: 2, Ticks: 3}, "not_planned"},
		{"a sleep", nil, []world.PolicyRule{allow("wait_ticks", most(3), total(9), window(20), askedBy("agent-2"), byMessage)}, see(wrote("agent-2", 1)), Ledger{}, world.WaitTicks{Ticks: 3}, "rule 1 for agent-2"},
		{"a long sleep", nil, []world.PolicyRule{allow("wait_ticks", most(3), total(9), window(20), askedBy("agent-2"), byMessage)}, see(wrote("agent-2", 1)), Ledger{}, world.WaitTicks{Ticks: 4}, "policy_amount amount max 3"},
		{"an errand to where the asker is not seen", nil, []world.PolicyRule{allow("move_agent", to("asker"), total(2), window(20), askedBy("agent-2"))}, see(asks("agent-2", "data", 5)), Ledger{}, world.Move{To: "rim"}, "asker_not_seen"},
		{"an errand by message to where the asker is not seen yet", nil, []world.PolicyRule{allow("move_agent", to("asker"), total(2), window(20), askedBy("agent-2"), byMessage)}, see(wrote("agent-2", 1)), Ledger{}, world.Move{To: "rim"}, "asker_not_seen"},
		{"an errand that no asker asks for", nil, []world.PolicyRule{allow("move_agent", to("asker"), total(2), window(20), askedBy("agent-2"))}, see(asks("agent-3", "data", 5)), Ledger{}, world.Move{To: "rim"}, "not_planned"},
		{"an errand to where the asker is seen", nil, []world.PolicyRule{allow("move_agent", to("asker"), total(2), window(20), askedBy("agent-9"))}, see(asks("agent-9", "data", 5), func(o *world.Observation) {
			o.Agents = append(o.Agents, world.Contact{ID: "agent-9", Place: "rim"})
		}), Ledger{}, world.Move{To: "rim"}, "rule 1 for agent-9"},
		{"forbidden but to who asks", nil, []world.PolicyRule{forbid("transfer_resource"), rule}, see(asks("agent-2", "data", 5)), Ledger{}, give("agent-2", 5), "rule 2 for agent-2"},
		{"forbidden, asked for in the name of another", nil, []world.PolicyRule{forbid("transfer_resource"), rule}, see(asks("agent-2", "data", 5, "agent-9")), Ledger{}, give("agent-2", 5), "policy_forbids"},
	} {
		t.Run(c.name, c.check)
	}
}

// TestOwed: what terms that were shown before the plan may have led to needs a rule, planned or
// not, with texts in view or none.
func TestOwed(t *testing.T) {
	data := func(receiver string) world.PolicyRule {
		return allow("transfer_resource", to(receiver), what("data"), most(5), total(8), window(10), askedBy("agent-2"))
	}
	hardware := func(id string) world.Action { return world.Transfer{To: id, Kind: "hardware", Amount: 2} }
	reply := world.Offer{To: world.ToAnyone, Give: "data", GiveAmount: 4, Want: "hardware", WantAmount: 2, Ticks: 3, Re: "req-1-agent-2-1"}
	accept := world.AcceptOffer{OfferID: "offer-1-agent-2-1"}
	asked := asks("agent-2", "data", 5)
	gifts := func(id string) string {
		return `{"action":"transfer_resource","to":"` + id + `","what":"hardware","amount":2}`
	}
	for _, tt := range []struct {
		name   string
		plan   string
		rule   world.PolicyRule
		seen   func(*world.Observation)
		action world.Action
		own    bool
	}{
		{"a gift to who asks for something else", gifts("agent-2"), data("asker"), asked, hardware("agent-2"), false},
		{"a gift to who may ask for another", gifts("agent-2"), data("agent-3"), asked, hardware("agent-2"), false},
		{"a gift to whom another may ask for", gifts("agent-3"), data("agent-3"), asked, hardware("agent-3"), false},
		{"a gift to somebody else", gifts("agent-3"), data("asker"), asked, hardware("agent-3"), true},
		{"a gift to whose request no rule answers", gifts("agent-2"), data("asker"), asks("agent-2", "compound", 5), hardware("agent-2"), true},
		{"a gift to who offers", gifts("agent-2"), allow("accept_offer", what("data"), total(9), window(9), askedBy("agent-2")), offers("agent-2", "hardware", 2, "data", 4), hardware("agent-2"), false},
		{"an offer that answers", `{"action":"offer","to":"anyone","what":"data","amount":4,"want":"hardware","want_amount":2,"for_ticks":3}`, data("asker"), asked, reply, false},
		{"an offer of its own", planOffer, data("asker"), asked, offer(4, 2), true},
		{"an offer as good as planned of who asks", planAccept, data("asker"), func(o *world.Observation) { asked(o); offers("agent-2", "hardware", 2, "data", 4)(o) }, accept, true},
	} {
		view := viewOf(t, 1)
		seen := view.Observe()
		tt.seen(&seen)
		for _, authors := range [][]string{nil, {"agent-9"}} {
			m := Compile("agent-1", []world.PolicyRule{tt.rule})
			_, broken := m.untrimmed(tt.action, Evidence{View: view, Seen: &seen, Authors: authors, Plan: planned(t, tt.plan)})
			if tt.own != (broken == nil) || broken != nil && broken.Reason != ReasonNotPlanned {
				t.Errorf("%s, beside texts of %v: %+v", tt.name, authors, broken)
			}
		}
	}
}

// TestGiftMeetsTheOldestRequest: an older request that the rule does not take would be met by a
// gift for a newer one of the same agent, for the same goods.
func TestGiftMeetsTheOldestRequest(t *testing.T) {
	give := world.Transfer{To: "agent-2", Kind: "data", Amount: 2}
	rule := allow("transfer_resource", to("asker"), what("data"), most(5), total(8), window(10), askedBy("agent-2", "agent-3"))
	for name, tt := range map[string]struct {
		rule  world.PolicyRule
		older func(*world.Observation)
		want  string
	}{
		"passed on by the same agent": {rule, asks("agent-2", "data", 2, "agent-9"), "relayed_terms"},
		"for other goods":             {rule, asks("agent-2", "hardware", 2, "agent-9"), "rule 1 for agent-2"},
		"of another agent":            {rule, asks("agent-3", "data", 2, "agent-9"), "rule 1 for agent-2"},
		"where passing on is allowed": {allow("transfer_resource", to("asker"), what("data"), most(5), total(8), window(10), askedBy("agent-2"), relayed), asks("agent-2", "data", 2, "agent-9"), "rule 1 for agent-2"},
	} {
		newer := func(o *world.Observation) {
			asks("agent-2", "data", 5)(o)
			o.Requests[len(o.Requests)-1].ID = "req-2-agent-2-1"
		}
		verdictCase{name, nil, []world.PolicyRule{tt.rule}, []func(*world.Observation){tt.older, newer}, Ledger{}, give, tt.want}.check(t)
	}
}

// TestGiftToAnotherMeetsItsRequest: what a rule gives to another agent than the asker is given once,
// though the world does not count it towards the request.
func TestGiftToAnotherMeetsItsRequest(t *testing.T) {
	rule := allow("transfer_resource", to("agent-3"), what("data"), most(5), total(8), window(10), askedBy("agent-2"))
	give := world.Transfer{To: "agent-3", Kind: "data", Amount: 2}
	op, _ := parse(give)
	given := Compile("agent-1", []world.PolicyRule{rule}).Settle(Ledger{}, 1, op, &trace.Authority{By: trace.AuthorityRule, Rule: 1, Asker: "agent-2", Terms: "req-1-agent-2-1"})
	for name, tt := range map[string]struct {
		asked  int64
		ledger Ledger
		want   string
	}{
		"at first":             {2, Ledger{}, "rule 1 for agent-2"},
		"a second time":        {2, given, "policy_amount amount max 0"},
		"more than is left":    {3, given, "policy_amount amount max 1"},
		"as much as was asked": {4, given, "rule 1 for agent-2"},
	} {
		verdictCase{name, nil, []world.PolicyRule{rule}, []func(*world.Observation){asks("agent-2", "data", tt.asked)}, tt.ledger, give, tt.want}.check(t)
	}
}

// TestAskedForOnce: what terms before the plan ask for is given once, whatever order is around it
// and whatever the plan says of that.
func TestAskedForOnce(t *testing.T) {
	view := viewOf(t, 1)
	seen := view.Observe()
	asks("agent-2", "data", 5)(&seen)
	gift := world.Transfer{To: "agent-2", Kind: "data", Amount: 2}
	m := Compile("agent-1", []world.PolicyRule{allow("transfer_resource", to("asker"), what("data"), most(5), total(8), window(10), askedBy("agent-2"))})
	for _, plan := range [][]string{nil, {`{"action":"transfer_resource","to":"agent-2","what":"data","amount":2,"max_ticks":9}`}} {
		for _, authors := range [][]string{nil, {"agent-9"}} {
			e := Evidence{View: view, Seen: &seen, Authors: authors, Plan: planned(t, plan...)}
			if _, broken := m.untrimmed(order(t, gift, 9), e); broken == nil || broken.Argument != ArgumentOrder {
				t.Errorf("plan %v, texts of %v: an order of gifts is refused by %+v", plan, authors, broken)
			}
			once, cut := m.Trim(order(t, gift, 9), e)
			if by, broken := m.untrimmed(once, e); once != world.Action(gift) || len(cut) != 1 || broken != nil || by.By != trace.AuthorityRule {
				t.Errorf("plan %v, texts of %v: %v is allowed by %+v, refused by %+v", plan, authors, once, by, broken)
			}
		}
	}
}

// TestSmallGifts: who asks for one unit in every tick has few ticks of the agent, whether the
// gift was planned or not. Gifts to others cost what they are.
func TestSmallGifts(t *testing.T) {
	rule := allow("transfer_resource", to("asker"), what("data"), most(10), total(30), window(50), askedBy("agent-2"))
	m := Compile("agent-1", []world.PolicyRule{rule})
	for to, want := range map[string]int64{"agent-2": 5, "agent-3": 30} {
		ledger, gifts := Ledger{}, int64(0)
		for tick := range int64(50) {
			if most, _ := m.rules[0].remaining(ledger, tick, ""); most > 0 {
				d, _ := parse(world.Transfer{To: to, Kind: "data", Amount: 1})
				ledger, gifts = m.Settle(ledger, tick, d, &trace.Authority{By: trace.AuthorityOwn}), gifts+1
			}
		}
		if gifts != want {
			t.Errorf("%d gifts to %s in a window, want %d", gifts, to, want)
		}
	}
}

// answered is a ledger of one message to an agent, which answered its messages up to a tick.
func answered(id string, sent int64) Ledger {
	d, _ := parse(world.SendMessage{To: id, Text: "no"})
	d.answers = map[answerKey]int64{{id, d.spec.Name}: sent}
	return Policy{}.Settle(Ledger{}, sent, d, nil)
}

// TestSlidingLimits counts what falls out of the windows of deviations and rounds.
func TestSlidingLimits(t *testing.T) {
	l := Ledger{}
	for tick := range int64(120) {
		by, round := &trace.Authority{}, l.RoundLeft(tick)
		if l.Deviations(tick) < DeviationsMax {
			by.Deviation = 1
		}
		l = l.CountTurn(tick, by, round)
		if got, want := by.Deviation > 0, tick%DeviationWindow < DeviationsMax; got != want {
			t.Errorf("tick %d: deviates %v, want %v", tick, got, want)
		}
		if want := tick%DeviationWindow < RoundsMax; round != want {
			t.Errorf("tick %d: a further round %v, want %v", tick, round, want)
		}
	}
}

// TestTrim cuts orders to the plan once texts are in view.
func TestTrim(t *testing.T) {
	view := viewOf(t, 1)
	mine := world.Mine{MassG: 2000}
	for _, tt := range []struct {
		name   string
		plan   []string
		texts  bool
		action world.Action
		want   world.Action
	}{
		{"no texts", []string{planMine}, false, order(t, mine, 9), order(t, mine, 9)},
		{"once", []string{planMine}, true, order(t, mine, 9), mine},
		{"as planned", []string{`{"action":"mine_compound","amount":2000,"max_ticks":4}`}, true, order(t, mine, 4), order(t, mine, 4)},
		{"longer", []string{`{"action":"mine_compound","amount":2000,"max_ticks":4}`}, true, order(t, mine, 9), order(t, mine, 4)},
		{"what the plan does not ignore", []string{`{"action":"mine_compound","amount":2000,"max_ticks":4}`}, true, order(t, mine, 4, world.StopPowerLow), order(t, mine, 4)},
		{"not planned", nil, true, order(t, mine, 4), mine},
		{"an offer that no agent takes", []string{planOffer}, true, offer(4, 1_000_000), offer(4, 2)},
		{"an offer that is open for longer", []string{planOffer}, true, world.Offer{To: "agent-2", Give: "data", GiveAmount: 4, Want: "hardware", WantAmount: 2, Ticks: 50}, offer(4, 2)},
		{"an offer to another", []string{planOffer}, true, world.Offer{To: "agent-3", Give: "data", GiveAmount: 4, Want: "hardware", WantAmount: 9, Ticks: 3}, nil},
		{"an order to buy cheap", []string{`{"action":"place_power_order","what":"buy","amount":20,"price":3}`}, true, world.PlaceOrder{Side: world.SideBuy, Amount: 20, Price: 1}, world.PlaceOrder{Side: world.SideBuy, Amount: 20, Price: 3}},
		{"an order to buy dear", []string{`{"action":"place_power_order","what":"buy","amount":20,"price":3}`}, true, world.PlaceOrder{Side: world.SideBuy, Amount: 20, Price: 4}, nil},
		{"an order to sell dear", []string{`{"action":"place_power_order","what":"sell","amount":20,"price":3}`}, true, world.PlaceOrder{Side: world.SideSell, Amount: 20, Price: 90}, world.PlaceOrder{Side: world.SideSell, Amount: 20, Price: 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := Evidence{View: view, Plan: planned(t, tt.plan...)}
			if tt.texts {
				e.Authors = []string{"agent-2"}
			}
			m := Compile("agent-1", nil)
			got, cut := m.Trim(tt.action, e)
			if tt.want == nil {
				if len(cut) > 0 {
					t.Errorf("adjusted %v", cut)
				}
				return
			}
			if string(world.EncodeAction(got)) != string(world.EncodeAction(tt.want)) || (len(cut) > 0) != (string(world.EncodeAction(tt.action)) != string(world.EncodeAction(tt.want))) {
				t.Errorf("%s, adjusted %v", world.EncodeAction(got), cut)
			}
			if _, broken := m.untrimmed(got, e); broken != nil {
				t.Errorf("refused after it was cut: %+v", broken)
			}
		})
	}
}

// TestAnswerable shows before the plan only what a rule could answer now.
func TestAnswerable(t *testing.T) {
	rule := allow("transfer_resource", to("asker"), what("data"), most(5), total(8), window(10), askedBy("agent-2"))
	trade := allow("accept_offer", what("data"), total(6), window(10), askedBy("agent-2"), rate("hardware", 1, 2))
	m := Compile("agent-1", []world.PolicyRule{rule, trade})
	d, _ := parse(world.Transfer{To: "agent-2", Kind: "data", Amount: 8})
	for _, tt := range []struct {
		name   string
		terms  world.Terms
		ledger Ledger
		want   bool
	}{
		{"a request", world.Terms{From: "agent-2", Want: "data", Left: 5}, Ledger{}, true},
		{"a request that was met", world.Terms{ID: "req-1", From: "agent-2", Want: "data", Left: 5}, Ledger{given: []gift{{1, 5, "req-1"}}}, false},
		{"of another", world.Terms{From: "agent-3", Want: "data", Left: 5}, Ledger{}, false},
		{"of something else", world.Terms{From: "agent-2", Want: "hardware", Left: 5}, Ledger{}, false},
		{"in the name of another", world.Terms{From: "agent-2", Want: "data", Left: 5, Parents: []string{"agent-9"}}, Ledger{}, false},
		{"with nothing left", world.Terms{From: "agent-2", Want: "data", Left: 5}, m.Settle(Ledger{}, 5, d, nil), false},
		{"an offer", world.Terms{From: "agent-2", Want: "data", WantAmount: 4, Give: "hardware", GiveAmount: 2}, Ledger{}, true},
		{"a bad offer", world.Terms{From: "agent-2", Want: "data", WantAmount: 4, Give: "hardware", GiveAmount: 1}, Ledger{}, false},
		{"too large an offer", world.Terms{From: "agent-2", Want: "data", WantAmount: 8, Give: "hardware", GiveAmount: 8}, Ledger{}, false},
	} {
		if got := m.Answerable(tt.terms, tt.ledger, &world.Observation{Tick: 6}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestParents marks what is sent with all authors in view, unless a plan gives it to the
// letter.
func TestParents(t *testing.T) {
	view := viewOf(t, 1)
	m := Compile("agent-1", nil)
	message := world.SendMessage{To: "agent-2", Text: "hello"}
	shown := []world.Terms{{From: "agent-3", Parents: []string{"agent-7"}}}
	for _, tt := range []struct {
		name    string
		plan    []string
		authors []string
		action  world.Action
		want    string
	}{
		{"an open text", []string{`{"action":"send_message","to":"agent-2"}`}, []string{"agent-9"}, message, "[]"},
		{"another text", []string{`{"action":"send_message","to":"agent-2","text":"good morning"}`}, []string{"agent-9"}, message, "[]"},
		{"another receiver", []string{`{"action":"send_message","to":"agent-4","text":"hello"}`}, []string{"agent-9", "agent-1", "agent-9"}, message, "[agent-3 agent-7 agent-9]"},
		{"one of several receivers", []string{`{"action":"send_message","to":"agent-2,agent-3","text":"hello"}`}, []string{"agent-9"}, message, "[agent-3 agent-7 agent-9]"},
		{"to the letter", []string{`{"action":"send_message","to":"agent-2","text":"hello"}`}, []string{"agent-9"}, message, "[]"},
		{"to the letter but for how long", []string{`{"action":"request","to":"agent-2","what":"data","amount":4}`}, []string{"agent-9"}, world.Request{To: "agent-2", Resource: "data", Amount: 4, Ticks: 9}, "[]"},
		{"less than to the letter", []string{`{"action":"request","to":"agent-2","what":"data","amount":4}`}, []string{"agent-9"}, world.Request{To: "agent-2", Resource: "data", Amount: 3, Ticks: 9}, "[agent-3 agent-7 agent-9]"},
		{"an unknown author", nil, []string{"agent-9", ""}, message, "[*]"},
		{"nothing is sent", []string{planMine}, []string{"agent-9"}, world.Mine{MassG: 2000}, "[]"},
		{"without texts", nil, nil, message, "[agent-3 agent-7]"},
	} {
		if got := fmt.Sprint(m.Evaluate(tt.action, Evidence{View: view, Plan: planned(t, tt.plan...), Authors: tt.authors, Shown: shown}).Parents); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	many := make([]string, world.ParentsMax+1)
	for i := range many {
		many[i] = fmt.Sprint("agent-", i+10)
	}
	if got := fmt.Sprint(world.Parents("agent-1", many...)); got != "[*]" {
		t.Errorf("too many parents are %s", got)
	}
}

// TestFallbacks lists the actions that may be done without a decision, first or second in a plan.
func TestFallbacks(t *testing.T) {
	for _, spec := range world.Actions() {
		a := sample(t, spec)
		p, _ := Planned(a)
		other, _ := Planned(world.Wait{})
		first, second := Fallback(a, []PlannedAction{p}), Fallback(a, []PlannedAction{other, p})
		want, free := true, false
		switch a.(type) {
		case world.Transfer, world.Offer, world.AcceptOffer, world.BuyPower, world.SellPower, world.PlaceOrder:
			want = false
		case world.Wait, world.Harvest, world.Mine, world.Refine:
			free = true
		}
		if first != want || second != (want && free) {
			t.Errorf("%s: first in the plan %v, second %v", spec.Name, first, second)
		}
	}
}
