package policy

import (
	"encoding/json"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// FuzzEvaluate: no plan, rule, terms or action makes a check panic. An agent that no rule names
// cannot cause an unplanned action.
func FuzzEvaluate(f *testing.F) {
	f.Add(`[{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":10}]`, "agent-2", "electricity", int64(10), int64(3), uint8(8))
	f.Add(`[{"action":"harvest_radiation","amount":40,"max_ticks":5}]`, "", "", int64(-1), int64(0), uint8(3))
	f.Add(`[{"action":"send_message","to":"agent-2,,agent-3","text":"yes"}]`, "rim", "yes", int64(1)<<62, int64(-1), uint8(200))
	f.Add(`[{"action":"accept_offer","what":"data","amount":-1,"want":"hardware","want_amount":9223372036854775807}]`, "o", "data", int64(1)<<62, int64(1)<<62, uint8(17))
	view := viewOf(f, 1)
	f.Fuzz(func(t *testing.T, plan, id, word string, amount, price int64, pick uint8) {
		m := Compile("agent-1", []world.PolicyRule{
			allow("*", to(id), what(word), most(amount), total(price), askedBy(id), byMessage, window(9), rate(word, amount, price)), forbid("move_agent", at(id)),
		})
		seen := view.Observe()
		seen.Requests = []world.Terms{{ID: id, From: id, Want: word, WantAmount: amount, Left: price}}
		seen.Here.Offers = []world.Terms{{ID: id, From: id, Give: word, GiveAmount: amount, Want: word, WantAmount: price}}
		seen.Inbox = []world.Message{{From: id, Sent: amount}}
		e := Evidence{View: view, Seen: &seen, Authors: []string{id}, Shown: seen.Requests}
		_ = json.Unmarshal([]byte(plan), &e.Plan) // what is no plan is none
		a := fuzzedAction(id, word, amount, price, pick)
		j := m.Evaluate(a, e)
		e.Ledger = m.Settle(Ledger{}, price, j.Operation, &j.Authority)
		m.Trim(a, e)
		m.untrimmed(a, e)
		m.Quotas(e.Ledger, amount)
		Planned(a)

		bare := Compile("agent-1", nil)
		e.Plan, e.Ledger = nil, Ledger{}
		if by, broken := bare.untrimmed(a, e); broken == nil && by.By != trace.AuthorityUnplanned {
			t.Errorf("%#v is allowed by %+v without a plan", a, by)
		}
	})
}

// fuzzedAction is some action with these arguments, made without the checks of
// [world.MakeAction].
func fuzzedAction(id, word string, amount, price int64, pick uint8) world.Action {
	list := []world.Action{
		world.Wait{}, world.WaitTicks{Ticks: amount}, world.Move{To: id}, world.Harvest{MaxAmount: amount}, world.Mine{MassG: amount},
		world.Refine{MassG: amount}, world.BuildFactory{FactoryKind: word}, world.ScheduleRecipe{FactoryID: id, RecipeID: word, Batches: amount},
		world.Transfer{To: id, Kind: word, Amount: amount}, world.SendMessage{To: id, Text: word}, world.PostNote{Text: word},
		world.BuyPower{Amount: amount, Price: price}, world.SellPower{Amount: amount, Price: price},
		world.PlaceOrder{Side: word, Amount: amount, Price: price}, world.CancelOrder{OrderID: id},
		world.Request{To: id, Resource: word, Amount: amount, Ticks: price}, world.Offer{To: id, Give: word, GiveAmount: amount, Want: word, WantAmount: price, Ticks: 1, Re: id},
		world.AcceptOffer{OfferID: id}, world.Decline{ID: id}, world.CancelOffer{OfferID: id},
	}
	a := list[int(pick)%len(list)]
	if pick >= 128 {
		return world.ExecuteUntil{Do: a, MaxTicks: price, Ignore: []string{word}}
	}
	return a
}
