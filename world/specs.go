package world

import (
	"fmt"
	"slices"
)

// Actions returns the registry under the default rules: every action in its
// fixed order. The list is a copy, as it is asked for all the time; what its specs
// refer to must not be changed.
func Actions() []ActionSpec { return slices.Clone(registry) }

// Actions returns the registry with docs that state these rules' costs. Names,
// parameters and bounds are the same under all rules.
// Schemas and decoders rely on the names; docs are read by models at every call
// and are kept short. What depends on the moment (what is feasible now, which ids
// exist) is not said here but in the observation's affordances.
func (r Rules) Actions() []ActionSpec {
	list := []ActionSpec{
		{Name: "wait", Doc: "Do nothing."},
		waitTicksSpec(),
		r.moveSpec(),
		r.harvestSpec(),
		r.mineSpec(),
		r.refineSpec(),
		r.buildSpec(),
		r.scheduleSpec(),
		transferSpec(),
	}
	list = append(list, marketSpecs()...)
	return withAliases(append(list, messageSpec(), noteSpec(), executeUntilSpec()))
}

// waitTicksSpec and the specs below describe one action each; costs in the docs
// come from the rules, so that no text can contradict them.
func waitTicksSpec() ActionSpec {
	return ActionSpec{
		Name: "wait_ticks",
		Doc:  "Sleep; a job, message, fill or power change wakes you.",
		Params: []Param{
			{Name: "ticks", Kind: ParamAmount, Unit: Ticks, Min: 1, Max: WaitTicksMax, Doc: "ticks to sleep"},
		},
	}
}

func (r Rules) moveSpec() ActionSpec {
	return ActionSpec{
		Name: "move_agent",
		Doc: fmt.Sprintf("%d electricity per started km; %d km per tick.",
			r.MoveCostPerKM, r.MoveRangeKM),
		Params: []Param{{Name: "to", Kind: ParamPlace, Doc: "id of the place"}},
	}
}

func (r Rules) harvestSpec() ActionSpec {
	return ActionSpec{
		Name: "harvest_radiation",
		Doc: fmt.Sprintf("Radiation here to electricity, %d heat per unit.",
			r.HeatFactor),
		Params: []Param{
			{Name: "max_amount", Kind: ParamAmount, Unit: "units", Min: 1, Max: HarvestMax, Doc: "most electricity to take"},
		},
	}
}

func (r Rules) mineSpec() ActionSpec {
	return ActionSpec{
		Name: "mine_compound",
		Doc:  fmt.Sprintf("%d electricity per started kg.", r.MineCostPerKG),
		Params: []Param{
			{Name: "compound_mass_g", Kind: ParamAmount, Unit: "g", Min: 1, Max: MineMaxG, Doc: "compound to dig, in grams"},
		},
	}
}

func (r Rules) refineSpec() ActionSpec {
	return ActionSpec{
		Name: "refine_compound",
		Doc: fmt.Sprintf("%d g and %d electricity give 1 hardware.",
			r.RefineGPerHardware, r.RefineCostPerKG),
		Params: []Param{{
			Name: "compound_mass_g", Kind: ParamAmount, Unit: "g", Min: r.RefineGPerHardware, Max: RefineMaxG,
			Doc: "compound to use up, in grams, whole kilograms",
		}},
	}
}

func (r Rules) buildSpec() ActionSpec {
	return ActionSpec{
		Name: "build_factory",
		Doc: fmt.Sprintf("Here: %d electricity, %d hardware; plant %d, %d.",
			r.BuildElectricity, r.BuildHardware, r.PlantElectricity, r.PlantHardware),
		Params: []Param{{
			Name: "factory_kind", Kind: ParamChoice, Choices: kindNames(r.FactoryKinds()), Doc: "kind of factory",
		}},
	}
}

func (r Rules) scheduleSpec() ActionSpec {
	return ActionSpec{
		Name: "schedule_recipe",
		Doc:  "At your factory here; inputs are paid now.",
		Params: []Param{
			{Name: "factory_id", Kind: ParamFactory, Doc: "id of your factory"},
			{Name: "recipe_id", Kind: ParamChoice, Choices: recipeIDs(r.Recipes()), Doc: "recipe to run"},
			{Name: "batches", Kind: ParamAmount, Unit: "batches", Min: 1, Max: BatchesMax, Doc: "how many batches"},
		},
	}
}

func transferSpec() ActionSpec {
	return ActionSpec{
		Name: "transfer_resource",
		Doc:  "Give to an agent here.",
		Params: []Param{
			{Name: "to_agent", Kind: ParamAgent, Doc: "id of the receiver"},
			{Name: "kind", Kind: ParamChoice, Choices: Resources(), Doc: "resource to give"},
			{Name: "amount", Kind: ParamAmount, Unit: "units", Min: 1, Max: amountMax, Give: true, Doc: "how much, compound in grams"},
		},
	}
}

func messageSpec() ActionSpec {
	return ActionSpec{
		Name: "send_message",
		Doc:  "To any agent; far ones get it later.",
		Params: []Param{
			{Name: "to_agent", Kind: ParamAgent, Doc: "id of the receiver"},
			{Name: "text", Kind: ParamText, Max: TextMax, Doc: "what to say"},
		},
	}
}

func noteSpec() ActionSpec {
	return ActionSpec{
		Name:   "post_note",
		Doc:    "Note here for visitors.",
		Params: []Param{{Name: "text", Kind: ParamText, Max: TextMax, Doc: "what to say"}},
	}
}

func executeUntilSpec() ActionSpec {
	return ActionSpec{
		Name: "execute_until",
		Doc:  "Repeat an action every tick without being asked, until an event, a rejection or max_ticks attempts.",
		Params: []Param{
			{Name: "max_ticks", Kind: ParamAmount, Unit: Ticks, Min: 1, Max: StandingTicksMax, Doc: "most attempts"},
		},
	}
}

// registry is the default registry, read only inside the package.
var registry = DefaultRules().Actions()

// specNamed finds an action's spec under the default rules.
// Bounds and names are the same under all rules, so the default ones will do.
func specNamed(name string) (ActionSpec, bool) {
	for _, s := range registry {
		if s.Name == name {
			return s, true
		}
	}
	return ActionSpec{}, false
}
