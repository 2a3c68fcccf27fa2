package ahead

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
	// nearlySettled, likelySettled and hardlySettled: some of those at its own place have, and the agent was there
	// before. As others there decided in those ticks, it will see nothing of it with a chance of 900, 700, or less in
	// a thousand.
	nearlySettled
	likelySettled
	hardlySettled
	// openInSight: what one at another place that the agent sees does in an open turn could be seen, or the message
	// of one that it sends in such a turn, whoever is open at the agent's own place.
	openInSight
	// restless: some at its own place have, and others left it in such a tick.
	restless
	// unsettled: one at its own place has, to which the agent has just come, or others come as it seems.
	unsettled
	certainties
)

// doubtful says that open turns at the agent's own place may be seen. Whether they change what it sees is a matter
// of the world and of what the agents there do, so the record of such predictions has all of them, asked or not.
func (c certainty) doubtful() bool { return c > settledAsSeen }

// nearTicks is how far past the present tick a turn that is likely settled may be: of later ones more will be known
// before they hold anybody up.
const nearTicks = 2

// urgent reports whether a turn so many ticks past the present one may be asked with the certainty.
func (c certainty) urgent(ticks int64) bool { return c < likelySettled || ticks <= nearTicks }

// expected is how many of a thousand predictions of each certainty come true where nothing is known of the
// agent yet, as runs of belts have it. Those from hardlySettled on pass [chanceMin] only after they came true, the
// less is expected the more often.
var expected = [certainties]int64{
	settled: 990, settledInSight: 980, settledAsSeen: 930, nearlySettled: 950, likelySettled: 800,
	hardlySettled: 550, openInSight: 400, restless: 350, unsettled: 250,
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

// certaintyOf is that of the turn of agent n in a tick past the first.
func (s *shadow) certaintyOf(f *foreseen, n int) certainty {
	l := &f.lives[n]
	if !l.weighed {
		l.certainty = s.weigh(f, n)
		l.weighed = true
	}
	return l.certainty
}

// weigh finds how certain the turn of agent n is.
func (s *shadow) weigh(f *foreseen, n int) certainty {
	if !f.anyLost {
		return settled
	}
	c := f.crowds.about(&f.lives[n])
	if c == unsettled {
		return c
	}
	for place := range f.crowds.seenLate(f.tick - s.age) {
		if place != f.lives[n].place && f.world.Sees(n, place) {
			c = max(c, openInSight)
		}
	}
	for _, other := range s.around(f, n) {
		lost := f.lives[other.agent].lost
		switch {
		case lost == 0 || other.here:
		case lost <= other.since:
			c = max(c, openInSight)
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

// around are the agents in view of agent n's turn, and those whose messages are new.
func (s *shadow) around(f *foreseen, n int) []neighbour {
	t := f.lives[n].turn
	if t.looked {
		return t.around
	}
	t.looked = true
	view := s.look(f, n)
	agents, inbox := view.InSight()
	for _, c := range agents {
		if m, known := f.world.AgentNumber(c.ID); known {
			here := c.Place == view.Place() && c.Place != ""
			seen := neighbour{agent: m, here: here, since: f.tick - 1}
			if !here {
				seen.since -= view.Rules().SightAgeTicks
			}
			t.around = append(t.around, seen)
		}
	}
	for _, m := range inbox {
		if from, known := f.world.AgentNumber(m.From); known && m.New {
			t.around = append(t.around, neighbour{agent: from, since: m.Sent})
		}
	}
	return t.around
}
