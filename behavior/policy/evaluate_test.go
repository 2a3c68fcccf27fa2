package policy

import (
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// foreign is an action that this package has never heard of.
type foreign struct{ world.Wait }

func (foreign) ActionName() string { return "wait" }

// TestFailsMissing: what cannot be checked is refused, and an agent may still wait.
func TestFailsMissing(t *testing.T) {
	view, sound := viewOf(t, 1), Compile("agent-1", nil)
	for _, tt := range []struct {
		name   string
		m      Policy
		view   world.View
		action world.Action
	}{
		{"an unknown action", sound, view, foreign{}},
		{"no action", sound, view, nil},
		{"an order of nothing", sound, view, world.ExecuteUntil{MaxTicks: 1}},
		{"an order of an order", sound, view, world.ExecuteUntil{Do: world.ExecuteUntil{Do: world.Wait{}}}},
		{"no policy", Policy{}, view, world.Mine{MassG: 1000}},
		{"the view of another", sound, viewOf(t, 2), world.Mine{MassG: 1000}},
		{"no view", sound, world.View{}, world.Mine{MassG: 1000}},
		{"an unknown effect", Compile("agent-1", []world.PolicyRule{{Agent: "*", Effect: "perhaps", Action: "*"}}), view, world.Mine{MassG: 1000}},
		{"a rule about an unknown action", Compile("agent-1", []world.PolicyRule{forbid("fly")}), view, world.Mine{MassG: 1000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, e := range []Evidence{{View: tt.view}, {View: tt.view, Authors: []string{"agent-2"}, Off: trace.Checks()}} {
				if _, f := tt.m.untrimmed(tt.action, e); reasonOf(f) != ReasonUnavailable {
					t.Errorf("%+v", f)
				}
				if _, f := tt.m.untrimmed(world.Wait{}, e); f != nil {
					t.Error("the agent cannot even wait")
				}
			}
		})
	}
}

// TestEveryActionIsKnown makes every action of the registry and audits it: an action
// added to the registry alone would be refused as guard_unavailable here.
func TestEveryActionIsKnown(t *testing.T) {
	m, e := Compile("agent-1", nil), Evidence{View: viewOf(t, 1), Authors: []string{"agent-2"}}
	for _, spec := range world.Actions() {
		a := sample(t, spec)
		if _, f := m.untrimmed(a, e); reasonOf(f) == ReasonUnavailable {
			t.Errorf("%s is not known to the audit", spec.Name)
		}
		p, ok := Planned(a)
		if !ok {
			t.Fatalf("%s cannot be planned", spec.Name)
		}
		e := e
		e.Plan, e.Shown = []PlannedAction{p}, []world.Terms{{ID: p.ID}}
		if by, f := m.untrimmed(a, e); f != nil || by.By != trace.AuthorityPlan && spec.Name != "accept_offer" { // there is no such offer
			t.Errorf("%s drafted in full: %+v, %+v", spec.Name, by, f)
		}
	}
}

// sample is some action of a spec, with different arguments.
func sample(t testing.TB, spec world.ActionSpec) world.Action {
	if spec.Name == (world.ExecuteUntil{}).ActionName() {
		return order(t, world.Harvest{MaxAmount: 7}, 3)
	}
	args := world.Args{}
	for i, p := range spec.Params {
		v := world.Value{Text: "agent-2"}
		switch p.Kind {
		case world.ParamAmount:
			v = world.Value{Int: p.Min * int64(i+1)}
		case world.ParamChoice:
			v = world.Value{Text: p.Choices[len(p.Choices)-1]}
		}
		args[p.Name] = v
	}
	a, err := world.MakeAction(spec.Name, args)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
