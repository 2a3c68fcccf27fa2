package agentworld

import (
	"context"

	"example.com/agentworld/tools"
)

// Tool is something outside of the world that agents of a run may call. [NewTool] makes one of a function;
// package tools/toolserver finds those of a server. Its fields say what a model is told, who may call it, and within
// what limits; docs/tools.md says when a call is made, and what its result may decide.
type Tool = tools.Tool

// NewTool makes a tool of a function. Args is a struct whose fields are the arguments: their JSON names are the
// names that models see, a jsonschema tag describes one, and a pointer may be left out. The result has to
// encode to JSON; an error is a result, too. The name is made of a-z, 0-9 and _; the version says which tool
// of that name it is, since a run is not continued with another. NewTool panics for a type of arguments that
// has no strict schema.
//
//	lookup := agentworld.NewTool("lookup", "1", "What a resource costs.",
//		func(ctx context.Context, a struct{ Resource string `json:"resource"` }) (any, error) {
//			return prices[a.Resource], nil
//		})
func NewTool[Args any](name, version, description string, do func(ctx context.Context, a Args) (any, error)) Tool {
	return tools.New(name, version, description, do)
}
