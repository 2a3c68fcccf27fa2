package baseline

import (
	"fmt"
	"slices"

	"example.com/agentworld/world"
)

// reachMax bounds the places that lint looks at: beyond it the pairs are too many.
const reachMax = 4096

// lintPlaces lists the places that no agent can reach by any chain of journeys that
// a battery pays for. At a place that yields more than the idle draw, an agent can
// charge fully. Elsewhere it continues with the charge it has left, or with the charge
// at which the ambient floor restarts it. Belts of more than [reachMax] places are skipped.
func lintPlaces(r world.Rules, survey world.Survey) []Diagnostic {
	if len(survey.Places) > reachMax {
		return nil
	}
	charge := reach(r, survey)
	var list []Diagnostic
	for i, p := range survey.Places {
		if charge[i] >= 0 {
			continue
		}
		from, fare := -1, int64(0)
		for k, q := range survey.Places {
			if cost, _ := r.Journey(q.Position, p.Position); charge[k] >= 0 && (from < 0 || cost < fare) {
				from, fare = k, cost
			}
		}
		list = append(list, Diagnostic{
			What: "place " + p.ID,
			Why: fmt.Sprintf("cannot be reached; the way from %s takes %d electricity, and an agent has at most %d there",
				survey.Places[from].ID, fare, charge[from]),
		})
	}
	return list
}

// reach computes the most charge with which an agent can be at each place, -1
// where none can be. Every improvement of one place may improve others, until
// none does.
func reach(r world.Rules, survey world.Survey) []int64 {
	most := slices.Repeat([]int64{-1}, len(survey.Places))
	var open []int
	arrive := func(p int, charge int64) {
		charge = max(charge, r.RestartLevel())
		if survey.Radiation[p] > r.IdleDraw {
			charge = r.PowerCapacity
		}
		if charge > most[p] {
			most[p] = charge
			open = append(open, p)
		}
	}
	for _, start := range survey.Starts {
		arrive(start.Place, amountOf(start.Stock, world.Electricity))
	}
	for len(open) > 0 {
		from := open[0]
		open = open[1:]
		for to := range survey.Places {
			cost, ticks := r.Journey(survey.Places[from].Position, survey.Places[to].Position)
			if to != from && cost <= most[from] {
				arrive(to, most[from]-cost-ticks*r.IdleDraw)
			}
		}
	}
	return most
}
