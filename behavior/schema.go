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

// argsSchema infers the schema of Args and puts what the types cannot say in its place:
// the registry's action schemas, enums as the closed sets of values by field name.
func argsSchema[Args any](enums map[string][]string) json.RawMessage {
	inferred, err := jsonschema.For[Args](nil)
	if err != nil {
		panic("behavior: no schema for a tool's arguments: " + err.Error())
	}
	return llmclient.Marshal(strictSchema(inferred, enums))
}

// strictSchema brings an inferred schema to the subset that strict function tools
// accept.
func strictSchema(s *jsonschema.Schema, enums map[string][]string) *jsonschema.Schema {
	if s.Items != nil {
		return &jsonschema.Schema{Type: "array", Items: strictSchema(s.Items, enums)}
	}
	for name, property := range s.Properties {
		s.Properties[name] = propertySchema(name, property, enums)
	}
	return s
}

func propertySchema(name string, s *jsonschema.Schema, enums map[string][]string) *jsonschema.Schema {
	if values, closed := enums[name]; closed {
		return modules.EnumSchema(values)
	}
	switch name {
	case "candidate", "decision":
		return &jsonschema.Schema{Type: "integer"}
	case "plan":
		return &jsonschema.Schema{Type: "string"}
	case "execute_until":
		return modules.StandingSchema()
	case "actions":
		return &jsonschema.Schema{Type: "array", Items: modules.PlannedActionSchema()}
	case "candidates":
		return &jsonschema.Schema{Type: "array", Items: modules.ActionSchema()}
	}
	return strictSchema(s, enums)
}
