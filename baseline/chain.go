package baseline

import (
	"slices"

	"example.com/agentworld/world"
)

// chainMost bounds how many recipes one after another are followed. No world has recipes that take each
// other's products, but a situation may be read from any text.
const chainMost = 8

// isMade says that a resource comes from recipes alone. The others are drawn, dug or refined.
func isMade(resource string) bool {
	return resource != world.Electricity && resource != world.Compound && resource != world.Hardware
}

// takes is how much of an input a batch of a recipe takes, with what goes into the products that are made
// for it.
func (n *Situation) takes(r world.Recipe, input string) int64 {
	return n.takesWithin(r, input, chainMost)
}

func (n *Situation) takesWithin(r world.Recipe, input string, depth int) int64 {
	sum := amountOf(r.Inputs, input)
	for _, in := range r.Inputs {
		of, made := n.recipeOf(in.Resource)
		if made && isMade(in.Resource) && depth > 0 {
			batches := ceilDiv(in.Amount, amountOf(of.Outputs, in.Resource))
			sum += batches * n.takesWithin(of, input, depth-1)
		}
	}
	return sum
}

// price is how much of a resource a factory of a kind costs.
func (n *Situation) price(kind, resource string) int64 {
	for _, k := range n.Kinds {
		if k.Name == kind {
			return amountOf(k.Cost, resource)
		}
	}
	switch resource {
	case world.Electricity:
		return n.Rules.BuildElectricity
	case world.Hardware:
		return n.Rules.BuildHardware
	}
	return 0
}

// productFor is a product to make in a kind of factory.
func (n *Situation) productFor(kind string) string {
	for _, r := range n.Recipes {
		for _, out := range r.Outputs {
			if r.FactoryKind == kind && out.Resource != world.Data {
				return out.Resource
			}
		}
	}
	return world.ControlChip
}

// produce lists what brings a product nearer: batches of its recipe and a factory for it, then the same
// for the products that these lack. most bounds how many pieces are made, 0 for no bound.
func (n *moment) produce(product string, most int64, chain ...string) []world.Action {
	recipe, made := n.recipeOf(product)
	if !made || slices.Contains(chain, product) || len(chain) > chainMost {
		return nil
	}
	list := append(n.schedule(recipe, ceilDiv(most, amountOf(recipe.Outputs, product))), n.build(recipe)...)
	need := map[string]int64{}
	for _, in := range recipe.Inputs {
		need[in.Resource] = in.Amount * n.batchesAhead
	}
	if len(n.local(recipe.FactoryKind)) == 0 {
		for _, k := range n.Kinds {
			for _, a := range k.Cost {
				if k.Name == recipe.FactoryKind {
					need[a.Resource] += a.Amount
				}
			}
		}
	}
	for _, r := range n.Recipes {
		for _, out := range r.Outputs {
			if lack := need[out.Resource] - n.stock(out.Resource) - n.coming(out.Resource); isMade(out.Resource) && lack > 0 {
				delete(need, out.Resource)
				list = append(list, n.produce(out.Resource, lack, append(chain, product)...)...)
			}
		}
	}
	return list
}

// coming is how much of a resource the agent's factories are at work on.
func (n *Situation) coming(resource string) (sum int64) {
	for _, f := range n.Factories {
		for _, r := range n.Recipes {
			if r.ID == f.Recipe {
				sum += f.Batches * amountOf(r.Outputs, resource)
			}
		}
	}
	return sum
}
