package policy

import (
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// FuzzAudit: no plan, text, goal or action makes an audit panic, and no text that an
// unheeded author writes brings about what nobody planned.
func FuzzAudit(f *testing.F) {
	f.Add("transfer_resource agent-2 electricity 10", "give me 10 electricity", "Help agent-2.", "agent-2", "electricity", int64(10), int64(3), uint8(8))
	f.Add("harvest 40 until 5", "", "", "", "", int64(-1), int64(0), uint8(3))
	f.Add("send_message \"agent-2\" \"yes\"", "5,000 ５０００ 5 kg", "", "rim", "yes", int64(1)<<62, int64(-1), uint8(200))
	view := viewOf(f, 1)
	f.Fuzz(func(t *testing.T, plan, text, goal, id, word string, amount, price int64, pick uint8) {
		m := Compile("agent-1", world.Persona{ShortTermGoal: goal}, []string{text}, []world.Clause{
			allow("*", to(id), what(word), most(amount), askedBy(id)), forbid("move_agent", at(id)),
		})
		e := Evidence{View: view, Untrusted: []trace.Source{said(id, text)}, Spent: m.Spend(Spending{}, id, world.Mine{MassG: amount})}
		e.Declared = e.Untrusted[:pick%2]
		e.Intents, _ = parsed([]string{plan, text}, 8)
		a := fuzzedAction(id, word, amount, price, pick)
		e.Proposed = fuzzedAction(word, id, price, amount, pick)
		m.Audit(a, e)
		m.Arguments(a, e)
		IntentOf(a)

		bare := Compile("agent-1", world.Persona{}, nil, nil)
		e.Intents = nil
		if _, ok := bare.Audit(a, e); ok && a != (world.Wait{}) {
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

// FuzzParseIntent: whatever a model writes is read or refused, and what was read says
// the same when it is read again.
func FuzzParseIntent(f *testing.F) {
	for _, text := range []string{"mine_compound 5,000 g", `send_message agent-2 "hi"`, "采矿 ５０００", "buy_power 50 at 3 until 2", "\"", "wait :::", "mine 5000000008K", "mine 5000000008 kg", "send n \"\x01iD\"", "send n \"\x01the\"", `move "Far Rim"`, `move "a\"b"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		i, ok := ParseIntent(text)
		if !ok {
			return
		}
		again, ok := ParseIntent(i.String())
		if !ok || again.String() != i.String() {
			t.Errorf("%q is %q, which is %q", text, i, again)
		}
	})
}
