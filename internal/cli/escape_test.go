package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
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
		if got := plain(c.in); got != c.want {
			t.Errorf("plain(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := oneLine("a\r\nb\nc\td"); got != "a b c d" {
		t.Errorf("oneLine = %q", got)
	}
}

func TestPlainJSON(t *testing.T) {
	in := "{\n  \"a\": \"\u009b2J \U000e0041 ä\"\n}"
	want := "{\n  \"a\": \"\\u009b2J \\udb40\\udc41 ä\"\n}"
	got := plainJSON(in)
	if got != want {
		t.Errorf("plainJSON(%q) = %q, want %q", in, got, want)
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
		{"äbc", 3, "äbc", "äbc"}, {"äbcd", 3, "äbc...", "...bcd"}, {"", 1, "", ""},
	} {
		if head, front := clip(c.text, c.limit), clipFront(c.text, c.limit); head != c.head || front != c.front {
			t.Errorf("clip, clipFront(%q, %d) = %q, %q, want %q, %q", c.text, c.limit, head, front, c.head, c.front)
		}
	}
}

// FuzzPlain holds that nothing a terminal would obey gets through.
func FuzzPlain(f *testing.F) {
	f.Add("\x1b]0;title\a")
	f.Add("\xc2\x9b\xf3\xa0\x81\x81")
	f.Fuzz(func(t *testing.T, text string) {
		got := plain(text)
		if !utf8.ValidString(got) {
			t.Errorf("plain(%q) = %q, which is not valid text", text, got)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) }) {
			t.Errorf("plain(%q) = %q, which holds a control character", text, got)
		}
		if one := oneLine(text); strings.ContainsAny(one, "\n\t\r") {
			t.Errorf("oneLine(%q) = %q, which is more than one line", text, one)
		}
	})
}
