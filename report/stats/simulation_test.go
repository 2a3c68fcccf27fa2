package stats

import (
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// simulated is a kind of scores within 0..span. draw is one score of an arm at an
// instance of the given difficulty, 0..1; handicap lowers it.
type simulated struct {
	name     string
	span     float64
	handicap float64
	repeats  int
	draw     func(random *splitMix, difficulty, handicap float64) float64
}

// normal is a standard normal number.
func normal(random *splitMix) float64 {
	return mathext.NormalQuantile((math.Floor(1e9*random.uniform()) + 0.5) / 1e9)
}

func clamp(x, high float64) float64 { return min(max(x, 0), high) }

var kinds = []simulated{
	{"normal", 20, 1, 1, func(r *splitMix, difficulty, handicap float64) float64 {
		return clamp(8+4*difficulty+1.5*normal(r)-handicap, 20)
	}},
	{"binary", 1, 0.25, 1, func(r *splitMix, difficulty, handicap float64) float64 {
		if r.uniform() < 0.3+0.6*difficulty-handicap {
			return 1
		}
		return 0
	}},
	{"derailing", 20, 1.5, 1, func(r *splitMix, difficulty, handicap float64) float64 {
		if r.uniform() < 0.05 {
			return 0
		}
		return clamp(8+4*difficulty+1.5*normal(r)-handicap, 20)
	}},
	{"lognormal", 60, 0.5, 1, func(r *splitMix, difficulty, handicap float64) float64 {
		return clamp(math.Exp(difficulty+0.8*normal(r)-handicap), 60)
	}},
	// Repeats of an instance share what the arm makes of it: pairs are not independent.
	{"clustered", 20, 1, 3, func(r *splitMix, difficulty, handicap float64) float64 {
		return clamp(8+4*difficulty+0.5*normal(r)-handicap, 20)
	}},
}

// pairs draws n clusters; A has the handicap.
func (k simulated) pairs(random *splitMix, n int, handicap float64) []Pair {
	var pairs []Pair
	for i := range n {
		a := random.uniform()
		b := a
		if k.repeats > 1 {
			b = random.uniform()
		}
		for range k.repeats {
			pairs = append(pairs, Pair{Cluster: fmt.Sprint(i), A: k.draw(random, a, handicap), B: k.draw(random, b, 0)})
		}
	}
	return pairs
}

// simulations is the number of comparisons, and how many may be wrong: three standard errors over
// the 5% that alpha allows, rounded down, but for few. That is 130 of 2,000 behind AGENT_WORLD_LONG,
// and a sample of 2% of them otherwise.
func simulations() (comparisons, wrongMax int) {
	comparisons = 40
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		comparisons = 2000
	}
	expected := 0.05 * float64(comparisons)
	return comparisons, int(math.Ceil(expected + 3*math.Sqrt(expected*0.95)))
}

// alarms counts the simulated tables in which a test is wrong, and fails above a number.
func alarms(t *testing.T, what string, most int, wrong func(round int) bool) {
	t.Helper()
	comparisons, _ := simulations()
	n := 0
	for round := range comparisons {
		if wrong(round) {
			n++
		}
	}
	t.Logf("%s: %d of %d", what, n, comparisons)
	if n > most {
		t.Errorf("%s: %d of %d, want at most %d", what, n, comparisons, most)
	}
}

// found is whether a table says of any metric that it differs, without the intervals, which take
// most of the time of [CompareAll].
func found(t *testing.T, metrics ...Metric) []bool {
	t.Helper()
	var ps []float64
	for _, m := range metrics {
		_, v, err := measure(m, len(metrics))
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, v.P)
	}
	decided := make([]bool, len(ps))
	for i, p := range Holm(ps) {
		decided[i] = p <= 0.05
	}
	return decided
}

// TestNoFalseAlarms compares arms of one law.
func TestNoFalseAlarms(t *testing.T) {
	_, most := simulations()
	for _, kind := range kinds {
		for _, n := range []int{6, 10, 20, 30} {
			random := splitMix(n)
			alarms(t, fmt.Sprintf("false alarms of %s scores, n = %d", kind.name, n), most, func(round int) bool {
				return found(t, Metric{kind.pairs(&random, n, 0), Options{Seed: uint64(round)}})[0]
			})
		}
		random := splitMix(1)
		alarms(t, fmt.Sprintf("false alarms about the mean of %s scores, n = 60", kind.name), most, func(int) bool {
			return found(t, Metric{kind.pairs(&random, 60, 0), Options{Claim: ClaimMean, Range: kind.span}})[0]
		})
	}
}

// TestNoFalseAlarmsWhileWatching looks after every cluster up to 300.
func TestNoFalseAlarmsWhileWatching(t *testing.T) {
	_, most := simulations()
	for _, kind := range kinds {
		random := splitMix(2)
		alarms(t, "false alarms while watching "+kind.name+" scores", most, func(int) bool {
			s, err := NewSample(kind.pairs(&random, 300, 0))
			if err != nil {
				t.Fatal(err)
			}
			return pOf(s.symmetric(0).peak) <= 0.05
		})
		alarms(t, "false alarms about the mean while watching "+kind.name+" scores", most, func(int) bool {
			s, err := NewSample(kind.pairs(&random, 300, 0))
			if err != nil {
				t.Fatal(err)
			}
			return pOf(s.bounded(0, kind.span).peak) <= 0.05
		})
	}
}

// table is all pairs of arms on the same n instances, each arm with its handicap: the metrics of
// (0,1), (0,2), (1,2), (0,3) and so on, of the later arm against the earlier.
func (k simulated) table(random *splitMix, n int, handicaps ...float64) []Metric {
	scores := make([][]float64, len(handicaps))
	for range n {
		difficulty := random.uniform()
		for arm, handicap := range handicaps {
			scores[arm] = append(scores[arm], k.draw(random, difficulty, handicap))
		}
	}
	var metrics []Metric
	for arm := range handicaps {
		for other := range arm {
			var pairs []Pair
			for i := range n {
				pairs = append(pairs, Pair{Cluster: fmt.Sprint(i), A: scores[arm][i], B: scores[other][i]})
			}
			metrics = append(metrics, Metric{Pairs: pairs})
		}
	}
	return metrics
}

// TestNoFalseAlarmsAmongManyArms: of five arms of one law no two are told apart, and the rank
// intervals of five that differ have their true places.
func TestNoFalseAlarmsAmongManyArms(t *testing.T) {
	_, most := simulations()
	for _, kind := range kinds {
		random := splitMix(3)
		alarms(t, "false alarms among five arms of "+kind.name+" scores", most, func(int) bool {
			for _, decided := range found(t, kind.table(&random, 14, 0, 0, 0, 0, 0)...) {
				if decided {
					return true
				}
			}
			return false
		})
		handicaps := []float64{0, 0.25 * kind.handicap, 0.5 * kind.handicap, 1.25 * kind.handicap, 2 * kind.handicap}
		alarms(t, "wrong places of five arms of "+kind.name+" scores", most, func(int) bool {
			metrics := kind.table(&random, 14, handicaps...)
			decided := found(t, metrics...)
			at := func(arm, other int) int { return arm*(arm-1)/2 + other }
			ranks := Ranks(5, func(i, j int) bool {
				row := at(max(i, j), min(i, j))
				s, err := NewSample(metrics[row].Pairs)
				if err != nil {
					t.Fatal(err)
				}
				return decided[row] && (s.Mean() > 0) == (i > j)
			})
			for arm, rank := range ranks {
				if arm+1 < rank.Low || arm+1 > rank.High {
					return true
				}
			}
			return false
		})
	}
}

// TestNoFalseAlarmsOfSeats: the first seat is worth a whole handicap, and both arms have it as
// often. Tasks of other numbers and kinds of instances are compared in strata.
func TestNoFalseAlarmsOfSeats(t *testing.T) {
	_, most := simulations()
	for _, kind := range kinds {
		random := splitMix(4)
		alarms(t, "false alarms of swapped seats, "+kind.name+" scores", most, func(int) bool {
			var seatings []Seating
			for i := range 12 {
				difficulty := random.uniform()
				for _, swapped := range []bool{false, true} {
					first, second := kind.draw(&random, difficulty, 0), kind.draw(&random, difficulty, kind.handicap)
					if swapped {
						first, second = second, first
					}
					seatings = append(seatings, Seating{fmt.Sprint(i), swapped, first, second})
				}
			}
			pairs, _, err := SeatPairs(seatings)
			if err != nil {
				t.Fatal(err)
			}
			return found(t, Metric{Pairs: pairs})[0]
		})
	}
	random := splitMix(5)
	alarms(t, "false alarms of three tasks in strata", most, func(int) bool {
		var pairs []Pair
		for task, kind := range kinds[:3] {
			for _, p := range kind.pairs(&random, 3+2*task, 0) {
				p.Stratum = kind.name
				p.Cluster += kind.name
				p.A /= kind.span
				p.B /= kind.span
				pairs = append(pairs, p)
			}
		}
		return found(t, Metric{Pairs: pairs})[0]
	})
}

// TestEqualMeansOfUnlikeArms: A derails in a tenth of its runs and scores more in the others, so that
// the means are equal. The arms are not the same, and the sign-flip test may say so: its rate is
// told, and not barred. Only a claim about the mean is wrong.
func TestEqualMeansOfUnlikeArms(t *testing.T) {
	comparisons, most := simulations()
	pairs := func(random *splitMix, n int) (pairs []Pair) {
		for i := range n {
			p := Pair{Cluster: fmt.Sprint(i), A: 10 + normal(random), B: 9 + normal(random)}
			if random.uniform() < 0.1 {
				p.A = normal(random)
			}
			pairs = append(pairs, Pair{Cluster: p.Cluster, A: clamp(p.A+3, 20), B: clamp(p.B+3, 20)})
		}
		return pairs
	}
	for _, n := range []int{6, 10, 20, 30, 100} {
		random := splitMix(n)
		alarms(t, fmt.Sprintf("unlike arms of equal means, by signs, n = %d", n), comparisons, func(round int) bool {
			return found(t, Metric{pairs(&random, n), Options{Seed: uint64(round)}})[0]
		})
		alarms(t, fmt.Sprintf("unlike arms of equal means, by bets, n = %d", n), most, func(int) bool {
			return found(t, Metric{pairs(&random, n), Options{Claim: ClaimMean, Range: 20}})[0]
		})
	}
}

// TestNoFalseEquivalence compares arms that differ by just the margin, as skewed as they come.
func TestNoFalseEquivalence(t *testing.T) {
	comparisons, _ := simulations()
	most := max(comparisons/20, 2)
	const margin = 0.1
	for _, of := range []struct {
		name string
		draw func(random *splitMix) float64
	}{
		{"a constant difference", func(*splitMix) float64 { return margin }},
		{"a full derailment in ten", func(r *splitMix) float64 { return derail(r, 0.1, 0) }},
		{"a full derailment in nine against a small lead", func(r *splitMix) float64 { return derail(r, 0.11, -0.01/0.89) }},
		{"a spread", func(r *splitMix) float64 { return margin + 0.15*(r.uniform()+r.uniform()-1) }},
		{"two values", func(r *splitMix) float64 { return derail(r, 0.55, -1) }},
	} {
		sizes := []int{20, 60}
		if comparisons >= 2000 {
			sizes = []int{6, 20, 60, 120}
		}
		for _, n := range sizes {
			random := splitMix(n)
			for _, sequential := range []bool{false, true} {
				alarms(t, fmt.Sprintf("false equivalence, %s, n = %d, watched %v", of.name, n, sequential), most, func(int) bool {
					var differences []float64
					for range n {
						differences = append(differences, of.draw(&random))
					}
					_, v, err := measure(Metric{pairsOf(differences...), Options{Margin: margin, Range: 1, Sequential: sequential}}, 1)
					if err != nil {
						t.Fatal(err)
					}
					return v.EquivalenceP <= 0.05
				})
			}
		}
	}
}

// derail is a difference of the whole range with a probability, otherwise another.
func derail(random *splitMix, probability, other float64) float64 {
	if random.uniform() < probability {
		return 1
	}
	return other
}

// pilot is a sample of n clusters of the kind with its handicap.
func (k simulated) pilot(t *testing.T, n int) Sample {
	t.Helper()
	random := splitMix(99)
	pilot, err := NewSample(k.pairs(&random, n, k.handicap))
	if err != nil {
		t.Fatal(err)
	}
	return pilot
}

// TestHandicapIsFound in at least 80 of 100 comparisons of the size that was planned for 90% power:
// by signs of a fixed number, watched until it is decided, and about the mean.
func TestHandicapIsFound(t *testing.T) {
	comparisons, least := 25, 18 // three standard errors less than 90%
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		comparisons, least = 100, 80
	}
	for _, kind := range kinds {
		pilot := kind.pilot(t, 2000)
		for _, o := range []Options{{}, {Sequential: true}, {Claim: ClaimMean, Range: kind.span}} {
			n, err := Rehearsal{Options: o, Effect: pilot.Mean(), Residuals: pilot.Residuals()}.Clusters(0.9)
			if o.Claim == "" && !o.Sequential {
				n, err = Design{Effect: pilot.Mean(), SD: pilot.SD(), Alpha: 0.05}.Clusters(0.9)
			}
			if err != nil {
				t.Fatal(err)
			}
			random := splitMix(11)
			got := 0
			for i := range comparisons {
				o.Seed = uint64(i)
				m, v, err := measure(Metric{kind.pairs(&random, n, kind.handicap), o}, 1)
				if err != nil {
					t.Fatal(err)
				}
				if v.P <= 0.05 && m.side < 0 {
					got++
				}
			}
			t.Logf("%s, claim %q, watched %v: found in %d of %d with n = %d", kind.name, o.Claim, o.Sequential, got, comparisons, n)
			if got < least {
				t.Errorf("%s, claim %q, watched %v: %d of %d with n = %d, want %d", kind.name, o.Claim, o.Sequential, got,
					comparisons, n, least)
			}
		}
	}
}

// TestEquivalenceIsFound in at least 80 of 100 comparisons of equal arms, of the size that was
// planned for 90% power.
func TestEquivalenceIsFound(t *testing.T) {
	comparisons, least := 25, 18
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		comparisons, least = 100, 80
	}
	for _, sd := range []float64{0.03, 0.1} {
		for _, margin := range []float64{0.05, 0.1} {
			o := Options{Margin: margin, Range: 1}
			n, err := Rehearsal{Options: o, SD: sd}.Clusters(0.9)
			if err != nil {
				t.Fatal(err)
			}
			random := splitMix(12)
			got := 0
			for range comparisons {
				var differences []float64
				for range n {
					differences = append(differences, min(max(sd*normal(&random), -1), 1))
				}
				if single(t, differences...).Equivalence(margin, 1) <= 0.05 {
					got++
				}
			}
			t.Logf("spread %v, margin %v: found in %d of %d with n = %d", sd, margin, got, comparisons, n)
			if got < least {
				t.Errorf("spread %v, margin %v: found in %d of %d with n = %d, want %d", sd, margin, got, comparisons, n, least)
			}
		}
	}
}

// TestRehearsals: what is planned by simulation agrees with what can be counted, and what cannot be
// planned is refused.
func TestRehearsals(t *testing.T) {
	equal := Rehearsal{Options: Options{Margin: 0.05, Range: 1}}
	n, err := equal.Clusters(0.8)
	at, below := single(t, make([]float64, n)...), single(t, make([]float64, n-1)...)
	if err != nil || at.Equivalence(0.05, 1) > 0.05 || below.Equivalence(0.05, 1) <= 0.05 {
		t.Errorf("equal arms take %d clusters, %v; p %v there and %v before", n, err, at.Equivalence(0.05, 1), below.Equivalence(0.05, 1))
	}
	for _, tc := range []struct {
		r    Rehearsal
		want int
	}{
		{Rehearsal{Options: Options{Sequential: true}, Effect: 3}, 7},
		{Rehearsal{Options: Options{Margin: 1, Range: 1}, SD: 9}, 1},
		{Rehearsal{Options: Options{Sequential: true}, Effect: 1e-6, SD: 1}, ClustersMax},
	} {
		if n, err := tc.r.Clusters(0.8); n != tc.want || err != nil {
			t.Errorf("%+v: %d clusters, %v, want %d", tc.r, n, err, tc.want)
		}
	}
	for _, bad := range []Rehearsal{{}, {Effect: 1}, {Options: Options{Margin: 1}}, {Effect: math.NaN()}, {Options: Options{Alpha: 2}}} {
		if _, err := bad.Clusters(0.8); err == nil {
			t.Errorf("%+v has a size", bad)
		}
	}
}
