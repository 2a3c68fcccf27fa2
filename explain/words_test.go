package explain

import "testing"

// TestOutcomesTellWhatWasRefusedFirst: an action that took the place of one that the world
// refused does not read as what was decided.
func TestOutcomesTellWhatWasRefusedFirst(t *testing.T) {
	for raw, want := range map[string]string{
		`{"accepted":true,"changes":[{"resource":"hardware","amount":5}]}`:      "accepted, hardware +5",
		`{"accepted":true,"refused_before":1}`:                                  "accepted after 1 decided before it that the world refused",
		`{"accepted":false,"refused_before":2,"rejection":{"code":"depleted"}}`: "rejected after 2 decided before it that the world refused: depleted",
	} {
		if got := OutcomeText([]byte(raw)); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

// TestActionsKeepTheirArguments: each step of a chain has its own, and a trade says what is for what.
func TestActionsKeepTheirArguments(t *testing.T) {
	for _, c := range []struct{ raw, text, bare string }{
		{`{"action":"execute_until","do":{"action":"mine_compound","compound_mass_g":5000},"until":[{"event":"action_rejected"}],` +
			`"max_ticks":1,"then":[{"do":{"action":"schedule_recipe","factory_id":"f1","recipe_id":"r","batches":2},` +
			`"until":[{"event":"action_rejected"}],"max_ticks":1}]}`,
			"execute_until mine_compound 5000, then schedule_recipe f1 r 2", "execute_until mine_compound, then schedule_recipe f1 r"},
		{`{"action":"offer","to_agent":"anyone","give":"electricity","give_amount":12,"want":"hardware","want_amount":4,"for_ticks":10,"re":""}`,
			"offer anyone electricity 12 for hardware 4 for 10 ticks", "offer anyone electricity for hardware"},
		{`{"action":"wait"}`, "wait", "wait"},
	} {
		if text, bare := actionText([]byte(c.raw)); text != c.text || bare != c.bare {
			t.Errorf("%q, %q; want %q, %q", text, bare, c.text, c.bare)
		}
	}
}
