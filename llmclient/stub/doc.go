// Package stub is an embedded Responses server whose model is a script: a
// pure function from a request body to an answer. It lets a run, a demo or a test
// go through real HTTP, the real client and the whole turn protocol without a
// provider, a key or a cost. What it answers says that the wiring works; it says
// nothing about any model.
//
//	server, err := stub.Start(ctx, "", stub.Options{Seed: 7})
//	if err != nil { ... }
//	defer server.Close()
//	client := newClient(server.URL() + "/v1")        // any Responses client
//
// One request goes through these steps, each in the file of its name:
//
//	body --> request --> prompt ----> observation --> situation --+
//	            |          |                                      v
//	            |          +-------> goals --> brief --> policy of baseline --> ideas
//	            v                                                                 |
//	        transcript (calls of this turn, their outputs) --> protocol <---------+
//	                                                              |
//	         wire <-- arguments (filled in by the tool's schema) <+
//
// Prompts may be English or Chinese: the words of headings and lines are in a table
// per language, chosen by the heading of the observation. Nothing else of what the
// policy does depends on the language.
//
// What to do is decided by the policy of [baseline], which the scripted agents have too.
// It is told what the request tells and nothing else: no id, place, agent, recipe or
// timetable is known beforehand. The last observation with the possible actions, the goals,
// what memories tell of places and the last outcome are read from the prompt, the argument
// shapes and stop events from the tool schemas, the recipes and costs from the tools'
// descriptions, and the stage of the turn from tool_choice and the calls already made. No
// task and no recipe's inputs stand in a request, and the stub has no memory of its own: so
// it does worse than the scripted agents, mostly where agents help each other.
//
// A turn it is allowed to go through in full takes three or more requests:
//
//	plan                 how much it will ask, what it may do, sometimes a step to reason
//	none to two modules  a question in about every third turn, two of them in one answer
//	decision_draft       the best idea and one to fall back on
//	decision             the first candidate the draft's output accepts
//
// Where there is only a tool for the whole turn it fills in that one. Where the
// tool choice is none, or there is no tool, it answers with two sentences. A tool
// it has never heard of is called with the emptiest arguments its schema permits.
// About a third of the answers with calls begin with a reasoning item, so that
// clients get to send such items back.
//
// Beside the policy it has the manners of a model: it gives standing orders for what has
// to be done several times, tells a neighbour now and then how it is doing, does not repeat
// what was just refused, and waits when nothing is left to do.
//
// [Manners] change how it answers and not what it decides: it thinks long, decides in
// prose, drafts again. A [Mode] changes what it decides. With a table of [Cue] it is obedient: it carries out what
// the texts in the table ask for, whoever wrote them; guards are measured with it.
//
// What the API refuses is refused, with the API's error: a missing model or input, unknown
// parameters, values of the wrong type, bad tool names, calls without outputs. Answers pass
// the API's own description, streamed ones event by event.
//
// Promises:
//
//  1. The same seed and body give the same bytes, whatever ran before. The server
//     keeps no state between requests and may be used concurrently. With an
//     [Injector] it counts how often a request came, and nothing else: then the same
//     seeds, body and attempt give the same.
//  2. A request that differs only in ids, names and distances is answered by the
//     same calls with the ids replaced, as long as journeys cost the same. Seeded
//     choices therefore mix in numbers of the observation (tick, stocks, heat) and
//     never an id, a name, a text or a distance; see chance. Only response, item and
//     call ids, the opaque reasoning content and the token counts depend on the
//     exact body.
//  3. Arguments fit the schema of the tool they are for: every property the
//     schema requires is there, null where it does not apply.
//
// Answers can be spoilt on purpose, see [ParseFaults] and [Injector]: after the policy
// has decided, its answer is given another shape from the [Corpus], or the transport
// does something else to it.
//
// Token usage is simulated, see [Result]; created_at is always 0, because an
// answer with a clock in it could not be compared.
package stub
