package policy

import (
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
// [world.World.Clauses]), its character, and the texts of its goals, which are the
// operator's words. The same input gives the same policy. Clauses that name an
// effect or action that does not exist make a policy that refuses everything but a
// wait; scenarios that were read from a file have none.
func Compile(agent string, persona world.Persona, goals []string, clauses []world.Clause) Policy {
	m := Policy{agent: agent, sound: agent != ""}
	texts := append([]string{persona.Text, persona.ShortTermGoal, persona.LongTermGoal}, goals...)
	for _, text := range texts {
		m.own += fold(text)
	}
	for _, c := range clauses {
		c.AskedBy = slices.Clone(c.AskedBy)
		m.clauses = append(m.clauses, newClause(c))
		if c.Effect != world.EffectAllow && c.Effect != world.EffectForbid || c.Action != world.Anyone && registry[c.Action] == nil {
			m.sound = false
		}
	}
	return m
}
