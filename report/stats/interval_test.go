package stats

import (
	"math"
	"slices"
	"strconv"
	"testing"
)

// maize is the fifteen pairs of plants, in eighths of an inch, for which Fisher counted 863 of
// 32,768 arrangements in each tail (The Design of Experiments, 1935, section 21).
var maize = []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}

// intervalOf inverts the sign-flip test at a level.
func intervalOf(s Sample, level float64) (Interval, bool) {
	return s.flips(1).invert(func(p float64) bool { return p <= level }, s.Mean(), 2*s.magnitude())
}

// TestIntervalExcludesZeroWithFisher: Fisher's count is the level from which on it does.
func TestIntervalExcludesZeroWithFisher(t *testing.T) {
	s := single(t, maize...)
	at, _ := intervalOf(s, 2*863./32768)
	below, _ := intervalOf(s, 2*863./32768-1e-9)
	if !(at.Low > 0 && below.Low <= 0) {
		t.Errorf("lower ends %v and %v, want one on each side of 0", at.Low, below.Low)
	}
}

// TestIntervalIsOfSubsetMeans: the ends are the k-th smallest and largest of the means of all
// subsets, here listed one by one, with k = level 2^n/2.
func TestIntervalIsOfSubsetMeans(t *testing.T) {
	for _, differences := range [][]float64{maize, sleep, {1, 2, 3, 4, 5, 6}, {-3, 1, 1, 0, 2, 7, 0.5}} {
		var means []float64
		for subset := 1; subset < 1<<len(differences); subset++ {
			sum, size := 0.0, 0.0
			for i, d := range differences {
				if subset>>i&1 == 1 {
					sum += d
					size++
				}
			}
			means = append(means, sum/size)
		}
		slices.Sort(means)
		for _, level := range []float64{0.05, 0.04, 0.2, 0.4} {
			k := int(math.Floor(level * math.Ldexp(1, len(differences)-1)))
			got, ok := intervalOf(single(t, differences...), level)
			want := Interval{means[k-1], means[len(means)-k]}
			if !ok || math.Abs(got.Low/want.Low-1) > 1e-8 || math.Abs(got.High/want.High-1) > 1e-8 {
				t.Errorf("interval of %v at %v = %v, %v, want %v", differences, level, got, ok, want)
			}
		}
	}
}

// TestIntervalIsNearStudents where the differences are about normal: 0.70 to 2.46 for the hours of
// sleep, as R prints it for t.test with its data set sleep.
func TestIntervalIsNearStudents(t *testing.T) {
	got, ok := intervalOf(single(t, sleep...), 0.05)
	if !ok || math.Abs(got.Low-0.70) > 0.15 || math.Abs(got.High-2.46) > 0.15 {
		t.Errorf("interval = %v, want about 0.70 to 2.46", got)
	}
	if _, ok := intervalOf(single(t, 1, 2, 3, 4, 5), 0.05); ok {
		t.Error("five differences have an interval at 5%")
	}
	if got, ok := intervalOf(single(t, 2, 2, 2, 2, 2, 2), 0.05); !ok || got != (Interval{2, 2}) {
		t.Errorf("equal differences have the interval %v", got)
	}
}

// TestIntervalSaysWhatTheTestSays of 0, for every test and many samples.
func TestIntervalSaysWhatTheTestSays(t *testing.T) {
	random := splitMix(8)
	for round := range 24 {
		n := []int{6, 8, 15, 25}[round%4]
		var pairs []Pair
		for i := range n {
			p := Pair{Cluster: string(rune('a' + i)), A: math.Round(10*random.uniform()) / 10, B: math.Round(6*random.uniform()) / 10}
			if round%3 == 0 {
				p.A, p.B = math.Round(p.A), math.Round(0.8*p.B)
			}
			pairs = append(pairs, p)
		}
		for _, o := range []Options{{}, {Sequential: true}, {Claim: ClaimMean, Range: 1}, {Claim: ClaimMean, Range: 1, Sequential: true}} {
			verdicts, err := CompareAll([]Metric{{pairs, o}, {pairs[:len(pairs)-1], o}})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range verdicts {
				if v.Interval == nil {
					continue
				}
				if excludes := v.Interval.Low > 0 || v.Interval.High < 0; excludes != v.Outcome.Differs() {
					t.Errorf("%+v of %d: %s, p %v, interval %v", o, n, v.Outcome, v.AdjustedP, *v.Interval)
				}
			}
		}
	}
}

// TestIntervalOfNoDifference has 0 at both ends if all pairs are equal, however few or many they are.
func TestIntervalOfNoDifference(t *testing.T) {
	for _, n := range []int{6, 12, 60, 300} {
		var pairs []Pair
		for i := range n {
			pairs = append(pairs, Pair{Cluster: strconv.Itoa(i), A: 1, B: 1})
		}
		verdicts, err := CompareAll([]Metric{{Pairs: pairs, Options: Options{Alpha: 0.05}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts[0].Interval; got == nil || *got != (Interval{}) {
			t.Errorf("%d pairs: interval %v, want 0 to 0", n, got)
		}
	}
}
