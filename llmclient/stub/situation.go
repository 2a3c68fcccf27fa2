package stub

import (
	"cmp"
	"slices"
	"strings"

	"example.com/agentworld/baseline"
	"example.com/agentworld/world"
)

// Guesses for what the request does not say: the inputs of a batch, the loss of an agent in a tick, and
// what mining and refining take if no tool says so: hardware may still be traded by what it takes to make.
const (
	batchElectricity = 8
	batchHardware    = 3
	idleDraw         = 1
	gramsPerHardware = 1000
	refineCost       = 2
	mineCost         = 1
)

// situation is what the request tells the policy.
func (s stage) situation(p prompt) baseline.Situation {
	known := baseline.Situation{Observation: s.see, Rules: s.offers.rules,
		Remembered: append(s.guessed(p), p.remembered...)}
	known.Rules.PowerCapacity, known.Rules.IdleDraw = s.see.Self.PowerCapacity, p.draws()
	if known.Rules.RefineGPerHardware < 1 {
		known.Rules.RefineGPerHardware, known.Rules.RefineCostPerKG = gramsPerHardware, refineCost
		known.Rules.MineCostPerKG = max(known.Rules.MineCostPerKG, mineCost)
	}
	if s.offers.kind == "" { // no factory can be built
		known.Rules.BuildElectricity = known.Rules.PowerCapacity + 1
	}
	known.Kinds = s.offers.kinds
	for _, name := range s.recipes() {
		inputs := []world.Amount{{Resource: world.Electricity, Amount: batchElectricity},
			{Resource: world.Hardware, Amount: batchHardware}}
		if told := p.inputs[name]; told != nil && (s.see.Trades() || s.industrious(p)) {
			inputs = told // a guess on the safe side does for work, but not for prices and chains
		}
		known.Recipes = append(known.Recipes, world.Recipe{
			ID: name, FactoryKind: cmp.Or(s.offers.runs[name], s.offers.kind), Ticks: 1,
			Outputs: []world.Amount{p.product(name)}, Inputs: inputs,
		})
	}
	// Of the last action only a gift matters: a battery may have been full.
	said := strings.Fields(p.latest)
	if at := slices.Index(said, (world.Transfer{}).ActionName()); at >= 0 && len(said) > at+3 {
		gift := world.Transfer{To: said[at+1], Kind: said[at+2], Amount: integer(said[at+3])}
		known.Last = world.Outcome{Tick: s.see.Tick - 1, Action: gift, Accepted: !s.known.stumbled()}
	}
	known.Journey = func(to string) (cost, ticks int64, ok bool) {
		for _, p := range s.see.Places {
			if p.ID == to {
				return p.MoveCost, p.MoveTicks, true
			}
		}
		return 0, 0, false
	}
	return known
}

// guessed returns assumptions about places that the prompt does not describe. A place with
// a factory of the agent had power. Visited places are listed while there are unknown ones,
// because those are better to look at first.
func (s stage) guessed(p prompt) (list []world.Here) {
	if slices.ContainsFunc(s.see.Places, func(place world.Sight) bool { return !place.Visible && !p.knows(place.ID) }) {
		for _, id := range p.visited {
			list = append(list, world.Here{ID: id})
		}
	}
	for _, f := range s.see.Factories {
		list = append(list, world.Here{ID: f.Place, Radiation: p.draws() + 1})
	}
	return list
}

// recipes are the names of recipes with a product: those the tools list and those on
// offer now.
func (s stage) recipes() []string {
	names := slices.Clone(s.offers.recipes)
	offered, _ := affordance(s.see, actionSchedule)
	for _, o := range offered.Options {
		if !slices.Contains(names, o.Item) {
			names = append(names, o.Item)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == world.MaintenanceRecipe })
}

// industrious reports whether there is more to make than one product in one kind of factory of what is dug.
func (s stage) industrious(p prompt) bool {
	for _, inputs := range p.inputs {
		made := func(a world.Amount) bool { return a.Resource != world.Electricity && a.Resource != world.Hardware }
		if slices.ContainsFunc(inputs, made) {
			return true
		}
	}
	return len(s.offers.runs) > 0
}

// product is what a batch of a recipe yields beside data, as the request says: else one of what the last
// part of its name says.
func (p prompt) product(recipe string) world.Amount {
	for _, out := range p.outputs[recipe] {
		if out.Resource != world.Data || len(p.outputs[recipe]) == 1 {
			return out
		}
	}
	return world.Amount{Resource: lastPart(recipe), Amount: 1}
}

// makes reports whether there is a resource of a name: a built-in one, or what a known recipe yields.
func (p prompt) makes(resource string) bool {
	for _, outputs := range p.outputs {
		if slices.ContainsFunc(outputs, func(a world.Amount) bool { return a.Resource == resource }) {
			return true
		}
	}
	return slices.Contains(world.Resources(), resource)
}

// lastPart is what a dotted name ends in.
func lastPart(recipe string) string { return recipe[strings.LastIndexByte(recipe, '.')+1:] }
