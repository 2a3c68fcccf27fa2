package policy

import (
	"math"
	"slices"

	"example.com/agentworld/world"
)

// Policy is what one agent may do: the clauses that bind it, and the words of its
// own goals. It is immutable; the zero value refuses everything but a wait.
//
// Clauses are held against every action, whatever is in view:
//
//   - A forbid that describes the action refuses it, unless an allow that describes
//     it too is narrower than every such forbid. Narrower means more conditions,
//     of which there are four: a single agent, to, what, at. With as many conditions
//     the forbid holds, except that an allow of one action is narrower than a forbid
//     of all actions under the same conditions.
//   - Where allows describe the action (and lift the forbids, if any), its amount
//     must be within most and total of one of them. An allow to whoever asked
//     bounds only what relies on it.
//   - Allows forbid nothing else: an action that no clause describes may be done.
//   - A standing order is held against the clauses of what it repeats, and against
//     those that name execute_until.
type Policy struct {
	agent   string
	clauses []clause
	// own are the agent's goals and character as [fold] writes them.
	own string
	// sound says that the policy was compiled and everything in it is known.
	sound bool
}

// Compile makes the policy of an agent from the clauses that bind it (see
// [world.World.Clauses]), its character and its goals, which are the operator's
// words. The same input gives the same policy. Clauses that name an
// effect or action that does not exist make a policy that refuses everything but a
// wait; scenarios that were read from a file have none.
func Compile(agent string, persona world.Persona, clauses []world.Clause) Policy {
	m := Policy{agent: agent, sound: agent != "", own: fold(persona.Text) + fold(persona.ShortTermGoal) + fold(persona.LongTermGoal)}
	for _, c := range clauses {
		c.AskedBy = slices.Clone(c.AskedBy)
		m.clauses = append(m.clauses, newClause(c))
		if c.Effect != world.EffectAllow && c.Effect != world.EffectForbid || c.Action != world.Anyone && registry[c.Action] == nil {
			m.sound = false
		}
	}
	return m
}

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
