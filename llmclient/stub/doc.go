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
// What to do is decided by the policy of [baseline], which the scripted agents have too.
// It knows only what the request says. The prompt describes the situation. The tools describe
// shapes, recipes and costs. tool_choice and the calls already made give the stage of the turn.
// A request has no inputs of recipes and little of the task, and the stub remembers nothing, so
// it does worse than the scripted agents. Only a table of words depends on the
// language of the prompt.
//
// Where the tool choice is none, or there is no tool, it answers with two sentences. A
// request without an observation is that of another client: a tool that the user speaks of is
// called, with arguments from the user's words that fit its schema.
// About a third of the answers with calls begin with a reasoning item, so that clients get
// to send such items back.
//
// [Manners] change how it answers and not what it decides: it thinks long, decides in
// prose, drafts again. A [Mode] changes what it decides. With a table of [Cue] it is obedient: it carries out what
// the texts in the table ask for, from any author; guards are measured with it.
//
// What the API refuses is refused, with the API's error: a missing model or input, unknown
// parameters, values of the wrong type, bad tool names, calls without outputs. Answers pass
// the API's own description and that of Open Responses, streamed ones event by event.
//
// Promises:
//
//  1. The same seed and body give the same bytes, whatever ran before. The server
//     keeps no state between requests and may be used concurrently. With an
//     [Injector] it counts how often a request came, and nothing else: then the same
//     seeds, body and attempt give the same. With [Options.Obeyed] it keeps which texts
//     were obeyed, with [Options.Caching] which prompts a provider would have cached: the
//     usage of an answer then follows from the requests before it too, and nothing else does.
//  2. A request that differs only in ids, names and distances is answered by the
//     same calls with the ids replaced, as long as journeys cost the same: seeded
//     choices mix in numbers of the observation and no id, name, text or distance.
//  3. Arguments fit the schema of the tool they are for: every property the
//     schema requires is there, null where it does not apply.
//
// Answers can be spoilt on purpose, see [ParseFaults] and [Injector]: after the policy
// has decided, its answer is given another shape from the [Corpus], or the transport
// does something else to it.
//
// Token usage is simulated, see [Result]; created_at is a constant unless [Options.Now] is
// given, because an answer with a clock in it could not be compared.
package stub
