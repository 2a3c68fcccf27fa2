package world

// Move starts a journey to the place with id To. The whole cost is paid at
// departure; the agent arrives one tick later per started range.
type Move struct {
	To string
}

func (Move) describe(r *Industry) ActionSpec {
	return ActionSpec{
		Numbers: map[string]int64{"cost": r.MoveCostPerKM, "km": r.MoveRangeKM},
		Aliases: []string{"move", "move_to", "go_to", "goto", "travel", "travel_to", "移动", "前往"},
		Params: []Param{{
			Name: "to", Kind: ParamPlace, Doc: "id of the place",
			Aliases: []string{"target", "destination", "location", "location_id", "place", "place_id", "target_id"},
		}},
	}
}

func (a Move) rule(f *facts, s senses) ruling {
	r := f.journey(s.route(a.To))
	if r.accepted() {
		r.changes = []Amount{{Electricity, -r.cost}}
	}
	return r
}

// journey rules on setting out, and leaves it to [Move] to list what the cost changes. A place
// that is there but hidden must not be told from one that is not, so neither refusal carries
// numbers.
// The cost does not depend on what is carried. It is paid at departure, so that a
// journey once begun always ends, if need be with an empty battery.
func (f *facts) journey(way route) ruling {
	cost := f.law.moveCost(way.distanceCM)
	enough := cost <= f.stock[electricity]
	switch {
	case way.kind == routeHere:
		return refuse(Rejection{Code: RejectAlreadyThere, Field: "to"})
	case way.kind == routeUnknown:
		return ruling{unknown: true}
	case way.kind == routeAbsent, way.kind == routeHidden && !enough:
		return refuse(Rejection{Code: RejectUnreachable, Field: "to"})
	case !enough:
		return f.insufficient("to", electricity, cost, f.stock[electricity])
	}
	return ruling{cost: cost, ticks: f.law.moveTicks(way.distanceCM)}
}

// moveCost is the electricity of a journey: each started kilometre, at least one.
func (r *Rules) moveCost(distanceCM int64) int64 {
	return max(1, ceilDiv(distanceCM, CMPerKM)) * r.MoveCostPerKM
}

// moveTicks is the duration of a journey, at least one tick.
func (r *Rules) moveTicks(distanceCM int64) int64 {
	return max(1, ceilDiv(distanceCM, r.MoveRangeKM*CMPerKM))
}

// afford offers the shown places that the battery can pay for.
// Only shown places are offered, to keep the observation small; any charted place
// can be tried. If none is affordable the nearest one says what is short.
func (Move) afford(v *knowledge) Affordance {
	a := Affordance{Why: RejectUnreachable}
	options := make([]Option, 0, len(v.sights))
	for i, s := range v.sights {
		r := v.facts.journey(route{routeKnown, s.distanceCM})
		if r.accepted() {
			options = append(options, Option{Target: v.geo.places[s.place].ID})
		} else if i == 0 {
			a = refused(r)
		}
	}
	return a.or(options)
}

// carryOut takes the agent off its place and plans its arrival. From then on no agent
// sees it, not even one that acts later in the same tick.
func (a Move) carryOut(w *World, n int32, r ruling) effect {
	postings := w.spend(n, sinkMove, r.cost)
	own := &w.agents[n]
	w.leave(own.place, n)
	number, _ := w.geo.number(a.To)
	own.from = own.place
	own.to = number
	own.place = noPlace
	own.departedAt, own.arriveAt = w.tick, w.tick+r.ticks
	w.calendar.set(wakeUpOf(n, kindBody), own.arriveAt)
	return effect{postings: postings, subject: a.To}
}
