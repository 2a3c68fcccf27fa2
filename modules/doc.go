// Package modules holds the read-only tools a model may call while it decides, and the
// schemas of what a model writes as arguments. Package behavior/answer reads those.
//
// A registry is made once and shared by all agents. Its tools go into every
// request; a call goes back in with what the calling agent may read:
//
//	registry := modules.New()
//	tools := registry.Tools()                          // constant over a run
//	env := modules.Env{View: view, Memory: remembered} // one agent, one tick
//	result := registry.Call(env, callID, tool, rawArguments)
//	item := llmclient.FunctionOutput(result.CallID, result.Output)
//
// A call passes five gates, and each has its own failure:
//
//	tool name --table--> module        UNKNOWN_MODULE         nothing ran
//	raw text --JSON----> value         ARGUMENTS_NOT_JSON     the module did not run
//	value -------------> object        ARGUMENTS_NOT_OBJECT   the module did not run
//	object --schema----> arguments     INVALID_ARGUMENTS      the module did not run
//	arguments --run----> result        EXECUTION_ERROR        it ran and could not answer
//
// Nothing a module does changes a world or a memory, so calls may be repeated,
// run in any order and made for different agents at the same time. A result that
// is too long loses the tails of its lists, says how many elements are missing,
// and stays valid JSON.
//
// What a model reads looks like this:
//
//	{"source":"obs-7","truncated":true,"omitted":{"places":3},"result":{...}}
//
// The source is the id under which the model may cite the result; memories have
// ids of their own. The same ids are in [Result.Sources], so that a decision can
// be traced to what was read for it and how far that could be trusted.
//
// The actions of the world have their schema here as well, because it is made
// from the same parts: [ActionSchema] is one flat object with a few slots that the
// actions share, [ActionText] says which slot means what in which action, and
// [StandingSchema] is the order that may accompany it:
//
//	kind of parameter      slot      in schedule_recipe
//	place, agent           to
//	factory, order         id        factory_id
//	choice                 what      recipe_id
//	amount                 amount    batches
//	amount called price    price
//	text                   text
//
// The world, its traces and its reports keep the names of the registry, and a
// model that writes those is understood.
//
// The arguments of a module are a Go struct: pointers where null is allowed, no omitempty,
// no maps.
package modules
