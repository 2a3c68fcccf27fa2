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
	dx := p.X - q.X
	dy := p.Y - q.Y
	dz := p.Z - q.Z
	return dx*dx + dy*dy + dz*dz
}

// distanceCM is the distance between p and q, rounded down.
func (p Position) distanceCM(q Position) int64 { return isqrt(p.squared(q)) }

// AtLeast reports whether a*b >= c*d, exactly. It is false if one of them is negative.
func AtLeast(a, b, c, d int64) bool {
	if min(a, b, c, d) < 0 {
		return false
	}
	high, low := bits.Mul64(uint64(a), uint64(b))
	most, least := bits.Mul64(uint64(c), uint64(d))
	return high > most || high == most && low >= least
}
