package stats

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mathext"
)

const (
	// rehearsed is the number of comparisons that a size is found by.
	rehearsed = 200
	// rehearsedMost is the number of clusters of the longest of them.
	rehearsedMost = 2000
)

// Rehearsal finds the size of a comparison for which there is no formula by playing it many times,
// with random differences from a seed of its own: one for equivalence, one that stops when it is
// decided, or one about the mean.
type Rehearsal struct {
	// Options are those of the comparison; Options.Alpha is the level that is left to it.
	Options Options
	// Effect is the true difference. 0 asks when arms without any are found equivalent within
	// Options.Margin.
	Effect float64
	// Residuals are drawn, with random signs, as the spread of the differences: those of a pilot.
	// Without any the spread is normal, with the standard deviation SD.
	Residuals []float64
	SD        float64
}

// Clusters is the smallest number of clusters at which a share power of the comparisons is decided,
// 0.5 <= power < 1; [ClustersMax] if more than 2,000 would be needed. It returns an error if power
// or an option is out of range, without a margin and a range for an effect of 0, and for a
// comparison that [Design.Clusters] is for.
func (r Rehearsal) Clusters(power float64) (int, error) {
	o, err := r.Options.complete()
	if err != nil {
		return 0, err
	}
	if err := (Design{Effect: r.Effect, SD: r.SD, Alpha: o.Alpha}).validate(power); err != nil {
		return 0, err
	}
	switch {
	case r.Effect == 0 && !(o.Margin > 0 && o.Range > 0):
		return 0, errors.New("equivalence is planned for a margin and a range")
	case r.Effect == 0 && o.Margin >= o.Range:
		return 1, nil
	case r.Effect != 0 && o.Claim == ClaimArms && !o.Sequential:
		return 0, errors.New("a fixed number of signs is planned by a design")
	}
	random := splitMix(1)
	trials := make([]trial, rehearsed)
	for n := 1; n <= rehearsedMost; n++ {
		decided := 0
		for i := range trials {
			if trials[i].next(r.draw(&random), o, r.Effect == 0) {
				decided++
			}
		}
		if float64(decided) >= power*rehearsed {
			return n, nil
		}
	}
	return ClustersMax, nil
}

// draw is the difference of another cluster.
func (r Rehearsal) draw(random *splitMix) float64 {
	var rest float64
	if n := len(r.Residuals); n > 0 {
		rest = r.Residuals[random.next()%uint64(n)]
		if random.next()%2 == 0 {
			rest = -rest
		}
	} else {
		rest = r.SD * mathext.NormalQuantile((math.Floor(1e9*random.uniform())+0.5)/1e9)
	}
	d := r.Effect + rest
	if span := r.Options.Range; span > 0 {
		d = min(max(d, -span), span)
	}
	return d
}

// trial is one comparison that is played.
type trial struct {
	signs        signs
	above, below wealth
	watched      process
	// peaks are the largest logarithms of the wealths of both bets for equivalence.
	peaks [2]float64
}

// next takes a difference and says whether the comparison is decided now.
func (t *trial) next(d float64, o Options, equivalence bool) bool {
	threshold := -math.Log(o.Alpha)
	switch {
	case equivalence:
		t.above.bet(d, -o.Margin, o.Range, 1)
		t.below.bet(-d, -o.Margin, o.Range, 1)
		for i, log := range []float64{t.above.log(), t.below.log()} {
			if o.Sequential {
				log = max(log, t.peaks[i])
			}
			t.peaks[i] = log
		}
		return min(t.peaks[0], t.peaks[1]) >= threshold
	case o.Claim == ClaimArms:
		t.signs.next(d)
		t.watched.look(logMean(t.signs.above[:]...), logMean(t.signs.below[:]...))
	default:
		t.above.bet(d, 0, o.Range, 1)
		t.below.bet(-d, 0, o.Range, 1)
		log := logMean(t.above.log(), t.below.log())
		if !o.Sequential {
			return log >= threshold
		}
		t.watched.look(t.above.log(), t.below.log())
	}
	return t.watched.peak >= threshold
}
