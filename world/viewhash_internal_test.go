package world

import "testing"

// TestHashesOfListsDiffer: a list that begins with zeros, or whose numbers pass from one list to the next, has another
// hash.
func TestHashesOfListsDiffer(t *testing.T) {
	seen := map[mixed][]uint64{}
	for _, list := range [][]uint64{{}, {0}, {0, 0}, {1}, {1, 0}, {0, 1}, {3, 4, 6, 8, 0}, {0, 4, 6, 8}} {
		h := seeded.with(list...)
		if other, known := seen[h]; known || h == 0 {
			t.Errorf("%v hashes to %d as %v", list, h, other)
		}
		seen[h] = list
	}
}
