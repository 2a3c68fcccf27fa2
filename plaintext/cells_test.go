package plaintext

import "testing"

func TestCells(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "tick 1/2": 8, "漢字": 4, "ｱ": 1, "Ａ": 2, "e\u0301": 1, "🙂": 2, "a\u200db": 2, "…": 1,
	} {
		if got := Cells(text); got != want {
			t.Errorf("Cells(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abc", 1, "…"}, {"abc", 0, ""}, {"", 0, ""},
		{"漢字", 4, "漢字"}, {"漢字", 3, "漢…"}, {"漢字", 2, "…"}, {"漢字", 1, "…"}, {"e\u0301ab", 2, "e\u0301…"},
	} {
		got := Fit(c.line, c.columns)
		if got != c.want || Cells(got) > c.columns {
			t.Errorf("Fit(%q, %d) = %q, want %q", c.line, c.columns, got, c.want)
		}
	}
}
