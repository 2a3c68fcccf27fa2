package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/agentworld/plaintext"
)

// Bound is a condition on a metric of a run.
type Bound struct {
	Metric Metric
	// Least says that the value is a lower bound, otherwise it is an upper one.
	Least bool
	Value float64
}

// ParseBound reads a condition on one of some metrics, such as "score>=20" or "llm_errors<=0". The error
// says what is allowed.
func ParseBound(text string, known MetricList) (Bound, error) {
	for _, sign := range []string{">=", "<="} {
		name, number, found := strings.Cut(text, sign)
		if !found {
			continue
		}
		m, ok := known.Named(strings.TrimSpace(name))
		if !ok {
			return Bound{}, known.Unknown(strings.TrimSpace(name))
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return Bound{}, fmt.Errorf("%q is no number; allowed: METRIC>=NUMBER or METRIC<=NUMBER", strings.TrimSpace(number))
		}
		return Bound{m, sign == ">=", v}, nil
	}
	return Bound{}, fmt.Errorf("%q is no condition; allowed: METRIC>=NUMBER or METRIC<=NUMBER", text)
}

// Broken says how a run breaks the bound, empty if it keeps it. A run without the metric breaks it:
// what was not measured cannot be vouched for.
func (b Bound) Broken(r Report) string {
	least := "at most"
	if b.Least {
		least = "at least"
	}
	v, known := b.Metric.of(r)
	failed := r.ownFailure(b.Metric.Name)
	switch {
	case !known && failed != nil:
		return fmt.Sprintf("%s, which must be %s %g, has no value: %v", b.Metric.Name, least, b.Value, failed)
	case !known && r.Task != nil && !r.Task.Complete:
		return fmt.Sprintf("the run has no %s, which must be %s %g: it was cut short, after %d of the %s of its task",
			b.Metric.Name, least, b.Value, r.WorldTime, plaintext.Count(r.Task.Ticks, "tick"))
	case !known:
		return fmt.Sprintf("the run has no %s, which must be %s %g", b.Metric.Name, least, b.Value)
	case b.Least && v < b.Value, !b.Least && v > b.Value:
		text := fmt.Sprintf("%s is %g, and must be %s %g", b.Metric.Name, v, least, b.Value)
		if r.Advanced != nil && b.Metric.Name == MetricScore {
			text += "; scored: " + r.Advanced.Text()
		}
		return text
	}
	return ""
}
