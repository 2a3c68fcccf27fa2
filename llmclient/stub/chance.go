package stub

import (
	"hash/fnv"

	"example.com/agentworld/world"
)

// chance makes the policy's seeded choices. It is a mix of the seed and of plain
// numbers of the situation: tick, stocks, heat, how many products and factories.
// Ids, names, texts, distances and list orders stay out of it, so that renaming
// or moving everything in a request changes no choice.
//
// Agents in equal situations therefore choose alike. That costs a little variety
// and buys a test: rename a recorded request and demand the renamed answer.
type chance struct {
	state uint64
}

// newChance mixes the seed with the numbers of a situation. Numbers are mixed in
// one after another, so that their order matters and none cancels another.
func newChance(seed uint64, s world.Observation) chance {
	state := mix(seed)
	for _, n := range []int64{
		s.Tick, s.Self.Electricity, s.Self.Heat, s.Self.CompoundG, s.Self.Hardware, s.Self.Data,
		int64(len(s.Self.Products)), int64(len(s.Factories)),
	} {
		state = mix(state ^ uint64(n))
	}
	return chance{state}
}

// after returns the chances of a later step of the same turn.
func (c chance) after(steps int) chance { return chance{mix(c.state ^ uint64(steps))} }

// draw returns a number from 0 to n-1. The same purpose always draws the same; other
// purposes draw independently, so that a new choice leaves the old ones alone.
func (c chance) draw(purpose string, n int) int { return int(c.bits(purpose) % uint64(n)) }

// unit draws a number in [0, 1). It takes as many bits as a float64 holds exactly,
// more than an int has on a 32-bit machine.
func (c chance) unit(purpose string) float64 {
	const fine = 1 << 53
	return float64(c.bits(purpose)%fine) / fine
}

// bits are what a purpose draws its number from.
func (c chance) bits(purpose string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return mix(c.state ^ h.Sum64())
}

// oneIn reports true in one of n situations.
func (c chance) oneIn(purpose string, n int) bool { return c.draw(purpose, n) == 0 }

// mix is the finalizer of splitmix64: every input bit reaches every output bit.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}
