package world

import "sort"

// sightsMax bounds how many places a view holds, and how many agents beside its
// own; observations list far fewer.
const sightsMax = 64

// near is a place as seen from another.
type near struct {
	place      int32
	distanceCM int64
}

// geography is everything about places that never changes: positions, who sees
// whom, radiation. It is made once by New and only read afterwards.
type geography struct {
	places []Place
	// diagonalCM is the longest way there is.
	diagonalCM int64
	byID       map[string]int32
	// visible[p] are the places within visibility of p, nearest first.
	visible [][]near
	// distant[p] are the nearest charted places beyond visibility, as many as a
	// view still has room for.
	distant [][]near
	// known[p] counts the places that are visible from p or charted, without p.
	known []int
	// radiation[p] is what a harvest at p may draw from.
	radiation []int64
}

// newGeography surveys all places once. Places never move and their emission never
// changes, so that visibility and radiation are tables afterwards.
func newGeography(s Scenario) *geography {
	g := &geography{places: s.Places, diagonalCM: s.Space.diagonalCM(), byID: map[string]int32{}}
	index, charted := newGrid(s.Space), 0
	for i, p := range s.Places {
		g.byID[p.ID] = int32(i)
		index.file(int32(i), p.Position, 0)
		if p.Charted {
			charted++
		}
	}
	field := newRadiationField(s.Space, s.Places, s.Rules)
	for i, p := range s.Places {
		g.survey(int32(i), index, s, charted)
		g.radiation = append(g.radiation, field.at(p.Position))
	}
	return g
}

// diagonalCM is the distance between opposite corners.
func (s Space) diagonalCM() int64 {
	return Position{}.distanceCM(Position{s.WidthCM, s.DepthCM, s.HeightCM})
}

// survey fills in what is visible and known from place p.
// The lists of visible places are complete, since agents are counted by them; the
// charted ones beyond are only as many as a view has room for.
func (g *geography) survey(p int32, index *grid, s Scenario, charted int) {
	visibility := s.VisibilityKM * CMPerKM
	around := g.around(p, index, visibility)
	known := charted
	if g.places[p].Charted {
		known--
	}
	for _, n := range around {
		if !g.places[n.place].Charted {
			known++
		}
	}
	g.visible = append(g.visible, around)
	g.known = append(g.known, known)
	g.distant = append(g.distant, g.chartedBeyond(p, index, s, min(known, sightsMax)-len(around)))
}

// around lists the other places within reachCM of p, nearest first.
func (g *geography) around(p int32, index *grid, reachCM int64) []near {
	var list []near
	from := g.places[p].Position
	for _, q := range index.within(from, reachCM) {
		if d := from.distanceCM(g.places[q].Position); q != p && d <= reachCM {
			list = append(list, near{q, d})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].before(list[j]) })
	return list
}

// before orders by distance, then by the order of the scenario.
func (n near) before(m near) bool {
	return n.distanceCM < m.distanceCM || n.distanceCM == m.distanceCM && n.place < m.place
}

// chartedBeyond lists up to want charted places beyond visibility, widening the
// search until there are enough or it covers the whole space.
// Doubling the radius keeps the cost near that of what is found, also where places
// are few and far between.
func (g *geography) chartedBeyond(p int32, index *grid, s Scenario, want int) []near {
	visibility := s.VisibilityKM * CMPerKM
	diagonal := g.diagonalCM + 1
	for reach := max(visibility, 1); want > 0; reach *= 2 {
		var list []near
		for _, n := range g.around(p, index, min(reach, diagonal)) {
			if n.distanceCM > visibility && g.places[n.place].Charted && len(list) < want {
				list = append(list, n)
			}
		}
		if len(list) >= want || reach >= diagonal {
			return list
		}
	}
	return nil
}

// sees says whether place q is within visibility of place p.
func (g *geography) sees(p, q int32) bool {
	for _, n := range g.visible[p] {
		if n.place == q {
			return true
		}
	}
	return false
}

// distanceCM is the distance between two places.
func (g *geography) distanceCM(p, q int32) int64 {
	return g.places[p].Position.distanceCM(g.places[q].Position)
}

// chart is what every agent knows from the start: the charted places. It never
// changes, so views share it; hidden places are not in it.
type chart map[string]Place

// newChart copies the charted places without what only a visit or a look shows.
func newChart(places []Place) chart {
	c := chart{}
	for _, p := range places {
		if p.Charted {
			p.Emission, p.CompoundG = 0, 0 // only visitors and neighbours know these
			c[p.ID] = p
		}
	}
	return c
}
