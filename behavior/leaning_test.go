package behavior_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// TestATurnLeansToWhatItSaid: after a plan a turn leans to its first possible action, after a draft to the candidates
// in their order, before either to nothing. Whoever asks changes nothing.
func TestATurnLeansToWhatItSaid(t *testing.T) {
	order := `{"action":"execute_until","do":` + harvests + `,"until":[{"event":"action_rejected"}],"max_ticks":3}`
	for _, tt := range []struct {
		name, answers string
		want          []string
	}{
		{"a plan", planning(build, mine5) + "fail reset", []string{"", mines}},
		{"a draft", draft(mine5, harvest5) + choose(2), []string{"", mines + " or " + harvests}},
		{"a draft of an order", draft(harvest3, mine5) + choose(1), []string{"", order + " or " + mines}},
		{"an order to try next", draft(mine5, harvest3) + choose(1), []string{"", mines + " or " + harvests}},
		{"a plan, then a draft", planning(mine5) + draft(harvest5) + choose(1), []string{"", mines, harvests}},
		{"a draft of nothing", draft(build) + "fail reset", []string{"", ""}},
		{"a question", `call - world_rules {"topic":"power"}` + "\n\n" + draft(mine5) + choose(1), []string{"", "", mines}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := behavior.Config{Settings: trace.Settings{Model: "m"}}
			var got []string
			d := playedBeside(t, cfg, "minimal", tt.answers, func(turn *behavior.Turn) {
				var leans []string
				for _, a := range turn.Leaning() {
					leans = append(leans, string(world.EncodeAction(a)))
				}
				got = append(got, strings.Join(leans, " or "))
			})
			if !slices.Equal(got, tt.want) {
				t.Errorf("it leans to\n%q, want\n%q", got, tt.want)
			}
			if alone := played(t, cfg, "minimal", tt.answers); ended(d) != ended(alone) {
				t.Errorf("it ends in %s, and in %s if nobody asks", ended(d), ended(alone))
			}
		})
	}
}
