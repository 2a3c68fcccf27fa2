package world

// gridCellsMax bounds the cells along one axis, and so the size of the index.
const gridCellsMax = 32

// grid is a spatial index: numbers filed under the cells they touch.
type grid struct {
	cellCM  int64
	counts  [3]int64
	buckets [][]int32
}

// newGrid makes an empty index over the space, with cells of about 10 km.
func newGrid(s Space) *grid {
	g := &grid{cellCM: 10 * CMPerKM}
	extent := [3]int64{s.WidthCM, s.DepthCM, s.HeightCM}
	for _, cm := range extent {
		g.cellCM = max(g.cellCM, ceilDiv(cm+1, gridCellsMax))
	}
	total := int64(1)
	for i, cm := range extent {
		g.counts[i] = cm/g.cellCM + 1
		total *= g.counts[i]
	}
	g.buckets = make([][]int32, total)
	return g
}

// each calls f for every cell that a box of half-width reachCM around p touches,
// in a fixed order.
// The box is cut off at the edges of the space, where there is nothing to find.
func (g *grid) each(p Position, reachCM int64, f func(cell int64)) {
	var lo, hi [3]int64
	for i, x := range [3]int64{p.X, p.Y, p.Z} {
		lo[i] = max(0, x-reachCM) / g.cellCM
		hi[i] = min(g.counts[i]-1, (x+reachCM)/g.cellCM)
	}
	for x := lo[0]; x <= hi[0]; x++ {
		for y := lo[1]; y <= hi[1]; y++ {
			for z := lo[2]; z <= hi[2]; z++ {
				f((x*g.counts[1]+y)*g.counts[2] + z)
			}
		}
	}
}

// file puts n under every cell within reachCM of p.
func (g *grid) file(n int32, p Position, reachCM int64) {
	g.each(p, reachCM, func(cell int64) { g.buckets[cell] = append(g.buckets[cell], n) })
}

// at lists the numbers filed under the cell that holds p.
func (g *grid) at(p Position) []int32 {
	var found []int32
	g.each(p, 0, func(cell int64) { found = g.buckets[cell] })
	return found
}

// within lists the numbers filed under cells within reachCM of p; it may list
// some that are farther away.
func (g *grid) within(p Position, reachCM int64) []int32 {
	var found []int32
	g.each(p, reachCM, func(cell int64) { found = append(found, g.buckets[cell]...) })
	return found
}
