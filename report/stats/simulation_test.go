package stats

import (
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
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
func normal(random *splitMix) float64 { return distuv.UnitNormal.Quantile(random.uniform()) }

func clamp(x, high float64) float64 { return min(max(x, 0), high) }

var kinds = []simulated{
	{"continuous", 20, 1, 1, func(r *splitMix, difficulty, handicap float64) float64 {
		return clamp(8+4*difficulty+1.5*normal(r)-handicap, 20)
	}},
	{"binary", 1, 0.25, 1, func(r *splitMix, difficulty, handicap float64) float64 {
		if r.uniform() < 0.3+0.6*difficulty-handicap {
			return 1
		}
		return 0
	}},
	{"derailed", 20, 1.5, 1, func(r *splitMix, difficulty, handicap float64) float64 {
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
			pairs = append(pairs, Pair{fmt.Sprintf("%07d", i), k.draw(random, a, handicap), k.draw(random, b, 0)})
		}
	}
	return pairs
}

// simulations is the number of comparisons, and how many may be wrong: three standard
// errors over the 5% that alpha allows. That is 130 for 2,000.
func simulations() (comparisons, wrongMax int) {
	comparisons = 200
	switch {
	case os.Getenv("AGENT_WORLD_LONG") != "":
		comparisons = 2000
	case testing.Short():
		comparisons = 40
	}
	expected := 0.05 * float64(comparisons)
	return comparisons, int(math.Ceil(expected + 3*math.Sqrt(expected*0.95)))
}

// TestNoFalseAlarms compares equal arms.
func TestNoFalseAlarms(t *testing.T) {
	comparisons, wrongMax := simulations()
	for _, kind := range kinds {
		for _, n := range []int{6, 10, 20, 30} {
			random := splitMix(n)
			alarms := map[Outcome]int{}
			for i := range comparisons {
				v, err := compare(kind.pairs(&random, n, 0), Options{Seed: uint64(i)})
				if err != nil {
					t.Fatal(err)
				}
				alarms[v.Outcome]++
			}
			alarmed := alarms[Better] + alarms[Worse]
			t.Logf("%s, n = %d: %d alarms in %d", kind.name, n, alarmed, comparisons)
			if alarmed > wrongMax || alarms[Undecided]+alarmed != comparisons {
				t.Errorf("%s, n = %d: %v, want at most %d alarms", kind.name, n, alarms, wrongMax)
			}
		}
	}
}

// TestNoFalseAlarmsWhilePeeking looks after every cluster and stops at the first alarm.
func TestNoFalseAlarmsWhilePeeking(t *testing.T) {
	comparisons, wrongMax := simulations()
	for _, kind := range kinds {
		for _, n := range []int{6, 10, 20, 30} {
			random := splitMix(n)
			alarms := 0
			for range comparisons {
				if kind.decide(t, &random, n, 0) != Undecided {
					alarms++
				}
			}
			t.Logf("%s, n = %d: %d alarms in %d", kind.name, n, alarms, comparisons)
			if alarms > wrongMax {
				t.Errorf("%s, n = %d: %d alarms in %d, want at most %d", kind.name, n, alarms, comparisons, wrongMax)
			}
		}
	}
}

// decide runs an e-process until it decides, for at most n clusters.
func (k simulated) decide(t *testing.T, random *splitMix, n int, handicap float64) Outcome {
	t.Helper()
	e, err := NewEProcess(k.span)
	for range n {
		if err == nil {
			e, err = e.Observe(k.pairs(random, 1, handicap)...)
		}
		outcome, _ := e.Outcome(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if outcome != Undecided {
			return outcome
		}
	}
	return Undecided
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

// planned is the number of clusters for 90% power to find the handicap of the kind, by
// the mean and spread of a large pilot.
func (k simulated) planned(t *testing.T) int {
	t.Helper()
	pilot := k.pilot(t, 5000)
	n, err := Design{Effect: pilot.Mean(), SD: pilot.SD(), Alpha: 0.05}.Clusters(0.9)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestNoFalseEquivalence compares arms that differ by just the margin. Student's t does
// not allow for skewed differences: lognormal scores may take twice alpha.
func TestNoFalseEquivalence(t *testing.T) {
	const n = 30
	comparisons, wrongMax := simulations()
	for _, kind := range kinds {
		// An error of the margin adds errors of its own, so the margin is known well.
		margin := math.Abs(kind.pilot(t, 100*comparisons).Mean())
		random := splitMix(n)
		wrong, most := 0, wrongMax
		if kind.name == "lognormal" {
			most = 2 * wrongMax
		}
		for range comparisons {
			pairs := kind.pairs(&random, n, kind.handicap)
			s, err := NewSample(pairs)
			if err != nil {
				t.Fatal(err)
			}
			p := s.TOST(margin)
			if onlyA, onlyB, binary := differing(pairs); binary {
				p = equivalentRates(onlyA, onlyB, n, margin)
			}
			if p <= 0.05 {
				wrong++
			}
		}
		t.Logf("%s: %d of %d equivalent", kind.name, wrong, comparisons)
		if wrong > most {
			t.Errorf("%s: %d of %d equivalent, want at most %d", kind.name, wrong, comparisons, most)
		}
	}
}

// TestHandicapIsFound at the size that was planned for 90% power, in at least 80 of 100
// comparisons. A short test has 25, and wants three standard errors less than 90%.
func TestHandicapIsFound(t *testing.T) {
	comparisons, least := 100, 80
	if testing.Short() {
		comparisons, least = 25, 18
	}
	for _, kind := range kinds {
		n := kind.planned(t)
		random := splitMix(11)
		found := 0
		for i := range comparisons {
			v, err := compare(kind.pairs(&random, n, kind.handicap), Options{Seed: uint64(i)})
			if err != nil {
				t.Fatal(err)
			}
			if v.Outcome == Worse {
				found++
			}
		}
		t.Logf("%s: found in %d of %d with n = %d", kind.name, found, comparisons, n)
		if found < least {
			t.Errorf("%s: a handicap of %v was found in %d of %d with n = %d, want %d", kind.name, kind.handicap, found, comparisons, n, least)
		}
	}
}

// TestHandicapIsFoundWhilePeeking: an e-process finds it with five times as many
// clusters, and then on the right side.
func TestHandicapIsFoundWhilePeeking(t *testing.T) {
	for _, kind := range kinds {
		n := 5 * kind.planned(t)
		random := splitMix(12)
		outcomes := map[Outcome]int{}
		for range 100 {
			outcomes[kind.decide(t, &random, n, kind.handicap)]++
		}
		t.Logf("%s: %v with at most n = %d", kind.name, outcomes, n)
		if outcomes[Worse] < 80 || outcomes[Better] > 0 {
			t.Errorf("%s: %v with at most n = %d, want 80 worse", kind.name, outcomes, n)
		}
	}
}
