package stats

import (
	"reflect"
	"slices"
	"testing"
)

func TestRanksAndTies(t *testing.T) {
	// Of five arms 0 beats 2, 3 and 4, 1 beats 4, and 3 beats 4.
	won := [][2]int{{0, 2}, {0, 3}, {0, 4}, {1, 4}, {3, 4}}
	beats := func(i, j int) bool { return slices.Contains(won, [2]int{i, j}) }
	if got, want := Ranks(5, beats), []Rank{{1, 2}, {1, 4}, {2, 5}, {2, 4}, {4, 5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("ranks %v, want %v", got, want)
	}
	if got, want := Ties(5, beats), [][]int{{0, 1}, {1, 2, 3}, {2, 4}}; !reflect.DeepEqual(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	none := func(int, int) bool { return false }
	if got := Ties(3, none); !reflect.DeepEqual(got, [][]int{{0, 1, 2}}) || Ranks(3, none)[1] != (Rank{1, 3}) {
		t.Errorf("without verdicts: groups %v", got)
	}
}

// TestTiesAreMaximal: for random verdicts two arms share a group exactly if they were not told
// apart, and no arm can be added to a group.
func TestTiesAreMaximal(t *testing.T) {
	random := splitMix(4)
	for range 200 {
		const k = 7
		var told [k][k]bool
		for i := range k {
			for j := range i {
				told[i][j] = random.uniform() < 0.5
				told[j][i] = told[i][j]
			}
		}
		groups := Ties(k, func(i, j int) bool { return told[i][j] })
		for i := range k {
			for j := range k {
				common := slices.ContainsFunc(groups, func(g []int) bool { return slices.Contains(g, i) && slices.Contains(g, j) })
				if common == told[i][j] {
					t.Fatalf("%v: %d and %d, told apart %v, common group %v", groups, i, j, told[i][j], common)
				}
			}
			for _, g := range groups {
				fits := !slices.ContainsFunc(g, func(j int) bool { return told[i][j] })
				if fits && !slices.Contains(g, i) {
					t.Fatalf("%v: %d could be in %v", groups, i, g)
				}
			}
		}
	}
}

func TestSeatPairs(t *testing.T) {
	pairs, left, err := SeatPairs([]Seating{
		{"x", false, 9, 4}, {"y", false, 8, 1}, {"x", true, 3, 6}, {"y", true, 2, 7}, {"z", false, 9, 0},
	})
	s, sampleErr := NewSample(pairs)
	// The first seat is worth about four: the arms differ by (5-3)/2 and (7-5)/2.
	if err != nil || sampleErr != nil || left != 1 || !slices.Equal(s.differences, []float64{1, 1}) {
		t.Errorf("differences %v, %d left out, %v", s.differences, left, err)
	}
	if _, _, err := SeatPairs([]Seating{{}}); err == nil {
		t.Error("a seating without an instance was taken")
	}
}
