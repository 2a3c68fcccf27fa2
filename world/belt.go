package world

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// FragmentsMax bounds the fragments of a belt.
const FragmentsMax = 1_000_000

// Belt describes a field of asteroid fragments that is generated from a seed:
// the same belt, space and seed give the same places on every machine. Either
// Count or Per1000KM3 says how many there are. The fragments are named
// "<prefix>-1" and so on in the order of their positions, so that an id tells
// nothing about what a fragment holds.
type Belt struct {
	// IDPrefix begins every fragment's id.
	IDPrefix string `toml:"id_prefix"`
	// SeedOffset is added to the seed of the run, so that two belts of equal
	// numbers can differ under one seed.
	SeedOffset int64 `toml:"seed_offset"`
	// Count is the exact number of fragments, 1 to [FragmentsMax], or 0.
	Count int64 `toml:"count"`
	// Per1000KM3 is the number of fragments per 1,000 cubic kilometres of the box,
	// 1 to 1,000,000, or 0; the number of fragments is then rounded down.
	Per1000KM3 int64 `toml:"per_1000_km3"`
	// MinSpacingCM is the least distance between the centres of two fragments and
	// between a fragment and a listed place, 0 to 10,000,000.
	MinSpacingCM int64 `toml:"min_spacing_cm"`
	// RadiusMinCM and RadiusMaxCM bound the radii, both included.
	RadiusMinCM int64 `toml:"radius_min_cm"`
	RadiusMaxCM int64 `toml:"radius_max_cm"`
	// RadiusExponent is q in the density r^-q of radii, 2 to 8: the larger, the
	// fewer big fragments.
	RadiusExponent int64 `toml:"radius_exponent"`
	// Materials are drawn by weight.
	Materials []BeltMaterial `toml:"materials"`
	// RegenPPM is the part of its first reserve that a fragment regrows in
	// [RegenTicks] ticks, 0 to 1,000,000 parts per million.
	RegenPPM int64 `toml:"regen_ppm"`
	// Charted says that every agent knows the fragments from the start.
	Charted bool `toml:"charted"`
	// Box is the part of space that holds the belt; nil for all of it.
	Box *Box `toml:"box"`
}

// BeltMaterial is one of the materials of a belt. Radiation goes with the
// surface and the reserve with the volume of a fragment, so both are given for
// the largest radius: emission is EmissionMax*(r/R)², compound ReserveMaxG*(r/R)³.
type BeltMaterial struct {
	// Material is one of [Materials].
	Material string `toml:"material"`
	// Weight is the share of this material among all weights, 1 to 1,000,000.
	Weight int64 `toml:"weight"`
	// EmissionMax is the emission of a fragment of the largest radius.
	EmissionMax int64 `toml:"emission_max"`
	// ReserveMaxG is the compound in a fragment of the largest radius, in grams.
	ReserveMaxG int64 `toml:"reserve_max_g"`
}

// Box is a part of space from one corner to the opposite one, both included.
type Box struct {
	// From and To are opposite corners, both included.
	From Position `toml:"from"`
	To   Position `toml:"to"`
}

// box is the part of space the belt fills.
func (b *Belt) box(space Space) Box {
	if b.Box == nil {
		return Box{To: Position{space.WidthCM, space.DepthCM, space.HeightCM}}
	}
	return *b.Box
}

// sides are the number of positions along each axis.
func (b Box) sides() [3]int64 {
	return [3]int64{b.To.X - b.From.X + 1, b.To.Y - b.From.Y + 1, b.To.Z - b.From.Z + 1}
}

// fragments is the number of fragments in the space. A density is multiplied by the
// volume in 128 bits: the volume in cubic centimetres has up to 80.
func (b *Belt) fragments(space Space) int64 {
	if b.Per1000KM3 == 0 {
		return b.Count
	}
	const cm3Per1000KM3Root = 1_000_000_000 // its square is 1,000 km³ in cm³
	s := b.box(space).sides()
	hi, lo := bits.Mul64(uint64((s[0]-1)*(s[1]-1)), uint64(s[2]-1))
	volume, _ := bits.Div64(hi, lo, cm3Per1000KM3Root)
	hi, lo = bits.Mul64(volume, uint64(b.Per1000KM3))
	n, _ := bits.Div64(hi, lo, cm3Per1000KM3Root)
	return int64(n)
}

// number finds the fragment called id, from 0. Only the form that Places writes
// counts, so that no fragment has two names.
func (b *Belt) number(id string, space Space) (int64, bool) {
	digits, ok := strings.CutPrefix(id, b.IDPrefix+"-")
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	k, err := strconv.ParseInt(digits, 10, 64)
	return k - 1, err == nil && k <= b.fragments(space)
}

// check joins what is wrong with the fields. The number of listed places is
// given because fragments keep their distance from those too.
func (b *Belt) check(space Space, listed int64) error {
	all := wrongs{checkIDPart("belt.id_prefix", b.IDPrefix)}
	all.when(len(b.IDPrefix) > idLengthMax-8, "belt.id_prefix: %q leaves no room for a number", b.IDPrefix)
	all.when((b.Count == 0) == (b.Per1000KM3 == 0), "belt.count: give either count or per_1000_km3")
	all.when(b.SeedOffset < 0, "belt.seed_offset: %d is negative", b.SeedOffset)
	all.when(b.Box != nil && *b.Box == (Box{}), "belt.box: is empty")
	box := b.box(space)
	all = append(all, within([]valueRange{
		{"belt.count", b.Count, 0, FragmentsMax},
		{"belt.per_1000_km3", b.Per1000KM3, 0, 1_000_000},
		{"belt.min_spacing_cm", b.MinSpacingCM, 0, spaceMaxCM / 10},
		{"belt.radius_min_cm", b.RadiusMinCM, 1, radiusMaxCM},
		{"belt.radius_max_cm", b.RadiusMaxCM, b.RadiusMinCM, radiusMaxCM},
		{"belt.radius_exponent", b.RadiusExponent, 2, 8},
		{"belt.regen_ppm", b.RegenPPM, 0, 1_000_000},
		{"belt.box.from.x_cm", box.From.X, 0, space.WidthCM},
		{"belt.box.from.y_cm", box.From.Y, 0, space.DepthCM},
		{"belt.box.from.z_cm", box.From.Z, 0, space.HeightCM},
		{"belt.box.to.x_cm", box.To.X, box.From.X, space.WidthCM},
		{"belt.box.to.y_cm", box.To.Y, box.From.Y, space.DepthCM},
		{"belt.box.to.z_cm", box.To.Z, box.From.Z, space.HeightCM},
	}))
	all.when(len(b.Materials) == 0 || len(b.Materials) > listMax, "belt.materials: %d materials, want 1 to %d",
		len(b.Materials), listMax)
	for i, m := range b.Materials[:min(len(b.Materials), listMax)] {
		field := fmt.Sprintf("belt.materials[%d]", i)
		all = append(all, checkMaterial(field, m.Material), within([]valueRange{
			{field + ".weight", m.Weight, 1, 1_000_000},
			{field + ".emission_max", m.EmissionMax, 0, emissionMax},
			{field + ".reserve_max_g", m.ReserveMaxG, 0, amountMax},
		}))
	}
	if err := errors.Join(all...); err != nil {
		return err
	}
	// Only sound factors are multiplied, here and below.
	all = wrongs{within([]valueRange{{"belt.count", b.fragments(space), 1, FragmentsMax}})}
	for i, m := range b.Materials {
		regrown := mulDiv(m.ReserveMaxG, b.RegenPPM, 1_000_000)
		all = append(all, within([]valueRange{{fmt.Sprintf("belt.materials[%d]: grams regrown", i), regrown, 0, regenMax}}))
	}
	if err := errors.Join(all...); err != nil {
		return err
	}
	var reach int64
	for _, m := range b.Materials {
		reach = max(reach, source{radiusCM: b.RadiusMaxCM, emission: m.EmissionMax}.reachCM())
	}
	// A belt in which every fragment radiates on every other is refused. The pairs are counted as
	// if all fragments were the largest and strongest: an expected number of fragments per
	// reach, halving the box axis by axis down to the reach, rounded up.
	n, sides := b.fragments(space), box.sides()
	near := n
	for _, side := range sides {
		near = ceilDiv(near*min(2*reach+1, side), side)
	}
	if n*near > reachPairsMax {
		return fmt.Errorf("belt.materials: radiation reaches %d cm, so that about %d fragments shine on each other", reach,
			near)
	}
	if b.MinSpacingCM == 0 {
		return nil
	}
	// There is room enough that every fragment finds a place: half of the box stays free even
	// if no two excluded regions overlapped. The regions are taken as cubes, cut to the box,
	// and counted as whole ones along each axis.
	room := int64(1)
	for _, side := range sides {
		room *= min(side/min(side, 2*b.MinSpacingCM), 1_000_000)
	}
	if 2*(n+listed) > room {
		return fmt.Errorf("belt.min_spacing_cm: %d leaves room for %d fragments, want %d", b.MinSpacingCM, room/2-listed, n)
	}
	return nil
}

// reachPairsMax bounds the pairs of fragments of which one may radiate on the
// other, and so the time New takes to add them up.
const reachPairsMax = 200_000_000

// mulDiv is a*b/c in 128 bits, rounded half up. None is negative, c is positive
// and the quotient must fit.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, uint64(c/2), 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(c))
	return int64(q)
}
