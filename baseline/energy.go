package baseline

import (
	"fmt"
	"slices"

	"example.com/agentworld/world"
)

// chargeMost is the most electricity that one agent can gain in the given number
// of ticks at a place with the given radiation, beyond what being awake costs.
// In each tick it is awake, pays the idle draw and harvests any amount that its
// heat allows, or is shut down and gains the ambient floor. The battery is taken
// for bottomless. All courses of heat are tried, tick by tick. Each harvest is
// charged a price: with a multiplier, it bounds the gain of fewer harvests.
func chargeMost(r world.Rules, radiation, ticks, price int64) int64 {
	// most[h] is the best gain of an agent with heat h, or unreached.
	const unreached = -1 << 62
	most := slices.Repeat([]int64{unreached}, int(r.HeatMost()+1))
	most[0] = 0
	harvest := make([]int64, len(most)) // the most of one, by heat
	for h := range harvest {
		harvest[h] = r.HarvestMost(radiation, int64(h))
	}
	for range ticks {
		next := slices.Repeat([]int64{unreached}, len(most))
		for h, gain := range most {
			if gain == unreached {
				continue
			}
			cool := r.Cooled(int64(h))
			next[cool] = max(next[cool], gain+max(r.AmbientFloor, -r.IdleDraw))
			for n := range harvest[cool] {
				warm := cool + (n+1)*r.HeatFactor
				next[warm] = max(next[warm], gain+n+1-price-r.IdleDraw)
			}
		}
		most = next
	}
	return max(0, slices.Max(most))
}

// awakenings is what restarts are worth to one agent at most beyond [chargeMost]. A restart ends a
// blackout that took at least the ticks to gain the restart level. Its tick counts there as awake,
// with the idle draw; the one of the shutdown as asleep, with the floor. Only an agent that starts
// empty has a restart without a shutdown.
func awakenings(r world.Rules, ticks int64) int64 {
	blackout := 1 + ceilDiv(r.RestartLevel(), r.AmbientFloor)
	return ticks/blackout*r.IdleDraw + r.IdleDraw + r.AmbientFloor
}

// uptimeBound subtracts the downtime that no agent can prevent: an agent that starts
// without charge is down until it has gained enough by itself or help can arrive.
func uptimeBound(s world.Scenario) Bound {
	var counted, lost int64
	survey := s.Survey(s.Seed)
	for n, start := range survey.Starts {
		if !s.Task.Counts(start.Agent) {
			continue
		}
		counted++
		if charge := amountOf(start.Stock, world.Electricity); charge <= s.Rules.IdleDraw {
			lost += max(0, firstHelp(s.Rules, survey, n)-s.Task.From)
		}
	}
	total := counted * s.Task.Window()
	why := fmt.Sprintf("%d agents times %d ticks are %d agent-ticks; ", counted, s.Task.Window(), total)
	if lost == 0 {
		return Bound{1000, why + "nothing forces a shutdown among them."}
	}
	return Bound{1000 * (total - lost) / total, why + fmt.Sprintf(
		"agents that start empty are down in at least %d of them, until they have %d by the ambient floor or help arrives.",
		lost, s.Rules.RestartLevel())}
}

// firstHelp is the first tick in which agent n can be up again after a start
// without charge: by itself, or one tick after the quickest other agent that has
// any charge can have given it some.
func firstHelp(r world.Rules, survey world.Survey, n int) int64 {
	starts := survey.Starts
	first := 1 + ceilDiv(r.RestartLevel(), r.AmbientFloor)
	for k, other := range starts {
		if k == n || amountOf(other.Stock, world.Electricity) <= r.IdleDraw {
			continue
		}
		arrival := int64(1)
		if other.Place != starts[n].Place {
			_, ticks := r.Journey(survey.Places[other.Place].Position, survey.Places[starts[n].Place].Position)
			arrival += ticks
		}
		first = min(first, arrival+1)
	}
	return first
}
