package plaintext

import "testing"

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n            int64
		things, want string
	}{
		{0, "call", "0 calls"}, {1, "call", "1 call"}, {2, "call", "2 calls"}, {-1, "tick", "-1 ticks"},
		{2, "factory built", "2 factories built"}, {2, "day", "2 days"}, {1, "factory", "1 factory"},
		{1, "turn of others", "1 turn of others"}, {12, "turn of others", "12 turns of others"},
	} {
		if got := Count(c.n, c.things); got != c.want {
			t.Errorf("Count(%d, %q) = %q, want %q", c.n, c.things, got, c.want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 9999: "9999", 61_500: "61k", 1_250_000: "1.2M", 250_000_000: "250M"} {
		if got := Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %s, want %s", n, got, want)
		}
	}
}
