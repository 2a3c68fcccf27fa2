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
	pairs := []Pair{{"x", 3, 1}, {"y", 0, 4}, {"x", 5, 1}, {"z", 1, 1}}
	want := []float64{3, -4, 0}
	s, err := NewSample(pairs)
	if err != nil || !slices.Equal(s.differences, want) || s.Clusters() != 3 || s.Pairs() != 4 {
		t.Errorf("NewSample = %+v, %v, want differences %v of 4 pairs", s, err, want)
	}
	if !near(s.Mean(), -1./3, 9) || !near(s.SD(), math.Sqrt(37./3), 9) {
		t.Errorf("mean %v and SD %v, want -1/3 and sqrt(37/3)", s.Mean(), s.SD())
	}
}

// TestSampleIgnoresOrder: a batch finishes its runs in any order.
func TestSampleIgnoresOrder(t *testing.T) {
	random := splitMix(7)
	var pairs []Pair
	for i := range 40 {
		pairs = append(pairs, Pair{fmt.Sprint(i % 9), random.uniform(), 1e6 * random.uniform()})
	}
	want, _ := NewSample(pairs)
	slices.Reverse(pairs)
	if got, _ := NewSample(pairs); !slices.Equal(got.differences, want.differences) {
		t.Errorf("in reverse order %v, want %v", got.differences, want.differences)
	}
}

func TestSampleRefusesWhatIsNoScore(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 2 * ScoreMax} {
		for _, p := range []Pair{{"lake", bad, 0}, {"lake", 0, bad}} {
			if _, err := NewSample([]Pair{{"x", 1, 2}, p}); err == nil || !strings.Contains(err.Error(), `cluster "lake"`) {
				t.Errorf("NewSample(%v) = %v, want an error that names the cluster", p, err)
			}
		}
	}
}

// TestIntervalAgreesWithStudentsTable holds half the width of an interval to the 97.5%
// quantiles of Student's distribution as in R. A. Fisher and F. Yates, Statistical
// Tables, table III.
func TestIntervalAgreesWithStudentsTable(t *testing.T) {
	for _, tc := range []struct {
		degrees int
		want    float64
	}{{1, 12.706}, {2, 4.303}, {5, 2.571}, {10, 2.228}, {20, 2.086}, {30, 2.042}, {60, 2.000}, {120, 1.980}} {
		var differences []float64
		for i := range tc.degrees + 1 {
			differences = append(differences, float64(i%3))
		}
		s := single(t, differences...)
		interval, ok := s.Interval(0.05)
		got := (interval.High - interval.Low) / 2 / s.SD() * math.Sqrt(float64(tc.degrees+1))
		if !ok || !near(got, tc.want, 3) {
			t.Errorf("quantile for %d degrees of freedom = %.4f, want %v", tc.degrees, got, tc.want)
		}
	}
}

// TestIntervalOfStudentsSleep: the paired interval of the data, as R prints it for
// t.test with its data set sleep.
func TestIntervalOfStudentsSleep(t *testing.T) {
	s := single(t, sleep...)
	if got, _ := s.Interval(0.05); !near(got.Low, 0.7001142, 7) || !near(got.High, 2.4598858, 7) {
		t.Errorf("interval = %v, want 0.7001142 to 2.4598858", got)
	}
	if _, ok := single(t, 1).Interval(0.05); ok {
		t.Error("one cluster has an interval")
	}
}

// TestTOSTIsTheNarrowerInterval: p is alpha where the interval of confidence 1 - 2 alpha
// ends. For the sleep data and 5% that is 1.58 + 1.833 x 0.38896, with 1.833 from
// Student's table for 9 degrees of freedom.
func TestTOSTIsTheNarrowerInterval(t *testing.T) {
	s := single(t, sleep...)
	if got := s.TOST(1.58 + 1.833113*0.388955); !near(got, 0.05, 5) {
		t.Errorf("p at the end of the 90%% interval = %v, want 0.05", got)
	}
	interval, _ := s.Interval(0.02)
	if got := s.TOST(interval.High); !near(got, 0.01, 9) {
		t.Errorf("p at the end of the 98%% interval = %v, want 0.01", got)
	}
	if got := s.TOST(1); got < 0.5 {
		t.Errorf("p within a margin below the mean = %v, want over 0.5", got)
	}
	if got := single(t, 0, 0, 0, 0, 0, 0, 0).TOST(1); got != 1 {
		t.Errorf("p without spread = %v, want 1", got)
	}
}

// TestTOSTOfSummary recomputes by hand the paired example of D. Lakens (Social
// Psychological and Personality Science 8, 2017): n = 65, means 5.83 and 5.75, standard
// deviations 1.17 and 1.30, correlation 0.75, margin 0.4 standard deviations of the
// difference. The standard deviation is 0.88170, its error 0.10936, t(64) = -2.493.
func TestTOSTOfSummary(t *testing.T) {
	const sd, difference, margin = 0.88170, 0.08, 0.35268
	// 32 pairs of values symmetric about the mean, and the mean.
	half := sd
	differences := []float64{difference}
	for range 32 {
		differences = append(differences, difference+half, difference-half)
	}
	s := single(t, differences...)
	if !near(s.SD(), sd, 4) {
		t.Fatalf("SD = %v, want %v", s.SD(), sd)
	}
	// One-sided 0.01 and 0.005 quantiles for 64 degrees of freedom: 2.386 and 2.655.
	if p := s.TOST(margin); p < 0.005 || p > 0.01 {
		t.Errorf("p = %v, want between 0.005 and 0.01", p)
	}
}
