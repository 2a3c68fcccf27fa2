package modules

import (
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/world"
)

// ActionText lists the actions for a tool's description, one line each: the name,
// the slots it needs with what goes into them, and what it does and costs under
// the given rules, in a language:
//
//	name(slot content, ...): doc
//
// What depends on the moment (which ids exist, what is feasible)
// is in the observation.
// Needless actions are left out.
func ActionText(l Language, rules world.Rules, needless ...string) string {
	w := wordsOf(l)
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
				needed = append(needed, p.Slot().String()+contents(w, p))
			}
			line += "(" + strings.Join(needed, ", ") + ")"
		}
		doc := spec.Doc
		if told := w.registry.actions[spec.Name]; told != nil {
			doc = told(rules)
		}
		lines = append(lines, line+w.lineStart+doc)
	}
	return strings.Join(lines, "\n")
}

// contents says what goes into the slot of a parameter: the unit of an amount, the
// kind of an id, the choices. Nothing is said where the slot's name says it all.
func contents(w *wording, p world.Param) string {
	switch {
	case p.Kind == world.ParamAmount && (p.Unit == unitsUnit || p.Slot() == world.SlotPrice), p.Kind == world.ParamText:
		return ""
	case p.Slot() == world.SlotForTicks:
		return fmt.Sprintf(" %d-%d", p.Min, p.Max)
	case p.Kind == world.ParamAmount:
		return " " + w.noun(p.Unit)
	case p.Kind == world.ParamChoice && slices.Equal(p.Choices, world.Resources()):
		return " " + w.noun(resourceNoun)
	case p.Kind == world.ParamChoice && strings.HasPrefix(p.Choices[0], recipeNoun):
		return " " + w.noun(recipeNoun)
	case p.Kind == world.ParamChoice:
		return " " + strings.Join(p.Choices, "|") // in full, as they have to be written
	}
	text := " " + w.noun(string(p.Kind))
	switch {
	case p.Optional:
		text += "|null"
	case p.Kind == world.ParamAgent && len(p.ChoiceAliases) > 0:
		text += "|" + world.ToAnyone
	}
	return text
}

// unitsUnit is the unit that is not mentioned. resourceNoun replaces the list of resources,
// because an agent finds them in its own stock. recipeNoun replaces the list of recipes,
// because the rules in a prompt list them with their inputs.
const (
	unitsUnit    = "units"
	resourceNoun = "resource"
	recipeNoun   = "recipe"
)
