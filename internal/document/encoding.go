package document

import (
	"bytes"
	"errors"
	"fmt"
)

// encodings are those of which a text says so itself, in its first bytes; UTF-32 begins as UTF-16 does.
var encodings = []struct {
	name string
	mark []byte
}{
	{"UTF-32", []byte{0xff, 0xfe, 0, 0}},
	{"UTF-32", []byte{0, 0, 0xfe, 0xff}},
	{"UTF-16", []byte{0xff, 0xfe}},
	{"UTF-16", []byte{0xfe, 0xff}},
}

// CheckEncoding refuses a text that is not in UTF-8, as far as its first bytes show it: a decoder
// would only name a strange character.
func CheckEncoding(data []byte) error {
	for _, e := range encodings {
		if bytes.HasPrefix(data, e.mark) {
			return notUTF8(e.name)
		}
	}
	// Without a mark every other byte of ASCII is zero.
	begin := data[:min(len(data), 64)]
	if len(begin) < 4 || bytes.IndexByte(begin, 0) < 0 {
		return nil
	}
	var zeros [2]int
	for i, b := range begin {
		if b == 0 {
			zeros[i%2]++
		}
	}
	half := len(begin) / 2
	if max(zeros[0], zeros[1]) > half*3/4 && min(zeros[0], zeros[1]) == 0 {
		return notUTF8("UTF-16")
	}
	return errors.New("the text holds bytes of zero, so it is no text; allowed: UTF-8")
}

func notUTF8(name string) error {
	return fmt.Errorf("the text is %s, as Windows PowerShell's > writes it; save it as UTF-8", name)
}
