package batch

import (
	"fmt"
	"strings"

	"example.com/agentworld/report/plot"
)

// The pictures of a summary.
const (
	PlotIntervals = "intervals"
	PlotRanks     = "ranks"
)

// Plots are the pictures that a summary has something to draw for.
func (s Summary) Plots() (names []string) {
	for _, name := range []string{PlotIntervals, PlotRanks} {
		if _, err := s.Plot(name); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// Plot is a picture of the summary as SVG. The error says that there is nothing to draw, or no such picture.
func (s Summary) Plot(name string) ([]byte, error) {
	switch name {
	case PlotIntervals:
		return s.intervals()
	case PlotRanks:
		return s.ranks()
	}
	return nil, fmt.Errorf("there is no picture of this name; allowed: %s, %s", PlotIntervals, PlotRanks)
}

// intervals draws the difference of each compared arm in the metric that decides.
func (s Summary) intervals() ([]byte, error) {
	var rows []plot.Difference
	what := ""
	for _, c := range s.Comparisons {
		for _, v := range c.Metrics {
			if !v.Primary {
				continue
			}
			what = "difference in " + v.Metric + " (confidence of its interval)"
			r := plot.Difference{Arm: c.Arm, Baseline: c.Baseline, Value: v.Difference, Verdict: string(v.Outcome)}
			if v.Interval != nil {
				r.Verdict += fmt.Sprintf(" (%.4g%%)", 100*(1-v.Level))
				r.HasInterval = true
				r.Low = v.Interval.Low
				r.High = v.Interval.High
			}
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("it compares nothing; allowed: a batch with a [compare] section and results")
	}
	return plot.Intervals(what, rows), nil
}

// ranks draws between which places each arm is.
func (s Summary) ranks() ([]byte, error) {
	var rows []plot.Place
	for _, r := range s.Ranks {
		rows = append(rows, plot.Place{Name: r.Arm, Low: r.Low, High: r.High, Mean: r.Mean})
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("it ranks nothing; allowed: a batch of three and more arms of which all pairs are compared")
	}
	return plot.Ranks(strings.TrimSpace("places by "+s.Ranked), rows), nil
}
