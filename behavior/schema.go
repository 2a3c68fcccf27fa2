package behavior

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
)

// PlanStep is one typed step of a plan.
type PlanStep struct {
	// Kind is call, reason, respond or skip.
	Kind string `json:"kind"`
	What string `json:"what"`
}

// The kinds of plan steps.
const (
	stepCall    = "call"
	stepReason  = "reason"
	stepRespond = "respond"
	stepSkip    = "skip"
)

var stepKinds = []string{stepCall, stepReason, stepRespond, stepSkip}

// planArgs, draftArgs, decisionArgs and turnArgs are the arguments of the
// protocol's tools. Their schemas are made from these types; raw fields take the
// schemas made from the action registry.
type planArgs struct {
	Goal  string     `json:"goal"`
	Steps []PlanStep `json:"steps"`
	// Actions are what the agent may do this tick.
	Actions []plannedAction `json:"actions"`
}

// candidateNumber is a number as the model wrote it; the schema says integer.
type candidateNumber struct{ raw json.RawMessage }

// UnmarshalJSON implements json.Unmarshaler.
func (n *candidateNumber) UnmarshalJSON(raw []byte) error {
	n.raw = append(json.RawMessage(nil), raw...)
	return nil
}

// leanPlan is the plan of a lean turn: one sentence, because nothing comes between
// it and the decision that steps could say. A plan in full is understood.
type leanPlan struct {
	goal   string
	inFull bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *leanPlan) UnmarshalJSON(raw []byte) error {
	var full struct {
		Goal string `json:"goal"`
	}
	if json.Unmarshal(raw, &full) == nil {
		p.goal, p.inFull = full.Goal, true
		return nil
	}
	return json.Unmarshal(raw, &p.goal)
}

type draftArgs struct {
	Candidates []fields `json:"candidates"`
}

// decisionArgs commit a candidate of the draft by its number, so that what runs
// is what was dry-run; 0 waits.
type decisionArgs struct {
	Candidate candidateNumber `json:"candidate"`
	Standing  json.RawMessage `json:"execute_until"`
	Why       string          `json:"why"`
	Sources   []string        `json:"sources_used"`
}

type turnArgs struct {
	Plan       leanPlan `json:"plan"`
	Candidates []fields `json:"candidates"`
	decisionArgs
}

// protocolTools returns the protocol's tools for p, describing the actions under
// the given rules. They come before the module tools and never change during a run.
func (w *wording) protocolTools(p Protocol, rules world.Rules) []llmclient.Tool {
	actions := " " + w.actionsDoc + "\n" + modules.ActionText(w.language, rules)
	plan := tool[planArgs](toolPlan, w.planDoc)
	if p == ProtocolLean {
		return []llmclient.Tool{tool[turnArgs](toolTurn, fmt.Sprintf(w.turnDoc, candidatesMax)+actions), plan}
	}
	return []llmclient.Tool{plan, tool[draftArgs](toolDraft, fmt.Sprintf(w.draftDoc, candidatesMax)+actions), tool[decisionArgs](toolDecision, w.decisionDoc)}
}

func tool[Args any](name, doc string) llmclient.Tool {
	return StrictTool[Args](name, doc, map[string][]string{"kind": stepKinds})
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
