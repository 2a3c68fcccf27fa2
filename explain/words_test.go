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
