// Package seat is what a seat sees and answers. A seat is who answers for an agent in place of a model: it
// gets an [Observation], the typed value behind a prompt, and answers with a [Move].
//
//	func(ctx context.Context, o seat.Observation) (seat.Move, error) {
//		if o.Self.Electricity < o.Self.PowerCapacity/2 {
//			return seat.Do("harvest_radiation", 200).Because("low charge"), nil
//		}
//		return seat.Do("mine_compound", 5000), nil
//	}
//
// Package behavior decides what a move may do: it is clamped, held against the rules of the scenario, and
// carried out by the world as a decision of a model is.
package seat
