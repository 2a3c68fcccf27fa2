package terminal

import (
	"bytes"
	"strings"
	"testing"
)

// TestScreenJoinsCharacters: a character that comes in parts is one, and one that never
// ends is written out at the end.
func TestScreenJoinsCharacters(t *testing.T) {
	var out bytes.Buffer
	s := NewScreen(&out, "program")
	for _, b := range []byte("ä漢🙂\u202e\xff\xe6\xbc") {
		if n, err := s.Write([]byte{b}); n != 1 || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
	}
	s.Flush()
	s.Flush()
	if want := "ä漢🙂\\u202e\\ufffd\\ufffd\\ufffd"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

// TestPaintedLinesAreSafe: a text cannot end its colour or begin another line.
func TestPaintedLinesAreSafe(t *testing.T) {
	var out bytes.Buffer
	s := NewScreen(&out, "program")
	if err := s.Paint("one \x1b[0mtwo\nthree", Red); err != nil {
		t.Fatal(err)
	}
	if err := s.Paint("plain", ""); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	inner := strings.TrimSuffix(strings.TrimPrefix(got, "\x1b[31m"), "\x1b[0m\nplain\n")
	if len(inner) != len(got)-len("\x1b[31m\x1b[0m\nplain\n") || strings.ContainsAny(inner, "\x1b\n") {
		t.Errorf("painted %q", got)
	}
}
