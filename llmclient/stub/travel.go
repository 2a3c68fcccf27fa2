package stub

import (
	"fmt"
	"slices"
)

// actionMove starts a journey.
const actionMove = "move_agent"

// usefulEmission is a radiation source that pays for harvesting at its place.
const usefulEmission = 5

// visitGoal travels to a place a goal names, once the factory has its work and no
// product the goals ask for is open.
func (in industry) visitGoal() []proposal {
	p, ok := in.goalPlace()
	if !ok {
		return nil
	}
	return in.travel(p, "A goal names another place and the work here is under way.")
}

// goalPlace returns the nearest place a goal names, while a factory is busy without
// the agent.
func (in industry) goalPlace() (sight, bool) {
	busy := slices.ContainsFunc(in.see.Factories, func(f factory) bool { return f.State != factoryIdle })
	if !busy || len(in.openWishes()) > 0 || in.goals.names(in.see.Here.ID, in.see.Here.Name) {
		return sight{}, false
	}
	for _, p := range in.see.Places {
		if in.goals.names(p.ID, p.Name) {
			return p, true
		}
	}
	return sight{}, false
}

// goBack returns to the factory with the stock for its next job. A job can only be
// given where the factory stands.
func (in industry) goBack() []proposal {
	p, ok := in.wayBack()
	if !ok {
		return nil
	}
	return in.travel(p, fmt.Sprintf("%d hardware is enough for the next job at the factory.", in.see.Self.Hardware))
}

// wayBack returns the place of a factory while the agent is away and stocked.
func (in industry) wayBack() (sight, bool) {
	if in.see.factoryHere() || in.see.Self.Hardware < in.hardwareTarget() {
		return sight{}, false
	}
	return in.workshopAway()
}

// destination is where the agent wants to be next, if that is elsewhere.
func (in industry) destination() (sight, bool) {
	if p, ok := in.goalPlace(); ok {
		return p, true
	}
	return in.wayBack()
}

// seekCompound travels to the nearest place with compound, or to the nearest one
// it knows nothing about, and harvests for the journey when it cannot afford it.
func (in industry) seekCompound() []proposal {
	// Here the ground holds enough; what is missing is something else.
	if in.see.Here.CompoundG >= in.grain() {
		return nil
	}
	known := func(p sight) bool { return p.CompoundG != nil && *p.CompoundG >= in.grain() }
	unknown := func(p sight) bool { return p.CompoundG == nil }
	const why = "There is nothing left to mine here and hardware is short."
	for _, wanted := range []func(sight) bool{known, unknown} {
		p, ok := in.cheapest(wanted)
		if !ok {
			continue
		}
		if in.affords(p) {
			return in.travel(p, why)
		}
		return in.harvest("The journey to where there is compound needs a fuller battery.")
	}
	return nil
}

// seekRadiation travels to the strongest source in reach when this place gives
// too little. It spends the last of the battery if it must: staying costs as much,
// only more slowly.
func (in industry) seekRadiation(why string) []proposal {
	var best sight
	for _, p := range in.see.Places {
		if emission(p) >= usefulEmission && emission(p) > emission(best) && p.MoveCost < in.see.Self.Electricity {
			best = p
		}
	}
	if best.ID == "" {
		return nil
	}
	return in.travel(best, why)
}

// cheapest returns the wanted place that costs least to reach; equals keep the
// observation's order.
func (in industry) cheapest(wanted func(sight) bool) (sight, bool) {
	var best sight
	found := false
	for _, p := range in.see.Places {
		if wanted(p) && (!found || p.MoveCost < best.MoveCost) && p.MoveCost+in.reserve() <= in.see.Self.PowerCapacity {
			best, found = p, true
		}
	}
	return best, found
}

// affords reports whether the battery takes the agent to a place and leaves a
// reserve. Where it cannot harvest it must also be able to come back, unless even
// a full battery would not allow that.
func (in industry) affords(p sight) bool {
	cost := p.MoveCost + in.reserve()
	if emission(p) < usefulEmission && cost+p.MoveCost <= in.see.Self.PowerCapacity {
		cost += p.MoveCost
	}
	return cost <= in.see.Self.Electricity
}

// travel starts a journey the agent can pay for now; otherwise nothing.
func (in industry) travel(p sight, why string) []proposal {
	a := in.see.can(actionMove)
	if !a.OK || p.MoveCost >= in.see.Self.Electricity || len(a.Options) > 0 && !slices.ContainsFunc(a.Options, func(o option) bool { return o.Target == p.ID }) {
		return nil
	}
	return []proposal{{action: object{"action": a.Action, slotTo: p.ID}, why: why}}
}

// emission is a place's radiation as far as it is known; what is not known counts as
// none.
func emission(p sight) int64 {
	if p.Emission == nil {
		return 0
	}
	return *p.Emission
}
