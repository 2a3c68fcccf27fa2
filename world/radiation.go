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

// radiationTable is the radiation at every place, the ambient floor included.
// Each source is added to the places it reaches, so that the cost is what there is
// to add; sums do not depend on the order.
func radiationTable(places []Place, index *pointIndex, r Rules) []int64 {
	table := make([]int64, len(places))
	for i := range table {
		table[i] = min(r.RadiationFloor, r.RadiationFloorCap)
	}
	for i := range places {
		p := &places[i]
		if p.Emission == 0 {
			continue
		}
		s := source{p.Position, p.RadiusCM, p.Emission, r.RadiationDecayPPB}
		for q, at := range index.around(p.Position, s.reachCM()) {
			table[q] += s.at(at)
		}
	}
	return table
}

// decayWhole[i] is exp(-i), decayPart[j] is exp(-j/64), both times 2^32 and
// rounded to the nearest integer. A test derives them again from the series.
//
// They are committed rather than computed at start, because a floating-point
// exponential may differ in its last bit between machines, and one unit of
// radiation more or less would make two runs diverge. Beyond exp(-23) the value
// times the largest emission rounds to nothing.
var decayWhole = [24]uint64{
	4294967296, 1580030169, 581260615, 213833830, 78665070, 28939262,
	10646160, 3916503, 1440801, 530041, 194991, 71733,
	26389, 9708, 3571, 1314, 483, 178,
	65, 24, 9, 3, 1, 0,
}

var decayPart = [65]uint64{
	4294967296, 4228380000, 4162825044, 4098286424, 4034748382, 3972195407,
	3910612225, 3849983802, 3790295335, 3731532253, 3673680208, 3616725075,
	3560652950, 3505450143, 3451103176, 3397598780, 3344923893, 3293065655,
	3242011404, 3191748676, 3142265200, 3093548893, 3045587863, 2998370400,
	2951884975, 2906120241, 2861065022, 2816708321, 2773039306, 2730047316,
	2687721856, 2646052591, 2605029347, 2564642111, 2524881020, 2485736368,
	2447198598, 2409258300, 2371906213, 2335133215, 2298930330, 2263288719,
	2228199680, 2193654646, 2159645183, 2126162988, 2093199886, 2060747830,
	2028798896, 1997345284, 1966379316, 1935893430, 1905880184, 1876332251,
	1847242416, 1818603577, 1790408741, 1762651027, 1735323656, 1708419956,
	1681933360, 1655857400, 1630185710, 1604912023, 1580030169,
}
