package openenv

import (
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/world"
)

// actionTitle is the title of the schema of an action. Clients take some titles for tools of MCP.
const actionTitle = "AgentWorldMove"

// texts are the words of what a client's model reads.
type texts struct {
	language *words.Language
	industry *world.Industry
	// needless are the actions and the rest that can matter to no agent of the task.
	needless []string
}

// texts are the words of the task's own instance.
func (t *task) texts() (texts, error) {
	language, err := words.With(t.play.Language, t.play.Words)
	if err != nil {
		return texts{}, err
	}
	of := t.of.In(t.play.Language)
	w, err := world.New(of, of.Seed)
	if err != nil {
		return texts{}, err
	}
	return texts{language, w.Industry(of.Rules), w.Needless(of.Rules, w.Forbidden()...)}, nil
}

// actionSchema is a flat object: an action with its arguments, the order that repeats it, the steps that follow
// and a reason. Only the action is required; what it means is in its description.
func (x texts) actionSchema() json.RawMessage {
	s := modules.CandidateSchema(world.ThenMax, x.needless...)
	order := modules.StandingSchema(x.needless...)
	then := s.Properties["then"].Items
	then.Required = []string{"action"}
	for name, of := range map[string]*jsonschema.Schema{"until": optional(order.Properties["until"]),
		"max_ticks": then.Properties["max_ticks"], "ignore": order.Properties["ignore"]} {
		s.Properties[name] = of
	}
	s.Properties["reason"] = &jsonschema.Schema{Types: []string{"string", "null"}}
	s.PropertyOrder = append(s.PropertyOrder, "until", "max_ticks", "ignore", "reason")
	s.Properties["action"].Description = modules.ActionText(x.language, x.industry, x.needless...)
	s.Required = []string{"action"}
	s.Title = actionTitle
	return llmclient.Marshal(s)
}

// optional is a schema that also allows null.
func optional(s *jsonschema.Schema) *jsonschema.Schema {
	s.Types, s.Type = []string{s.Type, "null"}, ""
	return s
}

// observationSchema and stateSchema describe what a client gets.
func observationSchema() json.RawMessage {
	nullable := func(kind string) *jsonschema.Schema { return &jsonschema.Schema{Types: []string{kind, "null"}} }
	return llmclient.Marshal(&jsonschema.Schema{Title: "AgentWorldObservation", Type: "object",
		Properties: map[string]*jsonschema.Schema{
			"text": {Type: "string"}, "result": nullable("object"), "tick": {Type: "integer"}, "ticks": {Type: "integer"},
			"score": {Type: "integer"}, "seat": nullable("object"),
		},
		Required:      []string{"text", "result", "tick", "ticks", "score", "seat"},
		PropertyOrder: []string{"text", "result", "tick", "ticks", "score", "seat"},
	})
}

func stateSchema() json.RawMessage {
	s, err := jsonschema.For[State](nil)
	if err != nil {
		panic("openenv: the state has no schema: " + err.Error())
	}
	s.Title = "AgentWorldState"
	return llmclient.Marshal(s)
}

// readme is what a model should know of the world before the first observation.
func (x texts) readme(t *task) string {
	parts := []string{"# " + t.of.Name, t.of.Text, modules.ActionText(x.language, x.industry, x.needless...),
		strings.TrimSpace(modules.NewKnown(x.language, x.industry, x.needless...).Unasked())}
	return strings.Join(parts, "\n\n")
}
