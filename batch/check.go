package batch

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"example.com/agentworld/report"
	"example.com/agentworld/report/stats"
)

// Check says what is wrong with a matrix that comes from no file: names, size, what is compared and what
// must hold. The error joins all of it, see [Problems].
func (f File) Check() error {
	var problems []error
	wrong := func(line int, format string, args ...any) {
		problems = append(problems, &Problem{line, fmt.Sprintf(format, args...)})
	}
	if !named(f.Name) {
		wrong(0, "name %s; allowed: %s", quoted(f.Name), nameAllowed)
	}
	for _, axis := range f.Axes {
		known := map[string]bool{}
		for _, v := range axis.Values {
			if !named(v.Name) || known[v.Name] {
				wrong(0, "value %s of axis %s: allowed: %s, each value once", quoted(v.Name), quoted(axis.Name), nameAllowed)
			}
			known[v.Name] = true
		}
		if len(axis.Values) == 0 {
			wrong(0, "axis %s has no values", quoted(axis.Name))
		}
	}
	if n := f.Size(); n > CellsMost {
		wrong(0, "there are %d cells; allowed: up to %d", n, CellsMost)
	}
	if len(problems) == 0 {
		f.Compare.checkNumbers(nil, wrong)
		f.checkConclusions(nil, wrong)
	}
	return errors.Join(problems...)
}

// checkNumbers checks the numbers of what is compared, nil for nothing.
func (c *Compare) checkNumbers(lines fileLines, wrong func(int, string, ...any)) {
	if c == nil {
		return
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"margin", c.Margin}, {"effect", c.Effect}, {"range", c.Range}} {
		if !(v.value >= 0 && v.value <= stats.ScoreMax) {
			wrong(lines.of("compare", v.name), "compare.%s: %v is out of range; allowed: numbers from 0", v.name, v.value)
		}
	}
	if a := c.Alpha; a != 0 && !(a >= 1e-6 && a < 0.5) {
		wrong(lines.of("compare", "alpha"), "compare.alpha: %v is out of range; allowed: 0.000001 to below 0.5", a)
	}
}

// checkConclusions checks comparison and gates against the matrix, before anything is played.
func (f File) checkConclusions(lines fileLines, wrong func(int, string, ...any)) {
	cells := make([]Cell, 0, f.Size())
	for c := range f.Combinations() {
		cells = append(cells, c.Cell)
	}
	c, problems := f.Compare.completing(cells, f.known())
	for _, one := range problems {
		wrong(cmp.Or(lines.of("compare", one.key), lines.of("compare")), "%s", one.text)
	}
	if f.Compare != nil && f.Compare.PassAt != nil {
		f.checkPassAt(c, func(format string, args ...any) { wrong(lines.of("compare", "pass_at"), format, args...) })
	}
	axisWrong := slices.ContainsFunc(problems, func(one misplaced) bool { return one.key == "axis" })
	for i, g := range f.Gates {
		faults := g.faults()
		if axisWrong { // what does not fit but for the metric would follow from it
			g := Gate{Metric: g.Metric}
			faults = append(faults, g.unknown(nil, nil, f.known())...)
		} else {
			faults = append(faults, g.misfits(c, cells, f.known())...)
		}
		for _, fault := range faults {
			wrong(lines.gate(i, len(f.Gates)), "gate %s: %s", quoted(g.Text()), fault)
		}
	}
}

// checkPassAt checks from which value on a run passes, given what is compared, nil for nothing.
func (f File) checkPassAt(c *Compare, wrong func(string, ...any)) {
	least := 0.0
	most := math.MaxFloat64
	allowed := "a number from 0, a value of the primary metric"
	if c != nil {
		m, _ := f.known().Named(c.Primary)
		_, own := f.Metrics.Named(c.Primary)
		switch {
		case own: // its range says how far values lie apart, not where
			least = -math.MaxFloat64
			allowed = "a finite number, a value of " + c.Primary
		case m.Range > 0:
			most = m.Range
			allowed = fmt.Sprintf("0 to %g, a value of %s", m.Range, c.Primary)
		}
		if own && m.Better == report.Neither {
			wrong("compare.pass_at: %s has no direction; allowed: better under metrics.%s", c.Primary, c.Primary)
		}
	}
	if at := *f.Compare.PassAt; !(at >= least && at <= most) {
		wrong("compare.pass_at: %v is out of range; allowed: %s", at, allowed)
	}
}
