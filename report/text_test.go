package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextIsSafeForATerminal(t *testing.T) {
	var r Report
	r.RunReason = "provider said \x1b[2J\r\nrun completed\u202e" + strings.Repeat("é", 500)
	r.Model = "\x00model"
	r.ActionRejectReasonCounts = Counts{"\x1b]0;title\a": 1}
	text := r.Text()
	for _, c := range text {
		if c != '\n' && (c < ' ' || c == 0x7f || c == 0x202e) {
			t.Fatalf("control character %U in:\n%s", c, text)
		}
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(line); n > 2*wordsMax {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
}

func TestTextListsTheLargestCounts(t *testing.T) {
	counts := Counts{"a": 1, "b": 9, "c": 3, "d": 3, "e": 2, "f": 1, "g": 1}
	if got, want := counts.most(), " (b 9, c 3, d 3, e 2, a 1, 2 more)"; got != want {
		t.Errorf("most() = %q, want %q", got, want)
	}
	if got := (Counts{}).most(); got != "" {
		t.Errorf("most() of nothing = %q", got)
	}
}

// lineOf returns what a line of the text form says, empty when there is no such line.
func lineOf(r Report, name string) string {
	for line := range strings.Lines(r.Text()) {
		if strings.TrimSpace(line[:min(len(line), 11)]) == name {
			return strings.TrimSuffix(line[11:], "\n")
		}
	}
	return ""
}
