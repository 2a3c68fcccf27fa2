package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
)

// Tool is a tool with what carries it out. The zero value of each limit is its default.
type Tool struct {
	trace.Tool
	// Call makes a call. The arguments are a JSON object that fits Parameters. The result has to encode to
	// JSON. An error is a result, too: the agent and every reader of the run see its text, which must hold no
	// secret. Several goroutines may call it, and it should end when ctx does: after that its result is dropped.
	Call func(ctx context.Context, arguments json.RawMessage) (result any, err error)
}

// The errors of a Call that are no result of the tool. Their texts are not shown.
var (
	// ErrUnavailable says that the server of a tool cannot be reached.
	ErrUnavailable = errors.New("the server of the tool cannot be reached")
	// ErrChanged says that a server offers another tool under the name than at the beginning of the run, in which
	// the tool is not called any more.
	ErrChanged = errors.New("the tool was changed by its server")
)

// New makes a tool of a function. Args is a struct; its fields, with their JSON names, are the arguments, and
// a jsonschema tag describes one. What may be left out is a pointer, without omitempty. New panics for a type
// that has no strict schema, since that is a bug of the program.
func New[Args any](name, version, description string, do func(ctx context.Context, a Args) (any, error)) Tool {
	schema := modules.SchemaOf[Args](nil)
	if err := modules.CheckStrict(schema); err != nil {
		panic(fmt.Sprintf("tools: the arguments of %s: %v", name, err))
	}
	t := Tool{Tool: trace.Tool{Name: name, Version: version, Description: description,
		Parameters: llmclient.Marshal(schema)}}
	t.Hash = HashOf(name, description, t.Parameters)
	t.Call = func(ctx context.Context, arguments json.RawMessage) (any, error) {
		var a Args
		decoder := json.NewDecoder(bytes.NewReader(arguments))
		if err := decoder.Decode(&a); err != nil {
			return nil, fmt.Errorf("read the arguments: %w", err)
		}
		return do(ctx, a)
	}
	return t
}

// HashOf is the hash of what the owner of a tool says of it.
func HashOf(name, description string, parameters json.RawMessage) string {
	return llmclient.Hash(llmclient.Marshal([]any{name, description, parameters}))
}
