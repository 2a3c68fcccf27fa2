package ahead

// crowds are the agents that are lost in a tick, by place.
type crowds struct {
	// open counts them by the place at which they are seen.
	open map[string]int
	// expecting are the places to which some of them may come.
	expecting map[string]bool
}

// stand is where an agent is in a tick.
type stand struct {
	tick  int64
	place string
}

// crowdsOf finds where those who are lost in a tick are seen, and where they may come to: where those went who stood
// with them, since those who stand together often have the same to do. An observation lists the nearest agents and
// counts the others, so each of them matters. The ticks before it are those of the shadow.
func (s *shadow) crowdsOf(f *foreseen) crowds {
	c := crowds{open: map[string]int{}, expecting: map[string]bool{}}
	stood := map[stand]bool{}
	for n := range f.lives {
		if lost := f.lives[n].lost; lost > 0 {
			place := s.ticks[lost-s.ticks[0].tick].lives[n].place
			stood[stand{lost, place}] = true
			c.open[place]++
		}
	}
	for n := range f.lives {
		now := &f.lives[n]
		if now.turn == nil || c.expecting[now.place] {
			continue
		}
		for _, before := range s.ticks {
			was := before.lives[n].place
			if was != "" && was != now.place && stood[stand{before.tick, was}] {
				c.expecting[now.place] = true
			}
		}
	}
	return c
}

// about is how certain the turn of an agent is with those at its own place.
func (c *crowds) about(l *life) certainty {
	open := c.open[l.place]
	switch {
	case c.expecting[l.place], open > 0 && l.came:
		return unsettled
	case open == 0:
		return settledInSight
	case open == 1:
		return oneOpen
	case open == 2:
		return twoOpen
	case open <= 8:
		return someOpen
	}
	return manyOpen
}
