package policy

import (
	"math"

	"example.com/agentworld/world"
)

// Spending is how much of each clause with a total was used. The zero value is the
// start of a run. It is a value: [Policy.Spend] returns a new one.
type Spending struct {
	// sums are by the number of the clause in the agent's mandate, in units of its
	// action. Compiling the same clauses again keeps the numbers.
	sums []int64
}

// of is what clause i has used.
func (s Spending) of(i int) int64 {
	if i < len(s.sums) {
		return s.sums[i]
	}
	return 0
}

// Spend adds an action that the world accepted at a place. It counts for every
// clause with a total that describes it, whoever asked for it and whichever of them
// allowed it; amounts count as ordered, after clamping. Of a standing order the
// first attempt is added; later ones are actions of their own.
func (m Policy) Spend(before Spending, place string, done world.Action) Spending {
	if order, ok := done.(world.ExecuteUntil); ok {
		done = order.Do
	}
	d, ok := deedOf(done)
	if !ok {
		return before
	}
	after := Spending{make([]int64, len(m.clauses))}
	copy(after.sums, before.sums)
	for i := range m.clauses {
		if c := &m.clauses[i]; c.Total > 0 && c.describes(&d, place) {
			// A sum never overflows into permission.
			after.sums[i] += min(max(0, d.args[world.SlotAmount].number), math.MaxInt64-after.sums[i])
		}
	}
	return after
}
