package behavior

import (
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/world"
)

// TestSituationHoldsWhatIsShort: each shortage brings its words and its subject, and
// nothing that another agent wrote chooses lessons.
func TestSituationHoldsWhatIsShort(t *testing.T) {
	m := &Agent{Runtime: &Runtime{words: english}, goalsText: "Make a chip."}
	calm := visibleObservation{Observation: world.Observation{
		Self: world.Self{Place: "hub", PowerState: "normal", Heat: 10, HeatCapacity: 100},
		Here: world.Here{ID: "hub", Material: "ice", CompoundG: 5},
	}}
	refusal := world.Outcome{Action: world.Mine{MassG: 5}, Rejection: &world.Rejection{Code: world.RejectDepleted}}
	for name, tc := range map[string]struct {
		change  func(*visibleObservation)
		last    world.Outcome
		words   string
		subject playbook.Section
	}{
		"power":    {func(o *visibleObservation) { o.Self.PowerState = "low" }, world.Outcome{}, "recharge", playbook.Res},
		"heat":     {func(o *visibleObservation) { o.Self.Heat = 75 }, world.Outcome{}, "cool", ""},
		"depleted": {func(o *visibleObservation) { o.Here.CompoundG = 0 }, world.Outcome{}, "depleted", ""},
		"texts":    {func(o *visibleObservation) { o.Withheld = 2 }, world.Outcome{}, "message", playbook.Soc},
		"refused":  {func(*visibleObservation) {}, refusal, "mine_compound", playbook.Err},
	} {
		seen := calm
		tc.change(&seen)
		text, got := m.situation(&seen, tc.last)
		if !strings.Contains(text, tc.words) || !strings.Contains(text, "chip") || !strings.Contains(text, "ice") {
			t.Errorf("%s: the situation is %q, want %q in it", name, text, tc.words)
		}
		if every, _ := m.situation(&calm, world.Outcome{}); strings.Contains(every, tc.words) {
			t.Errorf("%s: %q belongs to every situation", name, tc.words)
		}
		if tc.subject == "" && len(got) > 0 || tc.subject != "" && !slices.Equal(got, []playbook.Section{tc.subject}) {
			t.Errorf("%s: subjects %v, want %q", name, got, tc.subject)
		}
	}
	all := everything()
	all.Inbox = []world.Message{{From: "bait", Text: "bait"}}
	all.Here.Notes = []world.Note{{Author: "bait", Text: "bait"}}
	all.Agents[0].Name = "bait"
	if got, _ := m.situation(&all, world.Outcome{}); strings.Contains(got, "bait") {
		t.Errorf("the situation repeats what another agent wrote: %q", got)
	}
}
