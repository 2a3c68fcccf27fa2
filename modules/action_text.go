package modules

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/world"
)

// ActionText lists the actions for a tool's description, one line each: the name,
// the slots it needs with what goes into them, and what it does and costs under
// the rules of an industry, in a language:
//
//	name(slot content, ...): doc
//
// What depends on the moment (which ids exist, what is feasible)
// is in the observation.
// Needless actions and choices are left out.
func ActionText(w *words.Language, rules *world.Industry, needless ...string) string {
	var lines []string
	for _, spec := range rules.Actions() {
		// The standing order accompanies an action and has a schema of its own.
		if spec.Name == standingName || slices.Contains(needless, spec.Name) {
			continue
		}
		line := spec.Name
		if len(spec.Params) > 0 {
			var needed []string
			for _, p := range spec.Params {
				needed = append(needed, p.Slot().String()+contents(w, p, needless))
			}
			line += "(" + strings.Join(needed, ", ") + ")"
		}
		lines = append(lines, line+w.Modules.LineStart+ActionDoc(w, spec, rules, needless...))
	}
	return strings.Join(lines, "\n")
}

// ActionDoc says what an action does and costs under the rules of an industry, where the needless actions and kinds
// of factory are left out.
func ActionDoc(w *words.Language, spec world.ActionSpec, rules *world.Industry, needless ...string) string {
	texts := w.Actions
	if _, differs := w.ActionsAlone[spec.Name]; differs && len(without(servedActions[sectionAgents], needless)) == 0 {
		texts = w.ActionsAlone
	}
	doc := texts.Numbered(spec.Name, spec.Numbers)
	floor := min(rules.RadiationFloor, rules.RadiationFloorCap)
	if spec.Name == (world.Move{}).ActionName() && floor > 0 {
		doc += w.Modules.Floor.Text(floor)
	}
	if spec.Name != (world.BuildFactory{}).ActionName() {
		return doc
	}
	for _, k := range rules.Kinds {
		if !slices.Contains(needless, k.Name) {
			doc += w.Rules.Build.Text(k.Name, amounts(k.Cost), k.Ticks, kindDoc(w, k.Name, rules, needless...))
		}
	}
	return doc
}

// kindDoc says what a kind of factory does, in the numbers of the rules. If recipes run in more than one
// kind, it says which, without the needless ones.
func kindDoc(w *words.Language, kind string, r *world.Industry, needless ...string) string {
	var runs []string
	alone := true
	for _, recipe := range r.Recipes {
		switch {
		case recipe.FactoryKind == "" || slices.Contains(needless, recipe.ID):
		case recipe.FactoryKind == kind:
			runs = append(runs, recipe.ID)
		default:
			alone = false
		}
	}
	_, described := w.FactoryKinds[kind]
	switch {
	case len(runs) > 0 && !(alone && described):
		return w.Rules.Runs.Text(strings.Join(runs, ", "))
	case !described:
		return w.Rules.RunsNothing
	}
	return w.FactoryKinds.Numbered(kind, map[string]int64{"rate": r.PlantRate, "store": r.PlantCap})
}

// contents says what goes into the slot of a parameter: the unit of an amount, the
// kind of an id, the choices. Nothing is said where the slot's name says it all.
func contents(w *words.Language, p world.Param, needless []string) string {
	choices := without(p.Choices, needless)
	switch {
	case p.Kind == world.ParamAmount && (p.Unit == unitsUnit || p.Slot() == world.SlotPrice), p.Kind == world.ParamText:
		return ""
	case p.Slot() == world.SlotForTicks:
		return fmt.Sprintf(" %d-%d", p.Min, p.Max)
	case p.Kind == world.ParamAmount:
		return " " + w.Noun(p.Unit)
	case p.Lists != "":
		// An agent finds resources in its stock, recipes in the rules and kinds in the text.
		return " " + w.Noun(string(p.Lists))
	case p.Kind == world.ParamChoice:
		return " " + strings.Join(choices, "|") // in full, as they have to be written
	}
	text := " " + w.Noun(string(p.Kind))
	switch {
	case p.Optional:
		text += "|null"
	case p.Kind == world.ParamAgent && len(p.ChoiceAliases) > 0:
		text += "|" + world.ToAnyone
	}
	return text
}

// unitsUnit is the unit that is not mentioned.
const unitsUnit = "units"
