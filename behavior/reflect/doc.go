// Package reflect is how an agent reflects: it evaluates what its lessons were worth and proposes
// changes of its playbook. It proposes; [playbook.Apply] decides.
//
// An [Experience] collects what one agent decided, with the outcomes. A [Turn] is one reflection
// on it: a state machine without I/O like a turn of package behavior, in the same protocol with
// tools of its own:
//
//	turn := runtime.Begin(experience, book, goals, tick, firstStep)
//	for ask, more := turn.Next(); more; ask, more = turn.Next() {
//		turn.Answer(send(ask.Request))
//	}
//	consolidated := turn.Result().Apply(book, limits)
//	book = consolidated.Playbook
//	experience.Clear()
//	experience.Refuse(consolidated.Rejected)
//
// # The path of a turn
//
//	reflect (1 or more rounds) --> consolidate
//
// Reflect tags the bullets that decisions used and names what the outcomes teach. Consolidate
// turns that into deltas. On an empty playbook, or one that says so already, the insights are proposed as
// they are, without that call.
// One more call repairs one unusable answer per stage. If that fails too, or no answer comes, nothing
// is changed: a turn proposes either everything or nothing. What was refused is told to the next turn.
//
// # What it is against
//
//   - Opinions in place of outcomes: the input opens with what the world answered,
//     and only decisions that are listed there are evidence.
//   - Coincidence: an [Effect] belongs to a decision by an id that the world linked, never by time.
//     What other agents chose to give or accept stands apart with its giver. A lesson that rests on
//     nothing else is derived, and follows the plan, until a second agent or the world bears it out.
//   - Counting twice: of several verdicts on one use the last one counts, whatever
//     number of rounds; a use counted in an earlier turn is refused by the playbook.
//   - Poison: no text of another agent is shown, nor anything a model made of one, so
//     there is nothing to put in other words. The texts stay in the input of every later
//     consolidation of the run. A lesson has a text as a parent, and is refused with it, if
//     the lesson rests on a decision that used the text or that the text caused. What the plan gave
//     in full before the text was shown stays evidence.
//
// What a model wrote is data: it reaches a playbook only through Apply, and traces
// only as encoded JSON within bounds.
//
// A [Folder] carries what several agents learned in their own copies over to the file
// they all began with.
package reflect
