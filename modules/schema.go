package modules

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/world"
)

// SchemaOf returns the schema of an argument struct. It stays in the subset that strict
// function tools allow: objects are closed and require every property, pointers are
// nullable, and bounds belong into descriptions. Properties with the names in given have
// those schemas, at any depth; a nullable choice may be null as well. The struct must have
// no omitempty, which would make a property optional, and no map but in given properties,
// which would leave an object open.
func SchemaOf[Args any](given map[string]*jsonschema.Schema) *jsonschema.Schema {
	inferred, err := jsonschema.For[Args](nil)
	if err != nil {
		panic("modules: no schema for an argument type: " + err.Error())
	}
	return strict(inferred, given)
}

func strict(s *jsonschema.Schema, given map[string]*jsonschema.Schema) *jsonschema.Schema {
	if s.Items != nil {
		return &jsonschema.Schema{Type: "array", Items: strict(s.Items, given)}
	}
	for name, property := range s.Properties {
		replaced, ok := given[name]
		switch {
		case !ok:
			replaced = strict(property, given)
		case len(replaced.Enum) > 0 && slices.Contains(property.Types, "null"):
			replaced = &jsonschema.Schema{Types: property.Types, Enum: append(slices.Clone(replaced.Enum), nil)}
		}
		s.Properties[name] = replaced
	}
	return s
}

// EnumSchema returns the schema of a text that is one of the names.
func EnumSchema(names []string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, name := range names {
		s.Enum = append(s.Enum, name)
	}
	return s
}

// standingName is the action that is not in the flat schema. It accompanies an action,
// in the form of [StandingSchema].
var standingName = world.ExecuteUntil{}.ActionName()

// ActionSchema returns the strict schema of a flat action: the action's name and
// the slots, each with its bare type or null. A union of one object per action
// would be exact, but several times as long in every prompt. Which slots an action
// needs is in [ActionText], bounds and choices are for the world: it clamps a
// number and refuses a wrong choice, so nothing is lost.
// Needless actions are left out.
func ActionSchema(needless ...string) *jsonschema.Schema {
	return slotSchema(EnumSchema(answer.ActionNames(needless...)), needless)
}

// CandidateSchema is [ActionSchema] with at most then further steps, null for none. Such a step is an
// action with the events that end it and its most attempts, both null for once. The names of actions
// and events are listed elsewhere in the same tools.
func CandidateSchema(then int, needless ...string) *jsonschema.Schema {
	s := ActionSchema(needless...)
	if then == 0 {
		return s
	}
	step := slotSchema(&jsonschema.Schema{Type: "string"}, needless)
	condition := closedObject()
	addProperty(condition, "event", &jsonschema.Schema{Type: "string"})
	addProperty(condition, "value", nullable("integer"))
	addProperty(step, "until", &jsonschema.Schema{Types: []string{"array", "null"}, Items: condition})
	addProperty(step, "max_ticks", nullable("integer"))
	addProperty(s, "then", &jsonschema.Schema{Types: []string{"array", "null"}, Items: step, MaxItems: &then})
	return s
}

// PlannedActionSchema is [ActionSchema] with the most ticks that the action may last, null
// for once. A slot that is null is left open. Only ActionSchema lists the names of actions:
// a second list would cost every call more than it helps.
func PlannedActionSchema(needless ...string) *jsonschema.Schema {
	s := slotSchema(&jsonschema.Schema{Type: "string"}, needless)
	addProperty(s, "max_ticks", nullable("integer"))
	return s
}

// slotSchema is the schema of an action's name and the slots, without those of needless
// actions alone.
func slotSchema(name *jsonschema.Schema, needless []string) *jsonschema.Schema {
	s := closedObject()
	addProperty(s, answer.ActionField, name)
	for _, slot := range answer.Slots(needless...) {
		kind := "string"
		if slot.IsNumber() {
			kind = "integer"
		}
		addProperty(s, slot.String(), nullable(kind))
	}
	return s
}

// StandingSchema returns the strict schema of the standing order beside an
// action: null, or the events that end it, how many attempts it may last, and
// which of the events that end every order or wake a sleep it ignores. A condition's value is for
// the events that compare a number and null for the others. Needless events are left out.
func StandingSchema(needless ...string) *jsonschema.Schema {
	condition := closedObject()
	addProperty(condition, "event", EnumSchema(without(answer.EventNames(), needless)))
	addProperty(condition, "value", nullable("integer"))
	order := closedObject()
	addProperty(order, "until", &jsonschema.Schema{Type: "array", Items: condition})
	addProperty(order, "max_ticks", &jsonschema.Schema{Type: "integer"})
	addProperty(order, "ignore", &jsonschema.Schema{Types: []string{"array", "null"},
		Items: EnumSchema(without(world.Ignorable(), needless))})
	order.Type, order.Types = "", []string{"object", "null"}
	return order
}

// without returns the names that are not needless.
func without(names, needless []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(needless, name) })
}

func nullable(kind string) *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{kind, "null"}}
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

// CheckStrict reports why a schema is not in the subset that strict function tools allow, see [SchemaOf].
func CheckStrict(s *jsonschema.Schema) error {
	if s.Type != "object" {
		return errors.New("its parameters are no object")
	}
	return checkStrict("parameters", s)
}

func checkStrict(path string, s *jsonschema.Schema) error {
	known := []string{"object", "array", "string", "integer", "number", "boolean", "null"}
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	unknown := func(t string) bool { return !slices.Contains(known, t) }
	if len(types) == 0 || slices.ContainsFunc(types, unknown) {
		return fmt.Errorf("%s: a type is missing or unknown", path)
	}
	if slices.Contains(types, "array") {
		if s.Items == nil {
			return fmt.Errorf("%s: a list says nothing about its elements", path)
		}
		return checkStrict(path+"[]", s.Items)
	}
	if !slices.Contains(types, "object") {
		return nil
	}
	if s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil {
		return fmt.Errorf("%s: an object is open to further members", path)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) {
			return fmt.Errorf("%s.%s: a member is not required; one that may be left out is a pointer, without omitempty", path,
				name)
		}
		if err := checkStrict(path+"."+name, s.Properties[name]); err != nil {
			return err
		}
	}
	return nil
}
