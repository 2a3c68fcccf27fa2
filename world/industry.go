package world

import "slices"

// FactoryKind is a kind of factory that can be built.
type FactoryKind struct {
	// Name is the factory_kind argument of build_factory. It begins with "factory.".
	Name string `json:"name"`
	// Cost is paid when construction starts.
	Cost []Amount `json:"cost"`
	// Ticks is how long construction takes.
	Ticks int64 `json:"ticks"`

	cost stock
	// generates says that it is a power plant: it has a store and runs no products.
	generates bool
}

// Recipe turns stock into a product and data in a factory of one kind.
type Recipe struct {
	// ID is the recipe_id argument of schedule_recipe and begins with "recipe."; Alias is accepted
	// too.
	ID    string `json:"id"`
	Alias string `json:"alias"`
	// FactoryKind names the kind of factory that can run it, empty for any kind.
	FactoryKind string `json:"factory_kind"`
	// Inputs are paid per batch at scheduling, Outputs arrive when it ends.
	Inputs  []Amount `json:"inputs"`
	Outputs []Amount `json:"outputs"`
	// Ticks is the duration of one batch.
	Ticks int64 `json:"ticks"`

	inputs, outputs stock
	// maintains says that it makes nothing and takes away the factory's wear.
	maintains bool
}

// The factory kinds.
const (
	// AssemblerMk1 is the factory kind that runs the product recipes.
	AssemblerMk1 = "factory.assembler.mk1"
	// RadiationPlantMk1 is the factory kind that turns radiation into electricity.
	RadiationPlantMk1 = "factory.power.radiation.mk1"
)

// MaintenanceRecipe is the id of the recipe that takes away a factory's wear.
const MaintenanceRecipe = "recipe.maintenance"

// Industry is what can be made in a world, under which rules. It never changes, so that all who ask
// for it may share one; it must not be changed.
type Industry struct {
	Rules
	// Resources are the names of all resources in their fixed order: the built-in ones, then the
	// scenario's own products.
	Resources []string
	// Kinds are the kinds of factory. The position in the list is the kind's number in stored
	// records, so new kinds go to the end; those of the scenario follow the built-in ones.
	Kinds []FactoryKind
	// Recipes are the recipes, the built-in ones cheapest first, then those of the scenario. The
	// position in the list is the recipe's number in stored records. Of the built-in ones a dearer
	// product yields more data and takes longer, in step with its inputs.
	Recipes []Recipe
	// Regrows says that a place of the world regrows compound.
	Regrows bool
}

// Industry returns the built-in industry under the rules.
func (r Rules) Industry() *Industry { return Scenario{Rules: r}.Industry() }

// regrows reports whether a place of the scenario regrows compound.
func (s Scenario) regrows() bool {
	grows := func(p Place) bool { return p.RegenG > 0 }
	return s.Belt != nil && s.Belt.RegenPPM > 0 || slices.ContainsFunc(s.Places, grows)
}

// Industry returns what can be made in the scenario's world. The scenario must be sound, see
// [Scenario.Check].
func (s Scenario) Industry() *Industry {
	r := s.Rules
	in := &Industry{Rules: r, Regrows: s.regrows()}
	in.Resources = slices.Concat(resourceNames, s.Products)
	in.Kinds = []FactoryKind{{
		Name:  AssemblerMk1,
		Ticks: r.BuildTicks,
		cost:  stock{electricity: r.BuildElectricity, hardware: r.BuildHardware},
	}, {
		Name:      RadiationPlantMk1,
		Ticks:     r.PlantTicks,
		cost:      stock{electricity: r.PlantElectricity, hardware: r.PlantHardware},
		generates: true,
	}}
	for i := range in.Kinds {
		in.Kinds[i].Cost = in.Kinds[i].cost.amounts(in.Resources)
	}
	for _, k := range s.FactoryKinds {
		k.cost = in.stockOf(k.Cost)
		in.Kinds = append(in.Kinds, k)
	}
	in.Recipes = []Recipe{
		assembly(controlChip, 2, stock{electricity: 6, hardware: 2}, 1),
		assembly(motorMk1, 3, stock{electricity: 12, hardware: 4}, 2),
		assembly(logisticsDrone, 5, stock{electricity: 24, hardware: 8}, 4),
		{
			ID: MaintenanceRecipe, Alias: MaintenanceRecipe, Ticks: 1,
			inputs: stock{electricity: 4, hardware: 1}, maintains: true,
		},
	}
	for i := range in.Recipes {
		recipe := &in.Recipes[i]
		recipe.Inputs, recipe.Outputs = recipe.inputs.amounts(in.Resources), recipe.outputs.amounts(in.Resources)
	}
	for _, recipe := range s.Recipes {
		recipe.inputs, recipe.outputs = in.stockOf(recipe.Inputs), in.stockOf(recipe.Outputs)
		in.Recipes = append(in.Recipes, recipe)
	}
	return in
}

// Industry is what can be made in the world under rules.
func (w *World) Industry(r Rules) *Industry {
	s := w.scenario
	s.Rules = r
	return s.Industry()
}

// Resources lists the names of all resources of the world in their fixed order.
func (w *World) Resources() []string { return slices.Clone(w.law.Resources) }

// stockOf is a stock of amounts of resources.
func (r *Industry) stockOf(list []Amount) (s stock) {
	for _, a := range list {
		n, known := r.resource(a.Resource)
		if !known {
			panic("world: a checked scenario takes or makes what it does not know")
		}
		s[n] = a.Amount
	}
	return s
}

// resource finds a resource by its exact name.
func (r *Industry) resource(name string) (resource, bool) {
	n := slices.Index(r.Resources, name)
	return resource(max(n, 0)), n >= 0
}

// assembly is a recipe of the assembler: one piece of a product and some data per
// batch.
func assembly(product resource, ticks int64, inputs stock, dataOut int64) Recipe {
	out := stock{data: dataOut}
	out[product] = 1
	return Recipe{
		ID: "recipe.assembler." + resourceNames[product], Alias: "recipe." + resourceNames[product],
		FactoryKind: AssemblerMk1, Ticks: ticks, inputs: inputs, outputs: out,
	}
}

// Choices are those of a parameter in this industry.
func (r *Industry) Choices(p Param) []string {
	var names []string
	switch p.Lists {
	case ListsResources:
		return r.Resources
	case ListsRecipes:
		for _, recipe := range r.Recipes {
			names = append(names, recipe.ID)
		}
	case ListsKinds:
		for _, k := range r.Kinds {
			names = append(names, k.Name)
		}
	default:
		return p.Choices
	}
	return names
}

// recipeNumber finds a recipe by id or alias.
func recipeNumber(recipes []Recipe, name string) (int, bool) {
	i := slices.IndexFunc(recipes, func(r Recipe) bool { return r.ID == name || r.Alias == name })
	return max(i, 0), i >= 0
}

func kindNumber(kinds []FactoryKind, name string) (int, bool) {
	i := slices.IndexFunc(kinds, func(k FactoryKind) bool { return k.Name == name })
	return max(i, 0), i >= 0
}
