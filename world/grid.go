package world

import "iter"

// pointIndex finds points near a position. The points lie in cells of equal cubes
// over their bounding box, cell after cell in two flat arrays, so that a query
// reads memory in runs and costs what is near, however many points there are.
type pointIndex struct {
	from   Position
	cellCM int64
	counts [3]int64
	// starts[c] is where cell c begins in order and points; one more marks the end.
	starts []int32
	// order are the numbers of the points by cell and within a cell ascending,
	// points their positions.
	order  []int32
	points []Position
}

// newPointIndex files points under their positions in the list.
func newPointIndex(points []Position) *pointIndex {
	box := boundingBox(points)
	sides := box.sides()
	x := &pointIndex{from: box.From, cellCM: max(sides[0], sides[1], sides[2]), counts: [3]int64{1, 1, 1}}
	// Cells are halved until there would be more than one for two points. Flat and long
	// boxes get as many cells as their shape asks for.
	for x.cellCM > 1 {
		half := (x.cellCM + 1) / 2
		counts := [3]int64{}
		cells := int64(1)
		for i, side := range sides {
			counts[i] = ceilDiv(side, half)
			cells *= counts[i]
		}
		if cells > int64(len(points)/2) {
			break
		}
		x.cellCM, x.counts = half, counts
	}
	x.starts = make([]int32, x.counts[0]*x.counts[1]*x.counts[2]+1)
	for _, p := range points {
		x.starts[x.cellOf(p)+1]++
	}
	for c := 1; c < len(x.starts); c++ {
		x.starts[c] += x.starts[c-1]
	}
	next := append([]int32(nil), x.starts...)
	x.order, x.points = make([]int32, len(points)), make([]Position, len(points))
	for n, p := range points {
		c := x.cellOf(p)
		x.order[next[c]], x.points[next[c]] = int32(n), p
		next[c]++
	}
	return x
}

// boundingBox is the smallest box that holds all points.
func boundingBox(points []Position) Box {
	if len(points) == 0 {
		return Box{}
	}
	b := Box{points[0], points[0]}
	for _, p := range points {
		b.From = Position{min(b.From.X, p.X), min(b.From.Y, p.Y), min(b.From.Z, p.Z)}
		b.To = Position{max(b.To.X, p.X), max(b.To.Y, p.Y), max(b.To.Z, p.Z)}
	}
	return b
}

// cellOf is the cell of a position in the bounding box.
func (x *pointIndex) cellOf(p Position) int64 {
	return x.cell((p.X-x.from.X)/x.cellCM, (p.Y-x.from.Y)/x.cellCM, (p.Z-x.from.Z)/x.cellCM)
}

// cell numbers the cells so that those along the last axis follow each other.
func (x *pointIndex) cell(i, j, k int64) int64 { return (i*x.counts[1]+j)*x.counts[2] + k }

// around lists the numbers and positions of all points whose centre lies within
// reachCM of p, and of some that are farther away, in a fixed order.
func (x *pointIndex) around(p Position, reachCM int64) iter.Seq2[int32, Position] {
	return func(yield func(int32, Position) bool) {
		x.runs(p, reachCM, func(from, to int32) bool {
			for at := from; at < to; at++ {
				if !yield(x.order[at], x.points[at]) {
					return false
				}
			}
			return true
		})
	}
}

// runs hands over the stretches of the arrays that a box of half-width reachCM
// around p touches, until f says that it has enough.
func (x *pointIndex) runs(p Position, reachCM int64, f func(from, to int32) bool) {
	var lo, hi [3]int64
	for i, at := range [3]int64{p.X - x.from.X, p.Y - x.from.Y, p.Z - x.from.Z} {
		if at+reachCM < 0 {
			return
		}
		lo[i] = max(0, at-reachCM) / x.cellCM
		hi[i] = min(x.counts[i]-1, (at+reachCM)/x.cellCM)
		if lo[i] > hi[i] {
			return
		}
	}
	for i := lo[0]; i <= hi[0]; i++ {
		for j := lo[1]; j <= hi[1]; j++ {
			if !f(x.starts[x.cell(i, j, lo[2])], x.starts[x.cell(i, j, hi[2])+1]) {
				return
			}
		}
	}
}
