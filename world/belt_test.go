package world

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawBelt draws a small belt that is often crowded, in part of the space or all.
func drawBelt(t *rapid.T, space Space) *Belt {
	b := &Belt{
		IDPrefix: "frag", SeedOffset: rapid.Int64Range(0, 99).Draw(t, "offset"),
		Count:          rapid.Int64Range(1, 60).Draw(t, "count"),
		MinSpacingCM:   rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 400_000)).Draw(t, "spacing"),
		RadiusMinCM:    rapid.Int64Range(1, 300).Draw(t, "radius min"),
		RadiusExponent: rapid.Int64Range(2, 8).Draw(t, "exponent"),
		RegenPPM:       rapid.SampledFrom([]int64{0, 50_000, 1_000_000}).Draw(t, "regen"),
		Charted:        rapid.Bool().Draw(t, "belt charted"),
	}
	b.RadiusMaxCM = b.RadiusMinCM + rapid.Int64Range(0, 2000).Draw(t, "radius span")
	for range rapid.IntRange(1, 3).Draw(t, "materials") {
		b.Materials = append(b.Materials, BeltMaterial{
			Material: rapid.SampledFrom(Materials()).Draw(t, "material"), Weight: rapid.Int64Range(1, 9).Draw(t, "weight"),
			EmissionMax: rapid.Int64Range(0, 90).Draw(t, "emission max"),
			ReserveMaxG: rapid.Int64Range(0, 40_000).Draw(t, "reserve max"),
		})
	}
	if rapid.Bool().Draw(t, "box?") {
		p, q := drawPosition(t, space), drawPosition(t, space)
		box := boundingBox([]Position{p, q})
		b.Box = &box
	}
	// Thin out until the belt fits, as a writer of scenarios would.
	for b.check(space, 5) != nil && b.MinSpacingCM > 0 {
		b.MinSpacingCM /= 2
	}
	return b
}

// naivePlaces is the rule of a belt in plain loops over all pairs, taking the
// candidates in any order.
func naivePlaces(b *Belt, seed uint64, space Space, taken []Position, shuffle *rand.Rand) []Place {
	seed += uint64(b.SeedOffset)
	var kept []candidate
	for round := int32(0); int64(len(kept)) < b.fragments(space); round++ {
		missing := int(b.fragments(space)) - len(kept)
		var free, best []candidate
		for _, c := range b.candidates(seed, space, round, missing) {
			clear := true
			for _, p := range taken {
				clear = clear && p.squared(c.position) >= b.MinSpacingCM*b.MinSpacingCM
			}
			for _, k := range kept {
				clear = clear && k.position.squared(c.position) >= b.MinSpacingCM*b.MinSpacingCM
			}
			if clear {
				free = append(free, c)
			}
		}
		shuffle.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
		for _, c := range free {
			highest := true
			for _, d := range free {
				if c != d && d.position.squared(c.position) < b.MinSpacingCM*b.MinSpacingCM && d.priority >= c.priority {
					highest = false
				}
			}
			if highest {
				best = append(best, c)
			}
		}
		slices.SortFunc(best, func(c, d candidate) int {
			if c.priority > d.priority || c.priority == d.priority && c.number < d.number {
				return -1
			}
			return 1
		})
		kept = append(kept, best[:min(len(best), missing)]...)
	}
	slices.SortFunc(kept, byPosition)
	var places []Place
	for i, c := range kept {
		p := b.fragment(seed, c)
		p.ID = fmt.Sprintf("%s-%d", b.IDPrefix, i+1)
		places = append(places, p)
	}
	return places
}

// TestBeltAgreesWithNaiveTwin also checks what a belt promises: the number, the
// spacing, the box, ids by position, and that seeds differ.
func TestBeltAgreesWithNaiveTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := Space{2_000_000, 1_500_000, rapid.Int64Range(1, 500_000).Draw(t, "height")}
		b := drawBelt(t, space)
		seed := rapid.Uint64().Draw(t, "seed")
		taken := []Position{drawPosition(t, space), drawPosition(t, space)}
		got := b.Places(seed, space, taken)
		shuffle := rand.New(rand.NewPCG(seed, 1))
		if diff := cmp.Diff(naivePlaces(b, seed, space, taken, shuffle), got); diff != "" {
			t.Fatalf("places differ (-naive +belt):\n%s", diff)
		}
		if int64(len(got)) != b.Count {
			t.Fatalf("%d fragments, want %d", len(got), b.Count)
		}
		box := b.box(space)
		for i, p := range got {
			if boundingBox([]Position{box.From, box.To, p.Position}) != box {
				t.Fatalf("%s at %v is outside %v", p.ID, p.Position, box)
			}
			for _, q := range append(positionsOf(got[:i]), taken...) {
				if d := p.Position.distanceCM(q); d < b.MinSpacingCM {
					t.Fatalf("%s is %d cm from another, spacing %d", p.ID, d, b.MinSpacingCM)
				}
			}
		}
		if other := b.Places(seed+1, space, taken); b.Count > 20 && cmp.Equal(other, got) && box.sides()[0] > 1000 {
			t.Fatal("another seed gives the same belt")
		}
	})
}

// TestBeltGolden pins a belt, so that a change of the generator does not go
// unnoticed.
func TestBeltGolden(t *testing.T) {
	b := Belt{
		IDPrefix: "rock", Count: 3, MinSpacingCM: 50_000, RadiusMinCM: 100, RadiusMaxCM: 1000, RadiusExponent: 3,
		Materials: []BeltMaterial{{"ice", 1, 50, 1_000_000}, {"metal", 1, 100, 2_000_000}}, RegenPPM: 10_000,
	}
	got := ""
	for _, p := range b.Places(7, Space{10_000_000, 10_000_000, 1_000_000}, nil) {
		got += fmt.Sprintf("%s %v %s r%d e%d c%d g%d\n", p.ID, p.Position, p.Material, p.RadiusCM, p.Emission, p.CompoundG, p.RegenG)
	}
	const want = `rock-1 {3010311 1509740 381441} ice r120 e1 c1728 g17
rock-2 {4892140 6588075 629355} ice r121 e1 c1772 g18
rock-3 {8839000 6251654 18146} metal r110 e1 c2662 g27
`
	if got != want {
		t.Errorf("the belt is\n%swant\n%s", got, want)
	}
}

// TestRadiusInvertsThePowerLaw compares the curve with exact fractions and the
// bisection with a walk over all radii.
func TestRadiusInvertsThePowerLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &Belt{
			RadiusMinCM: rapid.Int64Range(1, 400).Draw(t, "min"), RadiusExponent: rapid.Int64Range(2, 8).Draw(t, "exponent"),
		}
		b.RadiusMaxCM = b.RadiusMinCM + rapid.Int64Range(0, 300).Draw(t, "span")
		for r := b.RadiusMinCM + 1; r <= b.RadiusMaxCM+1; r++ {
			ratio := big.NewRat(b.RadiusMinCM, r)
			exact := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 64))
			for range b.RadiusExponent - 1 {
				exact.Mul(exact, ratio)
			}
			off := new(big.Rat).Sub(exact, new(big.Rat).SetInt(new(big.Int).SetUint64(b.tail(r))))
			if off.Sign() < 0 || off.Cmp(big.NewRat(16, 1)) > 0 {
				t.Fatalf("tail(%d) is off by %s parts in 2^64", r, off.FloatString(2))
			}
		}
		draw := rapid.Uint64().Draw(t, "draw")
		if got, want := b.radius(draw), walkRadius(b, draw); got != want {
			t.Fatalf("radius(%d) = %d, by walking %d", draw, got, want)
		}
		if b.radius(0) != b.RadiusMaxCM || b.RadiusMaxCM > b.RadiusMinCM && b.radius(1<<64-1) != b.RadiusMinCM {
			t.Fatalf("the ends of the draw give %d and %d", b.radius(0), b.radius(1<<64-1))
		}
	})
}

// walkRadius finds the radius of a draw in exact integers, one radius at a time.
func walkRadius(b *Belt, draw uint64) int64 {
	lowest := new(big.Int).SetUint64(b.tail(b.RadiusMaxCM + 1))
	level := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 64), lowest)
	level.Mul(level, new(big.Int).SetUint64(draw)).Rsh(level, 64).Add(level, lowest)
	r := b.RadiusMinCM
	for r < b.RadiusMaxCM && new(big.Int).SetUint64(b.tail(r+1)).Cmp(level) > 0 {
		r++
	}
	return r
}

// TestBeltShares counts radii and materials of many fragments against their
// probabilities.
func TestBeltShares(t *testing.T) {
	b := Belt{
		IDPrefix: "frag", Count: 100_000, RadiusMinCM: 100, RadiusMaxCM: 1000, RadiusExponent: 3,
		Materials: []BeltMaterial{{"ice", 3, 0, 0}, {"metal", 1, 0, 0}},
	}
	big, metal := 0, 0
	for _, p := range b.Places(1, Space{10_000_000, 10_000_000, 1_000_000}, nil) {
		if p.RadiusCM >= 200 {
			big++
		}
		if p.Material == "metal" {
			metal++
		}
	}
	// (1/4 - 1/100) / (1 - 1/100) = 24.2 percent are at least twice the least radius.
	if big < 23_800 || big > 24_700 || metal < 24_500 || metal > 25_500 {
		t.Errorf("%d of 100,000 are big and %d are metal, want about 24,240 and 25,000", big, metal)
	}
}

// TestBeltDensity compares the 128-bit product with one of unbounded integers.
func TestBeltDensity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := Space{
			rapid.Int64Range(1, spaceMaxCM).Draw(t, "width"), rapid.Int64Range(1, spaceMaxCM).Draw(t, "depth"),
			rapid.Int64Range(1, spaceMaxCM).Draw(t, "height"),
		}
		b := Belt{Per1000KM3: rapid.Int64Range(1, 1_000_000).Draw(t, "density")}
		want := big.NewInt(space.WidthCM)
		want.Mul(want, big.NewInt(space.DepthCM)).Mul(want, big.NewInt(space.HeightCM))
		want.Quo(want, big.NewInt(1_000_000_000)).Mul(want, big.NewInt(b.Per1000KM3)).Quo(want, big.NewInt(1_000_000_000))
		if got := b.fragments(space); !want.IsInt64() || got != want.Int64() {
			t.Fatalf("%d fragments, want %s", got, want)
		}
		x, y, z := rapid.Int64Range(0, 1e12).Draw(t, "x"), rapid.Int64Range(0, 1e17).Draw(t, "y"), rapid.Int64Range(1, 1e17).Draw(t, "z")
		y = min(y, z)
		exact := new(big.Int).Mul(big.NewInt(x), big.NewInt(y))
		exact.Add(exact, big.NewInt(z/2)).Quo(exact, big.NewInt(z))
		if got := mulDiv(x, y, z); got != exact.Int64() {
			t.Fatalf("mulDiv(%d, %d, %d) = %d, want %s", x, y, z, got, exact)
		}
	})
}

// TestPointIndexFindsEverythingNear compares the index with a look at all points.
func TestPointIndexFindsEverythingNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := Space{rapid.Int64Range(1, spaceMaxCM).Draw(t, "w"), rapid.Int64Range(1, 1000).Draw(t, "d"), rapid.Int64Range(1, spaceMaxCM).Draw(t, "h")}
		var points []Position
		for range rapid.IntRange(0, 80).Draw(t, "points") {
			points = append(points, drawPosition(t, space))
		}
		index := newPointIndex(points)
		from, reach := drawPosition(t, Space{spaceMaxCM, spaceMaxCM, spaceMaxCM}), rapid.Int64Range(0, spaceMaxCM).Draw(t, "reach")
		found := map[int32]int{}
		for n, p := range index.around(from, reach) {
			found[n]++
			if points[n] != p || found[n] > 1 {
				t.Fatalf("point %d is listed as %v for the %d. time", n, p, found[n])
			}
		}
		for n, p := range points {
			if from.distanceCM(p) <= reach && found[int32(n)] == 0 {
				t.Fatalf("point %d at %v is not found within %d of %v", n, p, reach, from)
			}
		}
	})
}

// TestFragmentIDs: only the written form names a fragment.
func TestFragmentIDs(t *testing.T) {
	b := Belt{IDPrefix: "f.1-x", Count: 12}
	for id, want := range map[string]int64{"f.1-x-1": 0, "f.1-x-12": 11} {
		if k, ok := b.number(id, Space{}); !ok || k != want {
			t.Errorf("%s is fragment %d %v, want %d", id, k, ok, want)
		}
	}
	for _, id := range []string{
		"f.1-x-0", "f.1-x-13", "f.1-x-01", "f.1-x-+1", "f.1-x--1", "f.1-x-", "f.1-x", "", "g-1", "f.1-x-1 ",
		"f.1-x-99999999999999999999", "f.1-x-1_0",
	} {
		if k, ok := b.number(id, Space{}); ok {
			t.Errorf("%q names fragment %d", id, k)
		}
	}
}

// TestUnsoundBeltsAreRefused names the field at fault.
func TestUnsoundBeltsAreRefused(t *testing.T) {
	space := Space{10_000_000, 10_000_000, 1_000_000}
	sound := func() Belt {
		return Belt{
			IDPrefix: "frag", Count: 10, RadiusMinCM: 100, RadiusMaxCM: 200, RadiusExponent: 3,
			Materials: []BeltMaterial{{"ice", 1, 5, 1000}},
		}
	}
	b := sound()
	if err := b.check(space, 0); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		want   string
		change func(*Belt)
	}{
		{`belt.id_prefix: "a b" has characters other than A-Z a-z 0-9 _ . : -`, func(b *Belt) { b.IDPrefix = "a b" }},
		{"belt.count: give either count or per_1000_km3", func(b *Belt) { b.Per1000KM3 = 1 }},
		{"belt.count: give either count or per_1000_km3", func(b *Belt) { b.Count = 0 }},
		{"belt.count: 1000001 is outside 0 to 1000000", func(b *Belt) { b.Count = 1_000_001 }},
		{"belt.count: 2000000 is outside 1 to 1000000", func(b *Belt) { b.Count, b.Per1000KM3 = 0, 20_000 }},
		{"belt.radius_max_cm: 99 is outside 100 to 500000", func(b *Belt) { b.RadiusMaxCM = 99 }},
		{"belt.radius_exponent: 1 is outside 2 to 8", func(b *Belt) { b.RadiusExponent = 1 }},
		{"belt.materials: 0 materials, want 1 to 1000", func(b *Belt) { b.Materials = nil }},
		{`belt.materials[0].material: "mud" is none of silicate, metal, ice, carbon, composite`, func(b *Belt) { b.Materials[0].Material = "mud" }},
		{"belt.materials[0].weight: 0 is outside 1 to 1000000", func(b *Belt) { b.Materials[0].Weight = 0 }},
		{"belt.materials[0].reserve_max_g: -1 is outside 0 to 1000000000000", func(b *Belt) { b.Materials[0].ReserveMaxG, b.RegenPPM = -1, 1_000_000 }},
		{"belt.materials[0]: grams regrown: 1000000000000 is outside 0 to 1000000000", func(b *Belt) { b.Materials[0].ReserveMaxG, b.RegenPPM = amountMax, 1_000_000 }},
		{"belt.box.to.x_cm: 3 is outside 4 to 10000000", func(b *Belt) { b.Box = &Box{Position{4, 0, 0}, Position{3, 9, 9}} }},
		{"belt.box.to.z_cm: 1000001 is outside 0 to 1000000", func(b *Belt) { b.Box = &Box{To: Position{1, 1, 1_000_001}} }},
		{"belt.min_spacing_cm: 4000000 leaves room for 0 fragments, want 10", func(b *Belt) { b.MinSpacingCM = 4_000_000 }},
		{"belt.materials: radiation reaches 71208911 cm, so that about 1000000 fragments shine on each other", func(b *Belt) {
			b.Count, b.RadiusMaxCM, b.Materials[0].EmissionMax = 1_000_000, 500_000, 10_000
		}},
	} {
		b := sound()
		tc.change(&b)
		if err := b.check(space, 0); err == nil || err.Error() != tc.want {
			t.Errorf("error is %v, want %s", err, tc.want)
		}
	}
}

// TestBeltInASpaceThatIsTooLarge: the number of its fragments is not computed, which would overflow.
func TestBeltInASpaceThatIsTooLarge(t *testing.T) {
	s := mustScenario(t, "fragments")
	s.Space = Space{WidthCM: 4e9, DepthCM: 4e9, HeightCM: 4e9}
	s.Belt.Box, s.Belt.Count, s.Belt.Per1000KM3 = nil, 0, 1000
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "space.height_cm: 4000000000 is outside") {
		t.Errorf("Check = %v", err)
	}
}
