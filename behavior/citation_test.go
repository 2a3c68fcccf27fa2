package behavior_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
)

// handbook has lessons of which the situation of a new agent in the scenario
// minimal finds those that name a chip, which is what its goals are about.
const handbook = `format = 2
version = 1
last = 4
bullet = [
  {id = 'nav-00001', helpful = 2, harmful = 0, neutral = 0, content = "Hardware makes a chip; mine where it is near."},
  {id = 'res-00002', helpful = 0, harmful = 1, neutral = 0, content = "A chip needs hardware, so refine compound first."},
  {id = 'res-00003', helpful = 0, harmful = 0, neutral = 0, content = "Refine hardware before building."},
  {id = 'haz-00004', helpful = 0, harmful = 0, neutral = 0, content = "Ambergris glows unseen everywhere."},
]
`

func parsed(t *testing.T, text string) *playbook.Playbook {
	t.Helper()
	p, err := playbook.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// decide plays a turn of one decision that waits for a reason.
func decide(t *testing.T, turn *behavior.Turn, why string, sources ...string) behavior.Decision {
	t.Helper()
	firstAsk(t, turn)
	args := llmclient.Marshal(map[string]any{"action": map[string]string{"action": "wait"}, "execute_until": nil, "why": why, "sources_used": append([]string{}, sources...)})
	turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{llmclient.FunctionCall("c", "decision", string(args))}}})
	d, ok := turn.Next().(behavior.Decision)
	if !ok {
		t.Fatal("no decision")
	}
	return d
}

// TestCitations reads what decisions name, in each way they can: nav-00001 and
// res-00002 are in view, haz-00004 and mem-1-2 exist and are not shown.
func TestCitations(t *testing.T) {
	for name, tc := range map[string]struct {
		why     string
		sources []string
		want    string
	}{
		"report alone":         {"", []string{"nav-00001"}, "nav-00001 self used"},
		"square brackets":      {"as [nav-00001] says", nil, "nav-00001 text used"},
		"round brackets":       {"as it says (res-00002)", nil, "res-00002 text used"},
		"Chinese brackets":     {"依据【nav-00001，res-00002】", nil, "nav-00001 text used, res-00002 text used"},
		"both":                 {"[nav-00001]", []string{"nav-00001"}, "nav-00001 both used"},
		"two in one bracket":   {"[res-00002, nav-00001]", nil, "res-00002 text used, nav-00001 text used"},
		"report with brackets": {"", []string{"[nav-00001], [res-00002]"}, "nav-00001 self used, res-00002 self used"},
		"among words":          {"(see nav-00001 and res-00002)", nil, "nav-00001 text used, res-00002 text used"},
		"report first":         {"[nav-00001]", []string{"res-00002"}, "res-00002 self used, nav-00001 text used"},
		"named twice":          {"[nav-00001] (nav-00001)", nil, "nav-00001 text used"},
		"not shown":            {"[haz-00004]", []string{"haz-00004"}, "haz-00004 both unknown"},
		"remembered":           {"", []string{"mem-0-1"}, "mem-0-1 self unknown"},
		"the wording":          {"[WORDING]", []string{"template-00000000"}, "template-00000000 self invented, WORDING text unknown"},
		"invented":             {"[nav-99999] (mem-77-1)", []string{"wisdom"}, "wisdom self invented, nav-99999 text invented, mem-77-1 text invented"},
		"other words":          {"power (low) at [llm-hub] (agent-2, soon)", nil, ""},
		"a sentence as an id":  {"", []string{"do what I say"}, "dowhatIsay self invented"},
		"without brackets":     {"nav-00001 says so", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := mindIn(t, "minimal", behavior.Config{Settings: trace.Settings{PlaybookBullets: 2, PromptProfile: behavior.ProfileCompact}}, 4)
			m.SetPlaybook(parsed(t, handbook))
			m.SetGoals("Make a chip.", "")
			wording := decide(t, m.begin(), "").Template.ID
			d := decide(t, m.begin(), strings.Replace(tc.why, "WORDING", wording, 1), tc.sources...)
			tc.want = strings.Replace(tc.want, "WORDING", wording, 1)
			var got []string
			for _, c := range d.SourcesCited {
				got = append(got, c.ID+" "+string(c.Channel)+" "+string(c.Status))
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("citations (-want +got):\n%s", diff)
			}
			for _, c := range d.SourcesCited {
				if used := strings.Contains(strings.Join(d.SourcesUsed, " "), c.ID); used != (c.Status == trace.CitedUsed) {
					t.Errorf("%s is %s, used %v", c.ID, c.Status, d.SourcesUsed)
				}
			}
		})
	}
}

// TestCitationsInEveryText: an id in brackets counts in any text of a turn, however the turn
// commits. nav-00001 and res-00002 are in view from the start.
func TestCitationsInEveryText(t *testing.T) {
	call := func(tool, args string) llmclient.Item { return llmclient.FunctionCall("c-"+tool, tool, args) }
	plan := func(goal, steps string) llmclient.Item {
		return call("plan", `{"goal":"`+goal+`","steps":[`+steps+`],"actions":[]}`)
	}
	const wait, candidates = `{"candidate":0,"execute_until":null,"why":"","sources_used":[]}`, `"candidates":[{"action":"harvest_radiation","amount":1},{"action":"send_message","to":"agent-9","text":"see [res-00002]"}]`
	draft := call("decision_draft", "{"+candidates+"}")
	for name, tc := range map[string]struct {
		protocol, commit string
		answers          [][]llmclient.Item
		why, want        string
	}{
		"plan": {answers: [][]llmclient.Item{{plan("as [nav-00001] says", ""), draft, call("decision", wait)}}, why: "as [nav-00001] says", want: "nav-00001 text used, res-00002 text used"},
		"reason": {answers: [][]llmclient.Item{{plan("think", `{"kind":"reason","what":"x"}`)}, {llmclient.Message("assistant", "I follow [nav-00001].")}, {call("decision", wait)}},
			why: "think", want: "nav-00001 text used"},
		"module arguments": {answers: [][]llmclient.Item{{call("memory_long_term_search", `{"query":"more on (nav-00001)","limit":1}`)}, {call("decision", wait)}}, want: "nav-00001 text used"},
		"draft":            {answers: [][]llmclient.Item{{draft}, {call("decision", wait)}}, want: "res-00002 text used"},
		"one step":         {commit: trace.CommitOneStep, answers: [][]llmclient.Item{{plan("by [nav-00001]", ""), draft}}, why: "by [nav-00001]", want: "nav-00001 text used, res-00002 text used"},
		"lean": {protocol: behavior.ProtocolLean, answers: [][]llmclient.Item{{call("turn", `{"plan":"by [nav-00001, nav-99999]",`+candidates+`,"candidate":1,"execute_until":null,"why":"sun","sources_used":["res-00002"]}`)}},
			why: "sun", want: "res-00002 both used, nav-00001 text used, nav-99999 text invented"},
		"text beside a call": {answers: [][]llmclient.Item{{llmclient.Message("assistant", "[nav-00001] it is"), call("decision", wait)}}, want: "nav-00001 text used"},
		"text alone": {answers: [][]llmclient.Item{{llmclient.Message("assistant", "By [nav-00001]:\n"+`{"action":"wait","why":"so","sources_used":["res-00002"]}`)}},
			why: "so", want: "res-00002 self used, nav-00001 text used"},
		"fallback":                {answers: [][]llmclient.Item{{plan("by [nav-00001]", ""), draft}, nil}, why: "by [nav-00001]", want: "nav-00001 text used, res-00002 text used"},
		"a result named too soon": {answers: [][]llmclient.Item{{plan("ask [mem-0-1]", "")}, {call("memory_long_term_search", `{"query":"mine compound refused","limit":5}`)}, {call("decision", wait)}}, why: "ask [mem-0-1]", want: "mem-0-1 text unknown"},
		"and again in view":       {answers: [][]llmclient.Item{{plan("ask [mem-0-1]", "")}, {call("memory_long_term_search", `{"query":"mine compound refused","limit":5}`)}, {call("decision", strings.Replace(wait, `"why":""`, `"why":"[mem-0-1]"`, 1))}}, why: "[mem-0-1]", want: "mem-0-1 text used"},
	} {
		t.Run(name, func(t *testing.T) {
			m := mindIn(t, "minimal", behavior.Config{Settings: trace.Settings{PlaybookBullets: 2, PromptProfile: behavior.ProfileCompact, Protocol: tc.protocol, Commit: tc.commit, Fallback: trace.FallbackBest}}, 4)
			m.SetPlaybook(parsed(t, handbook))
			m.SetGoals("Make a chip.", "")
			turn := m.begin()
			for {
				switch step := turn.Next().(type) {
				case behavior.Ask:
					if len(tc.answers) == 0 {
						t.Fatalf("asks at %s", step.Stage)
					}
					items := tc.answers[0]
					tc.answers = tc.answers[1:]
					if items == nil {
						turn.Answer(llmclient.Failed(llmclient.ErrTimeout, ""))
						continue
					}
					turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: items}})
				case behavior.Call:
					turn.Result(modules.New().Call(turn.Env(), step.CallID, step.Tool, step.Arguments))
				case behavior.Decision:
					var got []string
					for _, c := range step.SourcesCited {
						got = append(got, c.ID+" "+string(c.Channel)+" "+string(c.Status))
					}
					if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" || step.Why != tc.why {
						t.Errorf("why %q, want %q; citations (-want +got):\n%s", step.Why, tc.why, diff)
					}
					return
				}
			}
		})
	}
}

// TestASearchGivesTheScore: the history chooses memories by age. A memory in it also has the
// score of the search that found it.
func TestASearchGivesTheScore(t *testing.T) {
	turn := mindIn(t, "minimal", behavior.Config{}, 3).begin()
	firstAsk(t, turn)
	turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{
		llmclient.FunctionCall("p", "plan", `{"goal":"g","steps":[{"kind":"call","what":"x"}],"actions":[]}`),
	}}})
	firstAsk(t, turn)
	turn.Answer(llmclient.Answer{Reply: &llmclient.Reply{Status: "completed", Items: []llmclient.Item{
		llmclient.FunctionCall("m", "memory_long_term_search", `{"query":"mine compound refused","limit":5}`),
	}}})
	call, ok := turn.Next().(behavior.Call)
	if !ok {
		t.Fatal("the search is not run")
	}
	turn.Result(modules.New().Call(turn.Env(), call.CallID, call.Tool, call.Arguments))
	scored := map[string]bool{}
	for _, s := range decide(t, turn, "").SourcesRetrieved {
		if _, twice := scored[s.ID]; twice {
			t.Errorf("%s is in view twice", s.ID)
		}
		scored[s.ID] = s.Score > 0
	}
	if diff := cmp.Diff(map[string]bool{"mem-0-1": true, "mem-1-2": true, "mem-2-3": true}, scored); diff != "" {
		t.Errorf("sources with a score (-want +got):\n%s", diff)
	}
}
