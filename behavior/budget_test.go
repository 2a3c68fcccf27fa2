package behavior

import "testing"

// TestEncodedLenIsThatOfTheEncoding: every character counts as it is encoded.
func TestEncodedLenIsThatOfTheEncoding(t *testing.T) {
	for r := rune(0); r < 0x3000; r++ {
		if text := "a" + string(r) + "b"; encodedLen(text) != len(encode(text)) {
			t.Errorf("encodedLen(%q) = %d, want %d", text, encodedLen(text), len(encode(text)))
		}
	}
	if text := "\xff\n"; encodedLen(text) != len(encode(text)) {
		t.Errorf("encodedLen(%q) = %d, want %d", text, encodedLen(text), len(encode(text)))
	}
}
