// Package reflect is how an agent reflects: it judges what its lessons were worth
// and proposes changes of its playbook. It proposes; [playbook.Apply] decides.
//
// An [Experience] collects what one agent decided and what came of it. A [Turn] is
// one reflection at it, a state machine without I/O like a turn of package behavior,
// in the same protocol with tools of its own:
//
//	turn := runtime.Begin(experience, book, goals, tick, firstStep)
//	for ask, more := turn.Next(); more; ask, more = turn.Next() {
//		turn.Answer(send(ask.Request))
//	}
//	consolidated := turn.Result().Apply(book, limits)
//	book = consolidated.Playbook
//
// # The path of a turn
//
//	reflect (1 or more rounds) --> consolidate
//
// Reflect tags the bullets that decisions used and names what the outcomes teach;
// consolidate turns that into deltas. One unusable answer per stage is repaired by one
// more call. When that fails too, or no answer comes, nothing at all is changed: a
// turn proposes either everything or nothing.
//
// # What it is against
//
//   - Opinions in place of outcomes: the input opens with what the world answered,
//     and only decisions that are listed there are evidence.
//   - Counting twice: of several verdicts on one use the last one stands, whatever
//     number of rounds; a use counted in an earlier turn is refused by the playbook.
//   - Poison: no text of another agent is shown, nor anything a model made of one, so
//     that there is nothing to put in other words. The texts stay in the ground of
//     every later consolidation of the run, and a lesson that rests on a decision which used
//     one, or which one brought about, has it as a parent and is refused with it.
//
// What a model wrote is data: it reaches a playbook only through Apply, and traces
// only as encoded JSON within bounds.
//
// A [Folder] carries what several agents learned in their own copies over to the file
// they all began with.
package reflect
