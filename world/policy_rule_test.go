package world_test

import (
	"slices"
	"testing"

	"example.com/agentworld/world"
)

// TestTermsAskForFewActions: every action can be asked for by message, and by terms those that answer
// some. A name that no action has would be in none of the lists.
func TestTermsAskForFewActions(t *testing.T) {
	names := []string{world.Anyone}
	for _, a := range world.Actions() {
		names = append(names, a.Name)
	}
	var asked []string
	for _, name := range names {
		c := world.PolicyRule{Action: name}
		if c.Unheard(true) == "" {
			asked = append(asked, name)
		}
		if c.ByMessage = true; c.Unheard(false) != "" || (world.PolicyRule{Action: name}).Unheard(false) == "" {
			t.Errorf("%s without terms: only a message can ask", name)
		}
	}
	slices.Sort(asked)
	if want := []string{"*", "accept_offer", "decline", "execute_until", "move_agent", "offer", "send_message", "transfer_resource"}; !slices.Equal(asked, want) {
		t.Errorf("terms ask for %q, want %q", asked, want)
	}
}
