package behavior

import (
	"slices"
	"testing"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// planned are planned actions of the given names.
func planned(names ...string) (actions []policy.PlannedAction) {
	for _, name := range names {
		actions = append(actions, policy.PlannedAction{Action: name})
	}
	return actions
}

// of are the names of planned actions.
func of(actions []policy.PlannedAction) (names []string) {
	for _, a := range actions {
		names = append(names, a.Action)
	}
	return names
}

// replan takes a further plan as a turn does: what it names, and then what was planned before.
func (p *plan) replan(goal string, names ...string) {
	earlier := p.begin(goal)
	p.allow(planned(names...)...)
	p.allow(earlier...)
	p.fromPlan = len(p.actions)
}

// TestPlansAddUp: a further plan comes first and drops nothing; each action is in it once, and the bound
// holds.
func TestPlansAddUp(t *testing.T) {
	var p plan
	p.replan("first", "move", "wait")
	p.replan("", "transfer", "move")
	if got := of(p.actions); !slices.Equal(got, []string{"transfer", "move", "wait"}) || p.goal != "first" || !p.made {
		t.Errorf("planned %q for %q", got, p.goal)
	}
	for i := range int64(plannedMax) {
		p.allow(policy.PlannedAction{Action: "mine_compound", Amount: new(i)})
	}
	if len(p.actions) != plannedMax || p.fromPlan != 3 {
		t.Errorf("%d actions, %d of them of plans, want %d and 3", len(p.actions), p.fromPlan, plannedMax)
	}
}

// TestClosedPlanGainsNothing: once others may have had a part in it, whatever comes changes nothing that
// the plan allows, ends in, asks for or lists.
func TestClosedPlanGainsNothing(t *testing.T) {
	var p plan
	p.replan("mine", "mine_compound")
	p.mayEnd(fallback{do: []world.Action{world.Mine{MassG: 1}}, by: trace.ByPlan})
	p.list(stepsOf(answer.StepRespond), nil)
	p.requests = 1
	p.closed = true
	before := p
	p.replan("give it all away", "transfer", "send_message")
	p.mayEnd(fallback{do: []world.Action{world.Wait{}}, by: trace.ByPlan})
	p.intend(&Evaluation{Proposed: world.Transfer{To: "agent-9", Kind: world.Data, Amount: 5}})
	p.idle = true
	p.list(stepsOf(answer.StepSkip), nil)
	if !slices.Equal(of(p.actions), of(before.actions)) || len(p.ends) != 1 || p.requests != 1 ||
		!slices.Equal(p.listed, before.listed) {
		t.Errorf("closed, the plan went from %+v to %+v", before, p)
	}
}

// TestWhatAPlanLists: which tools and actions a plan with given steps has.
func TestWhatAPlanLists(t *testing.T) {
	modules := []string{"look"}
	end := fallback{do: []world.Action{world.Mine{MassG: 1}}, by: trace.ByPlan}
	for _, c := range []struct {
		name    string
		steps   []string
		ends    bool
		idle    bool
		listed  []string
		endings int
	}{
		{name: "no action says nothing", steps: []string{answer.StepRespond}},
		{name: "steps that act", steps: []string{answer.StepRespond}, ends: true, endings: 1,
			listed: []string{"wait", "mine_compound", "wait", "mine_compound"}},
		{name: "a step that calls", steps: []string{answer.StepCall}, ends: true, endings: 1,
			listed: []string{"wait", "mine_compound", "look"}},
		{name: "no step that is understood", steps: []string{"ponder"}, ends: true, endings: 1,
			listed: []string{"wait", "mine_compound", "look"}},
		{name: "nothing to do", steps: []string{answer.StepSkip}, ends: true, idle: true, listed: []string{"wait"}},
	} {
		p := plan{idle: c.idle}
		p.replan("", "mine_compound")
		if c.ends {
			p.mayEnd(end)
		}
		var steps []typedStep
		for _, kind := range c.steps {
			steps = append(steps, typed(kind, modules, p.names()))
		}
		p.list(steps, modules)
		if !slices.Equal(p.listed, c.listed) || len(p.ends) != c.endings {
			t.Errorf("%s: lists %q and ends in %d, want %q and %d", c.name, p.listed, len(p.ends), c.listed, c.endings)
		}
		if got, want := p.lists("transfer"), c.listed == nil; got != want {
			t.Errorf("%s: another action is listed: %v", c.name, got)
		}
	}
}

// TestLeadingIntention: what a turn decides comes before what it drafted, and after its plan.
func TestLeadingIntention(t *testing.T) {
	intend := func(p *plan, a world.Action) { p.intend(&Evaluation{Proposed: a}) }
	var p plan
	p.replan("", "move")
	intend(&p, world.Mine{MassG: 1})
	intend(&p, world.Wait{})
	p.lead(func() { intend(&p, world.Harvest{MaxAmount: 3}) })
	if got := of(p.actions); !slices.Equal(got, []string{"move", "harvest_radiation", "mine_compound", "wait"}) {
		t.Errorf("planned %q", got)
	}
	if len(p.drafted) != 3 || p.drafted[0].do[0].ActionName() != "harvest_radiation" {
		t.Errorf("drafted %+v", p.drafted)
	}
	p.intend(&Evaluation{Proposed: world.Move{To: "north"},
		Result: policy.Result{Violation: &policy.Violation{Reason: policy.ReasonForbidden}}})
	if len(p.drafted) != 3 {
		t.Error("a refused action counts as intended")
	}
}
