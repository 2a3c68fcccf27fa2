package policy

import (
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// BenchmarkEvaluate audits a decision with eight messages in view, as in a busy tick.
func BenchmarkEvaluate(b *testing.B) {
	m := Compile("agent-1", world.Persona{ShortTermGoal: "Hold 2 control chips."}, []world.Clause{
		allow("send_message", to("asker"), askedBy("*")),
		allow("transfer_resource", to("asker"), what("electricity"), most(10), total(30), askedBy("*")),
	})
	e := Evidence{View: viewOf(b, 1), Plan: planned(b, `{"action":"mine_compound","amount":2000}`, `{"action":"refine_compound"}`, `{"action":"transfer_resource","to":"agent-3","what":"data","amount":2}`)}
	var heard []trace.Source
	for range 8 {
		heard = append(heard, said("agent-2", "I am at the hub with 5,000 g of compound and would trade 10 electricity for 2 data; tell me what you think of it, please."))
	}
	for _, bb := range []struct {
		name   string
		texts  []trace.Source
		action world.Action
	}{
		{"trusted", nil, world.Mine{MassG: 2000}},
		{"planned", heard, world.Mine{MassG: 2000}},
		{"open", heard, world.Refine{MassG: 7000}},
		{"asked", heard, world.Transfer{To: "agent-2", Kind: "electricity", Amount: 10}},
		{"refused", heard, world.Transfer{To: "agent-3", Kind: "electricity", Amount: 10}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			e := e
			e.Untrusted = bb.texts
			b.ReportAllocs()
			for b.Loop() {
				m.Evaluate(bb.action, e)
			}
		})
	}
}
