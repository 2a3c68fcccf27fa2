package stats

import (
	"errors"
	"fmt"
	"math"
)

// AlphaMin is the smallest level of a test.
const AlphaMin = 1e-6

// validAlpha returns an error if alpha is not a level of a test.
func validAlpha(alpha float64) error {
	if !(alpha >= AlphaMin && alpha < 0.5) {
		return fmt.Errorf("alpha is %v: must be at least %g and below 0.5", alpha, AlphaMin)
	}
	return nil
}

// PowerShown is the power of [Verdict.FurtherPairs] and [Verdict.Detectable].
const PowerShown = 0.8

// Claim is what a verdict of better or worse says.
type Claim string

const (
	// ClaimArms says that the arms are not the same, and names the side on which the mean
	// difference is. It is tested by signs: arms that are exchangeable cause a false alarm with
	// probability at most alpha, whatever their distribution. Arms with equal means that differ
	// otherwise, such as in how often they derail, are not the same, and are found more often.
	ClaimArms Claim = "arms"
	// ClaimMean says that the mean difference is not 0. It is tested by bets, needs a range and
	// takes more clusters.
	ClaimMean Claim = "mean"
)

// Options says how a metric is judged. The zero value tests at 5% whether A is higher
// than B and never finds arms equivalent.
type Options struct {
	// Alpha is the level of the tests, [AlphaMin] <= Alpha < 0.5; 0 means 0.05.
	Alpha float64
	// Claim is what better and worse say; empty means [ClaimArms].
	Claim Claim
	// Sequential says that somebody looks after every cluster and may stop. Clusters then count
	// in the order of their first pairs, which must not depend on the scores.
	Sequential bool
	// Margin is the difference, in units of the score, below which arms are equivalent.
	// It is chosen before the scores are seen. 0 means that no difference is negligible.
	Margin float64
	// Effect is the difference for which further pairs are planned, in units of the
	// score: the smallest one worth finding. 0 means none.
	Effect float64
	// Range bounds the magnitude of the difference of a pair; 0 means that it is unknown. It
	// must be known beforehand: the observed scores do not bound those to come. Without it,
	// arms are neither equivalent nor not worse.
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
	if o.Claim == "" {
		o.Claim = ClaimArms
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
	if o.Claim == ClaimMean && o.Range == 0 {
		return o, errors.New("a claim about the mean needs the range of differences")
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
	// NotWorse means that A is worse than B by less than the margin, if at all, at level alpha.
	// It is given if nothing else is decided.
	NotWorse Outcome = "not_worse"
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
	// Interval is that of the differences which the test of P does not reject at Level: it
	// excludes 0 exactly if the outcome is a difference or would be one without a margin. It is
	// nil if no number of equal signs of so many clusters could decide at Level.
	Interval *Interval `json:"interval"`
	// Level is what [Holm] left to this metric: alpha divided by the number of metrics that
	// were not decided before it. The interval has the confidence 1 - Level.
	Level float64 `json:"level"`
	// P is the two-sided p-value: of the sign-flip test, which for rates is McNemar's, or of bets.
	P float64 `json:"p"`
	// AdjustedP is P after [Holm], equal to P for a single metric and with too few
	// clusters. It decides.
	AdjustedP float64 `json:"adjusted_p"`
	// EquivalenceP is the p-value against a difference of at least the margin, and NotWorseP
	// against being worse by at least the margin, after [Holm]; 1 without a margin, without a
	// range or with too few clusters. They are by [Sample.Equivalence] and [Sample.NotBelow].
	EquivalenceP float64 `json:"equivalence_p"`
	NotWorseP    float64 `json:"not_worse_p"`
	// Pairs and Clusters count what was compared.
	Pairs    int `json:"pairs"`
	Clusters int `json:"clusters"`
	// FurtherPairs is how many more pairs find Options.Effect with a power of [PowerShown], at the
	// observed spread and number of pairs a cluster, and at the level that [Holm] leaves to the
	// hardest of all metrics: alpha divided by their number. It is 0 if there are enough,
	// without an effect, and if the outcome is decided. It is [ClustersMax] if not even that many
	// suffice. If there are too few for any decision, it is how many more pairs an exact test at
	// that level takes at least.
	FurtherPairs int `json:"further_pairs"`
	// Detectable is the difference that so many clusters would have found with a power of
	// [PowerShown] at the observed spread, and at that level. It is 0 if the outcome is decided,
	// if there are too few, for a sequential test, and if there was no spread.
	Detectable float64 `json:"detectable"`
}

// Metric is the pairs of one metric with its options.
type Metric struct {
	Pairs   []Pair
	Options Options
}

// judged is a metric with what its tests say before adjustment.
type judged struct {
	Options
	sample Sample
	test   test
	// reach is farther from 0 than any difference that the test keeps.
	reach float64
	// side is the sign of the difference that the test finds.
	side float64
}

// CompareAll compares two arms on several metrics of one table, with p-values adjusted by [Holm]:
// the probability of any false Better or Worse is at most alpha, and so, each for itself, are
// those of any false Equivalent and of any false NotWorse. A primary metric that was named
// beforehand is compared alone. Metrics with too few clusters are not tested and cost the others
// nothing. It returns an error if a score is not finite, exceeds [ScoreMax], or differs by more
// than Options.Range from its partner, if an option is out of range, or if the metrics have
// several levels.
func CompareAll(metrics []Metric) ([]Verdict, error) {
	verdicts, all := make([]Verdict, len(metrics)), make([]judged, len(metrics))
	var tested []int
	var differs, equivalent, notWorse []float64
	for i, m := range metrics {
		var err error
		all[i], verdicts[i], err = measure(m, len(metrics))
		if err == nil && all[i].Alpha != all[0].Alpha {
			err = fmt.Errorf("alpha is %v, and %v before: must be one for all", all[i].Alpha, all[0].Alpha)
		}
		if err != nil {
			return nil, fmt.Errorf("metric %d of %d: %w", i+1, len(metrics), err)
		}
		if verdicts[i].Outcome != TooFew {
			tested = append(tested, i)
			differs = append(differs, verdicts[i].P)
			equivalent = append(equivalent, verdicts[i].EquivalenceP)
			notWorse = append(notWorse, verdicts[i].NotWorseP)
		}
	}
	if len(tested) == 0 {
		return verdicts, nil
	}
	differs, shares := holm(differs, all[0].Alpha)
	equivalent, notWorse = Holm(equivalent), Holm(notWorse)
	for k, i := range tested {
		v := &verdicts[i]
		v.AdjustedP = differs[k]
		v.EquivalenceP = equivalent[k]
		v.NotWorseP = notWorse[k]
		v.decide(all[i], shares[k])
	}
	return verdicts, nil
}

// decide gives a verdict its outcome by the adjusted p-values, and its interval at the level that
// is alpha divided by share.
func (v *Verdict) decide(m judged, share float64) {
	v.Level = m.Alpha / share
	rejects := func(p float64) bool { return share*p <= m.Alpha }
	if interval, ok := m.test.invert(rejects, v.Difference, m.reach); ok {
		v.Interval = &interval
	}
	switch {
	case v.EquivalenceP <= m.Alpha:
		v.Outcome = Equivalent
	case v.AdjustedP <= m.Alpha:
		v.Outcome = m.direction(m.side)
	case v.NotWorseP <= m.Alpha && !m.Undirected:
		v.Outcome = NotWorse
	default:
		return
	}
	v.FurtherPairs = 0
	v.Detectable = 0
}

// measure is the verdict on one metric before adjustment: its outcome is [TooFew] or
// [Undecided]. So many metrics are compared together.
func measure(metric Metric, of int) (judged, Verdict, error) {
	o, err := metric.Options.complete()
	if err != nil {
		return judged{}, Verdict{}, err
	}
	s, err := NewSample(metric.Pairs)
	if err != nil {
		return judged{}, Verdict{}, err
	}
	for _, p := range metric.Pairs {
		if o.Range == 0 {
			break
		}
		if err := p.within(o.Range); err != nil {
			return judged{}, Verdict{}, err
		}
	}
	m := o.judge(s, metric.Pairs)
	v := Verdict{Outcome: TooFew, Difference: s.Mean(), P: m.test(0), Level: o.Alpha, EquivalenceP: 1, NotWorseP: 1,
		Pairs: s.Pairs(), Clusters: s.Clusters()}
	v.AdjustedP = v.P
	level := max(o.Alpha/float64(of), AlphaMin)
	if lacking := clustersMin(level) - s.Clusters(); lacking > 0 && !o.Sequential {
		v.FurtherPairs = s.pairsOf(lacking)
	}
	if s.Clusters() < clustersMin(o.Alpha) && !o.Sequential || s.Clusters() == 0 {
		return m, v, nil
	}
	v.Outcome = Undecided
	if o.Margin > 0 && o.Range > 0 {
		v.EquivalenceP, v.NotWorseP = m.equivalence()
	}
	if !o.Sequential && o.Claim == ClaimArms {
		further, detectable := m.prospects(level)
		v.FurtherPairs = max(v.FurtherPairs, further)
		v.Detectable = detectable
	}
	return m, v, nil
}

// judge chooses the test of a sample. The options are complete.
func (o Options) judge(s Sample, pairs []Pair) judged {
	m := judged{Options: o, sample: s, side: s.Mean(), reach: 2 * s.magnitude()}
	if m.reach == 0 {
		m.reach = 1
	}
	if o.Claim == ClaimMean {
		m.reach = o.Range
	}
	switch {
	case o.Sequential && o.Claim == ClaimMean:
		m.test = func(theta float64) float64 { return pOf(s.bounded(theta, o.Range).peak) }
		m.side = s.bounded(0, o.Range).side
	case o.Sequential:
		m.test = func(theta float64) float64 { return pOf(s.symmetric(theta).peak) }
		m.side = s.symmetric(0).side
	case o.Claim == ClaimMean:
		m.test = s.means(o.Range)
	default:
		m.test = s.flips(o.Seed)
		if onlyA, onlyB, ok := s.differing(pairs); ok {
			m.test = rates(onlyA, onlyB, len(pairs)-onlyA-onlyB)
		}
	}
	return m
}

// differing counts the pairs that only one arm passed. It is false if a score is neither
// 0 nor 1, or if the pairs are not independent and of equal weight.
func (s Sample) differing(pairs []Pair) (onlyA, onlyB int, ok bool) {
	if len(pairs) == 0 || s.Clusters() != s.Pairs() {
		return 0, 0, false
	}
	for i, p := range pairs {
		passes := func(score float64) bool { return score == 0 || score == 1 }
		if !passes(p.A) || !passes(p.B) || s.weights[i] != 1 {
			return 0, 0, false
		}
		switch p.A - p.B {
		case 1:
			onlyA++
		case -1:
			onlyB++
		}
	}
	return onlyA, onlyB, true
}

// equivalence is the p-values against a difference of at least the margin, and against being
// worse by at least as much; the range is known.
func (m judged) equivalence() (equivalent, notWorse float64) {
	higher, lower := m.sample, m.sample.mirrored()
	if m.LowerIsBetter {
		higher, lower = lower, higher
	}
	if m.Sequential {
		notWorse = higher.notBelow(m.Margin, m.Range)
		return max(notWorse, lower.notBelow(m.Margin, m.Range)), notWorse
	}
	notWorse = higher.NotBelow(m.Margin, m.Range)
	return max(notWorse, lower.NotBelow(m.Margin, m.Range)), notWorse
}

// prospects are [Verdict.FurtherPairs] and [Verdict.Detectable] of an undecided comparison at a level.
func (m judged) prospects(level float64) (further int, detectable float64) {
	design := Design{Effect: m.Effect, SD: m.sample.SD(), Alpha: level}
	detectable = design.detectable(m.sample.Clusters(), PowerShown)
	if m.Effect == 0 {
		return 0, detectable
	}
	clusters, err := design.Clusters(PowerShown)
	if err != nil {
		panic("stats: a sample has no design: " + err.Error())
	}
	if clusters == ClustersMax {
		return ClustersMax, detectable
	}
	return m.sample.pairsOf(max(clusters-m.sample.Clusters(), 0)), detectable
}

// pairsOf is how many pairs so many clusters have, at the number of pairs a cluster has here.
func (s Sample) pairsOf(clusters int) int {
	if s.Clusters() == 0 {
		return clusters
	}
	return int(min(math.Ceil(float64(clusters)*float64(s.Pairs())/float64(s.Clusters())), ClustersMax))
}
