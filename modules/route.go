package modules

import (
	"fmt"
	"slices"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// routeArgs are the arguments of world.route.
type routeArgs struct {
	// To is a place id.
	To string `json:"to"`
}

// route is what is known about a journey before it begins.
type route struct {
	To string `json:"to"`
	// DistanceCM is nil for a place that is not among the observed ones.
	DistanceCM *int64 `json:"distance_cm,omitempty"`
	// Cost is the electricity paid at departure; it and what follows from it are
	// nil when the place is not known.
	Cost      *int64 `json:"cost,omitempty"`
	Ticks     *int64 `json:"ticks,omitempty"`
	CanAfford *bool  `json:"can_afford,omitempty"`
	// LeftOnArrival is the electricity left after the cost and the idle draw on
	// the way, never below 0; set when the cost can be paid.
	LeftOnArrival *int64 `json:"left_on_arrival,omitempty"`
	// Check is what the world would say to departing now. It is the authority: the
	// figures above only spare the model the arithmetic.
	Check Finding `json:"check"`
}

// routeModule tells what a journey would cost, take and leave.
func routeModule() module {
	spec := Spec{Module: moduleRoute, Tool: "world_route"}
	return newModule(spec, nil, func(env Env, args routeArgs) (lookup, failure) {
		o := env.View.Observe()
		r := routeTo(env, o, args.To)
		return lookup{
			body: r, id: fmt.Sprintf("route-%d-%s", o.Tick, r.To), trust: trace.TrustSelfObservation, tick: o.Tick,
		}, ""
	})
}

// routeTo works out a route from the observation where the place is in it, and
// otherwise from what a dry run may tell. For a place the agent cannot know of
// the dry run tells nothing, in the same words as for one that does not exist.
func routeTo(env Env, o world.Observation, to string) route {
	view := env.View
	check := view.Check(world.Move{To: to})
	r := route{To: unknownPlace, Check: NewFinding(env.registry.language, world.Move{To: to}, nil, check)}
	i := slices.IndexFunc(o.Places, func(s world.Sight) bool { return s.ID == to })
	switch {
	case i >= 0:
		r.To = to
		sight := o.Places[i]
		r.DistanceCM = &sight.DistanceCM
		r.priced(sight.MoveCost, sight.MoveTicks, o.Self.Electricity, view.Rules().IdleDraw)
	case check.Status == world.CheckAccepted:
		r.To = to
		r.priced(costOf(check.Changes), check.Ticks, o.Self.Electricity, view.Rules().IdleDraw)
	}
	return r
}

// priced fills in what follows from a journey's cost and duration.
func (r *route) priced(cost, ticks, electricity, idleDraw int64) {
	afford := electricity >= cost
	r.Cost, r.Ticks, r.CanAfford = &cost, &ticks, &afford
	if afford {
		left := max(electricity-cost-ticks*idleDraw, 0)
		r.LeftOnArrival = &left
	}
}

// costOf returns the electricity that changes take.
func costOf(changes []world.Amount) int64 {
	var cost int64
	for _, c := range changes {
		if c.Resource == world.Electricity {
			cost -= c.Amount
		}
	}
	return cost
}

// unknownPlace stands for a place that the agent does not know of. What a model
// called it may be a word out of a message, and a result is trusted more than those:
// it must not bring the word back as the world's.
const unknownPlace = "unknown"
