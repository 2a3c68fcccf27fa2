// Package doctor checks in at most five calls whether an endpoint is usable for a run,
// and says what to change if it is not.
//
//	r, err := doctor.Examine(ctx, doctor.Options{Config: config, Model: "m"})
//	if err != nil { ... }          // a setting that cannot work; nothing was sent
//	for _, f := range r.Findings { fmt.Println(f.Check, f.Status, f.Detail, f.Advice) }
//
// The calls, each sent once, again without what the endpoint refuses of it (see
// [openai.RepairWithout]), and again with more room where the answer is cut for length:
//
//	1  a text, with calling forbidden       key, model, protocol, usage, tool_choice none
//	2  a call of one of two tools           function tools, call ids, allowed_tools, schemas
//	3  the result of that call              call_id round trip, items sent back unchanged
//	4  two calls in one answer              parallel calls
//	5  a prompt as long as a run's longest  window, strict schema with lists and nulls
//
// A probe asks for exact words, so that a weak model fails none of them for want of
// wit. After a failure that every call would share the others are not made.
package doctor
