package world

import "slices"

// What happens at a place reaches other places SightAgeTicks later. An agent that looks
// there from another place sees what was visible when the agents decided that many ticks
// before, or the start of the run. At its own place it sees everything as it is now.

// scene is what of a place can be seen from afar: who is there and the compound, which
// regrows by itself from what was stored at settledAt.
type scene struct {
	present   []int32
	storedG   int64
	settledAt int64
	// until is the last tick in which the place looked like this.
	until int64
}

// remember keeps how place p looks before it changes. from is the first tick with the new
// look: the present one for arrivals, which precede the decisions, the next one for what
// agents do. Looks that are too old for any agent to see are dropped, so that a place keeps
// few more than SightAgeTicks of them.
func (w *World) remember(p int32, from int64) {
	s := &w.sites[p]
	w.touchSite(p)
	if s.since == from {
		return
	}
	s.past = slices.DeleteFunc(s.past, func(old scene) bool { return old.until < w.tick-w.law.SightAgeTicks })
	s.past = append(s.past, scene{slices.Clone(s.present), w.ledger.of(s.account, compound), s.settledAt, from - 1})
	s.since = from
}

// seenFrom is how place p looks from another place now, and the tick of that look.
func (w *World) seenFrom(p int32) (scene, int64) {
	s, at := &w.sites[p], max(0, w.tick-w.law.SightAgeTicks)
	for _, old := range s.past {
		if old.until >= at {
			return old, at
		}
	}
	return scene{present: s.present, storedG: w.ledger.of(s.account, compound), settledAt: s.settledAt}, at
}

// othersAt lists the agents that agent n sees at another place p, by number. It leaves out
// those at the own place of n, itself included: n sees them there, as they are now.
func (w *World) othersAt(p, n int32) []int32 {
	look, at := w.seenFrom(p)
	if w.sites[p].since <= at {
		return look.present // they are still there
	}
	here := w.sites[w.agents[n].place].present
	met := func(m int32) bool { _, here := slices.BinarySearch(here, m); return here }
	if !slices.ContainsFunc(look.present, met) {
		return look.present
	}
	return slices.DeleteFunc(slices.Clone(look.present), met)
}

// reserveSeen is the compound that is to be seen at another place p.
func (w *World) reserveSeen(p int32) int64 {
	look, at := w.seenFrom(p)
	return w.geo.places[p].reserveAt(look.storedG, look.settledAt, at)
}

// placeSeen is where agent n saw agent m when it decided in this tick, noPlace if it was
// out of sight.
func (w *World) placeSeen(n, m int32) int32 {
	here, found := w.agents[n].place, noPlace
	if other := &w.agents[m]; other.place == here || other.travelling() && other.departedAt == w.tick &&
		other.from == here {
		return here
	}
	w.geo.eachVisible(here, func(k near) {
		if found == noPlace && w.visited.has(k.place) && slices.Contains(w.othersAt(k.place, n), m) {
			found = k.place
		}
	})
	return found
}
