package world

import (
	"encoding/json"
	"maps"
	"slices"
)

// Part is one of the things that a scenario makes its worlds of.
type Part struct {
	// Name is its key in a scenario's file, such as "personas" or "rules.idle_draw".
	Name string
	// Value is its value as JSON.
	Value string
}

// Parts are all that the worlds of a scenario are made of, in a fixed order: scenarios with equal parts make
// equal worlds of equal seeds. Personas and goals are in a language, as for [Scenario.In]. What is empty, and a
// rule that has its default, is no part, and neither are titles, aliases, the suggested seed and the texts in
// other languages.
func (s Scenario) Parts(language string) (list []Part) {
	for _, part := range s.In(language).possibleParts() {
		if !part.usual {
			list = append(list, part.Part)
		}
	}
	return list
}

// PartNames are the names of all that can be a [Part], those of rules as "rules.idle_draw".
func PartNames() (names []string) {
	for _, part := range (Scenario{}).possibleParts() {
		names = append(names, part.Name)
	}
	return names
}

// possiblePart is a part unless it is as usual.
type possiblePart struct {
	Part
	usual bool
}

// possibleParts are all that can be parts, in their order.
func (s Scenario) possibleParts() (list []possiblePart) {
	add := func(name string, value any) {
		text, err := json.Marshal(value)
		if err != nil {
			panic("world: " + name + " of a scenario cannot be encoded: " + err.Error())
		}
		empty := slices.Contains([]string{"null", "[]", "{}", "0", "false", `""`}, string(text))
		list = append(list, possiblePart{Part{name, string(text)}, empty})
	}
	add("space", s.Space)
	add("visibility_km", s.VisibilityKM)
	add("places_shown", s.PlacesShown)
	add("agents_shown", s.AgentsShown)
	add("terms", s.Terms)
	rules, usual := s.Rules.byName(), DefaultRules().byName()
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		same := string(rules[name]) == string(usual[name])
		list = append(list, possiblePart{Part{"rules." + name, string(rules[name])}, same})
	}
	add("products", s.Products)
	add("factory_kinds", s.FactoryKinds)
	add("recipes", s.Recipes)
	add("places", s.Places)
	add("belt", s.Belt)
	add("agents", s.Agents)
	add("personas", s.Personas)
	add("goals", s.Goals)
	add("documents", s.Documents)
	add("tools", s.Tools)
	add("policy", s.Policy)
	add("vary", s.Vary)
	add("task", s.Task)
	return list
}

// byName are the values of the rules as JSON by their names.
func (r Rules) byName() (values map[string]json.RawMessage) {
	text, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	if err != nil {
		panic("world: rules cannot be encoded: " + err.Error())
	}
	return values
}
