package baseline

import "example.com/agentworld/world"

// Random is the policy of agents that draw what they do: one of the kinds of action that the
// world would accept, then one action of that kind. The draws follow from the scenario's seed,
// the tick and the agent.
func Random(b Brief) Decider {
	return func(v world.View) world.Action {
		n := situationOf(v)
		kinds := n.choices(b)
		for k := int64(len(kinds)); k > 0; k-- {
			i := world.Draw(b.Seed, n.Tick, v.AgentID()+" kind", k)
			of := kinds[i]
			kinds[i] = kinds[k-1]
			for most := int64(len(of)); most > 0; most-- {
				j := world.Draw(b.Seed, n.Tick, v.AgentID()+" action", most)
				action, _ := v.Clamp(of[j])
				if v.Check(action).Status == world.CheckAccepted {
					return action
				}
				of[j] = of[most-1]
			}
		}
		return world.Wait{}
	}
}

// choices lists the actions that an agent may think of, by kind.
func (n Situation) choices(b Brief) [][]world.Action {
	var moves, builds, batches, gifts []world.Action
	for _, id := range b.Places {
		// Not where the charge would not last for the way back.
		if cost, _, ok := n.Journey(id); ok && id != n.Here.ID && 2*cost <= n.Self.Electricity {
			moves = append(moves, world.Move{To: id})
		}
	}
	for _, r := range n.Recipes {
		builds = append(builds, world.BuildFactory{FactoryKind: r.FactoryKind})
		for _, f := range n.Factories {
			if f.Kind == r.FactoryKind {
				batches = append(batches, world.ScheduleRecipe{FactoryID: f.ID, RecipeID: r.ID, Batches: 1})
			}
		}
	}
	for _, c := range n.Agents {
		for _, r := range []string{world.Electricity, world.Hardware, world.Compound} {
			if half := n.stock(r) / 2; c.Place == n.Here.ID && half > 0 {
				gifts = append(gifts, world.Transfer{To: c.ID, Kind: r, Amount: half})
			}
		}
	}
	return [][]world.Action{
		{world.Wait{}}, {world.Harvest{MaxAmount: world.HarvestMax}}, {world.Mine{MassG: world.MineMaxG}},
		{world.Refine{MassG: world.RefineMaxG}},
		moves, builds, batches, gifts,
	}
}
