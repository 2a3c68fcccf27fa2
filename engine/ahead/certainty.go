package ahead

import "example.com/agentworld/world"

// certainty is how much of what an agent sees is settled when its turn is foreseen: nothing around it waits
// for a decision of an earlier tick.
type certainty int

// The certainties, the best first.
const (
	// settled: no agent of the world has an open turn in an earlier tick.
	settled certainty = iota
	// settledInSight: none of those that the agent sees has.
	settledInSight
	// settledAsSeen: none of those at its own place has, and of others the agent sees only what they did
	// before. They may come to its place.
	settledAsSeen
	// settledHere: none of those at its own place has.
	settledHere
	// unsettled: one at its own place has.
	unsettled
	certainties
)

// expected is how many of a thousand predictions of each certainty come true where nothing is known of the
// agent yet, as runs of belts have it.
var expected = [certainties]int64{
	settled: 990, settledInSight: 990, settledAsSeen: 940, settledHere: 730, unsettled: 600,
}

// record is how the predictions about an agent did lately, in thousandths of a prediction.
type record [certainties]struct{ tried, right int64 }

// expectedWeight is how many predictions weigh as much as what is expected, in thousandths.
const expectedWeight = 6000

// note adds a prediction to the record.
func (r *record) note(c certainty, right bool) {
	r[c].tried += 1000
	if right {
		r[c].right += 1000
	}
}

// fade forgets a tenth of the record, so that an agent gets another chance in later ticks.
func (r *record) fade() {
	for c := range r {
		r[c].tried -= r[c].tried / 10
		r[c].right -= r[c].right / 10
	}
}

// chance is how many of a thousand predictions like the next one are likely to come true.
func (r *record) chance(c certainty) int64 {
	k := r[c]
	return (1000*k.right + expected[c]*expectedWeight) / (k.tried + expectedWeight)
}

// certaintyOf is that of the turn of agent n.
func (f *foreseen) certaintyOf(n int) certainty {
	if !f.anyLost {
		return settled
	}
	t := f.lives[n].turn
	c := settledInSight
	for _, other := range t.around {
		lost := f.lives[other.agent].lost
		switch {
		case lost == 0:
		case other.here:
			return unsettled
		case lost <= other.since:
			c = max(c, settledHere)
		default:
			c = max(c, settledAsSeen)
		}
	}
	return c
}

// neighbour is an agent in view, by number.
type neighbour struct {
	agent int
	// here says that it is at the same place.
	here bool
	// since is the last tick of which a decision of it can be seen.
	since int64
}

// around are the agents in view, and those whose messages are new.
func around(v world.View, w *world.World, o *world.Observation) (list []neighbour) {
	for _, c := range o.Agents {
		if n, known := w.AgentNumber(c.ID); known {
			here := c.Place == o.Self.Place && c.Place != ""
			seen := neighbour{agent: n, here: here, since: o.Tick - 1}
			if !here {
				seen.since -= v.Rules().SightAgeTicks
			}
			list = append(list, seen)
		}
	}
	for _, m := range o.Inbox {
		if n, known := w.AgentNumber(m.From); known && m.New {
			list = append(list, neighbour{agent: n, since: m.Sent})
		}
	}
	return list
}
