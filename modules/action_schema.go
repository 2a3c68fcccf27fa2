package modules

import (
	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/world"
)

// standingName is the action that is not in the flat schema: it stands beside an
// action, in the form of [StandingSchema].
var standingName = world.ExecuteUntil{}.ActionName()

// ActionSchema returns the strict schema of a flat action: the action's name and
// the slots, each with its bare type or null. A union of one object per action
// would be exact, but several times as long in every prompt. Which slots an action
// needs is in [ActionText], bounds and choices are for the world: it clamps a
// number and refuses a wrong choice, so nothing is lost.
func ActionSchema() *jsonschema.Schema { return slotSchema(EnumSchema(answer.ActionNames())) }

// PlannedActionSchema is [ActionSchema] with the most ticks that the action may go on, null
// for once. A slot that is null is left open. The names of actions are listed by
// ActionSchema alone: twice they would cost every call more than they help.
func PlannedActionSchema() *jsonschema.Schema {
	s := slotSchema(&jsonschema.Schema{Type: "string"})
	addProperty(s, "max_ticks", &jsonschema.Schema{Types: []string{"integer", "null"}})
	return s
}

// slotSchema is the schema of an action's name and the slots.
func slotSchema(name *jsonschema.Schema) *jsonschema.Schema {
	s := closedObject()
	addProperty(s, answer.ActionField, name)
	for _, slot := range answer.Slots {
		kind := "string"
		if slot.IsNumber() {
			kind = "integer"
		}
		addProperty(s, slot.String(), &jsonschema.Schema{Types: []string{kind, "null"}})
	}
	return s
}

// StandingSchema returns the strict schema of the standing order beside an
// action: null, or the events that end it, how many attempts it may last, and
// which of the events that end every order it ignores. A condition's value is for
// the events that compare a number and null for the others.
func StandingSchema() *jsonschema.Schema {
	condition := closedObject()
	addProperty(condition, "event", EnumSchema(answer.EventNames()))
	addProperty(condition, "value", &jsonschema.Schema{Types: []string{"integer", "null"}})
	order := closedObject()
	addProperty(order, "until", &jsonschema.Schema{Type: "array", Items: condition})
	addProperty(order, "max_ticks", &jsonschema.Schema{Type: "integer"})
	addProperty(order, "ignore", &jsonschema.Schema{Types: []string{"array", "null"}, Items: EnumSchema(world.StopAlways())})
	order.Type, order.Types = "", []string{"object", "null"}
	return order
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
