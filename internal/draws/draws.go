// Package draws lets a test of random draws show that they reached what it is about.
package draws

import (
	"fmt"

	"pgregory.net/rapid"
)

// most is how many games Until plays at most.
const most = 2000

// Until plays games of fixed seeds until enough says that what the test counts was reached. A check of
// random games alone reaches rare things on most days only: the fewer games, the fewer days. It panics
// with the seed if a game fails, and after 2,000 games that did not suffice.
func Until(enough func() bool, play func(*rapid.T)) {
	game := rapid.Custom(func(t *rapid.T) bool {
		play(t)
		return true
	})
	for seed := range most {
		if enough() {
			return
		}
		game.Example(seed)
	}
	if !enough() {
		panic(fmt.Sprintf("%d games did not reach what the test counts: its generator is too narrow", most))
	}
}
