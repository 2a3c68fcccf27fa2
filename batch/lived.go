package batch

import (
	"fmt"
	"slices"

	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// died says that a run of the pair lacks ticks in which the other one may have acted: agents ran out of power or
// lost their model, or one run ended before the other was to end.
func (p pairing) died() bool {
	early := func(r *Result) bool { return r.Status != trace.RunCompleted || r.lostAgents() }
	return p.scored() && (early(p.arm) || early(p.base) || p.arm.Ticks != p.base.Ticks)
}

// lostAgents says that some agents of the run ran out of power or lost their model.
func (r *Result) lostAgents() bool {
	down, _ := r.Metrics.Get(report.MetricAgentsDown)
	return down > 0
}

// lived divides sums such as calls and tokens by the ticks in which agents acted, if somewhere agents died: who does
// nothing needs little. perTick says that it did. It does so for all pairs or for none, whichever side they are on,
// so that what is divided says nothing about who is better. What the file says in units of a sum is left out then.
func (c *Compare) lived(paired [][]pairing, known report.MetricList, names []string) (_ *Compare, perTick bool) {
	anyDied := func(pairs []pairing) bool { return slices.ContainsFunc(pairs, pairing.died) }
	if !slices.ContainsFunc(paired, anyDied) {
		return c, false
	}
	sums := sumsIn(names, known)
	if c.StopWhenDecided {
		sums = slices.DeleteFunc(sums, func(name string) bool { return name == c.Primary }) // see unequal
	}
	for _, pairs := range paired {
		for i := range pairs {
			pairs[i].arm, pairs[i].base = perAgentTick(pairs[i].arm, sums), perAgentTick(pairs[i].base, sums)
		}
	}
	out := *c
	if slices.Contains(sums, c.Primary) {
		out.Margin = 0
		out.Effect = 0
		out.Range = 0
		out.PassAt = nil
	}
	return &out, len(sums) > 0
}

// unequal says that a sum cannot decide when to stop, since agents died; empty if it can, or need not.
func (c *Compare) unequal(pairs []pairing, known report.MetricList) string {
	m, _ := known.Named(c.Primary)
	if !c.StopWhenDecided || !m.Sums() || !slices.ContainsFunc(pairs, pairing.died) {
		return ""
	}
	return fmt.Sprintf("active ticks differ, since agents died or runs ended early: a smaller sum of %s says nothing",
		c.Primary)
}

// sumsIn are those of some metrics that are sums.
func sumsIn(names []string, known report.MetricList) (sums []string) {
	for _, name := range names {
		if m, ok := known.Named(name); ok && m.Sums() {
			sums = append(sums, name)
		}
	}
	return sums
}

// perAgentTick is a result with some metrics per tick in which an agent acted. Who never acted has none of them.
func perAgentTick(r *Result, sums []string) *Result {
	if r == nil || !r.Scored() {
		return r
	}
	out := *r
	figures := r.Metrics.Map()
	ticks := figures[report.MetricAgentTicks]
	for _, name := range sums {
		v, known := figures[name]
		delete(figures, name)
		if known && ticks > 0 {
			figures[name] = v / ticks
		}
	}
	out.Metrics = MetricsOf(figures)
	return &out
}

// activeApart is the share by which the active ticks of two sides may differ where values per active tick are
// compared. A run needs more as it goes on, so whoever ends early is measured in its cheap part.
const activeApart = 0.05

// markPerTick says of comparisons which values are per tick, and why. There is no verdict on them where the
// active ticks of the sides differ.
func markPerTick(list []Comparison, paired [][]pairing, known report.MetricList) {
	for i := range list {
		arm, base := activeTicks(paired[i])
		apart := max(arm, base)-min(arm, base) > activeApart*max(arm, base)
		for at := range list[i].Metrics {
			v := &list[i].Metrics[at]
			m, _ := known.Named(v.Metric)
			if !m.Sums() || v.Sequential && v.Primary {
				continue
			}
			v.PerTick = true
			v.Unit += " per active tick"
			if apart && v.Outcome != NoVerdict {
				v.withhold(NoVerdict)
				v.Why = fmt.Sprintf("agents were active in %.0f and %.0f ticks, and a run needs more as it goes on", arm, base)
			}
		}
	}
}

// activeTicks are the ticks in which agents acted, of each side of scored pairs.
func activeTicks(pairs []pairing) (arm, base float64) {
	for _, p := range pairs {
		if p.scored() {
			a, _ := p.arm.Metrics.Get(report.MetricAgentTicks)
			b, _ := p.base.Metrics.Get(report.MetricAgentTicks)
			arm += a
			base += b
		}
	}
	return arm, base
}

// earlyNotes say how many runs of each side ended early or lost agents.
func earlyNotes(pairs []pairing) (notes []string) {
	var short, down [2]int
	scored := 0
	for _, p := range pairs {
		if !p.scored() {
			continue
		}
		scored++
		for side, r := range []*Result{p.arm, p.base} {
			if _, known := r.Metrics.Get(report.MetricScore); r.CutShort && known {
				short[side]++
			}
			if r.lostAgents() {
				down[side]++
			}
		}
	}
	if short[0]+short[1] > 0 {
		notes = append(notes, fmt.Sprintf("%d and %d of %d runs ended before their task did: they are scored as if nobody "+
			"had acted on", short[0], short[1], scored))
	}
	if down[0]+down[1] > 0 {
		notes = append(notes, fmt.Sprintf("in %d and %d of %d runs agents ran out of power or lost their model", down[0],
			down[1], scored))
	}
	return notes
}
