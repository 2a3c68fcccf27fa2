// Package world is the deterministic kernel of Agent World: the rules, the state
// and nothing else. It does no I/O, reads no clock, starts no goroutine and uses
// no floating point, so that the same scenario, seed and actions give the same
// events and digests on every machine.
//
// A world is a function of actions. One tick looks like this:
//
//	w, err := world.New(scenario, seed)
//	for w.Tick() < ticks {
//		w.Advance() // time passes: arrivals, finished jobs, power changes
//		var intents []world.Intent
//		for _, n := range w.Due() {
//			view := w.View(n) // an immutable copy; decide from it, concurrently
//			action, _ := view.Clamp(decide(view.Observe()))
//			intents = append(intents, world.Intent{Agent: n, Action: action})
//		}
//		for _, n := range w.Continuing() {
//			order, _ := w.Standing(n)
//			intents = append(intents, world.Intent{Agent: n, Action: order.Do})
//		}
//		w.Apply(intents) // in an order drawn from seed, tick and agent
//		w.Digest()
//	}
//
// One double-entry ledger holds everything that agents hold; every event lists its postings.
//
// The code that decides for an agent sees only the agent's [View]. A view answers three
// questions from what that agent may know: what is there ([View.Observe]), which amounts
// are feasible ([View.Clamp]), and would the world accept this action ([View.Check]). A
// view uses the same rules as Apply: functions from a few facts and an action to a
// ruling. A view passes copies to them, Apply the live world.
//
// Every action has a file of its own, such as mine.go, listed in action.go. The file has
// its type, its spec for tool schemas, validation, prompts and docs ([Actions]), its rule,
// its bounds and its effect. A refusal by the world is a [Rejection]: a value with a code
// and numbers, never a Go error. A wrong scenario is an error; a broken invariant panics.
//
// Views leak nothing hidden. An agent knows the charted places by name and what lies
// within its visibility. About anything else a dry run answers [CheckUnknown], and a
// refusal gives no numbers, whether the thing exists or not. If two agents want what is
// there only once, the second gets [RejectContended].
//
// Places are listed in the scenario, generated from the seed as a [Belt] of up to a million
// fragments, or both. An agent with an empty battery shuts down, gains a little charge every
// tick and restarts, so no state is final. A chain ([ExecuteUntil]) repeats an action without a
// decision until an event ends the step, and goes on to its next step; an order is a chain of one.
//
// Messages arrive after a delay that grows with the distance; notes stay at a place. Texts
// are cleaned and capped, and opaque otherwise. A scenario may enable typed messages, see
// terms.go. A [Request] asks for a resource. An [Offer] holds one in escrow until an agent
// at its place takes it and pays, whether or not the owner is there. A holding is what an
// account keeps for such an owner, from orders and offers alike. What an agent sends or
// posts carries the parents that its [Intent] names: the agents whose texts or terms the
// decision may rest on. Agents that no rule of the scenario names can together disturb
// another agent in at most one of ten ticks.
//
// Stored state is a value and the tick at which it was true; the present value follows in
// closed form. So the cost of a tick depends on what is due and what that touches, not on
// the number of agents.
//
// To read the code, start with world.go, then advance.go and apply.go, then action.go
// and one action.
package world
