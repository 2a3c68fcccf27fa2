package terminal

import (
	"bytes"
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
