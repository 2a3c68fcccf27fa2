package world

import "slices"

// FactoryKind is a kind of factory that can be built.
type FactoryKind struct {
	// Name is the factory_kind argument of build_factory.
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
	// ID is the recipe_id argument of schedule_recipe; Alias is accepted too.
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

// FactoryKinds lists the kinds of factory under the rules, in a fixed order. The
// position in the list is the kind's number in stored records, so new kinds go to
// the end.
func (r Rules) FactoryKinds() []FactoryKind {
	kinds := []FactoryKind{{
		Name:  AssemblerMk1,
		Ticks: r.BuildTicks,
		cost:  stock{electricity: r.BuildElectricity, hardware: r.BuildHardware},
	}, {
		Name:      RadiationPlantMk1,
		Ticks:     r.PlantTicks,
		cost:      stock{electricity: r.PlantElectricity, hardware: r.PlantHardware},
		generates: true,
	}}
	for i := range kinds {
		kinds[i].Cost = kinds[i].cost.amounts()
	}
	return kinds
}

// Recipes lists the recipes under the rules, cheapest first. The position in the
// list is the recipe's number in stored records, so new ones go to the end.
// A dearer product yields more data and takes longer, in step with its inputs.
func (r Rules) Recipes() []Recipe {
	list := []Recipe{
		assembly(controlChip, 2, stock{electricity: 6, hardware: 2}, 1),
		assembly(motorMk1, 3, stock{electricity: 12, hardware: 4}, 2),
		assembly(logisticsDrone, 5, stock{electricity: 24, hardware: 8}, 4),
		{
			ID: MaintenanceRecipe, Alias: MaintenanceRecipe, Ticks: 1,
			inputs: stock{electricity: 4, hardware: 1}, maintains: true,
		},
	}
	for i := range list {
		list[i].Inputs = list[i].inputs.amounts()
		list[i].Outputs = list[i].outputs.amounts()
	}
	return list
}

// assembly is a recipe of the assembler: one piece of a product and some data per
// batch.
func assembly(product resource, ticks int64, inputs stock, dataOut int64) Recipe {
	out := stock{data: dataOut}
	out[product] = 1
	return Recipe{
		ID: "recipe.assembler." + product.String(), Alias: "recipe." + product.String(),
		FactoryKind: AssemblerMk1, Ticks: ticks, inputs: inputs, outputs: out,
	}
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
