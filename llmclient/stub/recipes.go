package stub

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// schedule gives an idle factory a job, unless a product the goals ask for is
// within reach of a little more stock. Otherwise cheap jobs would eat up the stock
// for a dear one for ever.
func (in industry) schedule() []proposal {
	if i := slices.IndexFunc(in.jobs(), isService); i >= 0 {
		return []proposal{in.order(in.jobs()[i], 1)}
	}
	if in.outOfReach() && !in.wellStocked() {
		return nil
	}
	return in.scheduleAnything()
}

// scheduleAnything gives an idle factory the best job that is possible now.
func (in industry) scheduleAnything() []proposal {
	jobs := in.jobs()
	if len(jobs) == 0 {
		return nil
	}
	job := in.bestJob(jobs)
	return []proposal{in.order(job, in.batches(job))}
}

// isService reports whether an option is maintenance, which the world only offers
// for a factory that needs it.
func isService(o option) bool { return productOf(o.Item) == serviceRecipe }

// order schedules batches of a job.
func (in industry) order(job option, batches int64) proposal {
	return proposal{
		action: object{"action": actionSchedule, slotID: job.Target, slotWhat: job.Item, slotAmount: batches},
		why: fmt.Sprintf("The factory is idle and %d electricity and %d hardware allow %d of the %d batches in reach.",
			in.see.Self.Electricity, in.see.Self.Hardware, batches, job.Max),
	}
}

// jobs are the recipe options of idle factories. A factory the observation does
// not list counts as idle: the option would not be there if it took no job.
func (in industry) jobs() []option {
	a := in.see.can("schedule_recipe")
	if !a.OK {
		return nil
	}
	var out []option
	for _, o := range a.Options {
		if f, known := in.see.factory(o.Target); o.Max > 0 && (!known || f.State == factoryIdle) {
			out = append(out, o)
		}
	}
	return out
}

// bestJob is the first option the agent wants, and without one the cheapest: the
// one the stock allows most batches of. Equals keep the observation's order.
func (in industry) bestJob(jobs []option) option {
	best := jobs[0]
	for _, w := range in.wants() {
		if i := slices.IndexFunc(jobs, func(o option) bool { return o.Item == w.name }); i >= 0 {
			return jobs[i]
		}
	}
	for _, o := range jobs[1:] {
		if o.Max > best.Max {
			best = o
		}
	}
	return best
}

// batches is how many to order: what the goals still miss, otherwise one or two.
func (in industry) batches(job option) int64 {
	n := int64(1 + in.chance.draw("batches", batchesMax))
	for _, w := range in.openWishes() {
		if w.name == job.Item {
			n = min(batchesMax, w.count-in.made(w.name))
		}
	}
	return min(n, job.Max)
}

// serviceRecipe is the last part of the name of the recipe that makes nothing.
const serviceRecipe = "maintenance"

// recipes are the names in view of recipes with a product: those on offer now and
// those the tools or the instructions list.
func (in industry) recipes() []string {
	var out []string
	for _, o := range in.see.can("schedule_recipe").Options {
		if !slices.Contains(out, o.Item) {
			out = append(out, o.Item)
		}
	}
	for _, name := range in.offers.recipes {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return slices.DeleteFunc(out, func(name string) bool { return productOf(name) == serviceRecipe })
}

// productOf is the name of a recipe's product: the last part of its own.
func productOf(recipe string) string { return recipe[strings.LastIndexByte(recipe, '.')+1:] }

// made counts what the agent has of a recipe's product, jobs in work included, so
// that a goal is not produced for twice.
func (in industry) made(recipe string) int64 {
	n := in.see.stock(productOf(recipe))
	for _, f := range in.see.Factories {
		if means(f.Recipe, recipe) {
			n += f.Batches + f.Queued
		}
	}
	return n
}

// openWishes are the products the goals ask for and the agent has not made.
func (in industry) openWishes() []wish {
	return slices.DeleteFunc(in.goals.wishes(in.recipes()), func(w wish) bool { return in.made(w.name) >= w.count })
}

// wants are the products to make next: what the goals still ask for, and when all
// they name is made, one more of what the agent has made least of. Goals that name
// no product leave it to the price.
func (in industry) wants() []wish {
	named, open, recipes := in.goals.wishes(in.recipes()), in.openWishes(), in.recipes()
	if len(named) == 0 || len(open) > 0 {
		return open
	}
	least := slices.MinFunc(recipes, func(a, b string) int { return cmp.Compare(in.made(a), in.made(b)) })
	return []wish{{least, in.made(least) + 1}}
}

// outOfReach reports whether a job could be given, but none the agent wants.
func (in industry) outOfReach() bool {
	wants, jobs := in.wants(), in.jobs()
	for _, w := range wants {
		if slices.ContainsFunc(jobs, func(o option) bool { return o.Item == w.name }) {
			return false
		}
	}
	return len(wants) > 0 && len(jobs) > 0
}

// wellStocked reports whether waiting for more stock makes no sense any more.
func (in industry) wellStocked() bool {
	return in.see.Self.Hardware >= plentyHardware && in.see.Self.Electricity*5 >= in.see.Self.PowerCapacity*2
}
