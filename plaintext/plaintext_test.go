package plaintext

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain\ttext\n", "plain\ttext\n"},
		{"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"back\rspace\b\a\x00", `back\x0dspace\x08\x07\x00`},
		{"\u009b2J", `\u{9b}2J`},
		{"a\u202eb\u2028c\ufeff", `a\u{202e}b\u{2028}c\u{feff}`},
		{"bad \xff byte", `bad \xff byte`},
		{"äöü 漢字 🙂", "äöü 漢字 🙂"},
		{"\U000e0041", `\u{e0041}`},
	} {
		if got := Escape(c.in); got != c.want {
			t.Errorf("Escape(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := EscapeLine("a\r\nb\nc\td"); got != "a b c d" {
		t.Errorf("EscapeLine = %q", got)
	}
}

func TestEscapeJSON(t *testing.T) {
	in := "{\n  \"a\": \"\u009b2J \U000e0041 ä\"\n}"
	want := "{\n  \"a\": \"\\u009b2J \\udb40\\udc41 ä\"\n}"
	got := EscapeJSON(in)
	if got != want {
		t.Errorf("EscapeJSON(%q) = %q, want %q", in, got, want)
	}
	var before, after map[string]string
	if err := errors.Join(json.Unmarshal([]byte(in), &before), json.Unmarshal([]byte(got), &after)); err != nil || before["a"] != after["a"] {
		t.Errorf("the meaning changed from %q to %q (%v)", before["a"], after["a"], err)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text        string
		limit       int
		head, front string
	}{
		{"äbc", 3, "äbc", "äbc"}, {"äbcd", 3, "äb…", "…cd"}, {"", 1, "", ""}, {"ae\u0301b", 2, "a…", "…b"}, {"ab", 0, "", "…"},
	} {
		if head, front := Clip(c.text, c.limit), Tail(c.text, c.limit); head != c.head || front != c.front {
			t.Errorf("clip, Tail(%q, %d) = %q, %q, want %q, %q", c.text, c.limit, head, front, c.head, c.front)
		}
	}
}

// FuzzEscape holds that nothing a terminal would obey gets through.
func FuzzEscape(f *testing.F) {
	f.Add("\x1b]0;title\a")
	f.Add("\xc2\x9b\xf3\xa0\x81\x81")
	f.Fuzz(func(t *testing.T, text string) {
		got := Escape(text)
		if !utf8.ValidString(got) {
			t.Errorf("Escape(%q) = %q, which is not valid text", text, got)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) }) {
			t.Errorf("Escape(%q) = %q, which holds a control character", text, got)
		}
		if one := EscapeLine(text); strings.ContainsAny(one, "\n\t\r") {
			t.Errorf("EscapeLine(%q) = %q, which is more than one line", text, one)
		}
	})
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"Agent-2": "agent-2", "ＡＧＥＮＴ－２": "agent-2", "Énergie": "energie", "E\u0301nergie": "energie", "STRASSE": "strasse", "Straße": "strasse",
		"٣५３𝟛": "3533", "ﬁve\u00ad\u200b": "five", "移动到 A": "移动到 a", "ｶﾞ": "カ", "\xff": "\uFFFD", "a\u0336b\u0336": "ab", "한": "한",
	} {
		if got := Fold(in); got != want || Fold(got) != want {
			t.Errorf("Fold(%q) = %q, again %q, want %q", in, got, Fold(got), want)
		}
	}
	if got := Narrow("Ｓａｙ “５”，É ①"); got != "Say “5”,É ①" {
		t.Errorf("Narrow = %q", got)
	}
}
