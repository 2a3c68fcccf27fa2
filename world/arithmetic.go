package world

import "math/bits"

// isqrt is the integer square root of n, rounded down; n is not negative.
func isqrt(n int64) int64 {
	if n < 2 {
		return n
	}
	// Newton's iteration from above decreases until it reaches the root.
	x := int64(1) << ((bits.Len64(uint64(n)) + 1) / 2)
	for y := (x + n/x) / 2; y < x; y = (x + n/x) / 2 {
		x = y
	}
	return x
}

// ceilDiv divides rounding up; a is not negative and b is positive.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 {
		q++
	}
	return q
}

// squared is the square of the distance between p and q, in cm². Space is small
// enough ([spaceMaxCM]) that it fits.
func (p Position) squared(q Position) int64 {
	dx, dy, dz := p.X-q.X, p.Y-q.Y, p.Z-q.Z
	return dx*dx + dy*dy + dz*dz
}

// distanceCM is the distance between p and q, rounded down.
func (p Position) distanceCM(q Position) int64 { return isqrt(p.squared(q)) }

// purpose separates the draws of one entity in one tick.
type purpose uint64

// The purposes. Their numbers are part of every run, so new ones get new numbers.
const (
	// purposeOrder draws an agent's rank among those that act in a tick.
	purposeOrder purpose = 1
	// The draws of a belt's candidate; its round stands in for the tick.
	purposeFragmentX        purpose = 16
	purposeFragmentY        purpose = 17
	purposeFragmentZ        purpose = 18
	purposeFragmentPriority purpose = 19
	purposeFragmentRadius   purpose = 20
	purposeFragmentMaterial purpose = 21
)

// mix is a counter-based draw: the same arguments give the same value, whatever
// was drawn before. It chains the finaliser of splitmix64 over its arguments.
func mix(seed uint64, tick int64, entity uint64, p purpose) uint64 {
	h := finalise(seed + golden)
	h = finalise(h ^ uint64(tick) + golden)
	h = finalise(h ^ entity + golden)
	return finalise(h ^ uint64(p) + golden)
}

// golden is 2^64 divided by the golden ratio, splitmix64's increment; it keeps
// zero arguments from mapping to zero.
const golden = 0x9e3779b97f4a7c15

// finalise spreads every input bit over the whole word.
func finalise(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
