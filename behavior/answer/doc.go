// Package answer reads what a model answered: calls, their arguments and actions, and
// the named repairs that it took. It knows no turn. What an answer may name is a
// [Vocabulary], and the [Names] of what an agent sees:
//
//	reading := vocabulary.Read(text)                      // text in place of calls
//	for _, call := range reading.Calls {
//		draft, repairs, wrong := answer.ReadDraft(call, 3) // arguments of one tool
//		action, more, wrong := draft.Candidates[0].Decode(call, names, then)
//	}
//
// Reading is forgiving in named ways only. Each [Repair] that was needed is returned, so that it
// can be counted. A value is never guessed, an id never changed, and a number never refused for
// its size. A name means a tool only if it is no other tool's name. What is around a call counts
// for more than what is in it: an object in the arguments of a call is no decision, and neither
// is one in a thought, a comment, a quotation or a letter. A repaired value passes the same
// checks as a clean one. What cannot be read is an [ArgumentError] or a [Problem]. Their texts
// are made of schema names, types and numbers alone: no word of a model or of another agent
// travels back through an error. `model-server --list-faults` prints the shapes that answers are
// known to have, and the result of each.
//
// # The way of a reply
//
// A reply passes these files from Turn.Answer to a decoded action:
//
//	behavior/reply.go            takes the answer and dispatches its calls
//	behavior/acceptance.go       takes its items into the input, mends ids and pairs
//	behavior/answer/text.go      finds what a text says, with thinking.go (no thoughts), label.go and written.go
//	behavior/answer/json.go      reads JSON, and what is nearly JSON, as a [Value]; object.go finds it in a text
//	behavior/answer/call.go      brings an object to a call, by toolname.go; shape.go a decision in any shape
//	behavior/draft.go            takes the call of a draft; plan.go that of a plan, commit.go that of a decision
//	behavior/answer/protocol.go  reads the arguments of a call; decision.go those of a decision
//	behavior/answer/candidate.go brings candidates, and the number of one, to the schema's shape
//	behavior/answer/action.go    reads an action, standing.go the order around it, names.go names in it
//
// Repairs have their names in repair.go and nowhere else.
package answer
