package world

import "slices"

// BatchesMax bounds the batches in one factory's queue, the one in work included,
// and therefore one schedule_recipe.
const BatchesMax = 32

// ScheduleRecipe puts batches of a recipe into the queue of a factory.
type ScheduleRecipe struct {
	FactoryID string
	RecipeID  string
	// Batches is at least 1.
	Batches int64
}

func (ScheduleRecipe) describe(r *Industry) ActionSpec {
	var ids []string
	aliases := map[string]string{}
	for _, recipe := range r.Recipes {
		ids = append(ids, recipe.ID)
		aliases[recipe.Alias] = recipe.ID
	}
	return ActionSpec{
		Aliases: []string{"schedule", "run_recipe", "produce", "安排生产", "生产"},
		Params: []Param{
			{Name: "factory_id", Kind: ParamFactory, Doc: "id of your factory", Aliases: []string{"factory"}},
			{Name: "recipe_id", Kind: ParamChoice, Lists: ListsRecipes, Choices: ids, ChoiceAliases: aliases,
				Doc: "recipe to run", Aliases: []string{"recipe"}},
			{
				Name: "batches", Kind: ParamAmount, Unit: "batches", Min: 1, Max: BatchesMax, Doc: "how many batches",
				Aliases: []string{"amount", "count", "quantity"},
			},
		},
	}
}

// batchLimit is the most batches of a recipe that a factory takes now.
// It may be 0 or, for a queue that is full, name the queue as its bound.
func (f *facts) batchLimit(own factoryFacts, recipe *Recipe) limit {
	l := limit{BatchesMax, boundRule}.tighten(BatchesMax-own.queued, boundQueue)
	if !recipe.maintains {
		l = l.tighten(own.wearBatches, boundWear)
	}
	for r, n := range recipe.inputs {
		l = l.tighten(affordable(f.stock[r], n, BatchesMax), boundStock)
	}
	return l
}

// rule takes the inputs of all batches now.
// An agent knows only its own factories, so one that belongs to another is as
// unknown as one that does not exist. The duration is that of the job alone, without
// what is queued before it.
//
// Refusals, first match: the recipe, the factory and where it is, its state, the
// number of batches, the room in the queue, the wear, the stock.
func (a ScheduleRecipe) rule(f *facts, _ senses) ruling {
	own, mine := f.factory(a.FactoryID)
	n, known := recipeNumber(f.law.Recipes, a.RecipeID)
	switch {
	case !known:
		return refuse(Rejection{Code: RejectUnknownChoice, Field: "recipe_id"})
	case !mine:
		return refuse(Rejection{Code: RejectFactoryNotFound, Field: "factory_id"})
	case !own.here:
		return refuse(Rejection{Code: RejectFactoryNotHere, Field: "factory_id"})
	case own.readyIn > 0:
		return refuse(Rejection{
			Code: RejectFactoryBuilding, Field: "factory_id", Maximum: number(own.readyIn), Unit: Ticks,
		})
	case f.law.Recipes[n].FactoryKind != "" && f.law.Recipes[n].FactoryKind != f.law.Kinds[own.kind].Name:
		return refuse(Rejection{Code: RejectRecipeMismatch, Field: "recipe_id"})
	case a.Batches < 1:
		return invalidAmount("batches", a.Batches, BatchesMax, "batches")
	case a.Batches > BatchesMax-own.queued:
		return refuse(Rejection{
			Code: RejectQueueFull, Field: "batches", Requested: number(a.Batches),
			Available: number(BatchesMax - own.queued), Maximum: number(BatchesMax), Unit: "batches",
		})
	}
	recipe := &f.law.Recipes[n]
	if !recipe.maintains && a.Batches > own.wearBatches {
		return refuse(Rejection{
			Code: RejectWornOut, Field: "batches", Requested: number(a.Batches),
			Available: number(own.wearBatches), Unit: "batches",
		})
	}
	need := recipe.inputs.times(a.Batches)
	if r, short := f.missing(need); short {
		return f.insufficient("batches", r, need[r], f.stock[r])
	}
	return ruling{amount: a.Batches, ticks: a.Batches * recipe.Ticks, changes: f.costs(need)}
}

// clamp leaves unknown factories and recipes to Check.
// A factory that cannot start even one batch gets one: the refusal then tells
// what a single batch lacks.
func (a ScheduleRecipe) clamp(v *knowledge) (Action, []Adjustment) {
	f := &v.facts
	l := limit{BatchesMax, boundRule}
	own, mine := f.factory(a.FactoryID)
	if n, known := recipeNumber(f.law.Recipes, a.RecipeID); known && mine {
		l = f.batchLimit(own, &f.law.Recipes[n])
	}
	l.max = max(1, l.max)
	n, adjusted := clampTo(a, a.Batches, l)
	a.Batches = n
	return a, adjusted
}

// afford offers every recipe that an own factory here can take.
// If there are none, the reason is that of the cheapest recipe in a factory that
// is here and ready, or failing that the first obstacle found.
func (ScheduleRecipe) afford(v *knowledge) Affordance {
	f := &v.facts
	a := Affordance{Why: RejectFactoryNotFound}
	var options []Option
	for _, own := range f.factories {
		for i := range f.law.Recipes {
			recipe := &f.law.Recipes[i]
			if recipe.maintains && own.wear*2 < WearMax {
				continue // possible, but not worth mentioning before it is half worn
			}
			r := ScheduleRecipe{own.id, recipe.ID, 1}.rule(f, v)
			if r.accepted() {
				options = append(options, Option{own.id, recipe.ID, f.batchLimit(own, recipe).max})
			} else if a.Why == RejectFactoryNotFound || own.here && a.Need == nil {
				a.Why, a.Need = r.rejection.Code, f.short(r, recipe.inputs)
			}
		}
	}
	return a.or(options)
}

// carryOut pays the inputs of all batches into the factory's escrow and queues
// them as one job; an idle factory starts at once.
func (a ScheduleRecipe) carryOut(w *World, n int32, _ ruling) effect {
	own := w.agents[n].factories
	// The rules have seen that it is there.
	k := own[slices.IndexFunc(own, func(k int32) bool { return w.factories[k].id == a.FactoryID })]
	r, _ := recipeNumber(w.law.Recipes, a.RecipeID)
	f := &w.factories[k]
	f.jobs = append(f.jobs, job{r, a.Batches})
	w.touchFactory(k)
	w.startBatch(k)
	return effect{postings: w.deposit(n, f.account, w.law.Recipes[r].inputs.times(a.Batches)), subject: a.FactoryID}
}
