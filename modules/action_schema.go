package modules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"agentworld/llmclient"
	"agentworld/world"
)

// actionField names the field of a flat action that holds the action's name.
const actionField = "action"

// standingName is the action that is not in the flat schema: it stands beside an
// action, in the form of [StandingSchema].
var standingName = world.ExecuteUntil{}.ActionName()

// ActionSchema returns the strict schema of a flat action: the action's name and
// one nullable field per distinct parameter of the registry. A union of one
// object per action would be exact, but several times as long in every prompt.
func ActionSchema() json.RawMessage {
	fields := flatFields()
	s := closedObject()
	addProperty(s, actionField, &jsonschema.Schema{Type: "string", Enum: anyNames(actionNames())})
	for _, f := range fields {
		addProperty(s, f.name, f.schema())
	}
	return llmclient.Marshal(s)
}

// flatField is one distinct parameter name with the actions that use it.
type flatField struct {
	name string
	uses []flatUse
}

// flatUse is one action's parameter of that name.
type flatUse struct {
	action string
	param  world.Param
}

// flatFields returns the distinct parameter names in registry order. It panics
// when two actions give one name to an amount and to a text, which the flat form
// could not hold.
func flatFields() []flatField {
	var fields []flatField
	for _, spec := range flatActions() {
		for _, p := range spec.Params {
			i := slices.IndexFunc(fields, func(f flatField) bool { return f.name == p.Name })
			if i < 0 {
				i = len(fields)
				fields = append(fields, flatField{name: p.Name})
			}
			fields[i].uses = append(fields[i].uses, flatUse{spec.Name, p})
			if isAmount(p) != isAmount(fields[i].uses[0].param) {
				panic("modules: the parameter " + p.Name + " is an amount in one action and a text in another")
			}
		}
	}
	return fields
}

func isAmount(p world.Param) bool { return p.Kind == world.ParamAmount }

// flatActions returns the registry without the standing order.
func flatActions() []world.ActionSpec {
	return slices.DeleteFunc(world.Actions(), func(s world.ActionSpec) bool { return s.Name == standingName })
}

func actionNames() []string {
	var names []string
	for _, spec := range flatActions() {
		names = append(names, spec.Name)
	}
	return names
}

// schema returns the field's schema. Bounds are description text only: a number
// out of bounds is clamped by the world, not refused by a schema.
func (f flatField) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Types: []string{"string", "null"}}
	if isAmount(f.uses[0].param) {
		s.Types[0] = "integer"
	}
	var uses []string
	for _, u := range f.uses {
		uses = append(uses, u.describe())
		for _, choice := range u.param.Choices {
			if !slices.Contains(s.Enum, any(choice)) {
				s.Enum = append(s.Enum, choice)
			}
		}
	}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	s.Description = strings.Join(uses, "; ")
	return s
}

// boundShown is the largest bound worth the room in a description; amounts
// beyond it are bounded by stock in practice.
const boundShown = 100_000

// describe says which action uses the field and, where the field's name and
// choices do not, what it holds and in which bounds.
func (u flatUse) describe() string {
	switch {
	case isAmount(u.param):
		return strings.TrimSpace(u.action + u.bounds() + u.unit())
	case u.param.Kind == world.ParamChoice || strings.Contains(u.param.Name, string(u.param.Kind)):
		return u.action
	}
	return fmt.Sprintf("%s: %s id", u.action, u.param.Kind)
}

func (u flatUse) bounds() string {
	switch p := u.param; {
	case p.Max <= boundShown:
		return fmt.Sprintf(" %d-%d", p.Min, p.Max)
	case p.Min > 1:
		return fmt.Sprintf(" from %d", p.Min)
	}
	return ""
}

// unit names the amount's unit, unless it is the field's own name or says nothing.
func (u flatUse) unit() string {
	if u.param.Unit == u.param.Name || u.param.Unit == "units" {
		return ""
	}
	return " " + u.param.Unit
}

// StandingSchema returns the strict schema of the standing order beside an
// action: null, or the events that end it and how many attempts it may last.
func StandingSchema() json.RawMessage {
	condition := closedObject()
	addProperty(condition, "event", &jsonschema.Schema{Type: "string", Enum: anyNames(eventNames())})
	addProperty(condition, "value_lte", &jsonschema.Schema{Types: []string{"integer", "null"}})
	order := closedObject()
	addProperty(order, "until", &jsonschema.Schema{Type: "array", Items: condition})
	addProperty(order, "max_ticks", &jsonschema.Schema{Type: "integer"})
	return llmclient.Marshal(&jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "null"}, order}})
}

func eventNames() []string {
	var names []string
	for _, e := range world.StopEvents() {
		names = append(names, e.Name)
	}
	return names
}

// closedObject returns a strict object schema without properties.
func closedObject() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

// addProperty adds a required property to a closed object.
func addProperty(s *jsonschema.Schema, name string, property *jsonschema.Schema) {
	s.Properties[name] = property
	s.Required = append(s.Required, name)
	s.PropertyOrder = append(s.PropertyOrder, name)
}
