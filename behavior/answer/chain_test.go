package answer

import (
	"fmt"
	"strings"
	"testing"

	"example.com/agentworld/world"
)

// TestReadChains reads the steps that follow a candidate as models write them. Those that cannot be read are cut
// off with what follows, and none silently.
func TestReadChains(t *testing.T) {
	const mine, tail = `{"action":"mine_compound","amount":5,"then":`, `}`
	first := `{"action":"execute_until","do":{"action":"mine_compound","compound_mass_g":5},"until":[{"event":"action_rejected"}],"max_ticks":1,"then":[`
	once := func(do string) string {
		return `{"do":{"action":` + do + `},"until":[{"event":"action_rejected"}],"max_ticks":1}`
	}
	for then, want := range map[string]string{
		`null`: `{"action":"mine_compound","compound_mass_g":5}`,
		`[]`:   `{"action":"mine_compound","compound_mass_g":5}`,
		`[{"action":"refine_compound","amount":5,"until":null,"max_ticks":null}]`:  first + once(`"refine_compound","compound_mass_g":5`) + `]}`,
		`{"action":"refine_compound","amount":5}`:                                  first + once(`"refine_compound","compound_mass_g":5`) + `]}`,
		`["refine_compound 5",{"name":"wait"}]`:                                    first + once(`"refine_compound","compound_mass_g":5`) + "," + once(`"wait"`) + `]}`,
		`"[{\"action\":\"wait\"}]"`:                                                first + once(`"wait"`) + `]}`,
		`[{"action":"wait","max_ticks":4}]`:                                        first + `{"do":{"action":"wait"},"until":[{"event":"action_rejected"}],"max_ticks":4}]}`,
		`[{"action":"wait","until":[{"event":"heat_below","value":3}]}]`:           first + `{"do":{"action":"wait"},"until":[{"event":"heat_below","value":3}],"max_ticks":6}]}`,
		`[{"action":"wait","until":"job_done","max_ticks":"4"}]`:                   first + `{"do":{"action":"wait"},"until":[{"event":"job_done"}],"max_ticks":4}]}`,
		`[{"action":"wait","execute_until":{"until":["job_done"],"max_ticks":4}}]`: first + `{"do":{"action":"wait"},"until":[{"event":"job_done"}],"max_ticks":4}]}`,
		`[{"action":"wait_ticks","amount":9,"ignore":["job_done"]}]`:               first + `{"do":{"action":"wait_ticks","ticks":9},"until":[{"event":"action_rejected"}],"max_ticks":1,"ignore":["job_done"]}]}`,
		`7`:                              `then: expected an array of actions, got the number 7`,
		`[{"amount":5}]`:                 `then[0].action: expected an action object, got none`,
		`[{"action":"refine_compound"}]`: `then[0].amount: expected an integer number of g, 1000-1000000, got nothing`,
		`[{"action":"wait","until":[{"event":"heat_below"}]}]`: `then[0].execute_until.until[0].value: expected an integer of at least 0 for heat_below, got null`,
		`["wait","wait","wait","wait"]`:                        `then: expected at most 3 elements, got 4`,
		`[{"action":"wait","then":[{"action":"wait"}]}]`:       `then[0].then: expected no steps of a step, got an array`,
	} {
		for _, call := range []Call{
			{Tool: ToolDraft, Arguments: `{"candidates":[` + mine + then + tail + `]}`},
			{Tool: ToolDraft, Arguments: `{"candidates":[{"action":` + mine + then + tail + `}]}`},
		} {
			d, _, e := ReadDraft(call, 3)
			if e != nil {
				t.Fatal(e)
			}
			if got := chainText(d.Candidates[0].Decode(call, Names{}, 3)); got != want {
				t.Errorf("%s:\n got %s\nwant %s", call.Arguments, got, want)
			}
		}
		call := Call{Tool: ToolDecision, Arguments: `{"why":"w","action":"mine_compound","amount":5,"then":` + then + tail}
		d, _, e := ReadDecision(call, true)
		if e != nil {
			t.Fatal(e)
		}
		if got := chainText(d.Action(call, nil, Names{}, 3)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", call.Arguments, got, want)
		}
	}
	call := Call{Tool: ToolDraft, Arguments: `{"candidates":[` + mine + `["wait"]` + tail + `]}`}
	d, _, _ := ReadDraft(call, 3)
	if got := chainText(d.Candidates[0].Decode(call, Names{}, 0)); got != "then: expected at most 0 elements, got 1" {
		t.Errorf("a run without chains reads %s", got)
	}
}

// TestOrderOfDecisionKeepsThen: the order that a decision gives is that of the first step.
func TestOrderOfDecisionKeepsThen(t *testing.T) {
	chain := world.Chain(world.Once(world.Mine{MassG: 5}), world.Once(world.Wait{}))
	call := Call{Tool: ToolDecision, Arguments: `{"candidate":1,"execute_until":{"until":[{"event":"job_done"}],"max_ticks":4}}`}
	d, _, _ := ReadDecision(call, true)
	got := chainText(d.Action(call, []world.Action{chain}, Names{}, 3))
	if want := `"until":[{"event":"job_done"}],"max_ticks":4,"then":[{"do":{"action":"wait"}`; !strings.Contains(got, want) {
		t.Errorf("the decision is %s, want %s in it", got, want)
	}
}

// TestIgnoreHoldsForAllSteps: what the order of the first step ignores, later ones ignore too, unless they
// say themselves what they ignore.
func TestIgnoreHoldsForAllSteps(t *testing.T) {
	harvest := world.Once(world.Harvest{MaxAmount: 5})
	harvest.Ignore = []string{world.StopMessageReceived}
	chain := world.Chain(world.Once(world.Mine{MassG: 5}), world.Once(world.Wait{}), harvest)
	call := Call{Tool: ToolDecision,
		Arguments: `{"candidate":1,"execute_until":{"until":[],"max_ticks":1,"ignore":["power_low"]}}`}
	d, _, _ := ReadDecision(call, true)
	a, _, e := d.Action(call, []world.Action{chain}, Names{}, 3)
	if e != nil {
		t.Fatal(e)
	}
	var got []string
	for _, step := range world.Steps(a) {
		got = append(got, fmt.Sprint(step.Ignore))
	}
	if want := "[power_low] [power_low] [message_received]"; strings.Join(got, " ") != want {
		t.Errorf("the steps ignore %s, want %s", got, want)
	}
}

func chainText(a world.Action, _ []Repair, e *ArgumentError) string {
	if e == nil {
		return string(world.EncodeAction(a))
	}
	if left := len(world.Steps(a)); e.Cut != left+1 {
		return fmt.Sprintf("%d steps are left, and the cut is %d", left, e.Cut)
	}
	return e.Error()
}
