package memory

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Measure is a number of an entry: what an action cost or brought, or how much of
// something was seen. Merging entries merges their measures, so that a summary
// still says how much.
type Measure struct {
	// Name says what is counted, such as "compound".
	Name string `json:"name"`
	// Low and High are the least and the most of all values that went in.
	Low  int64 `json:"low"`
	High int64 `json:"high"`
	// Total is their sum; it stops at the bounds of the type.
	Total int64 `json:"total"`
	// Adds says that a summary shows the sum, as of a gain or a cost; otherwise it shows
	// the range, as of a price.
	Adds bool `json:"adds,omitempty"`
}

// MeasuresMax bounds [Entry.Measures].
const MeasuresMax = 12

// Range returns the measure of one value of which a summary shows the range.
func Range(name string, value int64) Measure {
	return Measure{Name: name, Low: value, High: value, Total: value}
}

// Sum returns the measure of one value of which a summary shows the sum.
func Sum(name string, value int64) Measure {
	return Measure{Name: name, Low: value, High: value, Total: value, Adds: true}
}

// String returns the measure as a summary shows it: "compound +90000" for a sum,
// "price 2..5" for a range.
func (m Measure) String() string {
	switch {
	case m.Adds:
		return fmt.Sprintf("%s %+d", m.Name, m.Total)
	case m.Low == m.High:
		return fmt.Sprintf("%s %d", m.Name, m.Low)
	}
	return fmt.Sprintf("%s %d..%d", m.Name, m.Low, m.High)
}

// mergedMeasures returns the measures of both lists, those of one name as one, in
// order of first mention, at most MeasuresMax.
func mergedMeasures(old, added []Measure) []Measure {
	all := slices.Clone(old)
	for _, a := range added {
		i := slices.IndexFunc(all, func(m Measure) bool { return m.Name == a.Name && m.Adds == a.Adds })
		if i < 0 {
			all = append(all, a)
			continue
		}
		m := &all[i]
		m.Low = min(m.Low, a.Low)
		m.High = max(m.High, a.High)
		m.Total = saturatingSum(m.Total, a.Total)
	}
	return all[:min(len(all), MeasuresMax)]
}

// saturatingSum returns a+b, or the bound that the sum would pass.
func saturatingSum(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// measuresText lists measures, the sums behind a word of their own.
func measuresText(measures []Measure, total string) string {
	var ranges, sums []string
	for _, m := range measures {
		if m.Adds {
			sums = append(sums, m.String())
		} else {
			ranges = append(ranges, m.String())
		}
	}
	if len(sums) > 0 {
		sums[0] = total + " " + sums[0]
	}
	return strings.Join(slices.Concat(ranges, sums), ", ")
}
