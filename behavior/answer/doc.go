// Package answer reads what a model answered: calls, their arguments and actions, and
// the named repairs that it took. It knows no turn. What an answer may name is a
// [Vocabulary], and the [Names] of what an agent sees:
//
//	reading := vocabulary.Read(text)                      // text in place of calls
//	for _, call := range reading.Calls {
//		draft, repairs, wrong := answer.ReadDraft(call, 3) // arguments of one tool
//		action, more, wrong := draft.Candidates[0].Decode(call, names)
//	}
//
// Reading is forgiving in named ways only. Each [Repair] that was needed is returned, so
// that it can be counted; a value is never guessed, an id never changed, and a number
// never refused for its size. A repaired value passes the same checks as a clean one.
// What cannot be read is an [ArgumentError] or a [Problem], whose texts are made of
// schema names, types and numbers alone: no word of a model or of another agent travels
// back through an error. `model-server --list-faults` prints the shapes that answers are
// known to have, and what becomes of each.
//
// # The way of a reply
//
// A reply passes these files from Turn.Answer to a decoded action:
//
//	behavior/reply.go          the answer is taken, its calls dispatched
//	behavior/conversation.go   its items join the input, ids and pairs are mended
//	behavior/answer/text.go    text: thinking is removed, labels, tags and objects are found
//	behavior/answer/json.go    JSON, and what is nearly JSON, becomes a [Value]
//	behavior/answer/call.go    an object becomes the call of a tool
//	behavior/answer/protocol.go  the arguments of plan, draft and decision
//	behavior/answer/shape.go   the shapes of a decision become one
//	behavior/answer/action.go  an action and the order around it
//
// All names of repairs are in repair.go.
package answer
