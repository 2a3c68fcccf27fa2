package world

import (
	"testing"

	"pgregory.net/rapid"
)

// TestEqualViewHashesAreEqualViews forks random worlds and lets a few agents of the fork do something else: where the
// hashes of an agent are equal, it sees the same, tick after tick.
func TestEqualViewHashesAreEqualViews(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many worlds")
	}
	equal, other := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		one := newHostileWorld(t)
		for range rapid.IntRange(0, 20).Draw(t, "ticks before") {
			one.Advance()
			one.Apply(intentsOf(t, one))
		}
		one.Advance()
		two := one.Fork()
		intents := intentsOf(t, one)
		one.Apply(intents)
		if rapid.Bool().Draw(t, "one does nothing") && len(intents) > 0 {
			intents = intents[1:]
		} else {
			intents = intentsOf(t, two)
		}
		two.Apply(intents)
		for range rapid.IntRange(1, 5).Draw(t, "ticks after") {
			one.Advance()
			two.Advance()
			first, second := one.ViewHashes(), two.ViewHashes()
			for n := range first {
				a, b := glimpse(one.View(n)), glimpse(two.View(n))
				switch {
				case first[n] != second[n]:
					other++
				case a != b:
					t.Fatalf("tick %d: agent %d sees a difference that its hash has not:\n%s\n%s", one.Tick(), n, a, b)
				default:
					equal++
				}
				if same := one.View(n).Equal(two.View(n)); same && a != b {
					t.Fatalf("tick %d: views of agent %d are equal and say\n%s\n%s", one.Tick(), n, a, b)
				}
			}
			intents := intentsOf(t, one)
			one.Apply(intents)
			due := map[int]bool{}
			for _, n := range append(two.Due(), two.Continuing()...) {
				due[n] = true
			}
			var same []Intent
			for _, in := range intents {
				if due[in.Agent] {
					same = append(same, in)
				}
			}
			two.Apply(same)
		}
	})
	if equal == 0 || other == 0 {
		t.Errorf("%d hashes were equal and %d were not", equal, other)
	}
}
