// Package doctor checks whether an endpoint is usable for a run, and says what to change if it is not.
//
//	r, err := doctor.Examine(ctx, doctor.Options{Config: config, Model: "m", Turn: turn})
//	if err != nil { ... }          // a setting that cannot work; nothing was sent
//	for _, f := range r.Findings { fmt.Println(f.Check, f.Status, f.Detail, f.Advice) }
//
// The calls, each sent once, again without what the endpoint refuses of it (see
// [openai.RepairWithout]), and again with more room where the answer is cut for length:
//
//	1  a text, with calling forbidden       key, model, protocol, usage, tool_choice none
//	2  a call of one of two tools           function tools, call ids, allowed_tools, schemas
//	3  a call of any of two tools           tool_choice required
//	4  a call of the only tool              one tool alone
//	5  the result of a call                 round trip of call ids, items, reasoning, feedback
//	6  a call with a long id                long call ids
//	7  two calls in one answer              parallel calls
//	8  a prompt as long as a run's longest  window, strict schema with lists and nulls
//	-  the calls of a turn of a run         whether its model decides, cached prefixes
//
// A text without any tool is asked for where the first answer calls one. A probe asks for exact words,
// so that a weak model fails none of them for want of wit. What fails does not end the examination,
// unless every other call would share the failure: a key, an address, a refused setting.
package doctor
