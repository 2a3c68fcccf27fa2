package world

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The limits of what a scenario adds to the industry. Every prompt lists it.
const (
	// ProductsMax, ownRecipesMax and ownKindsMax bound how much there is.
	ProductsMax   = 16
	ownRecipesMax = 24
	ownKindsMax   = 8
	// inputMax bounds what a batch takes of a resource and what a factory costs, outputMax what a
	// batch yields, so that no balance of a long run overflows.
	inputMax  = 1_000_000
	outputMax = 1000
	// batchTicksMax bounds a batch and a construction.
	batchTicksMax = 1000
)

// ownID is the form of the ids that a scenario gives to products, recipes and kinds of factory: they
// stand in every prompt as they are.
var ownID = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

// RecipePrefix and KindPrefix begin the names of all recipes and of all kinds of factory. What follows
// them in the names of the scenario's own is the id in its file.
const (
	RecipePrefix = "recipe."
	KindPrefix   = "factory."
)

// checkIndustry checks what the scenario adds to the built-in industry. Names of one sort are unique,
// since actions choose by them.
func (s Scenario) checkIndustry() error {
	all := wrongs{}
	all.when(len(s.Products) > ProductsMax, "products: %d, want at most %d", len(s.Products), ProductsMax)
	all.when(len(s.FactoryKinds) > ownKindsMax, "factory_kinds: %d, want at most %d", len(s.FactoryKinds), ownKindsMax)
	all.when(len(s.Recipes) > ownRecipesMax, "recipes: %d, want at most %d", len(s.Recipes), ownRecipesMax)
	if len(all) > 0 {
		return errors.Join(all...)
	}
	known := Resources()
	for i, name := range s.Products {
		field := fmt.Sprintf("products[%d]", i)
		all.own(field, "", name)
		all.when(slices.Contains(known, name), "%s: there is a resource %q already", field, name)
		meant, alias := resourceAliases[name]
		all.when(alias, "%s: %q is another word for %s", field, name, meant)
		all.when(slices.Contains([]string{Heat, Ticks, ToAnyone}, name), "%s: %q means something else", field, name)
		known = append(known, name)
	}
	built := s.Rules.Industry()
	kinds := s.checkKinds(&all, built, known)
	s.checkRecipes(&all, built, known, kinds)
	return errors.Join(all...)
}

// checkKinds checks the scenario's kinds of factory, with the resources that are known, and names all kinds. There are
// none if one has a wrong name: what it is called elsewhere would only be told to be no kind.
func (s Scenario) checkKinds(all *wrongs, built *Industry, known []string) (kinds []string) {
	for _, k := range built.Kinds {
		kinds = append(kinds, k.Name)
	}
	misnamed := false
	for i, k := range s.FactoryKinds {
		field := fmt.Sprintf("factory_kinds[%d]", i)
		before := len(*all)
		all.own(field+".id", KindPrefix, k.Name)
		misnamed = misnamed || len(*all) > before
		all.when(slices.Contains(kinds, k.Name), "%s.id: there is a kind %q already", field, k.Name)
		kinds = append(kinds, k.Name)
		all.amounts(field+".cost", k.Cost, known, inputMax)
		all.fits(field+".cost", k.Cost, s.Rules)
		*all = append(*all, within([]valueRange{{field + ".ticks", k.Ticks, 1, batchTicksMax}}))
	}
	if misnamed {
		return nil
	}
	return kinds
}

// checkRecipes checks the scenario's recipes, with the resources and the kinds of factory that are known, if these are.
func (s Scenario) checkRecipes(all *wrongs, built *Industry, known, kinds []string) {
	run := slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == RadiationPlantMk1 })
	var names []string
	for _, r := range built.Recipes {
		names = append(names, r.ID, r.Alias)
	}
	for i, r := range s.Recipes {
		field := fmt.Sprintf("recipes[%d]", i)
		all.own(field+".id", RecipePrefix, r.ID)
		all.when(slices.Contains(names, r.ID), "%s.id: there is a recipe %q already", field, r.ID)
		names = append(names, r.ID)
		unknown := len(run) > 0 && !slices.Contains(run, r.FactoryKind)
		all.when(unknown, "%s.factory_kind: %q is no kind of factory that runs recipes; allowed: %s", field,
			cleanText(r.FactoryKind, idLengthMax), strings.Join(run, ", "))
		all.amounts(field+".inputs", r.Inputs, known, inputMax)
		all.fits(field+".inputs", r.Inputs, s.Rules)
		all.amounts(field+".outputs", r.Outputs, known, outputMax)
		all.when(len(r.Inputs) == 0, "%s.inputs: it takes nothing", field)
		all.when(len(r.Outputs) == 0, "%s.outputs: it makes nothing", field)
		for _, a := range r.Outputs {
			raw := slices.Contains([]string{Electricity, Compound, Hardware}, a.Resource)
			all.when(raw, "%s.outputs: no recipe makes %s; it is harvested, mined or refined", field, a.Resource)
			all.when(slices.Contains(s.parts(a.Resource), a.Resource), "%s.outputs: %s is made of itself", field, a.Resource)
		}
		*all = append(*all, within([]valueRange{{field + ".ticks", r.Ticks, 1, batchTicksMax}}))
	}
}

// parts lists what the scenario's recipes of a product take, and what the recipes of that take.
func (s Scenario) parts(product string) (parts []string) {
	for todo := []string{product}; len(todo) > 0; todo = todo[1:] {
		for _, r := range s.Recipes {
			if !slices.ContainsFunc(r.Outputs, func(a Amount) bool { return a.Resource == todo[0] }) {
				continue
			}
			for _, in := range r.Inputs {
				if !slices.Contains(parts, in.Resource) {
					parts, todo = append(parts, in.Resource), append(todo, in.Resource)
				}
			}
		}
	}
	return parts
}

// own refuses an id of the scenario's own that is not of the form.
func (w *wrongs) own(field, prefix, name string) {
	id, has := strings.CutPrefix(name, prefix)
	w.when(!has || !ownID.MatchString(id), "%s: %q is not 1 to 32 of a-z 0-9 _", field, cleanText(id, idLengthMax))
}

// amounts refuses amounts of what is no resource, of one listed twice, and out of range.
func (w *wrongs) amounts(field string, list []Amount, known []string, most int64) {
	for i, a := range list {
		unknown := !slices.Contains(known, a.Resource)
		w.when(unknown, "%s: %q is no resource; allowed: %s", field, cleanText(a.Resource, idLengthMax),
			strings.Join(known, ", "))
		twice := slices.ContainsFunc(list[:i], func(b Amount) bool { return b.Resource == a.Resource })
		w.when(twice, "%s: %q is listed twice", field, a.Resource)
		*w = append(*w, within([]valueRange{{field + "." + a.Resource, a.Amount, 1, most}}))
	}
}

// fits refuses a price that no battery can pay.
func (w *wrongs) fits(field string, list []Amount, r Rules) {
	for _, a := range list {
		w.when(a.Resource == Electricity && a.Amount > r.PowerCapacity,
			"%s: %d electricity is more than a battery holds (rules.power_capacity is %d)", field, a.Amount, r.PowerCapacity)
	}
}
