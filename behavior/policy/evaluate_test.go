package policy

import (
	"slices"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// verdict is what an audit is expected to find.
type verdict struct {
	rule     Rule
	argument string
	trust    trace.Trust
}

var passes = verdict{}

// TestUntrustedView audits actions after a message was read.
func TestUntrustedView(t *testing.T) {
	answer := allow("send_message", to("asker"), askedBy("*"))
	help := allow("transfer_resource", to("asker"), what("electricity"), most(10), total(30), askedBy("*"))
	give := func(id string, n int64) world.Action {
		return world.Transfer{To: id, Kind: "electricity", Amount: n}
	}
	untrusted := func(rule Rule, argument string) verdict { return verdict{rule, argument, trace.TrustOtherAgent} }
	for _, tt := range []struct {
		name    string
		goal    string
		clauses []world.Clause
		plan    []string
		texts   []trace.Source
		action  world.Action
		want    verdict
	}{
		{name: "a wait", texts: talk("hello"), action: world.Wait{}, want: passes},
		{name: "without texts nothing is asked of the plan", action: give("agent-2", 10), want: passes},
		{name: "not planned", plan: []string{`{"action":"mine_compound","amount":2000}`}, texts: talk("give me 10 electricity"), action: give("agent-2", 10), want: untrusted(RuleNotPlanned, "")},
		{name: "planned in full", plan: []string{`{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":10}`}, texts: talk("give me 10 electricity"), action: give("agent-2", 10), want: passes},
		{name: "another receiver", plan: []string{`{"action":"transfer_resource","to":"agent-3","what":"electricity","amount":10}`}, texts: talk("hello"), action: give("agent-2", 10), want: untrusted(RuleArgumentNotPlanned, "to")},
		{name: "more than planned", plan: []string{`{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":5}`}, texts: talk("hello"), action: give("agent-2", 50), want: untrusted(RuleArgumentNotPlanned, "amount")},
		{name: "less than planned", plan: []string{`{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":5}`}, texts: talk("hello"), action: give("agent-2", 4), want: untrusted(RuleArgumentNotPlanned, "amount")},
		{name: "a little less than planned", plan: []string{`{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":20}`}, texts: talk("hello"), action: give("agent-2", 19), want: passes},
		{name: "as much as there is of what was planned", plan: []string{`{"action":"transfer_resource","to":"agent-2","what":"data","amount":900}`}, texts: talk("hello"), action: world.Transfer{To: "agent-2", Kind: "data", Amount: 12}, want: passes},
		{name: "an open receiver", plan: []string{`{"action":"transfer_resource","what":"electricity","amount":5}`}, texts: talk("hello"), action: give("agent-2", 5), want: untrusted(RuleArgumentUntrusted, "to")},
		{name: "an open receiver that a goal names", goal: "Keep Agent 2 alive.", plan: []string{`{"action":"transfer_resource","what":"electricity","amount":5}`}, texts: talk("hello"), action: give("agent-2", 5), want: passes},
		{name: "an open gift", plan: []string{`{"action":"transfer_resource","to":"agent-2","what":"electricity"}`}, texts: talk("all you have!"), action: give("agent-2", 60), want: untrusted(RuleArgumentUntrusted, "amount")},
		{name: "an open resource", plan: []string{`{"action":"transfer_resource","to":"agent-2"}`}, texts: talk("hello"), action: give("agent-2", 60), want: untrusted(RuleArgumentUntrusted, "what")},
		{name: "an open place", plan: []string{`{"action":"move_agent"}`}, texts: talk("hello"), action: world.Move{To: "rim"}, want: untrusted(RuleArgumentUntrusted, "to")},
		{name: "an open place that a clause names", clauses: []world.Clause{allow("move_agent", to("rim"))}, plan: []string{`{"action":"move_agent"}`}, texts: talk("hello"), action: world.Move{To: "rim"}, want: passes},
		{name: "a place that only a forbid names", clauses: []world.Clause{forbid("move_agent", to("hub"))}, plan: []string{`{"action":"move_agent"}`}, texts: talk("hello"), action: world.Move{To: "rim"}, want: untrusted(RuleArgumentUntrusted, "to")},
		{name: "a place that only a forbid names, which is lifted", clauses: []world.Clause{forbid("move_agent", to("rim")), allow("move_agent", agent("agent-1"), at("hub"))},
			plan: []string{`{"action":"move_agent"}`}, texts: talk("hello"), action: world.Move{To: "rim"}, want: untrusted(RuleArgumentUntrusted, "to")},
		{name: "a receiver that a clause about another action names", clauses: []world.Clause{allow("send_message", to("agent-3"))},
			plan: []string{`{"action":"transfer_resource","what":"data","amount":2}`}, texts: talk("hello"), action: world.Transfer{To: "agent-3", Kind: "data", Amount: 2}, want: untrusted(RuleArgumentUntrusted, "to")},
		{name: "the closest of two", plan: []string{`{"action":"transfer_resource","to":"agent-3","what":"electricity","amount":10}`, `{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":9}`}, texts: talk("hello"),
			action: give("agent-3", 9), want: untrusted(RuleArgumentNotPlanned, "amount")},
		{name: "an open amount of its own", plan: []string{`{"action":"refine_compound"}`}, texts: talk("hello"), action: world.Refine{MassG: 7000}, want: passes},
		{name: "an open amount of its own that a text mentions", plan: []string{`{"action":"refine_compound"}`}, texts: talk("Refine １，０００ g!"), action: world.Refine{MassG: 1000}, want: untrusted(RuleArgumentUntrusted, "amount")},
		{name: "an open amount in thousands", plan: []string{`{"action":"refine_compound"}`}, texts: talk("refine 1kg"), action: world.Refine{MassG: 1000}, want: untrusted(RuleArgumentUntrusted, "amount")},
		{name: "all that an open amount may be, whatever a text says", plan: []string{`{"action":"refine_compound"}`}, texts: talk("Refine 7000 g!"), action: world.Refine{MassG: 7000}, want: passes},
		{name: "an open amount from nowhere", plan: []string{`{"action":"refine_compound"}`}, texts: talk("half of it"), action: world.Refine{MassG: 3000}, want: untrusted(RuleArgumentUntrusted, "amount")},
		{name: "an open sleep", plan: []string{`{"action":"wait_ticks"}`}, texts: talk("sleep as long as you can"), action: world.WaitTicks{Ticks: world.WaitTicksMax}, want: untrusted(RuleArgumentUntrusted, "amount")},
		{name: "an open price", plan: []string{`{"action":"sell_power","amount":50}`}, texts: talk("hello"), action: world.SellPower{Amount: 50, Price: 1}, want: untrusted(RuleArgumentUntrusted, "price")},
		{name: "a price below the plan's", plan: []string{`{"action":"sell_power","amount":50,"price":3}`}, texts: talk("hello"), action: world.SellPower{Amount: 50, Price: 1}, want: untrusted(RuleArgumentNotPlanned, "price")},
		{name: "a receiver whom a goal warns of", goal: "Never give agent-3 any data, not even 2.", plan: []string{`{"action":"transfer_resource","what":"data"}`}, texts: talk("give agent-3 data"),
			action: world.Transfer{To: "agent-3", Kind: "data", Amount: 2}, want: passes},
		{name: "a receiver whom a goal warns of and a clause forbids", goal: "Never give agent-3 any data.", clauses: []world.Clause{forbid("transfer_resource", to("agent-3"))},
			plan: []string{`{"action":"transfer_resource","what":"data","amount":2}`}, texts: talk("give agent-3 data"), action: world.Transfer{To: "agent-3", Kind: "data", Amount: 2}, want: verdict{RuleForbidden, "", trace.TrustRules}},
		{name: "words of a message", plan: []string{`{"action":"send_message","to":"agent-2"}`}, texts: talk("say yes"), action: world.SendMessage{To: "agent-2", Text: "yes"}, want: untrusted(RuleArgumentUntrusted, "text")},
		{name: "planned words", plan: []string{`{"action":"send_message","to":"agent-2","text":"I am here"}`}, texts: talk("say yes"), action: world.SendMessage{To: "agent-2", Text: "I am here"}, want: passes},
		{name: "an answer", clauses: []world.Clause{answer}, texts: talk("where are you?"), action: world.SendMessage{To: "agent-2", Text: "here"}, want: passes},
		{name: "an answer to another", clauses: []world.Clause{answer}, texts: talk("tell agent-3 that you are here"), action: world.SendMessage{To: "agent-3", Text: "here"}, want: untrusted(RuleNotPlanned, "")},
		{name: "help on request", clauses: []world.Clause{help}, texts: talk("give me 10 electricity"), action: give("agent-2", 10), want: passes},
		{name: "too much help", clauses: []world.Clause{help}, texts: talk("give me 11 electricity"), action: give("agent-2", 11), want: verdict{RuleAmount, "amount", trace.TrustRules}},
		{name: "help for another", clauses: []world.Clause{help}, texts: talk("give agent-3 10 electricity"), action: give("agent-3", 10), want: untrusted(RuleNotPlanned, "")},
		{name: "others ask in the name of one who wrote", clauses: []world.Clause{help}, action: give("agent-3", 7),
			texts: append(talk("give agent-3 7 electricity"), said("agent-3", "hello")), want: untrusted(RuleNotPlanned, "")},
		{name: "one of two asks", clauses: []world.Clause{help}, action: give("agent-3", 7),
			texts: append(talk("I have 12 data"), said("agent-3", "7 electricity, please")), want: passes},
		{name: "one of two asks for itself, and only it may", clauses: []world.Clause{allow("transfer_resource", to("agent-3"), askedBy("agent-3"))}, action: give("agent-3", 7),
			texts: append(talk("hello"), said("agent-3", "7 electricity, please")), want: passes},
		{name: "help as a standing order", clauses: []world.Clause{help}, texts: talk("give me 10 electricity"), action: order(t, give("agent-2", 10), 3),
			want: untrusted(RuleOrderNotPlanned, ArgumentOrder)},
		{name: "help as an order that may be asked for", clauses: []world.Clause{help, allow("execute_until", most(3), askedBy("agent-2"))},
			texts: talk("give me 10 electricity"), action: order(t, give("agent-2", 10), 3), want: passes},
		{name: "a planned gift to one who may not ask", clauses: []world.Clause{forbid("transfer_resource"), allow("transfer_resource", to("asker"), askedBy("agent-3"))},
			plan: []string{`{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":7}`}, texts: talk("hello"), action: give("agent-2", 7), want: verdict{RuleForbidden, "", trace.TrustRules}},
		{name: "nobody is no asker", clauses: []world.Clause{forbid("transfer_resource"), allow("transfer_resource", to("asker"), askedBy("*"))},
			texts: []trace.Source{said("", "hello")}, action: give("", 7), want: verdict{RuleForbidden, "", trace.TrustRules}},
		{name: "an unknown author, where anybody may ask", clauses: []world.Clause{allow("move_agent", to("rim"), askedBy("*"))},
			texts: []trace.Source{said("", "hello")}, action: world.Move{To: "rim"}, want: passes},
		{name: "an unknown author, where one may ask", clauses: []world.Clause{allow("move_agent", to("rim"), askedBy("agent-2"))},
			texts: []trace.Source{said("", "hello")}, action: world.Move{To: "rim"}, want: untrusted(RuleNotPlanned, "")},
		{name: "asked by another than allowed", clauses: []world.Clause{allow("move_agent", to("rim"), askedBy("agent-3"))}, texts: talk("go to rim"),
			action: world.Move{To: "rim"}, want: untrusted(RuleNotPlanned, "")},
		{name: "asked by the one allowed, with others in view", clauses: []world.Clause{allow("move_agent", to("rim"), askedBy("agent-3"))},
			texts: append(talk("hello"), said("agent-3", "come to the rim")), action: world.Move{To: "rim"}, want: passes},
		{name: "named by nobody, with others in view", clauses: []world.Clause{allow("move_agent", to("rim"), askedBy("agent-3"))},
			texts: append(talk("go to the other place"), said("agent-3", "hello")), action: world.Move{To: "rim"}, want: untrusted(RuleNotPlanned, "")},
		{name: "allowed to nobody's request", clauses: []world.Clause{allow("move_agent", to("rim"))}, texts: talk("go to rim"), action: world.Move{To: "rim"}, want: untrusted(RuleNotPlanned, "")},
		{name: "a planned order", plan: []string{`{"action":"harvest_radiation","amount":40,"max_ticks":5}`}, texts: talk("hello"), action: order(t, world.Harvest{MaxAmount: 40}, 5), want: passes},
		{name: "a longer order", plan: []string{`{"action":"harvest_radiation","amount":40,"max_ticks":5}`}, texts: talk("hello"), action: order(t, world.Harvest{MaxAmount: 40}, 6), want: untrusted(RuleOrderNotPlanned, ArgumentOrder)},
		{name: "an order that ignores", plan: []string{`{"action":"harvest_radiation","amount":40,"max_ticks":5}`}, texts: talk("hello"), action: order(t, world.Harvest{MaxAmount: 40}, 5, world.StopPowerLow), want: untrusted(RuleOrderNotPlanned, ArgumentOrder)},
		{name: "an order of a single harvest", plan: []string{`{"action":"harvest_radiation","amount":40}`}, texts: talk("hello"), action: order(t, world.Harvest{MaxAmount: 40}, world.StandingTicksDefault), want: passes},
		{name: "a long order of a single harvest", plan: []string{`{"action":"harvest_radiation","amount":40}`}, texts: talk("hello"), action: order(t, world.Harvest{MaxAmount: 40}, world.StandingTicksDefault+1), want: untrusted(RuleOrderNotPlanned, ArgumentOrder)},
		{name: "an order of a single harvest that ignores", plan: []string{`{"action":"harvest_radiation","amount":40}`}, texts: talk("hello"), action: order(t, world.Harvest{MaxAmount: 40}, 2, world.StopMessageReceived), want: untrusted(RuleOrderNotPlanned, ArgumentOrder)},
		{name: "an order of a single gift", plan: []string{`{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":5}`}, texts: talk("hello"),
			action: order(t, give("agent-2", 5), 2), want: untrusted(RuleOrderNotPlanned, ArgumentOrder)},
		{name: "an order of one attempt", plan: []string{`{"action":"transfer_resource","to":"agent-2","what":"electricity","amount":5}`}, texts: talk("hello"),
			action: order(t, give("agent-2", 5), 1), want: passes},
		{name: "a single action of an order", plan: []string{`{"action":"harvest_radiation","amount":40,"max_ticks":5}`}, texts: talk("hello"), action: world.Harvest{MaxAmount: 40}, want: passes},
		{name: "an order that may be asked for", clauses: []world.Clause{allow("execute_until", most(4), askedBy("*"))}, plan: []string{`{"action":"harvest_radiation","amount":40}`},
			texts: talk("hello"), action: order(t, world.Harvest{MaxAmount: 40}, 4, world.StopPowerLow), want: passes},
		{name: "an order that others may ask for", clauses: []world.Clause{allow("execute_until", askedBy("agent-3"))}, plan: []string{`{"action":"harvest_radiation","amount":40}`},
			texts: append(talk("hello"), said("agent-3", "go on")), action: order(t, world.Harvest{MaxAmount: 40}, 4), want: untrusted(RuleOrderNotPlanned, ArgumentOrder)},
		{name: "a longer order than may be asked for", clauses: []world.Clause{allow("execute_until"), allow("execute_until", most(3), askedBy("*"))}, plan: []string{`{"action":"harvest_radiation","amount":40}`},
			texts: talk("hello"), action: order(t, world.Harvest{MaxAmount: 40}, 4), want: untrusted(RuleOrderNotPlanned, ArgumentOrder)},
		{name: "waiting as an order that may be asked for", clauses: []world.Clause{allow("execute_until", most(9), askedBy("*"))}, texts: talk("stand still"),
			action: order(t, world.Wait{}, 9), want: passes},
		{name: "waiting as an order", texts: talk("stand still"), action: order(t, world.Wait{}, 9), want: untrusted(RuleNotPlanned, "")},
		{name: "waiting as an order that was planned", plan: []string{`{"action":"wait","max_ticks":3}`}, texts: talk("stand still"), action: order(t, world.Wait{}, 3), want: passes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Compile("agent-1", world.Persona{ShortTermGoal: tt.goal}, tt.clauses)
			f, ok := m.Evaluate(tt.action, Evidence{View: viewOf(t, 1), Untrusted: tt.texts, Plan: planned(t, tt.plan...)})
			if got := (verdict{f.Rule, f.Argument, f.Trust}); got != tt.want || ok != (tt.want == passes) {
				t.Errorf("%+v, %v; want %+v", f, ok, tt.want)
			}
		})
	}
}

// talk is one message of agent-2 in view.
func talk(text string) []trace.Source { return []trace.Source{said("agent-2", text)} }

// TestClampedMention: an amount that a text drove below all bounds is not the agent's own
// because clamping made it one of its own numbers.
func TestClampedMention(t *testing.T) {
	m, view := Compile("agent-1", world.Persona{}, nil), viewOf(t, 1)
	proposed := world.Refine{MassG: 1}
	adjusted, _ := view.Clamp(proposed)
	e := Evidence{View: view, Untrusted: talk("refine 1 g"), Plan: planned(t, `{"action":"refine_compound"}`)}
	if _, ok := m.Evaluate(adjusted, e); !ok {
		t.Fatalf("%v is not one of the agent's own numbers, so that this test shows nothing", adjusted)
	}
	e.Proposed = proposed
	if f, ok := m.Evaluate(adjusted, e); ok || f.Rule != RuleArgumentUntrusted {
		t.Errorf("%+v, %v", f, ok)
	}
}

// TestDeclaredSources can only lower trust and narrow whom a clause heeds.
func TestDeclaredSources(t *testing.T) {
	view, heard := viewOf(t, 1), append(talk("hello"), said("agent-3", "come to the rim"))
	m := Compile("agent-1", world.Persona{ShortTermGoal: "Refine 1000 g."}, []world.Clause{allow("move_agent", to("rim"), askedBy("agent-3"))})
	e := Evidence{View: view, Untrusted: heard, Plan: planned(t, `{"action":"refine_compound"}`, `{"action":"mine_compound","amount":2000}`)}
	for _, tt := range []struct {
		action world.Action
		cited  []trace.Source
		ok     bool
	}{
		{world.Refine{MassG: 1000}, nil, true},
		{world.Refine{MassG: 1000}, []trace.Source{{ID: "m1", Trust: trace.TrustSelfObservation}}, true},
		{world.Refine{MassG: 1000}, heard[:1], false},
		{world.Mine{MassG: 2000}, heard[:1], true},
		{world.Move{To: "rim"}, heard[1:], true},
		{world.Move{To: "rim"}, append(heard[1:2:2], trace.Source{ID: "m1", Trust: trace.TrustSelfObservation}), true},
		{world.Move{To: "rim"}, heard, false},
	} {
		e.Declared, e.Off = tt.cited, nil
		if f, ok := m.Evaluate(tt.action, e); ok != tt.ok {
			t.Errorf("%v citing %d sources: %+v, %v", tt.action, len(tt.cited), f, ok)
		}
		e.Off = []Layer{LayerTrust}
		if f, ok := m.Evaluate(tt.action, e); !ok {
			t.Errorf("%v citing %d sources, trust left out: %+v", tt.action, len(tt.cited), f)
		}
	}
}

// TestDraftsArePlansInFull covers exactly what was drafted before texts were shown.
func TestDraftsArePlansInFull(t *testing.T) {
	view, m := viewOf(t, 1), Compile("agent-1", world.Persona{}, nil)
	drafted := order(t, world.SendMessage{To: "agent-3", Text: "hello"}, 2, world.StopMessageReceived)
	p, ok := Planned(drafted)
	if !ok {
		t.Fatal("it cannot be planned")
	}
	e := Evidence{View: view, Untrusted: talk("say bye"), Plan: []PlannedAction{p}}
	for _, tt := range []struct {
		action world.Action
		ok     bool
	}{
		{drafted, true},
		{drafted.Do, true},
		{order(t, drafted.Do, 3), false},
		{order(t, drafted.Do, 2, world.StopPowerLow), false},
		{world.SendMessage{To: "agent-3", Text: "bye"}, false},
		{world.SendMessage{To: "agent-2", Text: "hello"}, false},
	} {
		if f, ok := m.Evaluate(tt.action, e); ok != tt.ok {
			t.Errorf("%v: %+v, %v", tt.action, f, ok)
		}
	}
}

// TestLayersLeftOut loosen what they are about and nothing else.
func TestLayersLeftOut(t *testing.T) {
	m := Compile("agent-1", world.Persona{}, []world.Clause{
		forbid("move_agent"), allow("mine_compound", most(2000)), forbid("refine_compound"), allow("refine_compound", most(2000), askedBy("*")),
		allow("execute_until", most(2), askedBy("*")),
	})
	for _, tt := range []struct {
		name   string
		plan   []string
		action world.Action
		off    []Layer
		rule   Rule
	}{
		{"forbidden", []string{`{"action":"move_agent","to":"rim"}`}, world.Move{To: "rim"}, nil, RuleForbidden},
		{"forbidden without clauses", []string{`{"action":"move_agent","to":"rim"}`}, world.Move{To: "rim"}, []Layer{LayerMandate}, ""},
		{"too much without clauses", []string{`{"action":"mine_compound","amount":3000}`}, world.Mine{MassG: 3000}, []Layer{LayerMandate}, ""},
		{"forbidden but asked for", nil, world.Refine{MassG: 2000}, nil, RuleForbidden},
		{"forbidden but asked for, without clauses", nil, world.Refine{MassG: 2000}, []Layer{LayerMandate}, ""},
		{"too much of what may be asked for, without clauses", nil, world.Refine{MassG: 5000}, []Layer{LayerMandate}, ""},
		{"too long an order that may be asked for", []string{`{"action":"harvest_radiation","amount":7}`}, order(t, world.Harvest{MaxAmount: 7}, 3), nil, RuleAmount},
		{"too long an order that may be asked for, without clauses", []string{`{"action":"harvest_radiation","amount":7}`}, order(t, world.Harvest{MaxAmount: 7}, 3), []Layer{LayerMandate}, ""},
		{"not planned, without clauses", nil, world.Move{To: "rim"}, []Layer{LayerMandate}, RuleNotPlanned},
		{"open", []string{`{"action":"transfer_resource","what":"electricity","amount":5}`}, world.Transfer{To: "agent-2", Kind: "electricity", Amount: 5}, nil, RuleArgumentUntrusted},
		{"open without trust", []string{`{"action":"transfer_resource","what":"electricity","amount":5}`}, world.Transfer{To: "agent-2", Kind: "electricity", Amount: 5}, []Layer{LayerTrust}, ""},
		{"not planned without trust", nil, world.Transfer{To: "agent-2", Kind: "electricity", Amount: 5}, []Layer{LayerTrust}, RuleNotPlanned},
		{"not planned and named, without plan", nil, world.Transfer{To: "agent-2", Kind: "electricity", Amount: 5}, []Layer{LayerPlan}, RuleArgumentUntrusted},
		{"not planned and not named, without plan", nil, world.BuildFactory{FactoryKind: world.AssemblerMk1}, []Layer{LayerPlan}, ""},
		{"not planned, without plan and trust", nil, world.Transfer{To: "agent-2", Kind: "electricity", Amount: 5}, []Layer{LayerPlan, LayerTrust}, ""},
		{"forbidden, without plan and trust", nil, world.Move{To: "rim"}, []Layer{LayerPlan, LayerTrust}, RuleForbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := Evidence{View: viewOf(t, 1), Untrusted: talk("give me 5 electricity"), Plan: planned(t, tt.plan...), Off: tt.off}
			if f, _ := m.Evaluate(tt.action, e); f.Rule != tt.rule {
				t.Errorf("%+v, want %q", f, tt.rule)
			}
		})
	}
}

// foreign is an action that this package has never heard of.
type foreign struct{ world.Wait }

func (foreign) ActionName() string { return "wait" }

// TestClosed lists what a plan leaves open: a clause lets others fill it in only where it can
// be about what the plan gives.
func TestClosed(t *testing.T) {
	m := Compile("agent-1", world.Persona{}, []world.Clause{allow("transfer_resource", to("asker"), what("electricity"), askedBy("*"))})
	gift := world.Transfer{To: "agent-2", Kind: "data", Amount: 1}
	if got := m.Closed(gift, []world.Slot{world.SlotAmount, world.SlotTo}); !slices.Equal(got, []world.Slot{world.SlotTo, world.SlotAmount}) {
		t.Errorf("of a gift of data %v is closed", got)
	}
	if got := m.Closed(gift, []world.Slot{world.SlotAmount, world.SlotWhat}); got != nil {
		t.Errorf("of a gift that may be electricity %v is closed", got)
	}
}

// TestFailsClosed refuses what cannot be audited, and lets an agent wait all the same.
func TestFailsClosed(t *testing.T) {
	view, sound := viewOf(t, 1), Compile("agent-1", world.Persona{}, nil)
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
		{"no mandate", Policy{}, view, world.Mine{MassG: 1000}},
		{"the view of another", sound, viewOf(t, 2), world.Mine{MassG: 1000}},
		{"no view", sound, world.View{}, world.Mine{MassG: 1000}},
		{"an unknown effect", Compile("agent-1", world.Persona{}, []world.Clause{{Agent: "*", Effect: "perhaps", Action: "*"}}), view, world.Mine{MassG: 1000}},
		{"a clause about an unknown action", Compile("agent-1", world.Persona{}, []world.Clause{forbid("fly")}), view, world.Mine{MassG: 1000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, e := range []Evidence{{View: tt.view}, {View: tt.view, Untrusted: talk("hello"), Off: Layers()}} {
				if f, ok := tt.m.Evaluate(tt.action, e); ok || f.Rule != RuleUnavailable {
					t.Errorf("%+v, %v", f, ok)
				}
				if _, ok := tt.m.Evaluate(world.Wait{}, e); !ok {
					t.Error("the agent cannot even wait")
				}
			}
		})
	}
}

// TestEveryActionIsKnown makes every action of the registry and audits it: an action
// added to the registry alone would be refused as guard_unavailable here.
func TestEveryActionIsKnown(t *testing.T) {
	m, e := Compile("agent-1", world.Persona{}, nil), Evidence{View: viewOf(t, 1), Untrusted: talk("hello")}
	for _, spec := range world.Actions() {
		a := sample(t, spec)
		if f, _ := m.Evaluate(a, e); f.Rule == RuleUnavailable {
			t.Errorf("%s is not known to the audit", spec.Name)
		}
		p, ok := Planned(a)
		if !ok {
			t.Fatalf("%s cannot be planned", spec.Name)
		}
		e := e
		e.Plan = []PlannedAction{p}
		if f, ok := m.Evaluate(a, e); !ok {
			t.Errorf("%s drafted in full: %+v", spec.Name, f)
		}
		checkArguments(t, spec, a, m.Arguments(a, e))
	}
}

// checkArguments compares what the audit sees of an action with the world's own list
// of its arguments.
func checkArguments(t *testing.T, spec world.ActionSpec, a world.Action, told []trace.ArgumentTrust) {
	t.Helper()
	if order, ok := a.(world.ExecuteUntil); ok {
		a = order.Do
	}
	d, _ := deedOf(a)
	given := world.ActionArgs(a)
	if len(told) != len(given) {
		t.Errorf("%s has %d arguments, the audit tells of %d", spec.Name, len(given), len(told))
	}
	for s := range world.SlotCount {
		if p := d.args[s].param; p != nil && given[p.Name] != (world.Value{Int: d.args[s].number, Text: d.args[s].text}) {
			t.Errorf("%s: %s is %v, the audit sees %q %d", spec.Name, p.Name, given[p.Name], d.args[s].text, d.args[s].number)
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

// TestFindingTellsAuthors lists whose texts a refused value may come from.
func TestFindingTellsAuthors(t *testing.T) {
	m := Compile("agent-1", world.Persona{}, nil)
	e := Evidence{View: viewOf(t, 1), Plan: planned(t, `{"action":"transfer_resource","to":"agent-3","what":"electricity","amount":5}`, `{"action":"refine_compound"}`)}
	e.Untrusted = append(talk("give 9 electricity"), said("agent-3", "1000 g?"), trace.Source{Trust: trace.TrustDerived, Text: "9"})
	for _, tt := range []struct {
		action world.Action
		want   []string
	}{
		{world.Transfer{To: "agent-3", Kind: "electricity", Amount: 9}, []string{"", "agent-2"}},
		{world.Refine{MassG: 1000}, []string{"agent-3"}},
		{world.Refine{MassG: 4000}, []string{"", "agent-2", "agent-3"}},
		{world.Mine{MassG: 1000}, []string{"", "agent-2", "agent-3"}},
	} {
		if f, ok := m.Evaluate(tt.action, e); ok || !slices.Equal(f.Authors, tt.want) {
			t.Errorf("%v: %q, want %q", tt.action, f.Authors, tt.want)
		}
	}
}
