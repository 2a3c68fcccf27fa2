package answer

import (
	"fmt"
	"strings"
	"testing"

	"example.com/agentworld/world"
)

// TestDecisionsNameACandidate reads decisions on one of four candidates, in ways that no
// schema asks for. What could mean two of them, or another action, is refused.
func TestDecisionsNameACandidate(t *testing.T) {
	order, err := world.NewExecuteUntil(world.Refine{MassG: 1000}, []world.Condition{{Event: world.StopActionRejected}}, 5)
	if err != nil {
		t.Fatal(err)
	}
	candidates := []world.Action{world.Mine{MassG: 5}, world.Harvest{MaxAmount: 9}, world.Harvest{MaxAmount: 4}, order}
	const refused = ""
	for arguments, want := range map[string]string{
		`{"candidate":1}`: "mine_compound 5", `{"candidate":2.0}`: "harvest_radiation 9", `{"candidate":0}`: "wait", `{"candidate":"0"}`: "wait",
		`{"candidate":"candidate 2"}`: "harvest_radiation 9", `{"candidate":"#1"}`: "mine_compound 5", `{"candidate":"Option 3."}`: "harvest_radiation 4",
		`{"candidate":"second"}`: "harvest_radiation 9", `{"candidate":"1.000e+00"}`: "mine_compound 5", `{"candidate":[1]}`: "mine_compound 5", `{"candidate":{"n":1,"why":"w"}}`: "mine_compound 5",
		`{"candidate_number":1}`: "mine_compound 5", `{"Candidate":1}`: "mine_compound 5", `{"choice":"2"}`: "harvest_radiation 9", `{"decision":1}`: "mine_compound 5",
		`{"候选":2,"理由":"a"}`: "harvest_radiation 9",
		`{"candidate":1,"why":["a","b"],"sources_used":[{"id":"mem-1-1"},2]}`: "mine_compound 5", `{"candidate":1,"why":{"because":"a"}}`: "mine_compound 5",
		`{"candidate":1,"choice":2}`: refused, `{"candidate":null,"choice":1,"option":2}`: refused, `{"candidate":2,"choice":"2"}`: "harvest_radiation 9",
		`{"decision":{"candidate":2,"action":{"action":"wait"}}}`: refused, `{"candidate":{"n":1,"choice":2}}`: refused,
		`{"decision":{"candidate":3,"execute_until":{"max_ticks":5}}}`: "execute_until", `{"decision":{"candidate":3},"why":"w"}`: "harvest_radiation 4",
		`{"decision":{"candidate":3}}`: "harvest_radiation 4", `{"candidate":null,"choice":1}`: "mine_compound 5",
		`{"candidate":4,"action":"wait"}`: refused, `{"candidate":4,"execute_until":"none"}`: "execute_until",
		// The action next to the number, or in its place.
		`{"candidate":1,"action":"mine_compound"}`: "mine_compound 5", `{"candidate":1,"action":{"action":"mine_compound","amount":5}}`: "mine_compound 5",
		`{"candidate":1,"decision":"mine_compound","amount":5}`: "mine_compound 5", `{"candidate":1,"action":"mine_compound","amount":6}`: refused,
		`{"candidate":1,"action":"harvest_radiation"}`: refused, `{"candidate":0,"action":"mine_compound","amount":5}`: refused,
		`{"action":"mine_compound"}`: "mine_compound 5", `{"candidate":"mine_compound"}`: "mine_compound 5", `{"action":"harvest_radiation"}`: refused,
		`{"candidate":{"action":"mine_compound","amount":7}}`: "mine_compound 7", `{"candidate":{"name":"mine_compound","arguments":{"amount":7}}}`: "mine_compound 7",
		`{"candidate":"mine_compound(amount=7)"}`: "mine_compound 7", `{"action":{"action":"mine_compound","amount":[7]}}`: "mine_compound 7", `{"action":"mine_compound","amount":"1,000 g"}`: "mine_compound 1000",
		`{"index":1}`: refused, `{"candidate":"1 or 2"}`: refused, `{"candidate":[1,2]}`: refused, `{"candidate":5}`: refused, `{"candidate":-1}`: refused,
		`{"candidate":1.5}`: refused, `{"why":"w"}`: refused, `{"candidate":"scan 2"}`: refused, `{"candidate":"fourth"}`: refused, `{"candidate":true}`: refused,
	} {
		c, got := Call{Tool: ToolDecision, Arguments: arguments}, refused
		if d, _, e := ReadDecision(c, true); e == nil {
			if a, _, e := d.Action(c, candidates, Names{}, 3); e == nil {
				got = wordsIn(a)
			}
		}
		if got != want {
			t.Errorf("%s decides %q, want %q", arguments, got, want)
		}
	}
}

// TestCandidatesInOtherShapes reads drafts, and turns of the lean protocol, whose candidates
// are written in other ways.
func TestCandidatesInOtherShapes(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"candidates":[{"type":"mine_compound","amount":5}]}`:                                                "mine_compound 5",
		`{"candidates":[{"name":"mine_compound","arguments":{"amount":5}}]}`:                                  "mine_compound 5",
		`{"candidates":[{"mine_compound":{"amount":5}},{"wait":{}}]}`:                                         "mine_compound 5, wait",
		`{"candidates":["mine_compound(amount=5)","harvest_radiation 9","wait","wait()","mine_compound: 5"]}`: "mine_compound 5, harvest_radiation 9, wait, wait, mine_compound 5",
		`{"candidates":["{\"action\":\"mine_compound\",\"amount\":5}"]}`:                                      "mine_compound 5",
		`{"candidates":[{"n":1,"action":"mine_compound","amount":5,"score":0.9,"rationale":"w"}]}`:            "mine_compound 5",
		`{"candidates":[{"action":{"name":"mine_compound","args":{"amount":5}}}]}`:                            "mine_compound 5",
		`{"candidates":[{"Action":"mine_compound","Amount":5}]}`:                                              "mine_compound 5",
		`{"actions":[{"action":"mine_compound","amount":5}]}`:                                                 "mine_compound 5",
		`{"action":"mine_compound","amount":5}`:                                                               "mine_compound 5",
		`{"action":{"action":"mine_compound","amount":5}}`:                                                    "mine_compound 5",
		`{"candidate":{"action":"mine_compound","amount":5}}`:                                                 "mine_compound 5",
		`[{"action":"mine_compound","amount":5},{"action":"wait"}]`:                                           "mine_compound 5, wait",
		`{"candidates":[[{"action":"mine_compound","amount":5},{"action":"wait"}]]}`:                          "mine_compound 5, wait",
		`{"candidates":{"1":{"action":"mine_compound","amount":5},"2":{"action":"wait"}}}`:                    "mine_compound 5, wait",
		`{"候选":[{"动作":"mine_compound","数量":5}]}`:                                                              "mine_compound 5",
		`{"candidates":[{"name":"wait","type":"harvest_radiation"}]}`:                                         "",
		`{"candidates":["mine compound for the goal"]}`:                                                       "",
		`{"candidates":[{"action":"mine_compound","amount":5,"unless":"rain"}]}`:                              "",
	} {
		c, got := Call{Tool: ToolDraft, Arguments: arguments}, []string(nil)
		d, _, _ := ReadDraft(c, 5)
		for _, candidate := range d.Candidates {
			if a, _, e := candidate.Decode(c, Names{}, 3); e == nil {
				got = append(got, wordsIn(a))
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s drafts %q, want %q", arguments, got, want)
		}
	}
	for _, arguments := range []string{
		`{"plan":"p","candidates":[{"action":"mine_compound","amount":5}],"action":"mine_compound","amount":5,"why":"w"}`,
		`{"plan":"p","action":"mine_compound","amount":5,"candidate":1}`, `{"plan":"p","actions":["mine_compound 5"],"candidate":1}`,
	} {
		c := Call{Tool: ToolTurn, Arguments: arguments}
		d, _, e := ReadDecision(c, false)
		if e != nil {
			t.Fatalf("%s: %+v", arguments, e)
		}
		var candidates []world.Action
		for _, candidate := range d.Lean.Candidates {
			a, _, _ := candidate.Decode(c, Names{}, 3)
			candidates = append(candidates, a)
		}
		if a, _, e := d.Action(c, candidates, Names{}, 3); e != nil || wordsIn(a) != "mine_compound 5" || d.Lean.Plan.Goal != "p" {
			t.Errorf("%s: %v, %+v", arguments, a, e)
		}
	}
}

// wordsIn is an action as its name and numbers.
func wordsIn(a world.Action) string {
	switch a := a.(type) {
	case world.Mine:
		return "mine_compound " + fmt.Sprint(a.MassG)
	case world.Harvest:
		return "harvest_radiation " + fmt.Sprint(a.MaxAmount)
	}
	return a.ActionName()
}
