package document

import "testing"

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
