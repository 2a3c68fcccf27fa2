package plaintext

import (
	"fmt"
	"strings"
)

// Count is a number of things in words: "1 call", "2 calls". Of a phrase the first word is
// counted: "1 turn of others", "2 turns of others".
func Count[N int | int64 | uint64](n N, things string) string {
	if n != 1 {
		thing, rest, more := strings.Cut(things, " ")
		if stem, y := strings.CutSuffix(thing, "y"); y && !strings.ContainsAny(stem[max(0, len(stem)-1):], "aeou") {
			thing = stem + "ie"
		}
		things = thing + "s"
		if more {
			things += " " + rest
		}
	}
	return fmt.Sprintf("%d %s", n, things)
}

// Thousands is a number with at most four digits and a letter: 999, 61k, 1.2M.
func Thousands(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	case n < 100_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}
