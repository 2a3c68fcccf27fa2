package trace

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestPartsHoldAnyBytes(t *testing.T) {
	for _, body := range []string{"", "plain", "quote \" and <tag> & \u2028 line", "\x00\x01", "invalid \xff\xfe utf-8"} {
		blob := readAll(t, lines(t, newPart(1, BlobItem, []byte(body))))[0].(Blob)
		got, err := blob.Bytes()
		if err != nil || string(got) != body {
			t.Errorf("part of %q came back as %q, %v", body, got, err)
		}
	}
}

func TestPartsNameWhatIsWrong(t *testing.T) {
	sound := newPart(1, BlobItem, []byte("text"))
	changed, cut := sound, sound
	changed.Body = "other"
	cut.Base64, cut.Body = true, "%%%"
	for _, test := range []struct {
		name string
		blob Blob
		want string
	}{
		{"changed bytes", changed, "the stored bytes have another hash"},
		{"bad base64", cut, "decode blob " + sound.Hash},
		{"no item", sound, "is not an item"},
		{"missing", newPart(1, BlobItem, []byte("another")), "is not in the trace"},
	} {
		var blobs Blobs
		blobs.Add(test.blob)
		_, err := blobs.Items([]string{sound.Hash})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error = %v, want %q", test.name, err, test.want)
		}
	}
}

func TestLoadBlobsStopsAtATornLine(t *testing.T) {
	text := string(lines(t, newPart(1, BlobItem, []byte("a")), TickEnd{Tick: 1}, newPart(2, BlobItem, []byte("b"))))
	blobs, err := LoadBlobs(strings.NewReader(text[:len(text)-1]))
	if err != nil || len(blobs.byHash) != 1 {
		t.Errorf("LoadBlobs = %d blobs, %v, want 1", len(blobs.byHash), err)
	}
	if _, err := LoadBlobs(strings.NewReader("oops\n")); err == nil {
		t.Error("LoadBlobs accepted a line that is not a record")
	}
}

// LoadBlobs reads a trace to its end and keeps only its blobs. A torn last line
// ends the trace like its end does; any other error is returned.
func LoadBlobs(r io.Reader) (*Blobs, error) {
	blobs := &Blobs{}
	for record, err := range NewReader(r).All() {
		if errors.Is(err, ErrTorn) {
			break
		}
		if err != nil {
			return nil, err
		}
		if p, ok := record.(Blob); ok {
			blobs.Add(p)
		}
	}
	return blobs, nil
}
