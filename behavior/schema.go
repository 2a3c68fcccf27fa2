package behavior

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
)

// protocolTools returns the protocol's tools for p, describing the actions under
// the given rules. They come before the module tools and never change during a run.
func (w *wording) protocolTools(p Protocol, rules world.Rules) []llmclient.Tool {
	actions := " " + w.actionsDoc + "\n" + modules.ActionText(w.language, rules)
	plan := tool[answer.Plan](answer.ToolPlan, w.planDoc)
	if p == ProtocolLean {
		return []llmclient.Tool{tool[answer.Lean](answer.ToolTurn, fmt.Sprintf(w.turnDoc, candidatesMax)+actions), plan}
	}
	return []llmclient.Tool{plan, tool[answer.Draft](answer.ToolDraft, fmt.Sprintf(w.draftDoc, candidatesMax)+actions), tool[answer.Commitment](answer.ToolDecision, w.decisionDoc)}
}

func tool[Args any](name, doc string) llmclient.Tool {
	return StrictTool[Args](name, doc, map[string][]string{"kind": answer.StepKinds})
}

// StrictTool returns a function tool whose arguments are the fields of Args, all of
// them required. enums closes the sets of values of fields by name.
func StrictTool[Args any](name, doc string, enums map[string][]string) llmclient.Tool {
	return llmclient.Tool{Name: name, Description: doc, Parameters: argsSchema[Args](enums), Strict: true}
}

// argsSchema infers the schema of Args and puts the registry's action schemas in
// place of its raw fields. enums are the closed sets of values by field name.
func argsSchema[Args any](enums map[string][]string) json.RawMessage {
	inferred, err := jsonschema.For[Args](nil)
	if err != nil {
		panic("behavior: no schema for a tool's arguments: " + err.Error())
	}
	return llmclient.Marshal(strictSchema(inferred, enums))
}

// strictSchema reduces an inferred schema to the subset that strict function
// tools accept, with enums and nested schemas the types cannot say.
func strictSchema(s *jsonschema.Schema, enums map[string][]string) *schemaNode {
	if s.Items != nil {
		return &schemaNode{Type: "array", Items: strictSchema(s.Items, enums)}
	}
	if s.Type != "object" {
		return &schemaNode{Type: s.Type}
	}
	closed := false
	n := &schemaNode{Type: "object", Required: s.PropertyOrder, Closed: &closed}
	for _, name := range s.PropertyOrder {
		n.Properties = append(n.Properties, property{name, propertySchema(name, s.Properties[name], enums)})
	}
	return n
}

func propertySchema(name string, s *jsonschema.Schema, enums map[string][]string) any {
	if values, closed := enums[name]; closed {
		return &schemaNode{Type: "string", Enum: values}
	}
	switch name {
	case "candidate":
		return &schemaNode{Type: "integer"}
	case "plan":
		return &schemaNode{Type: "string"}
	case "execute_until":
		return modules.StandingSchema()
	case "actions":
		return &schemaNode{Type: "array", Items: &schemaNode{Type: "string"}}
	case "candidates":
		return candidatesSchema{Type: "array", Items: modules.ActionSchema()}
	}
	return strictSchema(s, enums)
}

// candidatesSchema is the list of candidates as the model sees it: flat actions.
// The arguments keep candidates as fields, so that shapes can be mended one by one.
type candidatesSchema struct {
	Type  string          `json:"type"`
	Items json.RawMessage `json:"items"`
}

// schemaNode is a JSON Schema with its properties in declaration order, because
// the order is part of what a model reads.
type schemaNode struct {
	Type       string      `json:"type"`
	Enum       []string    `json:"enum,omitempty"`
	Items      *schemaNode `json:"items,omitempty"`
	Properties properties  `json:"properties,omitempty"`
	Required   []string    `json:"required,omitempty"`
	Closed     *bool       `json:"additionalProperties,omitempty"`
}

type property struct {
	name   string
	schema any
}

type properties []property

// MarshalJSON writes the properties in order.
func (ps properties) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, p := range ps {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, llmclient.Marshal(p.name)...), ':')
		out = append(out, llmclient.Marshal(p.schema)...)
	}
	return append(out, '}'), nil
}
