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
// Everything that agents hold is in one double-entry ledger; every event lists its postings.
//
// What decides about an agent sees only its [View], which answers three
// questions from what that agent may know: what is there ([View.Observe]), which
// amounts are feasible ([View.Clamp]), and would this be accepted ([View.Check]).
// The rules behind them are the ones Apply uses: functions from a few facts and
// an action to a ruling, fed with copies here and with the live world there.
//
// Every action is a file of its own, such as mine.go, listed in action.go: its type,
// its spec for tool schemas, validation, prompts and docs ([Actions]), its rule, its
// bounds and its effect. A refusal by the world is a [Rejection], a value
// with a code and numbers, never a Go error; a wrong scenario is an error; a
// broken invariant panics.
//
// What is hidden stays hidden. An agent knows the charted places by name and what
// lies within its visibility; about anything else a dry run answers
// [CheckUnknown], and a refusal gives no numbers, whether the thing exists or not.
// When two want what is only there once, the second is told [RejectContended].
//
// Places are listed in the scenario, generated from the seed as a [Belt] of up to a million
// fragments, or both. An agent with an empty battery shuts down, gains a little every tick
// and restarts, so that no state is final. A standing order ([ExecuteUntil]) repeats an
// action without a decision until an event ends it. Messages arrive after a delay that grows
// with the distance, notes stay at a place; texts are cleaned, capped and otherwise opaque.
// A scenario may enable typed messages, see terms.go: a [Request] asks for a resource, an [Offer]
// holds one in escrow until somebody at its place takes it and pays, whether or not the offerer is there.
// What an account keeps for an owner that may be away is a holding, of orders and offers alike.
// What is sent or posted carries the parents that its [Intent] names: the agents whose texts or
// terms the decision may rest on.
// Agents that no rule of the scenario names can disturb another in one of ten ticks at most.
//
// Stored state is a value and the tick at which it was true; the present value follows in
// closed form. So a tick costs what is due and what that touches, however many agents there are.
//
// To read the code, start with world.go, then advance.go and apply.go, then action.go
// and one action.
package world
