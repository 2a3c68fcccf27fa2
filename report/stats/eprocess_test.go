package stats

import (
	"encoding/json"
	"math"
	"testing"
)

// observe feeds one pair a cluster.
func observe(t *testing.T, span float64, differences ...float64) EProcess {
	t.Helper()
	e, err := NewEProcess(span)
	for _, p := range pairsOf(differences...) {
		if err == nil {
			e, err = e.Observe(p)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestEProcessByHand computes the mean wealth of small cases from its definition.
func TestEProcessByHand(t *testing.T) {
	wealth := func(differences ...float64) float64 {
		sum := 0.0
		for _, bet := range bets {
			for _, side := range []float64{1, -1} {
				product := 1.0
				for _, d := range differences {
					product *= 1 + side*bet*d
				}
				sum += product
			}
		}
		return sum / (2 * float64(len(bets)))
	}
	squares := 0.0
	for _, bet := range bets {
		squares += bet * bet
	}
	squares /= float64(len(bets))
	for _, tc := range []struct {
		name        string
		differences []float64
		want        float64
	}{
		{"nothing seen", nil, 1},
		{"one pair: what one side wins the other loses", []float64{1}, 1},
		{"two wins: (1+b)² and (1-b)² have the mean 1+b²", []float64{1, 1}, 1 + squares},
		{"a win and a loss: 1-b²", []float64{1, -1}, 1 - squares},
		{"ties change nothing", []float64{0, 1, 0, 1, 0}, 1 + squares},
		{"by the definition", []float64{0.3, -0.1, 0.9, 0.5, 0.2}, wealth(0.3, -0.1, 0.9, 0.5, 0.2)},
	} {
		for _, span := range []float64{1, 250} {
			var scaled []float64
			for _, d := range tc.differences {
				scaled = append(scaled, d*span)
			}
			if got := observe(t, span, scaled...).E(); math.Abs(got-tc.want) > 1e-12 {
				t.Errorf("%s: E = %v at range %v, want %v", tc.name, got, span, tc.want)
			}
		}
	}
}

// TestEProcessExpectsNothing: over all sequences of wins and losses the mean e-value is
// 1, so that by Markov's inequality no test can go wrong more often than alpha.
func TestEProcessExpectsNothing(t *testing.T) {
	const n = 10
	sum := 0.0
	for sequence := range 1 << n {
		differences := make([]float64, n)
		for i := range differences {
			differences[i] = float64(2*(sequence>>i&1) - 1)
		}
		sum += observe(t, 1, differences...).E()
	}
	if got := sum / (1 << n); math.Abs(got-1) > 1e-9 {
		t.Errorf("mean e-value = %v, want 1", got)
	}
}

func TestEProcessDecides(t *testing.T) {
	wins := make([]float64, 12)
	for i := range wins {
		wins[i] = 1
	}
	e := observe(t, 1, wins...)
	if got, err := e.Outcome(Options{}); got != Better || err != nil || e.P() != 1/e.E() {
		t.Errorf("after 12 wins: %v, %v, p %v, e %v, want better and p = 1/e", got, err, e.P(), e.E())
	}
	if got, _ := e.Outcome(Options{LowerIsBetter: true}); got != Worse {
		t.Errorf("lower is better: %v, want worse", got)
	}
	// What was decided remains decided, whatever follows.
	later := e
	for _, p := range pairsOf(-1, -1, -1) {
		later, _ = later.Observe(p)
	}
	if got, _ := later.Outcome(Options{}); got != Better || later.P() != e.P() || later.E() >= e.E() {
		t.Errorf("after 3 losses: %v, p %v, want better and p %v", got, later.P(), e.P())
	}
	if got, _ := observe(t, 1, 1, 1, 1).Outcome(Options{}); got != Undecided {
		t.Errorf("after 3 wins: %v, want undecided", got)
	}
	if _, err := e.Outcome(Options{Alpha: 2}); err == nil {
		t.Error("an alpha of 2 was accepted")
	}
	many := make([]float64, 5000)
	for i := range many {
		many[i] = -1
	}
	if e := observe(t, 1, many...); e.E() != math.MaxFloat64 || e.P() != 0 || e.PeakSide != -1 {
		t.Errorf("after 5000 losses: e %v, p %v, side %d", e.E(), e.P(), e.PeakSide)
	}
}

// TestEProcessTakesClustersWhole: the mean of a cluster is one bet.
func TestEProcessTakesClustersWhole(t *testing.T) {
	e, _ := NewEProcess(2)
	got, err := e.Observe(Pair{"x", 2, 1}, Pair{"x", 0, 1}, Pair{"x", 3, 1})
	want, _ := e.Observe(Pair{"x", 2. / 3, 0})
	if err != nil || got.Clusters != 1 || math.Abs(got.LogWealth[0][3]-want.LogWealth[0][3]) > 1e-12 {
		t.Errorf("a cluster of three = %+v, %v, want %+v", got, err, want)
	}
}

// TestEProcessContinues from its JSON as from itself.
func TestEProcessContinues(t *testing.T) {
	e := observe(t, 1, 0.3, 0.1, -0.7, 0.2)
	text, err := json.Marshal(e)
	var restored EProcess
	if err != nil || json.Unmarshal(text, &restored) != nil || restored != e {
		t.Fatalf("restored from %s: %+v, %v, want %+v", text, restored, err, e)
	}
	a, _ := e.Observe(Pair{"z", 1, 0})
	if b, _ := restored.Observe(Pair{"z", 1, 0}); a != b {
		t.Errorf("continued as %+v, want %+v", b, a)
	}
}

func TestEProcessRefuses(t *testing.T) {
	for _, span := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := NewEProcess(span); err == nil {
			t.Errorf("a range of %v was accepted", span)
		}
	}
	e := observe(t, 1, 0.5)
	for _, cluster := range [][]Pair{nil, {{"x", 2, 0.5}}, {{"x", math.NaN(), 0}}, {{"x", 0, math.Inf(1)}}, {{"x", 0, 0}, {"y", 0, 0}}} {
		if got, err := e.Observe(cluster...); err == nil || got != e {
			t.Errorf("Observe(%v) = %v, want an error and no change", cluster, err)
		}
	}
	if _, err := (EProcess{}).Observe(Pair{"x", 0, 0}); err == nil {
		t.Error("a process without a range observed a pair")
	}
}
