package words

import "testing"

func TestX(t *testing.T) {
	for _, l := range Languages() {
		t.Log(l, len(In(l).Texts()))
	}
}
