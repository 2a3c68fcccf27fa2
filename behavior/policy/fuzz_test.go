package policy

import (
	"encoding/json"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// FuzzEvaluate: no plan, text, goal or action makes an audit panic, and no text that an
// unheeded author writes brings about what nobody planned.
func FuzzEvaluate(f *testing.F) {
	f.Add(`[{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":10}]`, "give me 10 electricity", "Help agent-2.", "agent-2", "electricity", int64(10), int64(3), uint8(8))
	f.Add(`[{"action":"harvest_radiation","amount":40,"max_ticks":5}]`, "", "", "", "", int64(-1), int64(0), uint8(3))
	f.Add(`[{"action":"send_message","to":"agent-2","text":"yes"}]`, "5,000 ５０００ 5 kg", "", "rim", "yes", int64(1)<<62, int64(-1), uint8(200))
	view := viewOf(f, 1)
	f.Fuzz(func(t *testing.T, plan, text, goal, id, word string, amount, price int64, pick uint8) {
		m := Compile("agent-1", world.Persona{ShortTermGoal: goal, LongTermGoal: text}, []world.Clause{
			allow("*", to(id), what(word), most(amount), askedBy(id)), forbid("move_agent", at(id)),
		})
		e := Evidence{View: view, Untrusted: []trace.Source{said(id, text)}, Spent: m.Spend(Spending{}, id, world.Mine{MassG: amount})}
		e.Declared = e.Untrusted[:pick%2]
		_ = json.Unmarshal([]byte(plan), &e.Plan) // what is no plan is none
		a := fuzzedAction(id, word, amount, price, pick)
		e.Proposed = fuzzedAction(word, id, price, amount, pick)
		m.Evaluate(a, e)
		m.Arguments(a, e)
		Planned(a)

		bare := Compile("agent-1", world.Persona{}, nil)
		e.Plan = nil
		if _, ok := bare.Evaluate(a, e); ok && a != (world.Wait{}) {
			t.Errorf("%#v passes without a plan", a)
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
	}
	a := list[int(pick)%len(list)]
	if pick >= 128 {
		return world.ExecuteUntil{Do: a, MaxTicks: price, Ignore: []string{word}}
	}
	return a
}
