package modules

import (
	"encoding/json"
	"slices"

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
// one nullable field per distinct parameter of the registry. A union of one object
// per action would be exact, but several times as long in every prompt.
func ActionSchema() json.RawMessage {
	s := closedObject()
	addProperty(s, actionField, &jsonschema.Schema{Type: "string", Enum: anyNames(actionNames())})
	for _, f := range flatFields() {
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

// flatFields returns the distinct parameter names in registry order, each with
// every action that uses it. It panics when two actions give one name to an
// amount and to a text, which the flat form could not hold.
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

// isAmount reports whether a parameter is a number; all others are texts.
func isAmount(p world.Param) bool { return p.Kind == world.ParamAmount }

// flatActions returns the registry without the standing order.
func flatActions() []world.ActionSpec {
	return slices.DeleteFunc(world.Actions(), func(s world.ActionSpec) bool { return s.Name == standingName })
}

// actionNames lists the names a flat action may have, in registry order.
func actionNames() []string {
	var names []string
	for _, spec := range flatActions() {
		names = append(names, spec.Name)
	}
	return names
}

// schema returns the field's schema: its bare type. Which action needs it, bounds
// and choices stand once in the instructions; repeated here they would be in
// every tool that takes an action. A number out of bounds is clamped by the world
// and a wrong choice refused by the registry, so nothing is lost.
func (f flatField) schema() *jsonschema.Schema {
	if isAmount(f.uses[0].param) {
		return &jsonschema.Schema{Types: []string{"integer", "null"}}
	}
	return &jsonschema.Schema{Types: []string{"string", "null"}}
}

// StandingSchema returns the strict schema of the standing order beside an
// action: null, or the events that end it and how many attempts it may last. A
// condition's value_lte is for the events that compare a number and null for the
// others.
func StandingSchema() json.RawMessage {
	condition := closedObject()
	addProperty(condition, "event", &jsonschema.Schema{Type: "string", Enum: anyNames(eventNames())})
	addProperty(condition, "value_lte", &jsonschema.Schema{Types: []string{"integer", "null"}})
	order := closedObject()
	addProperty(order, "until", &jsonschema.Schema{Type: "array", Items: condition})
	addProperty(order, "max_ticks", &jsonschema.Schema{Type: "integer"})
	order.Type, order.Types = "", []string{"object", "null"}
	return llmclient.Marshal(order)
}

// eventNames lists the stop events in their fixed order.
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
