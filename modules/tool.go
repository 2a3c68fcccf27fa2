package modules

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/trace"
)

// toolBody is what a model reads of a call of a user's tool.
type toolBody struct {
	// Error says why there is no result, Text what that means.
	Error trace.ToolCode `json:"error,omitempty"`
	Text  string         `json:"text,omitempty"`
	// Result is what the tool returned, or said of its error. BytesFull says that it is only the beginning
	// of so many bytes.
	Result    json.RawMessage `json:"result,omitempty"`
	BytesFull int             `json:"bytes_full,omitempty"`
}

// ToolResult is the result of a call of a user's tool as a model reads it: one source with an id, whose
// trust is the user's word. Whoever wrote what an untrusted tool returns is unknown.
func (r *Registry) ToolResult(env Env, tool trace.Tool, callID, id string, came trace.ToolResult) Result {
	env.registry = r
	body := toolBody{Error: came.Code, Result: came.Result}
	if came.Code != "" {
		body.Text = r.words.Feedback.Text(string(came.Code))
	}
	if came.BytesFull > len(came.Result) {
		body.BytesFull = came.BytesFull
	}
	found := lookup{body: body, id: id, trust: trace.TrustOtherAgent, tick: env.View.Tick()}
	if tool.Trusted {
		found.trust = trace.TrustSelfObservation
	}
	result := Result{CallID: callID, Module: tool.Name}.answered(env, found)
	for i := range result.Sources {
		result.Sources[i].Kind = trace.KindTool
	}
	if came.Code != "" {
		result.Status, result.Code = StatusError, Code(came.Code)
	}
	return result
}

// WithCalls adds to the schema of a plan the calls of tools that it may list, by the names of these.
func WithCalls(plan *jsonschema.Schema, tools []string) {
	addProperty(plan, answer.CallsField, &jsonschema.Schema{Type: "array", Items: PlannedCallSchema(tools)})
}

// PlannedCallSchema is the schema of a call in a plan: a tool, and its arguments as JSON text.
func PlannedCallSchema(tools []string) *jsonschema.Schema {
	s := closedObject()
	addProperty(s, "tool", EnumSchema(tools))
	addProperty(s, "arguments", &jsonschema.Schema{Type: "string"})
	return s
}
