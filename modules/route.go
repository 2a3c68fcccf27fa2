package modules

import (
	"fmt"
	"slices"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

type routeArgs struct {
	// To is a place id.
	To string `json:"to"`
}

// route is what is known about a journey before it begins.
type route struct {
	To string `json:"to"`
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
	Check DryRun `json:"check"`
}

// routeModule returns what a journey would cost, how long it takes and what it leaves. It
// reads the observation if the place is in it, and otherwise uses a dry run. For a place
// that the agent cannot know, the answer is the same as for one that does not exist.
func routeModule() module {
	spec := Spec{Module: moduleRoute, Tool: toolRoute}
	return newModule(spec, nil, func(env Env, args routeArgs) (lookup, failure) {
		o := env.View.Observe()
		names := answer.NamesIn(&o, env.View.Industry())
		resolved, _ := names.Resolve(world.Move{To: args.To})
		to := resolved.(world.Move)
		args.To = to.To
		check := env.View.Check(to)
		r := route{To: unknownPlace, Check: NewDryRun(env.words(), to, nil, check, names)}
		known := true
		cost := int64(0)
		ticks := int64(0)
		i := slices.IndexFunc(o.Places, func(s world.Sight) bool { return s.ID == args.To })
		switch {
		case i >= 0:
			cost, ticks = o.Places[i].MoveCost, o.Places[i].MoveTicks
		case check.Status == world.CheckAccepted:
			ticks = check.Ticks
			for _, c := range check.Changes {
				if c.Resource == world.Electricity {
					cost -= c.Amount
				}
			}
		default:
			known = false
		}
		if known {
			afford := o.Self.Electricity >= cost
			r.To = args.To
			r.Cost = &cost
			r.Ticks = &ticks
			r.CanAfford = &afford
			if left := max(o.Self.Electricity-cost-ticks*env.View.Rules().IdleDraw, 0); afford {
				r.LeftOnArrival = &left
			}
		}
		return lookup{
			body: r, id: fmt.Sprintf("route-%d-%s", o.Tick, r.To), trust: trace.TrustSelfObservation, tick: o.Tick,
		}, ""
	})
}

// unknownPlace replaces a place that the agent does not know. The model may have copied
// its name from a message. A result is trusted more than a message, so it must not
// repeat that name.
const unknownPlace = "unknown"
