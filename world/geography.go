package world

import "slices"

// sightsMax bounds how many agents a view can name as being at its own place, and
// what a scenario may show of places and agents; observations list fewer.
const sightsMax = 64

// near is a place as seen from another.
type near struct {
	place      int32
	distanceCM int64
}

// before orders by distance, then by the number of the place.
func (n near) before(m near) bool {
	return n.distanceCM < m.distanceCM || n.distanceCM == m.distanceCM && n.place < m.place
}

// geography is everything about places that never changes: positions, an index
// of them, radiation. It is made once by New and only read afterwards, so views
// share it. It also knows hidden places; what asks on behalf of an agent goes
// through route or the surroundings of its place.
type geography struct {
	places []Place
	// listed finds the listed places by id; a fragment's number is in its id.
	listed map[string]int32
	belt   *Belt
	space  Space
	// index holds all places, charts those that are charted.
	index  *pointIndex
	charts *pointIndex
	// charted are the numbers of the charted places, in the order of charts.
	charted []int32
	// isCharted has the same as a set.
	isCharted bitset
	// visibilityCM is how far agents see, diagonalCM the longest way there is.
	visibilityCM, diagonalCM int64
	// quoteDelayMax is how long a quote takes across the whole space.
	quoteDelayMax int64
	// radiation[p] is what a harvest at p may draw from.
	radiation []int64
}

// newGeography generates the belt and surveys all places once. Places never move
// and their emission never changes, so that radiation is a table afterwards. What
// is visible is looked up when needed: as a table it would grow with the square of
// the density.
func newGeography(s Scenario, seed uint64) *geography {
	g := &geography{
		places: slices.Clone(s.Places), listed: map[string]int32{}, belt: s.Belt, space: s.Space,
		visibilityCM: s.VisibilityKM * CMPerKM,
		diagonalCM:   Position{}.distanceCM(Position{s.Space.WidthCM, s.Space.DepthCM, s.Space.HeightCM}),
	}
	g.quoteDelayMax = quoteDelay(g.diagonalCM + 1)
	for i := range g.places {
		g.listed[g.places[i].ID] = int32(i)
	}
	if s.Belt != nil {
		g.places = append(g.places, s.Belt.Places(seed, s.Space, positionsOf(g.places))...)
	}
	points := positionsOf(g.places)
	g.index = newPointIndex(points)
	g.radiation = radiationTable(g.places, g.index, s.Rules)
	g.isCharted = newBitset(len(points))
	var at []Position
	for i, p := range points {
		if g.places[i].Charted {
			g.isCharted.set(int32(i), true)
			g.charted = append(g.charted, int32(i))
			at = append(at, p)
		}
	}
	g.charts = newPointIndex(at)
	return g
}

func positionsOf(places []Place) []Position {
	points := make([]Position, len(places))
	for i := range places {
		points[i] = places[i].Position
	}
	return points
}

// number finds a place by id.
func (g *geography) number(id string) (int32, bool) {
	if n, ok := g.listed[id]; ok {
		return n, true
	}
	if g.belt == nil {
		return 0, false
	}
	k, ok := g.belt.number(id, g.space)
	return int32(len(g.listed)) + int32(k), ok
}

// eachVisible calls f for every other place within visibility of p.
func (g *geography) eachVisible(p int32, f func(near)) {
	from, reach := g.places[p].Position, g.visibilityCM
	most := (reach + 1) * (reach + 1) // distances are rounded down
	g.index.runs(from, reach, func(lo, hi int32) bool {
		points := g.index.points[lo:hi]
		for i, q := range g.index.order[lo:hi] {
			if sq := from.squared(points[i]); sq < most && q != p {
				f(near{q, isqrt(sq)})
			}
		}
		return true
	})
}

// chartedBeyond lists the nearest charted places beyond visibility of p, up to
// want of them, widening the search until there are enough or it covers the whole
// space. Doubling the radius keeps the cost near that of what is found, also
// where places are few and far between.
func (g *geography) chartedBeyond(p int32, want int) []near {
	reach := max(2*g.visibilityCM, CMPerKM)
	if len(g.charted) <= sightsMax {
		reach = g.diagonalCM
	}
	from := g.places[p].Position
	for ; want > 0; reach *= 2 {
		found := nearest{most: want}
		for k, q := range g.charts.around(from, min(reach, g.diagonalCM)) {
			if d := from.distanceCM(q); d > g.visibilityCM && d <= reach {
				found.offer(near{g.charted[k], d})
			}
		}
		if len(found.list) == want || reach >= g.diagonalCM {
			return found.list
		}
	}
	return nil
}

// nearest keeps the nearest of what it is offered, sorted.
type nearest struct {
	list []near
	// most is at least 1.
	most int
}

// offer takes n in if it is among the nearest so far.
func (s *nearest) offer(n near) {
	if len(s.list) == s.most {
		if !n.before(s.list[s.most-1]) {
			return
		}
		s.list = s.list[:s.most-1]
	}
	if s.list == nil {
		s.list = make([]near, 0, min(s.most, sightsMax))
	}
	i := len(s.list)
	for i > 0 && n.before(s.list[i-1]) {
		i--
	}
	s.list = slices.Insert(s.list, i, n)
}

func (g *geography) distanceCM(p, q int32) int64 {
	return g.places[p].Position.distanceCM(g.places[q].Position)
}

// route describes the way from place here to the place called id. It tells a
// hidden place from an absent one, which only the live world may pass on.
func (g *geography) route(here int32, id string) route {
	to, ok := g.number(id)
	switch {
	case !ok:
		return route{kind: routeAbsent}
	case to == here:
		return route{kind: routeHere}
	}
	way := route{routeHidden, g.distanceCM(here, to)}
	if g.places[to].Charted || way.distanceCM <= g.visibilityCM {
		way.kind = routeKnown
	}
	return way
}
