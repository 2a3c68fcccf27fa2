package ahead

import "slices"

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
	// nearlySettled, likelySettled, hardlySettled and unsure: the agent could see what one does in an open turn. That it
	// sees nothing but what is guessed has a chance of 950, 850, 700 or 600 in a thousand.
	nearlySettled
	likelySettled
	hardlySettled
	unsure
	// unsettled: that chance is less. However often such predictions came true, too few would pass [chanceMin], so none
	// is made.
	unsettled
	certainties
)

// guessed says that open turns may be seen, so that the prediction rests on what is guessed of them. Whether that is
// right is a matter of the agents there, so the record of such predictions has all of them, asked or not.
func (c certainty) guessed() bool { return c > settledAsSeen }

// certain are the least chances of the certainties that rest on guesses, in thousandths.
var certain = [...]struct {
	least int64
	certainty
}{{950, nearlySettled}, {850, likelySettled}, {700, hardlySettled}, {600, unsure}, {0, unsettled}}

// expected is how many of a thousand predictions of the certainties that rest on no guess come true, as runs of belts
// have it.
var expected = [...]int64{settled: 990, settledInSight: 980, settledAsSeen: 930}

// outlook is how certain a turn is, and how many of a thousand predictions like it come true where nothing is known of
// the agent.
type outlook struct {
	certainty certainty
	expected  int64
}

// record is how the predictions about an agent did lately, in thousandths of a prediction: those that were asked,
// and of guessed ones all.
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

// prediction is the first request of a turn as it was foreseen first with a certainty that rests on guesses.
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
func (r *record) chance(o outlook) int64 {
	k := r[o.certainty]
	return (1000*k.right + o.expected*expectedWeight) / (k.tried + expectedWeight)
}

// outlookOf is that of the turn of agent n in a tick past the first.
func (s *shadow) outlookOf(f *foreseen, n int) outlook {
	l := &f.lives[n]
	if !l.weighed {
		l.outlook = s.weigh(f, n)
		l.weighed = true
	}
	return l.outlook
}

// weigh finds how certain the turn of agent n is.
func (s *shadow) weigh(f *foreseen, n int) outlook {
	if !f.anyLost {
		return sure(settled)
	}
	chance := s.chanceOf(f, n)
	if chance < 1000 {
		for _, c := range certain {
			if chance >= c.least {
				return outlook{c.certainty, chance}
			}
		}
	}
	lost := func(other neighbour) bool { return f.lives[other.agent].lost > 0 }
	if slices.ContainsFunc(s.around(f, n), lost) {
		return sure(settledAsSeen)
	}
	return sure(settledInSight)
}

// sure is the outlook of a turn that rests on no guess.
func sure(c certainty) outlook { return outlook{c, expected[c]} }

// stray is how many of a thousand who are open in sight, and of whom nothing says so, are reckoned to come to a place.
// With it, no more predictions come true far ahead in crowds than are said to.
const stray = 5

// chanceOf is how likely it is, in a thousand, that agent n sees of open turns what is guessed. It is the same for all
// at a place: they see that place as it is, and others as they were s.age ticks ago.
func (s *shadow) chanceOf(f *foreseen, n int) int64 {
	here := f.lives[n].place
	if here == "" {
		return 1000
	}
	chance, known := f.chances[here]
	if known {
		return chance
	}
	parts := int64(sureChance)
	elsewhere := int64(0)
	for _, p := range f.unknown {
		shows := func(place string) bool { return place == here || p.tick < f.tick-s.age && f.world.Sees(n, place) }
		switch {
		case slices.ContainsFunc(p.places, shows):
			parts = parts * p.chance() / sureChance
		case f.world.Sees(n, p.places[0]):
			elsewhere += p.open
		}
	}
	for range elsewhere {
		parts = parts * (1000 - stray) / 1000
	}
	chance = parts * 1000 / sureChance
	f.chances[here] = chance
	return chance
}

// neighbour is an agent in view, by number.
type neighbour struct {
	agent int
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
			seen := neighbour{agent: m, since: f.tick - 1}
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
