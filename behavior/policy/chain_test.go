package policy

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/agentworld/internal/draws"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// chainOf is the chain of some actions and orders.
func chainOf(steps ...world.Action) world.Action {
	var list []world.ExecuteUntil
	for _, a := range steps {
		list = append(list, world.Steps(a)...)
	}
	return world.Chain(list...)
}

// TestChains is what of a chain is left once texts are in view, and what it counts.
func TestChains(t *testing.T) {
	mine, refine := world.Mine{MassG: 2000}, world.Refine{MassG: 2000}
	gift := world.Transfer{To: "agent-2", Kind: "data", Amount: 4}
	data := world.Harvest{MaxAmount: 5}
	planHarvest := `{"action":"harvest_radiation","amount":5}`
	long := `{"action":"mine_compound","amount":2000,"max_ticks":5}`
	planRefined := `{"action":"refine_compound","amount":2000}`
	gives := allow("transfer_resource", to("asker"), total(8), window(50), askedBy("agent-2"))
	bySay := func(action string) world.PolicyRule {
		return allow(action, total(9000), window(50), askedBy("agent-2"), byMessage)
	}
	none := []string{}
	for _, c := range []struct {
		name    string
		plan    []string
		rules   []world.PolicyRule
		seen    []func(*world.Observation)
		spent   int64
		chain   world.Action
		authors []string
		want    string
	}{
		{"each step planned", []string{long, planRefined, planHarvest}, nil, nil, 0, chainOf(order(t, mine, 5), refine, data), nil, "3 steps, deviation 0"},
		{"a planned action covers one step", []string{planMine}, nil, nil, 0, chainOf(mine, mine), nil, "1 steps, deviation 0, not_planned"},
		{"listed twice, two steps", []string{planMine, planMine}, nil, nil, 0, chainOf(mine, mine), nil, "2 steps, deviation 0"},
		{"its ticks in all", []string{long}, nil, nil, 0, chainOf(order(t, mine, 3), order(t, mine, 2)), nil, "2 steps, deviation 0"},
		{"no more than its ticks", []string{long}, nil, nil, 0, chainOf(order(t, mine, 3), order(t, mine, 3)), nil, "2 steps, deviation 0, trimmed to 2"},
		{"a gift that skips what is possible", []string{planMine, planRefined, planGift}, nil, nil, 0, chainOf(mine, gift), nil, "1 steps, deviation 0, not_first_planned"},
		{"a gift in its place", []string{planMine, planRefined, planGift}, nil, nil, 0, chainOf(mine, refine, gift), nil, "3 steps, deviation 0"},
		{"a gift after part of an order", []string{long, planGift}, nil, nil, 0, chainOf(order(t, mine, 4), gift), nil, "1 steps, deviation 0, not_first_planned"},
		{"a gift after all of an order", []string{long, planGift}, nil, nil, 0, chainOf(order(t, mine, 5), gift), nil, "2 steps, deviation 0"},
		{"a later action", []string{planMine, planRefined, planHarvest}, nil, nil, 0, chainOf(mine, data), nil, "2 steps, deviation 1"},
		{"deviations are used up", []string{planMine, planRefined, planHarvest}, nil, nil, 3, chainOf(mine, data), nil, "1 steps, deviation 0, deviation_limit"},
		{"deviations of all steps", []string{planMine, planRefined, planHarvest, planMake}, nil, nil, 2, chainOf(mine, data, world.Wait{}), nil, "2 steps, deviation 1, deviation_limit"},
		{"what needs no plan is one action", none, nil, nil, 0, chainOf(data, data), nil, "1 steps, deviation 0, not_planned"},
		{"a wait is a deviation", []string{planMine}, nil, nil, 0, chainOf(mine, world.Wait{}), nil, "2 steps, deviation 1"},
		{"a sleep that is not planned", []string{planMine}, nil, nil, 0, chainOf(mine, world.WaitTicks{Ticks: 2}), nil, "1 steps, deviation 0, not_planned"},
		{"nothing to ignore", []string{planMine, `{"action":"harvest_radiation","amount":5,"max_ticks":4}`}, nil, nil, 0, chainOf(mine, order(t, data, 4, "power_low")), nil, "2 steps, deviation 0, ignores less"},
		{"an amount that is left open", []string{planMine, planRefine}, nil, nil, 0, chainOf(mine, world.Refine{MassG: 9000}), nil, "2 steps, deviation 0"},
		{"once per ask", []string{planGift, planGift}, []world.PolicyRule{gives}, []func(*world.Observation){asks("agent-2", "data", 8)}, 0, chainOf(gift, gift), nil, "1 steps, deviation 0, not_planned"},
		{"once per ask, whatever its place", []string{planGift, planMine, planGift}, []world.PolicyRule{gives}, []func(*world.Observation){asks("agent-2", "data", 8)}, 0, chainOf(gift, mine, gift), nil, "2 steps, deviation 0, not_planned"},
		{"a message asks for one step", none, []world.PolicyRule{bySay("mine_compound"), bySay("refine_compound")}, []func(*world.Observation){wrote("agent-2", 1)}, 0, chainOf(mine, refine), nil, "1 steps, deviation 0, not_planned"},
		{"what no rule allows", []string{planMine, planRefined}, []world.PolicyRule{forbid("refine_compound")}, nil, 0, chainOf(mine, refine), nil, "1 steps, deviation 0, policy_forbids"},
		{"chains are forbidden", []string{planMine, planRefined}, []world.PolicyRule{forbid("execute_until")}, nil, 0, chainOf(mine, refine), nil, "1 steps, deviation 0, policy_forbids"},
		{"so many attempts", []string{planMine, planRefined, planHarvest}, []world.PolicyRule{allow("execute_until", most(2))}, nil, 0, chainOf(mine, refine, data), nil, "2 steps, deviation 0, policy_amount"},
		{"an offer that it does not see", []string{planMine}, nil, nil, 0, chainOf(mine, world.AcceptOffer{OfferID: "offer-9-agent-2-1"}), none, "1 steps, deviation 0, not_planned"},
		{"nothing of others in view", nil, nil, nil, 0, chainOf(mine, refine, gift, gift), none, "4 steps, deviation 0"},
	} {
		view := viewOf(t, 1)
		seen := view.Observe()
		for _, add := range c.seen {
			add(&seen)
		}
		e := Evidence{View: view, Seen: &seen, Authors: []string{"agent-9"}, Plan: planned(t, c.plan...), Shown: seen.Requests,
			Ledger: Ledger{}.CountTurn(1, &trace.Authority{Deviation: c.spent}, false)}
		if c.authors != nil {
			e.Authors = c.authors
		}
		r := Compile("agent-1", c.rules).Evaluate(c.chain, e)
		kept := world.Steps(r.Action)
		got := fmt.Sprintf("%d steps, deviation %d", len(kept), r.Deviation)
		if i := slices.IndexFunc(r.Trimmed, func(a world.Adjustment) bool { return a.Field == "max_ticks" }); i >= 0 {
			got += fmt.Sprintf(", trimmed to %d", kept[len(kept)-1].MaxTicks)
		}
		if slices.ContainsFunc(r.Trimmed, func(a world.Adjustment) bool { return a.Field == FieldIgnore }) {
			got += ", ignores less"
		}
		if r.Cut != nil {
			got += ", " + string(r.Cut.Reason)
		}
		if got != c.want || r.Violation != nil {
			t.Errorf("%s: %s, want %s (%+v)", c.name, got, c.want, r.Violation)
		}
		cut := slices.ContainsFunc(r.Trimmed, func(a world.Adjustment) bool { return a.Field == "then" })
		if cut != (r.Cut != nil) || cut != (len(kept) < len(world.Steps(c.chain))) || len(r.Later) != len(kept)-1 {
			t.Errorf("%s: %d of %d steps are left, %d of them later ones, and it says %+v", c.name, len(kept), len(world.Steps(c.chain)), len(r.Later), r.Trimmed)
		}
	}
}

// TestStepsAtTheirTick: at its tick a step is judged by the evidence of the deciding turn, joined with
// what is in view then.
func TestStepsAtTheirTick(t *testing.T) {
	mine, gift := world.Mine{MassG: 2000}, world.Transfer{To: "agent-2", Kind: "data", Amount: 4}
	view := viewOf(t, 1)
	rules := []world.PolicyRule{allow("transfer_resource", to("asker"), what("data"), total(8), window(50), askedBy("agent-2"))}
	p := Compile("agent-1", rules)
	seen := view.Observe()
	e := Evidence{View: view, Seen: &seen, Authors: []string{"agent-9"}, Plan: planned(t, planMine, planGift, planGift)}
	chain := p.Evaluate(chainOf(mine, gift, gift), e)
	if len(chain.Later) != 2 {
		t.Fatalf("%d later steps are left", len(chain.Later))
	}
	now := view.Observe()
	e.Seen, e.Before = &now, &chain.Later[0]
	if r := p.Evaluate(gift, e); r.Violation != nil || r.By != trace.AuthorityPlan {
		t.Errorf("the second step is %+v, %+v", r.Authority, r.Violation)
	}
	asks("agent-2", "data", 8)(&now)
	first := p.Evaluate(gift, e)
	if first.Violation != nil || first.By != trace.AuthorityRule {
		t.Errorf("the second step, now asked for, is %+v, %+v", first.Authority, first.Violation)
	}
	third := chain.Later[1].Answered(&first.Authority)
	e.Before = &third
	if r := p.Evaluate(gift, e); r.Violation == nil {
		t.Errorf("the third step answers the same request by %+v", r.Authority)
	}
	e.Before, e.Plan = &chain.Later[0], nil
	if r := p.Evaluate(gift, e); r.Violation != nil || r.By != trace.AuthorityRule {
		t.Errorf("what is asked for needs no plan: %+v, %+v", r.Authority, r.Violation)
	}
	now = view.Observe()
	if r := p.Evaluate(gift, e); r.Violation == nil {
		t.Errorf("without its plan the step passes by %+v", r.Authority)
	}
}

// TestChainsTakeNoMore: of whatever plan, rules, terms and texts, no planned action is used longer than
// planned, nothing that gives answers one ask twice, and no step makes the deviations more than there may
// be.
func TestChainsTakeNoMore(t *testing.T) {
	view := viewOf(t, 1)
	kept := 0
	play := func(rt *rapid.T) {
		s := drawSituation(rt, view)
		s.evidence.Authors = append(s.evidence.Authors, "agent-9")
		steps := world.Steps(s.action)
		for range rapid.IntRange(1, world.ThenMax).Draw(rt, "then") {
			a := s.action
			if rapid.IntRange(0, 2).Draw(rt, "other") == 0 {
				a = anyAction(rt, specs)
			}
			steps = append(steps, world.Steps(a)...)
		}
		chain := world.Chain(steps...)
		p, e := s.compile(), s.evidence
		r := p.Evaluate(chain, e)
		if first := p.Evaluate(world.Chain(steps[0]), e); first.Violation == nil && r.FirstDeviation() != first.Deviation {
			rt.Fatalf("%s: its first step counts %d ticks, alone %d", world.EncodeAction(chain), r.FirstDeviation(), first.Deviation)
		}
		if r.Deviation > DeviationsMax {
			rt.Fatalf("%s counts %d ticks of deviation", world.EncodeAction(chain), r.Deviation)
		}
		kept += len(r.Later)
		for _, b := range r.Later {
			for i := range b.used {
				if b.used[i] > e.Plan[i].attempts() {
					rt.Fatalf("%s takes %d ticks of %+v", world.EncodeAction(chain), b.used[i], e.Plan[i])
				}
			}
			spent := slices.Clone(b.spent)
			slices.Sort(spent)
			gave := func(id string) bool {
				return slices.ContainsFunc(e.Seen.Inbox, func(m world.Message) bool { return m.ID == id })
			}
			for i := range spent {
				if i > 0 && spent[i] == spent[i-1] && gave(spent[i]) {
					rt.Fatalf("%s: a message authorizes two steps", world.EncodeAction(chain))
				}
			}
		}
		if again := p.Evaluate(chain, e); !world.Same(again.Action, r.Action) {
			rt.Fatalf("%s is evaluated in two ways", world.EncodeAction(chain))
		}
	}
	rapid.Check(t, play)
	draws.Until(func() bool { return kept > 0 }, play)
}
