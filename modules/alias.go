package modules

import (
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// registry are all actions, registryNames their names in the same order: both are
// looked at several times in every answer.
var (
	registry      = world.Actions()
	registryNames = namesOf(registry)
)

func namesOf(specs []world.ActionSpec) []string {
	names := make([]string, len(specs))
	for i, spec := range specs {
		names[i] = spec.Name
	}
	return names
}

// IsAction reports whether a name stands for an action of the registry or for the
// standing order: the name itself, another spelling of it, or an alias.
func IsAction(name string) bool {
	_, _, ok := ActionNamed(name)
	return ok
}

// ActionNamed finds the action that a name stands for. An alias is taken exactly as
// the registry lists it.
func ActionNamed(name string) (known string, used []Leniency, ok bool) {
	if known, used, ok = resolveName(name, registryNames); ok {
		return known, used, true
	}
	for _, spec := range registry {
		if slices.Contains(spec.Aliases, name) {
			return spec.Name, []Leniency{ActionAlias}, true
		}
	}
	return "", nil, false
}

// plainly replaces an action's alias and the aliases of its fields by the names of
// the registry. A field's alias gives way to the field itself, and to a name that
// the action knows anyway. Values stay as they are, except that a placeholder copied
// from a description is an error: it is not a value, and it shows what the model
// needs to be told.
func plainly(v value) (value, []Leniency, *ArgumentError) {
	if v.kind != kindObject {
		return v, nil, nil
	}
	for _, f := range v.fields {
		if f.value.kind == kindString && isPlaceholder(f.value.text) && !isFreeText(f.name) {
			return v, nil, &ArgumentError{Path: knownPath(f.name), Expected: "a value in place of the placeholder", Got: "a placeholder in angle brackets"}
		}
	}
	name := v.field(actionField)
	known, used, ok := ActionNamed(name.text)
	if name.kind != kindString || !ok || known == standingName {
		return v, nil, nil
	}
	if !slices.Contains(used, ActionAlias) {
		// Another spelling is resolved, and counted, where the action is decoded.
		used = nil
	}
	spec := registry[slices.IndexFunc(registry, func(s world.ActionSpec) bool { return s.Name == known })]
	out := value{kind: kindObject}
	for _, f := range v.fields {
		switch {
		case f.name == actionField && len(used) > 0:
			f.value.text = known
		case f.name != actionField:
			if p, ok := aliased(spec, f.name); ok && v.field(p).kind == kindNull && !hasField(out, p) {
				f.name = p
				used = append(used, FieldAlias)
			}
		}
		out.fields = append(out.fields, f)
	}
	return out, used, nil
}

// aliased finds the parameter of an action that has name as an alias. A name that
// the action's own fields bear is none.
func aliased(spec world.ActionSpec, name string) (string, bool) {
	if takes(spec, name) {
		return "", false
	}
	for _, p := range spec.Params {
		if slices.Contains(p.Aliases, name) {
			return p.Name, true
		}
	}
	return "", false
}

// hasField reports whether an object has a field of that name, whatever its value.
func hasField(v value, name string) bool {
	return slices.ContainsFunc(v.fields, func(f field) bool { return f.name == name })
}

// isPlaceholder reports a text such as <name>, which descriptions write for a value.
func isPlaceholder(text string) bool {
	return strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") && !strings.ContainsAny(text[1:len(text)-1], "<>") && len(text) > 2
}

// isFreeText reports whether a field may hold any text at all.
func isFreeText(name string) bool { return name == "text" }

// knownPath is a field's name if it is one of an action, so that no name that a
// model made up gets into an error.
func knownPath(name string) string {
	for _, spec := range registry {
		if name == actionField || takes(spec, name) {
			return name
		}
	}
	return ""
}

// OnlyParameter returns the parameter of an action that has exactly one, and "" for
// every other name.
func OnlyParameter(action string) string {
	known, _, _ := ActionNamed(action)
	for _, spec := range registry {
		if spec.Name == known && spec.Name != standingName && len(spec.Params) == 1 {
			return spec.Params[0].Name
		}
	}
	return ""
}
