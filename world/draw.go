package world

import "hash/fnv"

// purpose separates the draws of one entity in one tick.
type purpose uint64

// The purposes. Their numbers are part of every run, so new ones get new numbers.
const (
	// purposeOrder draws an agent's rank among those that act in a tick.
	purposeOrder purpose = 1
	// The draws of a belt's candidate, with its round in place of the tick.
	purposeFragmentX        purpose = 16
	purposeFragmentY        purpose = 17
	purposeFragmentZ        purpose = 18
	purposeFragmentPriority purpose = 19
	purposeFragmentRadius   purpose = 20
	purposeFragmentMaterial purpose = 21
	// purposeNamed draws for a name, with its hash as the entity.
	purposeNamed purpose = 32
)

// mix is a counter-based draw: the same arguments give the same value, whatever
// was drawn before. It chains the finaliser of splitmix64 over its arguments.
func mix(seed uint64, tick int64, entity uint64, p purpose) uint64 {
	h := finalise(seed + golden)
	h = finalise(h ^ uint64(tick) + golden)
	h = finalise(h ^ entity + golden)
	return finalise(h ^ uint64(p) + golden)
}

// Draw is a counter-based draw from 0 to n-1, n above 0, for a name: the same arguments give the
// same number, whatever was drawn before.
func Draw(seed uint64, tick int64, name string, n int64) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return below(mix(seed, tick, h.Sum64(), purposeNamed), n)
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
