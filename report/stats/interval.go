package stats

import (
	"math"
	"strconv"
)

// Interval is a confidence interval, ends included.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// test is a two-sided test: its p-value if the true difference is theta. It is 1 at the
// observed difference and falls on both sides of it.
type test func(theta float64) float64

// bisections is how often an end of an interval is halved: the error is below 1e-12 of
// the reach.
const bisections = 42

// shownMin is the least part of the reach that is shown: ties of sums are taken to be within roundingMax, and a
// few clusters magnify that.
const shownMin = 1e-9

// invert is the interval of the differences that a test does not reject. For the sign-flip
// test its ends are quantiles of the means of random subsets of the differences (J. A.
// Hartigan, "Using subsample values as typical values", JASA 64, 1969, 1303-1317). reach is
// farther from 0 than any difference. It is false if there is no end: too few clusters for
// any rejection, or a test that does not agree with the observed difference.
//
// The interval excludes 0 exactly if the test of 0 rejects.
func (t test) invert(rejects func(p float64) bool, observed, reach float64) (Interval, bool) {
	low, okLow := t.lowerEnd(rejects, observed, reach)
	mirrored := test(func(theta float64) float64 { return t(-theta) })
	high, okHigh := mirrored.lowerEnd(rejects, -observed, reach)
	return Interval{low, 0 - high}, okLow && okHigh // 0 - 0 is 0, and -0 would be shown as such
}

// lowerEnd is the smallest difference that is not rejected.
func (t test) lowerEnd(rejects func(p float64) bool, observed, reach float64) (float64, bool) {
	rejected, kept := -reach, observed
	switch {
	case observed <= -reach:
		return observed, true
	case !rejects(t(rejected)), rejects(t(kept)):
		return 0, false
	}
	// 0 is looked at itself, so that the interval says the same of it as the verdict.
	if rejected < 0 && kept > 0 {
		if rejects(t(0)) {
			rejected = 0
		} else {
			kept = 0
		}
	}
	for range bisections {
		middle := rejected + (kept-rejected)/2
		if rejects(t(middle)) {
			rejected = middle
		} else {
			kept = middle
		}
	}
	// What the last digits say is the error of sums; a rounded end keeps its sign.
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(kept, 'g', 9, 64), 64)
	if err != nil {
		panic("stats: a number cannot be read back: " + err.Error())
	}
	if math.Abs(kept) <= shownMin*reach && rejected < 0 {
		rounded = 0
	}
	return min(rounded, observed), true
}
