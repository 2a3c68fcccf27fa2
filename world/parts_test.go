package world

import (
	"reflect"
	"slices"
	"testing"
)

// partless are the fields of a scenario that make no world.
var partless = []string{"ID", "Aliases", "Name", "Text", "Seed", "PersonasFile", "Texts", "PlannedAgents"}

// TestPartsKnowEveryField: whatever field of a scenario changes, its parts change, but for those that make no
// world.
func TestPartsKnowEveryField(t *testing.T) {
	plain := Scenario{Rules: DefaultRules()}
	before := plain.Parts("en")
	kind := reflect.TypeFor[Scenario]()
	for i := range kind.NumField() {
		changed := plain
		another(t, reflect.ValueOf(&changed).Elem().Field(i))
		same := slices.Equal(changed.Parts("en"), before)
		if name := kind.Field(i).Name; same != slices.Contains(partless, name) {
			t.Errorf("another %s: the parts are equal: %v", name, same)
		}
	}
	rules := reflect.TypeFor[Rules]()
	for i := range rules.NumField() {
		changed := plain
		another(t, reflect.ValueOf(&changed.Rules).Elem().Field(i))
		got := changed.Parts("en")
		if want := "rules." + rules.Field(i).Tag.Get("json"); len(got) != len(before)+1 || !has(got, want) {
			t.Errorf("another %s: %v", want, got)
		}
	}
}

// has says that there is a part of a name.
func has(list []Part, name string) bool {
	return slices.ContainsFunc(list, func(p Part) bool { return p.Name == name })
}

// another gives a field a value that is not its own.
func another(t *testing.T, field reflect.Value) {
	t.Helper()
	switch field.Kind() {
	case reflect.String:
		field.SetString(field.String() + "x")
	case reflect.Bool:
		field.SetBool(!field.Bool())
	case reflect.Int64:
		field.SetInt(field.Int() + 1)
	case reflect.Uint64:
		field.SetUint(field.Uint() + 1)
	case reflect.Slice:
		field.Set(reflect.MakeSlice(field.Type(), 1, 1))
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
	case reflect.Map:
		field.Set(reflect.MakeMap(field.Type()))
	case reflect.Struct:
		another(t, field.Field(0))
	default:
		t.Fatalf("a field of kind %s", field.Kind())
	}
}

// TestPartsFollowTheLanguage: a translation that is not played makes no other world.
func TestPartsFollowTheLanguage(t *testing.T) {
	s := Scenario{Rules: DefaultRules(), Personas: []Persona{{Name: "Ada", Text: "You count."}}}
	said := s
	said.Texts = map[string]Translation{"zh": {Personas: []Persona{{Text: "你数数。"}}}}
	if !slices.Equal(s.Parts("en"), said.Parts("en")) || slices.Equal(s.Parts("zh"), said.Parts("zh")) {
		t.Errorf("English %v and %v, Chinese %v", s.Parts("en"), said.Parts("en"), said.Parts("zh"))
	}
}
