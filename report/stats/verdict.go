package stats

import (
	"fmt"
	"math"
)

// AlphaMin is the smallest level of a test. Quantiles of Student's distribution are exact
// to there.
const AlphaMin = 1e-6

// validAlpha returns an error if alpha is not a level of a test.
func validAlpha(alpha float64) error {
	if !(alpha >= AlphaMin && alpha < 0.5) {
		return fmt.Errorf("alpha is %v: must be at least %g and below 0.5", alpha, AlphaMin)
	}
	return nil
}

// powerPlanned is the power for which [Verdict.FurtherPairs] plans.
const powerPlanned = 0.8

// Options says how a metric is judged. The zero value tests at 5% whether A is higher
// than B and never finds arms equivalent.
type Options struct {
	// Alpha is the level of the tests, [AlphaMin] <= Alpha < 0.5; 0 means 0.05.
	Alpha float64
	// Margin is the difference, in units of the score, below which arms are equivalent.
	// It is chosen before the scores are seen. 0 means that no difference is negligible.
	Margin float64
	// Effect is the difference for which further pairs are planned, in units of the
	// score: the smallest one worth finding. 0 means the observed difference, which with
	// few clusters is a rough guess.
	Effect float64
	// Range bounds the magnitude of the difference of a pair; 0 means that it is unknown, or
	// 1 if every score is 0 or 1. Without it, arms with the same difference in every
	// cluster are not found equivalent: their spread cannot be estimated.
	Range float64
	// Seed is that of the random arrangements, see [Sample.SignFlip].
	Seed uint64
	// LowerIsBetter is for metrics like cost or errors.
	LowerIsBetter bool
	// Undirected is for metrics of which neither higher nor lower values are better.
	Undirected bool
}

// complete returns o with its defaults, or an error if a field is out of range.
func (o Options) complete() (Options, error) {
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if err := validAlpha(o.Alpha); err != nil {
		return o, err
	}
	for _, field := range []struct {
		name  string
		value float64
	}{{"margin", o.Margin}, {"effect", o.Effect}, {"range", o.Range}} {
		if !(field.value >= 0 && field.value <= 2*ScoreMax) {
			return o, fmt.Errorf("%s is %v: must be a number of at least 0", field.name, field.value)
		}
	}
	return o, nil
}

// direction is what a true difference of that sign means for A.
func (o Options) direction(difference float64) Outcome {
	switch {
	case o.Undirected && difference > 0:
		return Higher
	case o.Undirected:
		return Lower
	case (difference > 0) != o.LowerIsBetter:
		return Better
	}
	return Worse
}

// Outcome is what a comparison concludes about A.
type Outcome string

// The outcomes of a comparison.
const (
	// Better means that A is better than B, not by chance at level alpha.
	Better Outcome = "better"
	// Worse means that A is worse than B, not by chance at level alpha.
	Worse Outcome = "worse"
	// Higher and Lower are in place of Better and Worse for a metric of which neither is better.
	Higher Outcome = "higher"
	Lower  Outcome = "lower"
	// Equivalent means that A and B differ by less than the margin, at level alpha. It
	// goes before Better and Worse: a margin says which differences do not matter.
	Equivalent Outcome = "equivalent"
	// Undecided means that the scores allow no conclusion.
	Undecided Outcome = "undecided"
	// TooFew means that no exact two-sided test of so few clusters can reach alpha: fewer
	// than 6 at 5%.
	TooFew Outcome = "too_few"
)

// Differs says that the outcome is a difference that is not by chance.
func (o Outcome) Differs() bool { return o == Better || o == Worse || o == Higher || o == Lower }

// Verdict is the comparison of A with B on one metric.
type Verdict struct {
	// Outcome is the conclusion.
	Outcome Outcome `json:"outcome"`
	// Difference is the mean of A - B over clusters, in units of the score.
	Difference float64 `json:"difference"`
	// Interval is that of the difference, with confidence 1 - alpha; nil for fewer than two
	// clusters. It is by Student's t and not adjusted for several metrics. It can disagree
	// with P near alpha; P decides.
	Interval *Interval `json:"interval"`
	// P is the two-sided p-value: McNemar's if every score is 0 or 1 and every cluster is
	// one pair, else of the sign-flip test.
	P float64 `json:"p"`
	// AdjustedP is P after [Holm], equal to P for a single metric and with too few
	// clusters. It decides.
	AdjustedP float64 `json:"adjusted_p"`
	// EquivalenceP is the p-value against a difference of at least the margin, after
	// [Holm]; 1 without a margin or with too few clusters. It is by [Sample.TOST], or for
	// independent passes and failures by a score test.
	EquivalenceP float64 `json:"equivalence_p"`
	// Pairs and Clusters count what was compared.
	Pairs    int `json:"pairs"`
	Clusters int `json:"clusters"`
	// FurtherPairs is how many more pairs the t test needs for 80% power, at the observed
	// spread and number of pairs a cluster, and at the level that [Holm] leaves to the
	// hardest of all metrics: alpha divided by their number. It is set if the outcome is
	// undecided. It is at least one cluster for the observed difference, and 0 if there are
	// enough for Options.Effect. It is [ClustersMax] if not even that many suffice. If there
	// are too few, it is how many more pairs an exact test at that level takes at least.
	FurtherPairs int `json:"further_pairs"`
}

// Metric is the pairs of one metric with its options.
type Metric struct {
	Pairs   []Pair
	Options Options
}

// CompareAll compares two arms on several metrics, with p-values adjusted by [Holm]: the
// probability of any false Better or Worse is at most alpha, and so, apart from it, is
// that of any false Equivalent. A primary metric that was named beforehand is compared
// alone. Metrics with too few clusters are not tested and cost the others nothing. It returns an
// error if a score is not finite, exceeds [ScoreMax], or differs by more than Options.Range from its
// partner, or if an option is out of range.
func CompareAll(metrics []Metric) ([]Verdict, error) {
	verdicts, options := make([]Verdict, len(metrics)), make([]Options, len(metrics))
	var tested []int
	var differs, equivalent []float64
	for i, m := range metrics {
		var err error
		options[i], err = m.Options.complete()
		if err == nil {
			verdicts[i], err = measure(m.Pairs, options[i], len(metrics))
		}
		if err != nil {
			return nil, fmt.Errorf("metric %d of %d: %w", i+1, len(metrics), err)
		}
		if verdicts[i].Outcome != TooFew {
			tested = append(tested, i)
			differs, equivalent = append(differs, verdicts[i].P), append(equivalent, verdicts[i].EquivalenceP)
		}
	}
	differs, equivalent = Holm(differs), Holm(equivalent)
	for k, i := range tested {
		v, o := &verdicts[i], options[i]
		v.AdjustedP, v.EquivalenceP = differs[k], equivalent[k]
		switch {
		case v.EquivalenceP <= o.Alpha:
			v.Outcome = Equivalent
		case v.AdjustedP <= o.Alpha:
			v.Outcome = o.direction(v.Difference)
		}
		if v.Outcome != Undecided { // those with too few are not here
			v.FurtherPairs = 0
		}
	}
	return verdicts, nil
}

// measure is the verdict on one metric before adjustment: its outcome is [TooFew] or
// [Undecided]. The options are complete, and so many metrics are compared together.
func measure(pairs []Pair, o Options, of int) (Verdict, error) {
	s, err := NewSample(pairs)
	if err != nil {
		return Verdict{}, err
	}
	for _, p := range pairs {
		if err := p.within(o.Range); o.Range > 0 && err != nil {
			return Verdict{}, err
		}
	}
	v := Verdict{Outcome: TooFew, Difference: s.Mean(), EquivalenceP: 1, Pairs: s.Pairs(), Clusters: s.Clusters()}
	if interval, ok := s.Interval(o.Alpha); ok {
		v.Interval = &interval
	}
	onlyA, onlyB, binary := differing(pairs)
	if binary && o.Range == 0 {
		o.Range = 1
	}
	independent := binary && s.Clusters() == s.Pairs()
	if independent {
		v.P = McNemar(onlyA, onlyB)
	} else {
		v.P = s.SignFlip(o.Seed)
	}
	v.AdjustedP = v.P
	if s.Clusters() < clustersMin(o.Alpha) {
		v.FurtherPairs = s.pairsOf(clustersMin(o.level(of)) - s.Clusters())
		return v, nil
	}
	v.Outcome = Undecided
	switch {
	case o.Margin == 0:
	case independent:
		v.EquivalenceP = equivalentRates(onlyA, onlyB, s.Pairs(), o.Margin)
	case s.SD() == 0:
		v.EquivalenceP = s.equivalentTies(o.Margin, o.Range)
	default:
		v.EquivalenceP = s.TOST(o.Margin)
	}
	v.FurtherPairs = furtherPairs(s, o, of)
	return v, nil
}

// differing counts the pairs that only one arm passed. It is false if a score is neither
// 0 nor 1.
func differing(pairs []Pair) (onlyA, onlyB int, ok bool) {
	for _, p := range pairs {
		switch p {
		case Pair{p.Cluster, 1, 0}:
			onlyA++
		case Pair{p.Cluster, 0, 1}:
			onlyB++
		case Pair{p.Cluster, 0, 0}, Pair{p.Cluster, 1, 1}:
		default:
			return 0, 0, false
		}
	}
	return onlyA, onlyB, true
}

// equivalentTies is the p-value of equivalence if all clusters have the same difference
// d. If the true difference is at least margin, a share of at least
// q = (margin-|d|)/(span-|d|) of all clusters differs by another amount, and n clusters
// without any have probability (1-q)^n at most. It is 1 if the span is unknown.
func (s Sample) equivalentTies(margin, span float64) float64 {
	d := math.Abs(s.Mean())
	switch {
	case span == 0 || d >= margin:
		return 1
	case margin >= span:
		return 0
	}
	return math.Pow((span-margin)/(span-d), float64(s.Clusters()))
}

// furtherPairs is [Verdict.FurtherPairs] of an undecided comparison, one of so many. The
// options are complete.
func furtherPairs(s Sample, o Options, of int) int {
	effect, least := o.Effect, 0
	if effect == 0 {
		effect, least = s.Mean(), 1
	}
	clusters, err := Design{Effect: effect, SD: s.SD(), Alpha: o.level(of)}.Clusters(powerPlanned)
	if err != nil {
		panic("stats: a sample has no design: " + err.Error())
	}
	if clusters == ClustersMax {
		return ClustersMax
	}
	return s.pairsOf(max(clusters-s.Clusters(), least))
}

// level is what [Holm] leaves to the hardest of so many metrics.
func (o Options) level(of int) float64 { return max(o.Alpha/float64(of), AlphaMin) }

// pairsOf is how many pairs so many clusters have, at the number of pairs a cluster has here.
func (s Sample) pairsOf(clusters int) int {
	if s.Clusters() == 0 {
		return clusters
	}
	return int(min(math.Ceil(float64(clusters)*float64(s.Pairs())/float64(s.Clusters())), ClustersMax))
}
