package answer

import (
	"math"
	"strings"
	"testing"
)

func TestFloor(t *testing.T) {
	for _, c := range []struct {
		literal string
		want    int64
		exact   bool
	}{
		{"0", 0, true}, {"-0", 0, true}, {"0.0", 0, true}, {"0e5", 0, true}, {"-0.0e-3", 0, true},
		{"20", 20, true}, {"20.0", 20, true}, {"2e1", 20, true}, {"0.2e2", 20, true}, {"200e-1", 20, true}, {"2E+1", 20, true},
		{"2.5", 2, false}, {"-2.5", -3, false}, {"0.5", 0, false}, {"-0.5", -1, false}, {"25e-1", 2, false}, {"1e-9", 0, false},
		{"9223372036854775807", math.MaxInt64, true}, {"9223372036854775808", math.MaxInt64, true},
		{"-9223372036854775808", math.MinInt64, true}, {"-9223372036854775809", math.MinInt64, true},
		{"9223372036854775806.5", math.MaxInt64 - 1, false}, {"-9223372036854775807.5", math.MinInt64, false},
		{"12345678901234567890", math.MaxInt64, true}, {"1e30", math.MaxInt64, true}, {"-1e30", math.MinInt64, true},
		{"1e99999999999999999999", math.MaxInt64, true}, {"-1e99999999999999999999", math.MinInt64, true},
		{"1e-99999999999999999999", 0, false}, {"-1e-99999999999999999999", -1, false}, {"0e99999999999999999999", 0, true},
		{"0." + strings.Repeat("0", 30) + "1e31", 1, true}, {"1" + strings.Repeat("0", 40) + "e-40", 1, true},
	} {
		got, exact := floor(c.literal)
		if got != c.want || exact != c.exact {
			t.Errorf("floor(%s) = %d, %v, want %d, %v", c.literal, got, exact, c.want, c.exact)
		}
	}
}

// TestIntegerTexts: a text with a point before three digits may mean thousands, and is no amount.
func TestIntegerTexts(t *testing.T) {
	for text, want := range map[string]int64{"4": 4, "4.5": 4, "0.250": 0, "4.0000": 4, "4.000": -1, "1.234.567": -1, "-4.000": -1} {
		if got, _, ok := stringOf(text).integer(); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, ok, want)
		}
	}
	if got, _, ok := (Value{Kind: Number, Text: "4.000"}).integer(); !ok || got != 4 {
		t.Errorf("the JSON number 4.000 is %d, %v", got, ok)
	}
}
