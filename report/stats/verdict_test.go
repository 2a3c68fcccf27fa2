package stats

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
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
		{"six pairs of two clusters", append(pairsOf(1, 2), append(pairsOf(3, 4), pairsOf(5, 6)...)...), Options{}, TooFew},
		{"none", nil, Options{Margin: 1}, TooFew},
		{"both signs", pairsOf(repeated(20, 1, -1.5, 0.3)...), Options{}, Undecided},
		{"small beside the margin", pairsOf(repeated(40, 0.1, -0.15, 0.03)...), Options{Margin: 2, Range: 10}, Equivalent},
		{"and without a range", pairsOf(repeated(40, 0.1, -0.15, 0.03)...), Options{Margin: 2}, Undecided},
		{"a certain difference that does not matter", pairsOf(repeated(60, 1, 1.1)...), Options{Margin: 3, Range: 10}, Equivalent},
		{"a certain difference that does", pairsOf(repeated(20, 1, 1.1)...), Options{Margin: 0.5, Range: 10}, Better},
		{"ahead in half of the pairs, and not by chance behind", pairsOf(repeated(30, 9, -6)...), Options{Margin: 4, Range: 10}, NotWorse},
		{"behind where lower is better", pairsOf(repeated(30, -9, 6)...), Options{Margin: 4, Range: 10, LowerIsBetter: true}, NotWorse},
		{"behind where higher is", pairsOf(repeated(30, -9, 6)...), Options{Margin: 4, Range: 10}, Undecided},
		{"neither is better", pairsOf(repeated(30, 9, -6)...), Options{Margin: 4, Range: 10, Undirected: true}, Undecided},
		{"a margin that cannot be exceeded", pairsOf(repeated(6, 0.5)...), Options{Margin: 3, Range: 2}, Equivalent},
		{"the mean by bets", pairsOf(repeated(30, 1, -0.2)...), Options{Claim: ClaimMean, Range: 1}, Better},
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
	for i, p := range pairsOf(repeated(10, 1, -3, 2, 0.5)...) {
		pairs = append(pairs, p, Pair{Cluster: p.Cluster, A: float64(i % 4)})
	}
	s, _ := NewSample(pairs)
	v, err := compare(pairs, Options{Margin: 0.1, Effect: 0.5, Range: 6})
	interval, _ := intervalOf(s, 0.05)
	design := Design{Effect: 0.5, SD: s.SD(), Alpha: 0.05}
	clusters, _ := design.Clusters(0.8)
	want := Verdict{
		Outcome: Undecided, Difference: s.Mean(), Interval: &interval, Level: 0.05, P: s.SignFlip(0), AdjustedP: s.SignFlip(0),
		EquivalenceP: s.Equivalence(0.1, 6), NotWorseP: s.NotBelow(0.1, 6), Pairs: 20, Clusters: 10,
		FurtherPairs: 2 * (clusters - 10), Detectable: design.detectable(10, 0.8),
	}
	if err != nil || !reflect.DeepEqual(v, want) {
		t.Errorf("Compare = %+v, %v, want %+v", v, err, want)
	}
	// Rates of 40 pairs: McNemar's test is exact, random arrangements are not.
	rates := pairsOf(repeated(25, 1)...)
	for i := range 15 {
		rates = append(rates, Pair{Cluster: fmt.Sprintf("d%d", i), B: 1})
	}
	if v, err := compare(rates, Options{}); err != nil || v.P != McNemar(25, 15) {
		t.Errorf("rates: %+v, %v, want McNemar's p %v", v, err, McNemar(25, 15))
	}
	// Rates in clusters are not independent.
	for i := range rates {
		rates[i].Cluster = fmt.Sprint(i / 2)
	}
	s, _ = NewSample(rates)
	if v, err := compare(rates, Options{}); err != nil || v.P != s.SignFlip(0) {
		t.Errorf("rates in clusters: %+v, %v, want the sign-flip's p %v", v, err, s.SignFlip(0))
	}
}

func TestFurtherPairs(t *testing.T) {
	ten := pairsOf(repeated(10, 1, -1)...)
	for _, tc := range []struct {
		name       string
		options    Options
		further    int
		detectable float64
	}{
		// The SD of 10 times ±1 is sqrt(10/9) = 1.054; 0.5/1.054 = 0.474 needs 37 clusters by
		// the program G*Power, and (1.960+0.842) 1.054/sqrt(10-1.92) is 1.039.
		{"an effect of half the spread", Options{Effect: 0.5}, 27, 1.039},
		{"no effect that was asked for", Options{}, 0, 1.039},
		{"enough already", Options{Effect: 10}, 0, 1.039},
		{"an effect that none finds", Options{Effect: 1e-9}, ClustersMax, 1.039},
	} {
		v, err := compare(ten, tc.options)
		if err != nil || v.Outcome != Undecided || v.FurtherPairs != tc.further || !near(v.Detectable, tc.detectable, 3) {
			t.Errorf("%s: %+v, %v, want %d further pairs, %v detectable", tc.name, v, err, tc.further, tc.detectable)
		}
	}
	if v, _ := compare(pairsOf(1, 2, 3, 4, 5, 6), Options{Effect: 0.1}); v.FurtherPairs != 0 || v.Detectable != 0 {
		t.Errorf("a decided comparison: %+v", v)
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
		if v.Outcome != Undecided || v.FurtherPairs != 1 || v.Interval != nil || v.Level != 0.025 {
			t.Errorf("%+v, want undecided at 2.5%% and one further pair", v)
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
		v := verdicts[i]
		if v.Outcome != want.outcome || v.AdjustedP != want.adjusted {
			t.Errorf("metric %d: %s with p %v, want %s with %v", i, v.Outcome, v.AdjustedP, want.outcome, want.adjusted)
		}
	}
	// Of three that are tested, the decided one had a third of the level, and the others a half.
	if got := []float64{verdicts[0].Level, verdicts[1].Level, verdicts[3].Level}; !slices.Equal(got, []float64{0.025, 0.05 / 3, 0.025}) {
		t.Errorf("levels %v", got)
	}
	_, err = CompareAll([]Metric{{Pairs: six}, {Pairs: []Pair{{Cluster: "lake", A: math.NaN()}}}})
	if err == nil || !strings.Contains(err.Error(), "metric 2 of 2") {
		t.Errorf("error = %v, want one that names metric 2", err)
	}
}

func TestCompareRefuses(t *testing.T) {
	good := pairsOf(1, 2, 3, 4, 5, 6)
	for _, o := range []Options{
		{Alpha: -0.1}, {Alpha: 0.5}, {Alpha: math.NaN()}, {Margin: -1}, {Margin: math.Inf(1)}, {Effect: math.NaN()}, {Range: -1}, {Range: 2}, {Claim: ClaimMean},
	} {
		if v, err := compare(good, o); err == nil {
			t.Errorf("Compare with %+v = %+v, want an error", o, v)
		}
	}
	if _, err := CompareAll([]Metric{{Pairs: good}, {Pairs: good, Options: Options{Alpha: 0.01}}}); err == nil {
		t.Error("two levels in one table were taken")
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
		if len(data) > 300 {
			return // more only takes longer
		}
		pairs := decodePairs(data)
		o := Options{Alpha: alpha, Margin: margin, Effect: effect, Range: span, Seed: seed, Undirected: true}
		o.Sequential = seed%2 == 1
		if span > 0 && seed%4 > 1 {
			o.Claim = ClaimMean
		}
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
		for _, p := range []float64{v.P, v.AdjustedP, v.EquivalenceP, v.NotWorseP} {
			if !(p >= 0 && p <= 1) {
				t.Fatalf("p = %v in %+v", p, v)
			}
		}
		if i := v.Interval; i != nil && !(i.Low <= v.Difference && v.Difference <= i.High) || v.FurtherPairs < 0 {
			t.Fatalf("interval or further pairs of %+v, %+v", v, i)
		}
		v.NotWorseP, exchanged.NotWorseP = 0, 0 // of one side each
		if want := mirror(v); !reflect.DeepEqual(exchanged, want) {
			t.Fatalf("exchanged: %+v, want %+v", exchanged, want)
		}
	})
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
		p := Pair{Cluster: cluster, A: float64(op%16) / 10, B: float64(op/16) / 10}
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
		exchanged = append(exchanged, Pair{Cluster: p.Cluster, A: p.B, B: p.A})
	}
	return exchanged
}

// mirror is what v says with the arms exchanged.
func mirror(v Verdict) Verdict {
	switch v.Outcome {
	case Higher:
		v.Outcome = Lower
	case Lower:
		v.Outcome = Higher
	}
	v.Difference = -v.Difference
	if v.Interval != nil {
		v.Interval = &Interval{0 - v.Interval.High, 0 - v.Interval.Low}
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
