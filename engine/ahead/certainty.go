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
	// oneOpen, twoOpen, someOpen and manyOpen: one, two, up to eight, or more of those at its own place have, and
	// the agent was there before. Most of what others do at a place changes nothing that is seen there.
	oneOpen
	twoOpen
	someOpen
	manyOpen
	// settledHere: none of those at its own place has, and what others do in open turns could be seen.
	settledHere
	// unsettled: one at its own place has, to which the agent has just come, or others come as it seems.
	unsettled
	certainties
)

// doubtful says that open turns at the agent's own place may be seen. Whether they change what it sees is a matter
// of the world and of what the agents there do, so such predictions are asked only where they came true before.
func (c certainty) doubtful() bool { return c > settledAsSeen }

// expected is how many of a thousand predictions of each certainty come true where nothing is known of the
// agent yet, as runs of belts have it. Doubtful ones pass [chanceMin] only after they came true, the less is
// expected the more often.
var expected = [certainties]int64{
	settled: 990, settledInSight: 980, settledAsSeen: 930, oneOpen: 690, twoOpen: 680, someOpen: 670,
	manyOpen: 500, settledHere: 400, unsettled: 250,
}

// record is how the predictions about an agent did lately, in thousandths of a prediction: those that were asked,
// and of doubtful ones all.
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

// prediction is the first request of a turn as it was foreseen first with a doubtful certainty.
type prediction struct {
	certainty certainty
	hash      string
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
	t := f.lives[n].turn
	switch {
	case !f.anyLost:
		return settled
	case f.expecting[t.place]:
		return unsettled
	}
	c := settledInSight
	if open := f.open[t.place]; open > 0 {
		switch {
		case t.came:
			return unsettled
		case open == 1:
			c = oneOpen
		case open == 2:
			c = twoOpen
		case open <= 8:
			c = someOpen
		default:
			c = manyOpen
		}
	}
	for _, other := range t.around {
		lost := f.lives[other.agent].lost
		switch {
		case lost == 0 || other.here:
		case lost <= other.since:
			c = max(c, settledHere)
		default:
			c = max(c, settledAsSeen)
		}
	}
	return c
}

// stand is where an agent stood in a tick.
type stand struct {
	tick  int64
	place string
}

// doubt finds where those who are lost in the last tick are seen, and where they may come to: where those went
// who stood with them, since those who stand together often have the same to do. An observation lists the
// nearest agents and counts the others, so each of them matters.
func (s *shadow) doubt() {
	f := s.ticks[len(s.ticks)-1]
	stood := map[stand]bool{}
	f.open, f.expecting = map[string]int{}, map[string]bool{}
	for m, l := range f.lives {
		if l.lost > 0 {
			place := s.placeOf(m, l.lost)
			stood[stand{l.lost, place}] = true
			f.open[place]++
		}
	}
	for n, l := range f.lives {
		if l.turn == nil {
			continue
		}
		for with := range stood {
			if l.turn.place != with.place && s.placeOf(n, with.tick) == with.place {
				f.expecting[l.turn.place] = true
			}
		}
		l.turn.came = s.placeOf(n, f.tick-1) != l.turn.place
	}
}

// placeOf is the place at which agent n had its last turn up to a tick, empty if it had none.
func (s *shadow) placeOf(n int, tick int64) string {
	for at := int(tick - s.ticks[0].tick); at >= 0; at-- {
		if t := s.ticks[at].lives[n].turn; t != nil {
			return t.place
		}
	}
	return ""
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
