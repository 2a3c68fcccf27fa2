package trace

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestPartsHoldAnyBytes(t *testing.T) {
	for _, body := range []string{"", "plain", "quote \" and <tag> & \u2028 line", "\x00\x01", "invalid \xff\xfe utf-8"} {
		part := readAll(t, lines(t, newPart(1, PartItem, []byte(body))))[0].(Part)
		got, err := part.Bytes()
		if err != nil || string(got) != body {
			t.Errorf("part of %q came back as %q, %v", body, got, err)
		}
	}
}

func TestPartsNameWhatIsWrong(t *testing.T) {
	sound := newPart(1, PartItem, []byte("text"))
	changed, cut := sound, sound
	changed.Body = "other"
	cut.Base64, cut.Body = true, "%%%"
	for _, test := range []struct {
		name string
		part Part
		want string
	}{
		{"changed bytes", changed, "the stored bytes have another hash"},
		{"bad base64", cut, "decode part " + sound.Hash},
		{"no item", sound, "is not an item"},
		{"missing", newPart(1, PartItem, []byte("another")), "is not in the trace"},
	} {
		var parts Parts
		parts.Add(test.part)
		_, err := parts.Items([]string{sound.Hash})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error = %v, want %q", test.name, err, test.want)
		}
	}
}

func TestLoadPartsStopsAtATornLine(t *testing.T) {
	text := string(lines(t, newPart(1, PartItem, []byte("a")), TickEnd{Tick: 1}, newPart(2, PartItem, []byte("b"))))
	parts, err := LoadParts(strings.NewReader(text[:len(text)-1]))
	if err != nil || len(parts.byHash) != 1 {
		t.Errorf("LoadParts = %d parts, %v, want 1", len(parts.byHash), err)
	}
	if _, err := LoadParts(strings.NewReader("oops\n")); err == nil {
		t.Error("LoadParts accepted a line that is not a record")
	}
}

// LoadParts reads a trace to its end and keeps only its parts. A torn last line
// ends the trace like its end does; any other error is returned.
func LoadParts(r io.Reader) (*Parts, error) {
	parts := &Parts{}
	for record, err := range NewReader(r).All() {
		if errors.Is(err, ErrTorn) {
			break
		}
		if err != nil {
			return nil, err
		}
		if p, ok := record.(Part); ok {
			parts.Add(p)
		}
	}
	return parts, nil
}
