package document

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestEncodings: a text that is not UTF-8 is said to be what it is, with a mark and without.
func TestEncodings(t *testing.T) {
	const text = "[run]\nticks = 3\n"
	in16 := func(order binary.AppendByteOrder, mark bool, text string) (data []byte) {
		if mark {
			text = "\ufeff" + text
		}
		for _, unit := range utf16.Encode([]rune(text)) {
			data = order.AppendUint16(data, unit)
		}
		return data
	}
	for name, c := range map[string]struct {
		data []byte
		said string
	}{
		"UTF-8":                       {[]byte(text), ""},
		"UTF-8 of other letters":      {[]byte("name = \"日本語\"\n"), ""},
		"nothing":                     {nil, ""},
		"one character":               {[]byte("x"), ""},
		"UTF-16":                      {in16(binary.LittleEndian, true, text), "is UTF-16"},
		"UTF-16, big":                 {in16(binary.BigEndian, true, text), "is UTF-16"},
		"UTF-16 without a mark":       {in16(binary.LittleEndian, false, text), "is UTF-16"},
		"UTF-16, big, without a mark": {in16(binary.BigEndian, false, text), "is UTF-16"},
		"UTF-16 of nothing":           {in16(binary.LittleEndian, true, ""), "is UTF-16"},
		"UTF-32":                      {[]byte{0xff, 0xfe, 0, 0, 'a', 0, 0, 0}, "is UTF-32"},
		"zeros":                       {[]byte("name\x00 = 1"), "bytes of zero"},
	} {
		for _, check := range []func([]byte, Limits) error{CheckTOML, CheckJSON} {
			err := check(c.data, Limits{Bytes: 1000, Values: 100})
			if (err == nil) != (c.said == "") || err != nil && !strings.Contains(err.Error(), c.said) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
