package stats

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// repeated is n numbers, x over and over.
func repeated(n int, x ...float64) []float64 {
	var xs []float64
	for i := range n {
		xs = append(xs, x[i%len(x)])
	}
	return xs
}

func TestCompareConcludes(t *testing.T) {
	for _, tc := range []struct {
		name    string
		pairs   []Pair
		options Options
		want    Outcome
	}{
		{"six of six higher", pairsOf(1, 2, 3, 4, 5, 6), Options{}, Better},
		{"and lower is better", pairsOf(1, 2, 3, 4, 5, 6), Options{LowerIsBetter: true}, Worse},
		{"six of six lower", pairsOf(-1, -2, -3, -4, -5, -6), Options{}, Worse},
		{"five of five", pairsOf(1, 2, 3, 4, 5), Options{}, TooFew},
		{"six of six at 1%", pairsOf(1, 2, 3, 4, 5, 6), Options{Alpha: 0.01}, TooFew},
		{"eight of eight at 1%", pairsOf(1, 2, 3, 4, 5, 6, 7, 8), Options{Alpha: 0.01}, Better},
		{"six pairs of two clusters", []Pair{{"x", 1, 0}, {"x", 2, 0}, {"x", 3, 0}, {"y", 4, 0}, {"y", 5, 0}, {"y", 6, 0}}, Options{}, TooFew},
		{"none", nil, Options{Margin: 1}, TooFew},
		{"both signs", pairsOf(repeated(20, 1, -1.5, 0.3)...), Options{}, Undecided},
		{"small beside the margin", pairsOf(repeated(20, 1, -1.5, 0.3)...), Options{Margin: 2}, Equivalent},
		{"a certain difference that does not matter", pairsOf(repeated(20, 1, 1.1)...), Options{Margin: 2}, Equivalent},
		{"a certain difference that does", pairsOf(repeated(20, 1, 1.1)...), Options{Margin: 0.5}, Better},
		{"twenty ties, margin 0.1 of rates: 0.9^20 = 0.12", pairsOf(repeated(20, 0)...), Options{Margin: 0.1}, Undecided},
		{"forty ties: 0.9^40 = 0.01", pairsOf(repeated(40, 0)...), Options{Margin: 0.1}, Equivalent},
		{"forty ties of two rates a cluster", append(pairsOf(repeated(40, 0)...), pairsOf(repeated(40, 0)...)...), Options{Margin: 0.1}, Equivalent},
		{"equal differences of unknown range", pairsOf(repeated(40, 0.5)...), Options{Margin: 1}, Better},
		{"equal differences of known range", pairsOf(repeated(40, 0.5)...), Options{Margin: 1, Range: 5}, Equivalent},
		{"equal differences of wide range", pairsOf(repeated(40, 0.5)...), Options{Margin: 1, Range: 50}, Better},
		{"a margin that cannot be exceeded", pairsOf(repeated(6, 0.5)...), Options{Margin: 3, Range: 2}, Equivalent},
	} {
		v, err := compare(tc.pairs, tc.options)
		if err != nil || v.Outcome != tc.want {
			t.Errorf("%s: %+v, %v, want %s", tc.name, v, err, tc.want)
		}
	}
}

// TestCompareDetails holds the fields of a verdict to what the tests themselves say.
func TestCompareDetails(t *testing.T) {
	var pairs []Pair
	for i, p := range pairsOf(repeated(10, 1, -1, 2, 0.5)...) {
		pairs = append(pairs, p, Pair{p.Cluster, float64(i % 4), 0})
	}
	s, _ := NewSample(pairs)
	v, err := compare(pairs, Options{Margin: 0.1, Effect: 0.5})
	interval, _ := s.Interval(0.05)
	clusters, _ := Design{Effect: 0.5, SD: s.SD(), Alpha: 0.05}.Clusters(0.8)
	want := Verdict{
		Outcome: v.Outcome, Difference: s.Mean(), Interval: &interval, P: s.SignFlip(0), AdjustedP: s.SignFlip(0),
		EquivalenceP: s.TOST(0.1), Pairs: 20, Clusters: 10, FurtherPairs: v.FurtherPairs,
	}
	if err != nil || !reflect.DeepEqual(v, want) {
		t.Errorf("Compare = %+v, %v, want %+v", v, err, want)
	}
	if v.Outcome == Undecided && v.FurtherPairs != 2*(clusters-10) {
		t.Errorf("further pairs = %d, want two for each of %d clusters", v.FurtherPairs, clusters-10)
	}
	// Rates of 40 pairs: McNemar's test is exact, random arrangements are not.
	rates := pairsOf(repeated(25, 1)...)
	for i := range 15 {
		rates = append(rates, Pair{fmt.Sprintf("d%d", i), 0, 1})
	}
	if v, err := compare(rates, Options{Margin: 0.1}); err != nil || v.P != McNemar(25, 15) || v.EquivalenceP != equivalentRates(25, 15, 40, 0.1) {
		t.Errorf("rates: %+v, %v, want McNemar's p %v", v, err, McNemar(25, 15))
	}
	// Rates in clusters are not independent.
	for i := range rates {
		rates[i].Cluster = fmt.Sprint(i / 2)
	}
	s, _ = NewSample(rates)
	if v, err := compare(rates, Options{Margin: 0.1}); err != nil || v.P != s.SignFlip(0) || v.EquivalenceP != s.TOST(0.1) {
		t.Errorf("rates in clusters: %+v, %v, want the sign-flip's p %v", v, err, s.SignFlip(0))
	}
}

func TestFurtherPairs(t *testing.T) {
	for _, tc := range []struct {
		name    string
		pairs   []Pair
		options Options
		want    int
	}{
		// SD of 10 times ±1 is sqrt(10/9) = 1.054; 0.5/1.054 = 0.474 needs 37 clusters.
		{"an effect of half the spread", pairsOf(repeated(10, 1, -1)...), Options{Effect: 0.5}, 27},
		{"no difference to find", pairsOf(repeated(10, 1, -1)...), Options{}, ClustersMax},
		{"enough already", pairsOf(repeated(10, 1, -1)...), Options{Effect: 10}, 0},
	} {
		if v, err := compare(tc.pairs, tc.options); err != nil || v.Outcome != Undecided || v.FurtherPairs != tc.want {
			t.Errorf("%s: %+v, %v, want %d further pairs", tc.name, v, err, tc.want)
		}
	}
	if v, _ := compare(pairsOf(1, 2, 3, 4, 5, 6), Options{Effect: 0.1}); v.FurtherPairs != 0 {
		t.Errorf("a decided comparison needs %d further pairs", v.FurtherPairs)
	}
}

// TestFurtherPairsOfSeveralMetrics plans at the level that decides: of six equal signs among two
// metrics p is 2 * 2/64, and seven clusters are the least whose p can be below 0.05.
func TestFurtherPairsOfSeveralMetrics(t *testing.T) {
	six := pairsOf(3, 3, 3, 3, 3, 3)
	verdicts, err := CompareAll([]Metric{{Pairs: six}, {Pairs: six}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verdicts {
		if v.Outcome != Undecided || v.FurtherPairs != 1 {
			t.Errorf("%s, %d further pairs, want undecided and 1", v.Outcome, v.FurtherPairs)
		}
	}
	spread := pairsOf(repeated(8, 1, 3, 2, -1)...)
	verdicts, _ = CompareAll([]Metric{{Pairs: spread, Options: Options{Effect: 1}}, {Pairs: spread}, {Pairs: spread}})
	s, _ := NewSample(spread)
	want, _ := Design{Effect: 1, SD: s.SD(), Alpha: 0.05 / 3}.Clusters(0.8)
	if got := verdicts[0]; got.Outcome != Undecided || got.FurtherPairs != want-8 {
		t.Errorf("one of three: %s, %d further pairs, want %d in all", got.Outcome, got.FurtherPairs, want)
	}
	if verdicts, _ = CompareAll([]Metric{{Pairs: six[:4]}, {Pairs: nil}}); verdicts[0].FurtherPairs != 3 || verdicts[1].FurtherPairs != 7 {
		t.Errorf("4 and 0 pairs of two metrics need %d and %d further, want 3 and 7", verdicts[0].FurtherPairs, verdicts[1].FurtherPairs)
	}
	// The observed difference has 80% power by the t test, and the exact test has not decided.
	for _, tc := range [][]Pair{pairsOf(5, 5, 5, 5, 5, 5, -1), pairsOf(9, 9, 9, 9, 9, 9, -3)} {
		if v, _ := compare(tc, Options{Alpha: 0.02}); v.Outcome == Undecided && v.FurtherPairs < 1 {
			t.Errorf("%+v: an undecided comparison needs no pair", v)
		}
	}
}

// TestCompareAllAdjusts: six of six is 2/64 alone, and 3 times that among three.
func TestCompareAllAdjusts(t *testing.T) {
	six, ten := pairsOf(1, 2, 3, 4, 5, 6), pairsOf(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	verdicts, err := CompareAll([]Metric{{Pairs: six}, {Pairs: ten}, {Pairs: six[:5]}, {Pairs: pairsOf(repeated(10, 1, -1)...)}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		outcome  Outcome
		adjusted float64
	}{{Undecided, 2 * 2. / 64}, {Better, 3 * 2. / 1024}, {TooFew, 2. / 32}, {Undecided, 1}} {
		if v := verdicts[i]; v.Outcome != want.outcome || v.AdjustedP != want.adjusted {
			t.Errorf("metric %d: %s with p %v, want %s with %v", i, v.Outcome, v.AdjustedP, want.outcome, want.adjusted)
		}
	}
	_, err = CompareAll([]Metric{{Pairs: six}, {Pairs: []Pair{{"lake", math.NaN(), 0}}}})
	if err == nil || !strings.Contains(err.Error(), "metric 2 of 2") {
		t.Errorf("error = %v, want one that names metric 2", err)
	}
}

func TestCompareRefuses(t *testing.T) {
	good := pairsOf(1, 2, 3, 4, 5, 6)
	for _, o := range []Options{
		{Alpha: -0.1}, {Alpha: 0.5}, {Alpha: math.NaN()}, {Margin: -1}, {Margin: math.Inf(1)}, {Effect: math.NaN()}, {Range: -1}, {Range: 2},
	} {
		if v, err := compare(good, o); err == nil {
			t.Errorf("Compare with %+v = %+v, want an error", o, v)
		}
	}
}

// FuzzCompare: whatever the scores and options, a comparison is refused or its numbers
// are in range, and exchanging the arms mirrors it exactly.
func FuzzCompare(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, 0.05, 0.5, 0.1, 3.0, uint64(1))
	f.Add([]byte(strings.Repeat("mixed scores", 12)), 0.01, 0.0, 0.0, 0.0, uint64(9))
	f.Add(binary.LittleEndian.AppendUint64([]byte{255}, math.Float64bits(math.NaN())), 0.05, 1.0, 0.0, 0.0, uint64(0))
	f.Add(binary.LittleEndian.AppendUint64([]byte{254, 1}, math.Float64bits(1e-320)), 0.3, 1e-320, 1e-320, 1e99, uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, alpha, margin, effect, span float64, seed uint64) {
		if len(data) > 2000 {
			return // more only takes longer
		}
		pairs := decodePairs(data)
		o := Options{Alpha: alpha, Margin: margin, Effect: effect, Range: span, Seed: seed}
		v, err := compare(pairs, o)
		exchanged, errExchanged := compare(exchange(pairs), o)
		if (err == nil) != (errExchanged == nil) {
			t.Fatalf("errors %v and, exchanged, %v", err, errExchanged)
		}
		finite := true
		for _, p := range pairs {
			finite = finite && !math.IsNaN(p.A+p.B) && !math.IsInf(p.A, 0) && !math.IsInf(p.B, 0)
		}
		if err != nil {
			return
		}
		if !finite {
			t.Fatalf("%v was compared: %+v", pairs, v)
		}
		for _, p := range []float64{v.P, v.AdjustedP, v.EquivalenceP} {
			if !(p >= 0 && p <= 1) {
				t.Fatalf("p = %v in %+v", p, v)
			}
		}
		if i := v.Interval; i != nil && !(i.Low <= v.Difference && v.Difference <= i.High) || v.FurtherPairs < 0 {
			t.Fatalf("interval or further pairs of %+v, %+v", v, i)
		}
		if want := mirror(v); !reflect.DeepEqual(exchanged, want) {
			t.Fatalf("exchanged: %+v, want %+v", exchanged, want)
		}
		checkProcess(t, pairs, span)
	})
}

// checkProcess holds an e-process over single pairs to the same rules.
func checkProcess(t *testing.T, pairs []Pair, span float64) {
	a, err := NewEProcess(span)
	b := a
	if err != nil {
		return
	}
	for _, p := range pairs {
		last := a.P()
		if a, err = a.Observe(p); err != nil {
			t.Fatalf("pair %v, which Compare took: %v", p, err)
		}
		b, _ = b.Observe(Pair{p.Cluster, p.B, p.A})
		if !(a.P() >= 0 && a.P() <= last && a.E() >= 0) || a.E() != b.E() || a.P() != b.P() || a.PeakSide != -b.PeakSide {
			t.Fatalf("after %v: %+v and, exchanged, %+v", p, a, b)
		}
	}
}

// decodePairs makes pairs of bytes: 255 and 254 are followed by a whole number as A or B,
// 253 ends a cluster, others are small scores.
func decodePairs(data []byte) []Pair {
	var pairs []Pair
	cluster := "a"
	for len(data) > 0 {
		op := data[0]
		data = data[1:]
		if op == 253 {
			cluster += "a"
			continue
		}
		p := Pair{cluster, float64(op%16) / 10, float64(op/16) / 10}
		if op >= 254 && len(data) >= 8 {
			x := math.Float64frombits(binary.LittleEndian.Uint64(data))
			data = data[8:]
			if p.A = x; op == 254 {
				p.A, p.B = 1, x
			}
		}
		pairs = append(pairs, p)
		if len(pairs)%3 == 0 {
			cluster += "b"
		}
	}
	return pairs
}

func exchange(pairs []Pair) []Pair {
	var exchanged []Pair
	for _, p := range pairs {
		exchanged = append(exchanged, Pair{p.Cluster, p.B, p.A})
	}
	return exchanged
}

// mirror is what v says with the arms exchanged.
func mirror(v Verdict) Verdict {
	switch v.Outcome {
	case Better:
		v.Outcome = Worse
	case Worse:
		v.Outcome = Better
	}
	v.Difference = -v.Difference
	if v.Interval != nil {
		v.Interval = &Interval{-v.Interval.High, -v.Interval.Low}
	}
	return v
}

// compare compares two arms on one metric.
func compare(pairs []Pair, o Options) (Verdict, error) {
	verdicts, err := CompareAll([]Metric{{pairs, o}})
	if err != nil {
		return Verdict{}, err
	}
	return verdicts[0], nil
}
