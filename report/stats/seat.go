package stats

import "fmt"

// Seating is the scores of two arms that shared a world, each in seats of its own.
type Seating struct {
	// Instance names the instance of the world, and Swapped which of both seatings was played.
	Instance string
	Swapped  bool
	// A and B are the scores of the seats that the arms had.
	A, B float64
}

// SeatPairs are the pairs of a comparison by seats: both seatings of an instance are a cluster, so that its
// difference is the mean over them and no seat favours an arm. If the arms are exchangeable,
// exchanging them exchanges both seatings and flips the sign of that mean. Every seating of an
// instance may be repeated, as often as the other. left counts the instances without that, which
// are left out: their difference would be one of seats. It returns an error without
// an instance's name.
func SeatPairs(seatings []Seating) (pairs []Pair, left int, err error) {
	played := map[string]*[2]int{}
	for _, s := range seatings {
		if s.Instance == "" {
			return nil, 0, fmt.Errorf("a seating has no instance")
		}
		n := played[s.Instance]
		if n == nil {
			n = &[2]int{}
			played[s.Instance] = n
		}
		if s.Swapped {
			n[1]++
		} else {
			n[0]++
		}
	}
	for _, s := range seatings {
		if n := played[s.Instance]; n[0] == n[1] {
			pairs = append(pairs, Pair{Cluster: s.Instance, A: s.A, B: s.B})
		}
	}
	for _, n := range played {
		if n[0] != n[1] {
			left++
		}
	}
	return pairs, left, nil
}
