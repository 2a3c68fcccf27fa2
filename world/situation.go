package world

import "math/bits"

// Situation is a number for what bears most on what agent n does next: its place and power state, how much it
// holds of each resource, by powers of two, and what its factories do. Agents in the same situation often decide
// alike. It says nothing of who they are, what they know and what they see.
func (w *World) Situation(n int) uint64 {
	a := &w.agents[n]
	m := seeded.with(uint64(uint32(a.place)), uint64(w.law.stateOf(w.electricityOf(a), a.shut)))
	for _, amount := range w.stockOf(a) {
		m = m.with(uint64(bits.Len64(uint64(amount))))
	}
	for _, k := range a.factories {
		f := &w.factories[k]
		state := uint64(0)
		if f.ready {
			state++
		}
		if f.stepAt > 0 {
			state += 2
		}
		m = m.with(uint64(f.kind), uint64(uint32(f.place)), state)
	}
	return uint64(m)
}
