package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// near reports whether got rounds to want at the given number of decimals.
func near(got, want float64, decimals int) bool {
	return math.Abs(got-want) <= 0.5000001*math.Pow10(-decimals)
}

// single makes a sample of one pair for each difference.
func single(t *testing.T, differences ...float64) Sample {
	t.Helper()
	s, err := NewSample(pairsOf(differences...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func pairsOf(differences ...float64) []Pair {
	var pairs []Pair
	for i, d := range differences {
		pairs = append(pairs, Pair{Cluster: fmt.Sprintf("c%04d", i), A: d})
	}
	return pairs
}

// sleep is the extra hours of sleep of ten patients under the second drug less those
// under the first (Student, "The probable error of a mean", Biometrika 6, 1908).
var sleep = []float64{1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4}

func TestSampleGroupsByCluster(t *testing.T) {
	pairs := []Pair{{Cluster: "x", A: 3, B: 1}, {Cluster: "y", B: 4}, {Cluster: "x", A: 5, B: 1}, {Cluster: "z", A: 1, B: 1}}
	want := []float64{3, -4, 0}
	s, err := NewSample(pairs)
	if err != nil || !slices.Equal(s.differences, want) || s.Clusters() != 3 || s.Pairs() != 4 {
		t.Errorf("NewSample = %+v, %v, want differences %v of 4 pairs", s, err, want)
	}
	if !near(s.Mean(), -1./3, 9) || !near(s.SD(), math.Sqrt(37./3), 9) {
		t.Errorf("mean %v and SD %v, want -1/3 and sqrt(37/3)", s.Mean(), s.SD())
	}
}

// TestSampleIgnoresOrderWithinClusters: a batch finishes its runs in any order.
func TestSampleIgnoresOrderWithinClusters(t *testing.T) {
	random := splitMix(7)
	var pairs []Pair
	for i := range 40 {
		pairs = append(pairs, Pair{Cluster: fmt.Sprint(i % 9), A: random.uniform(), B: 1e6 * random.uniform()})
	}
	want, _ := NewSample(pairs)
	slices.Reverse(pairs[9:])
	if got, _ := NewSample(pairs); !slices.Equal(got.differences, want.differences) {
		t.Errorf("in another order %v, want %v", got.differences, want.differences)
	}
}

// TestStrataCountAlike: of two tasks with one and three instances each counts a half, and the
// error of the mean is that of the mean of two independent means.
func TestStrataCountAlike(t *testing.T) {
	pairs := []Pair{{Cluster: "a1", A: 8, Stratum: "a"}, {Cluster: "b1", A: 1, Stratum: "b"},
		{Cluster: "b2", A: 2, Stratum: "b"}, {Cluster: "b3", A: 6, Stratum: "b"}}
	s, err := NewSample(pairs)
	if err != nil || s.Mean() != (8+3.)/2 {
		t.Errorf("mean %v, %v, want 5.5", s.Mean(), err)
	}
	// The variance of 1, 2, 6 is 7; that of the mean is 7/3 a quarter, and four times that for one.
	if got, want := s.SD(), math.Sqrt(4*7./3/4); !near(got, want, 9) {
		t.Errorf("SD = %v, want %v", got, want)
	}
	if got := s.Residuals(); !slices.Equal(got, []float64{0, -2, -1, 3}) {
		t.Errorf("residuals %v", got)
	}
	pairs = append(pairs, Pair{Cluster: "a1", Stratum: "b"})
	if _, err := NewSample(pairs); err == nil {
		t.Error("a cluster of two strata was taken")
	}
}

func TestSampleRefusesWhatIsNoScore(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 2 * ScoreMax} {
		for _, p := range []Pair{{Cluster: "lake", A: bad}, {Cluster: "lake", B: bad}} {
			if _, err := NewSample([]Pair{{Cluster: "x", A: 1, B: 2}, p}); err == nil || !strings.Contains(err.Error(), `cluster "lake"`) {
				t.Errorf("NewSample(%v) = %v, want an error that names the cluster", p, err)
			}
		}
	}
}
