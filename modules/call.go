package modules

import (
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/memory"
	"example.com/agentworld/memory/documents"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Env is what a call may read: one agent's view of this tick and its memory.
// Nothing else reaches a module, so a module cannot tell an agent more than the
// agent may know.
type Env struct {
	// View is the agent's view.
	View world.View
	// Memory is the agent's memory; nil fails the memory modules only.
	Memory *memory.Memory
	// Documents are those of the run; nil fails the module of documents only.
	Documents *documents.Library
	// Known is the part of the view that may be shown now; nil is all of it.
	Known *world.Observation
	// Shows reports which names of places and agents may be shown; nil shows all.
	Shows func(name string) bool
	// ResultCharsMax bounds a result's output in characters; 0 means
	// [ResultCharsDefault], and less than [ResultCharsMin] means that.
	ResultCharsMax int
	// CallsLeft tells a model whose call failed how many more its turn has; nil outside of turns.
	CallsLeft *int
	// registry is the one that was called, from which a module has its words.
	registry *Registry
}

// words are what is said in the language of the registry that was called.
func (e Env) words() *words.Language { return e.registry.words }

// Bounds of Env.ResultCharsMax.
const (
	ResultCharsDefault = 1200
	ResultCharsMin     = 600
)

// Status says how complete a result is.
type Status string

// The statuses.
const (
	// StatusSuccess: complete.
	StatusSuccess Status = "success"
	// StatusPartial: usable, but cut to [Env.ResultCharsMax].
	StatusPartial Status = "partial"
	// StatusError: there is nothing to use; Code says why.
	StatusError Status = "error"
)

// Code says why a call failed, decided at the place of failure.
type Code string

// The codes.
const (
	// CodeNotJSON: the arguments cannot be read as JSON. The module did not run.
	CodeNotJSON Code = "ARGUMENTS_NOT_JSON"
	// CodeNotObject: the arguments are JSON, but no object. The module did not run.
	CodeNotObject Code = "ARGUMENTS_NOT_OBJECT"
	// CodeInvalidArguments: the arguments are an object that does not match the
	// schema. The module did not run.
	CodeInvalidArguments Code = "INVALID_ARGUMENTS"
	// CodeUnknownModule: no module has that tool name. Nothing ran.
	CodeUnknownModule Code = "UNKNOWN_MODULE"
	// CodeExecution: the module ran and could not answer.
	CodeExecution Code = "EXECUTION_ERROR"
)

// Result is the result of one call. A call has no other effect, because it changes
// nothing.
//
// Invariants:
//  1. Output is one JSON object, for any tool name and any arguments.
//  2. An error's output holds no text of a model or of another agent.
//  3. Sources is empty for an error, and names only what Output still shows.
type Result struct {
	// CallID is the id the caller gave.
	CallID string
	// Module is the module's dotted name, empty for an unknown tool.
	Module string
	// Status says how complete the result is.
	Status Status
	// Code is set exactly when Status is StatusError.
	Code Code
	// Output is the JSON object to send to the model, within
	// [Env.ResultCharsMax] characters.
	Output string
	// CharsFull is the output's length in characters before it was cut.
	CharsFull int
	// Sources is what the output adds to the prompt, for provenance and trust: the
	// result, or each memory in it, and each text of others that it quotes.
	Sources []trace.Source
	// Repairs are the repairs made to the arguments.
	Repairs []answer.Repair
	// ArgumentError is set exactly when Code is one of the three about arguments.
	ArgumentError *answer.ArgumentError
}

// lookup is what a module found out, before it is encoded and cut.
type lookup struct {
	// body becomes "result" in the output; it must encode to JSON.
	body any
	// sources are what the elements of the body, then a list, quote; they are
	// used when id is empty.
	sources []trace.Source
	// id, trust and tick describe the whole result as one source.
	id    string
	trust trace.Trust
	tick  int64
	// texts are what others wrote in the result, as sources of their own.
	texts []trace.Source
}

// failure is a fixed text saying why a module could not answer, empty when it
// could.
type failure string

// Call runs the module of a tool with the raw argument text of a model's call.
// The arguments are decoded, then checked against the module's schema, and only
// then does the module run. Every failure is a result and not a Go error, because
// the model can correct it.
func (r *Registry) Call(env Env, callID, tool, rawArgs string) Result {
	env.registry = r
	m, ok := r.byTool(tool)
	if !ok {
		out := wireFailure{Code: CodeUnknownModule, Text: env.words().Modules.Unknown}
		for _, m := range r.modules {
			out.Modules = append(out.Modules, m.Tool)
		}
		return Result{CallID: callID}.ended(env, out)
	}
	result := Result{CallID: callID, Module: m.Module}
	run, used, fault := m.bind(rawArgs)
	result.Repairs = used
	if fault != nil {
		return result.refused(env, m, fault)
	}
	found, failed := run(env)
	if failed != "" {
		w := &env.words().Modules
		text := w.Execution + w.Reason + string(failed)
		return result.ended(env, wireFailure{Module: m.Module, Code: CodeExecution, Text: text})
	}
	return result.answered(env, found)
}
