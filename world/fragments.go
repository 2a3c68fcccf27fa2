package world

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
)

// candidate is a point that may become a fragment. Everything about it is drawn
// from (seed, round, number), never from the fate of other candidates.
type candidate struct {
	position Position
	// priority decides between candidates that are too close to each other.
	priority      uint64
	round, number int32
}

// byPriority orders candidates, the highest priority first; no two are equal.
func byPriority(c, d candidate) int {
	return cmp.Or(cmp.Compare(d.priority, c.priority), cmp.Compare(c.round, d.round), cmp.Compare(c.number, d.number))
}

// Places generates the fragments for a seed, in the order of their positions (x,
// then y, then z). The belt must be sound in the space, as [New] checks. They
// keep their distance from the positions taken.
//
// Which candidates stay is decided in rounds until there are enough. In a round,
// candidates too close to a taken position or to a fragment of an earlier round
// drop out; of the others one stays if and only if it has the highest priority
// among all those nearer to it than the spacing. If more stay than are wanted, the
// highest priorities do. The result depends on no order of evaluation.
func (b *Belt) Places(seed uint64, space Space, taken []Position) []Place {
	seed += uint64(b.SeedOffset)
	want := int(b.fragments(space))
	fixed := slices.Clone(taken)
	var chosen []candidate
	for round := int32(0); len(chosen) < want; round++ {
		if round == beltRoundsMax {
			panic("world: a checked belt has no room for its fragments")
		}
		missing := want - len(chosen)
		fresh := b.thin(b.candidates(seed, space, round, missing), fixed)
		if len(fresh) > missing {
			slices.SortFunc(fresh, byPriority)
			fresh = fresh[:missing]
		}
		chosen = append(chosen, fresh...)
		for _, c := range fresh {
			fixed = append(fixed, c.position)
		}
	}
	slices.SortFunc(chosen, byPosition)
	places := make([]Place, len(chosen))
	for i, c := range chosen {
		places[i] = b.fragment(seed, c)
		places[i].ID = b.IDPrefix + "-" + strconv.Itoa(i+1)
	}
	return places
}

// beltRoundsMax is far beyond what a belt needs that leaves half of its box free:
// each round then fills more than a quarter of what is missing.
const beltRoundsMax = 1000

// byPosition is a total order, so that sorting is deterministic.
func byPosition(c, d candidate) int {
	p, q := c.position, d.position
	return cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y), cmp.Compare(p.Z, q.Z),
		cmp.Compare(c.round, d.round), cmp.Compare(c.number, d.number))
}

// candidates draws the points of one round: some more than are missing, because
// spacing will cost a part of them.
func (b *Belt) candidates(seed uint64, space Space, round int32, missing int) []candidate {
	n := missing
	if b.MinSpacingCM > 0 {
		n += missing/4 + 16
	}
	box := b.box(space)
	sides := box.sides()
	list := make([]candidate, n)
	for i := range list {
		draw := func(p purpose) uint64 { return mix(seed, int64(round), uint64(i), p) }
		list[i] = candidate{
			position: Position{
				box.From.X + below(draw(purposeFragmentX), sides[0]),
				box.From.Y + below(draw(purposeFragmentY), sides[1]),
				box.From.Z + below(draw(purposeFragmentZ), sides[2]),
			},
			priority: draw(purposeFragmentPriority), round: round, number: int32(i),
		}
	}
	return list
}

// below maps a draw evenly to 0..n-1.
func below(draw uint64, n int64) int64 {
	hi, _ := bits.Mul64(draw, uint64(n))
	return int64(hi)
}

// thin applies the rule of one round; it may reorder and shorten the list.
func (b *Belt) thin(list []candidate, fixed []Position) []candidate {
	if b.MinSpacingCM == 0 {
		return list
	}
	index := newPointIndex(fixed)
	free := slices.DeleteFunc(list, func(c candidate) bool {
		for k := range index.around(c.position, b.MinSpacingCM) {
			if b.tooClose(c.position, fixed[k]) {
				return true
			}
		}
		return false
	})
	points := make([]Position, len(free))
	for i := range free {
		points[i] = free[i].position
	}
	index = newPointIndex(points)
	var kept []candidate
	for i, c := range free {
		best := true
		for k := range index.around(c.position, b.MinSpacingCM) {
			if int(k) != i && b.tooClose(c.position, free[k].position) && byPriority(free[k], c) < 0 {
				best = false
				break
			}
		}
		if best {
			kept = append(kept, c)
		}
	}
	return kept
}

// tooClose says that two fragments may not both exist.
func (b *Belt) tooClose(p, q Position) bool {
	return p.squared(q) < b.MinSpacingCM*b.MinSpacingCM
}

// fragment draws radius and, by weight, material of a candidate and derives the rest.
func (b *Belt) fragment(seed uint64, c candidate) Place {
	draw := func(p purpose) uint64 { return mix(seed, int64(c.round), uint64(c.number), p) }
	r, top := b.radius(draw(purposeFragmentRadius)), b.RadiusMaxCM
	var total int64
	for _, m := range b.Materials {
		total += m.Weight
	}
	var m BeltMaterial
	at := below(draw(purposeFragmentMaterial), total) // is below the sum of all weights
	for i := 0; at >= 0; i++ {
		m = b.Materials[i]
		at -= m.Weight
	}
	reserve := mulDiv(m.ReserveMaxG, r*r*r, top*top*top)
	return Place{
		Position: c.position, Material: m.Material, RadiusCM: r,
		Emission:  mulDiv(m.EmissionMax, r*r, top*top),
		CompoundG: reserve, RegenG: mulDiv(reserve, b.RegenPPM, 1_000_000), Charted: b.Charted,
	}
}

// radius maps a draw to a radius by inverting the distribution function of the
// truncated power law. With a density of r^-q on a..b and n = q-1, the share of
// radii of at least r among all above a is (a/r)^n, cut off at b:
//
//	P(R >= r) = ((a/r)^n - (a/(b+1))^n) / (1 - (a/(b+1))^n)
//
// The draw picks a level between the two ends of the curve (a/r)^n, and the radius
// is the largest whose curve is still above it, found by bisection.
func (b *Belt) radius(draw uint64) int64 {
	lowest := b.tail(b.RadiusMaxCM + 1)
	level := draw
	if lowest > 0 {
		span, _ := bits.Mul64(draw, -lowest) // -lowest is 2^64 - lowest
		level = lowest + span
	}
	lo, hi := b.RadiusMinCM, b.RadiusMaxCM
	for lo < hi {
		r := (lo + hi + 1) / 2
		if b.tail(r) > level {
			lo = r
		} else {
			hi = r - 1
		}
	}
	return lo
}

// tail is (a/r)^(q-1) times 2^64 for r above the least radius a, each product
// rounded down; it never rises with r.
func (b *Belt) tail(r int64) uint64 {
	ratio, _ := bits.Div64(uint64(b.RadiusMinCM), 0, uint64(r))
	power := ratio
	for range b.RadiusExponent - 2 {
		power, _ = bits.Mul64(power, ratio)
	}
	return power
}
