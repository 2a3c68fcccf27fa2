package document

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"llm_bootstrap", "minimal", "two_bases", "lint", "list", "résumé"}
	for word, want := range map[string]string{
		"minmal": "minimal", "mniimal": "minimal", "Minimal": "minimal", "minimall": "minimal", "llm-bootstrap": "llm_bootstrap", "bootstrap": "llm_bootstrap",
		"lnit": "lint", "resumé": "résumé", "nowhere": "", "": "", "li": "", "l": "", "two": "two_bases",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// TestOffer: few names are listed, of many only the nearest one.
func TestOffer(t *testing.T) {
	few := []string{"hub", "outpost"}
	many := slices.Repeat([]string{"power_capacity"}, 20)
	for _, c := range []struct {
		word  string
		names []string
		want  string
	}{
		{"outpsot", few, `did you mean "outpost"? allowed: hub, outpost`},
		{"x", few, "allowed: hub, outpost"},
		{"power", few, "allowed: hub, outpost"},
		{"power_capacitor", many, `did you mean "power_capacity"? THE PAGE lists all`},
		{"x", many, "THE PAGE lists all"},
	} {
		if got := Offer(c.word, c.names, "THE PAGE"); got != c.want {
			t.Errorf("Offer(%q) = %s, want %s", c.word, got, c.want)
		}
	}
}
