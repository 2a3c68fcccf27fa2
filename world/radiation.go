package world

import "math/bits"

// ppb is the unit of the decay exponent: 1 is 1,000,000,000 parts.
const ppb = 1_000_000_000

// Radiation of a body falls with the square of the distance from its surface,
// measured in its own radii, and exponentially on top of that. The law is
// evaluated in integers only: a table for the exponential, 128-bit products.

// decay is exp(-exponent/ppb) times 2^32, from committed tables with linear
// interpolation between the steps of 1/64. The exponent is not negative.
func decay(exponent int64) uint64 {
	whole, part := exponent/ppb, exponent%ppb
	if whole >= int64(len(decayWhole)) {
		return 0
	}
	step, rest := part*64/ppb, part*64%ppb
	drop := (decayPart[step] - decayPart[step+1]) * uint64(rest) / ppb
	hi, lo := bits.Mul64(decayWhole[whole], decayPart[step]-drop)
	return hi<<32 | lo>>32
}

// source is a radiating body.
type source struct {
	position   Position
	radiusCM   int64
	emission   int64
	decayPPBCM int64
}

// at is the source's radiation at p, rounded half up by itself so that sums do
// not depend on which silent sources were visited:
// E * R²/(R²+d²) * exp(-k*d), d being the distance from the surface.
func (s source) at(p Position) int64 {
	d := max(0, s.position.distanceCM(p)-s.radiusCM)
	r2 := s.radiusCM * s.radiusCM
	// The product of E*R² (below 2^52) and 2^32 needs 128 bits; the quotient is
	// at most E*2^32 and fits 64, so that Div64 cannot overflow.
	hi, lo := bits.Mul64(uint64(s.emission*r2), decay(d*s.decayPPBCM))
	q, _ := bits.Div64(hi, lo, uint64(r2+d*d))
	return int64((q + 1<<31) >> 32)
}

// reachCM is a distance from the centre beyond which at is 0: even without
// decay, E*R²/(R²+d²) is below one half once d² > (2E-1)*R².
func (s source) reachCM() int64 {
	if s.emission <= 0 {
		return 0
	}
	return s.radiusCM + isqrt((2*s.emission-1)*s.radiusCM*s.radiusCM) + 1
}

// radiationField finds the radiation at any point through an index of sources.
type radiationField struct {
	sources []source
	index   *grid
	floor   int64
}

// newRadiationField indexes the places that radiate.
func newRadiationField(space Space, places []Place, r Rules) *radiationField {
	f := &radiationField{index: newGrid(space), floor: min(r.RadiationFloor, r.RadiationFloorCap)}
	for _, p := range places {
		if p.Emission > 0 {
			f.add(source{p.Position, p.RadiusCM, p.Emission, r.RadiationDecayPPB})
		}
	}
	return f
}

// add files a source under every cell it reaches, so that a query looks at one
// cell only, whatever the reaches are.
func (f *radiationField) add(s source) {
	f.index.file(int32(len(f.sources)), s.position, s.reachCM())
	f.sources = append(f.sources, s)
}

// at is the radiation at p, the ambient floor included.
func (f *radiationField) at(p Position) int64 {
	total := f.floor
	for _, i := range f.index.at(p) {
		total += f.sources[i].at(p)
	}
	return total
}
