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
		{"\x1b[31mred\x1b[0m", `\u001b[31mred\u001b[0m`},
		{"back\rspace\b\a\x00\x7f", `back\u000dspace\u0008\u0007\u0000\u007f`},
		{"\u009b2J", `\u009b2J`},
		{"a\u202eb\u2028c\ufeff\u061c\u200f\u2066", `a\u202eb\u2028c\ufeff\u061c\u200f\u2066`},
		{"bad \xff byte, cut \xe2\x80", `bad \ufffd byte, cut \ufffd\ufffd`},
		{"äöü 漢字 🙂 \ufffd", "äöü 漢字 🙂 \ufffd"},
		{"\U000e0041", `\udb40\udc41`},
	} {
		if got := Escape(c.in); got != c.want || Escape(got) != got {
			t.Errorf("Escape(%q) = %q, again %q, want %q", c.in, got, Escape(got), c.want)
		}
	}
	in := "{\n  \"a\": \"\u009b2J \U000e0041 ä\x7f\"\n}"
	var before, after map[string]string
	if err := errors.Join(json.Unmarshal([]byte(in), &before), json.Unmarshal([]byte(Escape(in)), &after)); err != nil || before["a"] != after["a"] {
		t.Errorf("the meaning of JSON changed from %q to %q (%v)", before["a"], after["a"], err)
	}
}

// TestFprintf: only the format and blocks make lines, no argument does.
func TestFprintf(t *testing.T) {
	const evil = "a\x1b[2J\r\nb\tc\u2028d\xff"
	for _, c := range []struct {
		want, format string
		args         []any
	}{
		{"x: a\\u001b[2J b c\\u2028d\\ufffd\n", "x: %s\n", []any{evil}},
		{"[a\\u001b[2J b c\\u2028d\\ufffd] 7 a b\n", "%v %d %v\n", []any{[]string{evil}, 7, errors.New("a\nb")}},
		{"ab   |   3|true|1.50|\"a\\nb\"\n", "%-5s|%4d|%t|%.2f|%q\n", []any{"ab", 3, true, 1.5, "a\nb"}},
		{"- t\n| one\\u000d\n|\n| \tthree\n-\n", "- %s\n%s-\n", []any{"t", Block("one\r\n\n\tthree\n\n")}},
		{"|\n", "%s", []any{Block("")}},
		{"<nil> %!d(string=a b)\n", "%v %d\n", []any{nil, "a\nb"}},
	} {
		var b strings.Builder
		if n, err := Fprintf(&b, c.format, c.args...); b.String() != c.want || n != b.Len() || err != nil {
			t.Errorf("Fprintf(%q) = %q, %d, %v, want %q", c.format, b.String(), n, err, c.want)
		}
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
		if head, front := Clip(c.text, c.limit), Last(c.text, c.limit); head != c.head || front != c.front {
			t.Errorf("clip, Tail(%q, %d) = %q, %q, want %q, %q", c.text, c.limit, head, front, c.head, c.front)
		}
	}
}

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", " @x": "'@x", "-1\r\n=2": "'-1 =2", "+": "'+", "a=1": "a=1", "": "", "\t\x1b=1": "'=1", "\"=1\"": "'\"=1\"", "'=1": "''=1", "＝1": "'＝1", "\"a\"=1": "\"a\"=1", strings.Repeat("x", 400): strings.Repeat("x", cellCharsMax-1) + "…",
	} {
		if got := Cell(text); got != want {
			t.Errorf("Cell(%q) = %q, want %q", text, got, want)
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
		var b strings.Builder
		Fprintf(&b, "%s", text)
		if strings.ContainsAny(b.String(), "\n\t\r") {
			t.Errorf("Fprintf(%q) = %q, which is more than one line", text, b.String())
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
