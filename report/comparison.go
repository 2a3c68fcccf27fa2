package report

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/trace"
)

// Comparison says in what two runs, a and b, differ.
type Comparison struct {
	// Ticks up to this one are not compared; 0 compares all.
	AfterTick int64 `json:"after_tick"`
	// Complete ticks that both runs have.
	TicksCompared int64 `json:"ticks_compared"`
	// Compared ticks in which a decision differs, or after which the world does.
	TicksDiffering int64 `json:"ticks_differing"`
	// Decisions compared: those that either run has in a compared tick.
	DecisionsCompared int64 `json:"decisions_compared"`
	// Decisions of which the executed action differs, or that only one run has, or of which the turn failed in one
	// of them alone.
	DecisionsDiffering int64 `json:"decisions_differing"`
	// Decisions with the same action that the world accepted in one run only.
	OutcomesDiffering int64 `json:"outcomes_differing"`
	// First tick with a decision that differs; null when none does.
	FirstDecisionTick *int64 `json:"first_decision_tick"`
	// First tick after which the digests differ; null when none do.
	FirstDigestTick *int64 `json:"first_digest_tick"`
	// The first differing ticks, in order.
	Ticks []TickDifference `json:"ticks"`
	// Differing ticks beyond those listed.
	TicksOmitted int64 `json:"ticks_omitted"`
	// Agents with decisions that differ, by id.
	Agents []AgentDifference `json:"agents"`
	// Goals that are not at the same point at the end of both runs.
	Goals []GoalDifference `json:"goals"`
	// Resources of which all agents together hold another amount at the end.
	Stock []StockDifference `json:"stock"`
	// Metrics of the whole runs that either of them has.
	Metrics []MetricDifference `json:"metrics"`
}

// MetricDifference is a metric of two runs.
type MetricDifference struct {
	// Name of the metric.
	Metric string `json:"metric"`
	// What it counts.
	Unit string `json:"unit"`
	// Value in the first run; null if it has none.
	A *float64 `json:"a"`
	// Value in the second run; null if it has none.
	B *float64 `json:"b"`
}

// metricsOf are the metrics that either of two runs has, but for those of the clock.
func metricsOf(a, b Report) []MetricDifference {
	list := []MetricDifference{}
	for _, m := range AllMetrics(Union(a.OwnMetrics, b.OwnMetrics)...) {
		row := MetricDifference{Metric: m.Name, Unit: m.Unit}
		for _, side := range []struct {
			r    Report
			into **float64
		}{{a, &row.A}, {b, &row.B}} {
			if v, known := m.of(side.r); known {
				*side.into = &v
			}
		}
		if (row.A != nil || row.B != nil) && m.Name != MetricLatency {
			list = append(list, row)
		}
	}
	return list
}

// TickDifference is one tick in which two runs differ.
type TickDifference struct {
	// The tick.
	Tick int64 `json:"tick"`
	// Whether the digests of the worlds are equal after it: equal or differs.
	World string `json:"world"`
	// Decisions that differ, by agent.
	Decisions []DecisionDifference `json:"decisions"`
}

// DecisionDifference is what an agent did in both runs.
type DecisionDifference struct {
	// The agent.
	AgentID string `json:"agent_id"`
	// Executed action in the first run as JSON text; empty when it decided nothing.
	A string `json:"a"`
	// Executed action in the second run as JSON text; empty when it decided nothing.
	B string `json:"b"`
	// Why the turn failed in the first run, a wait reason: its action is a wait that nobody chose. Empty otherwise.
	AFailed trace.WaitReason `json:"a_failed"`
	// The same of the second run.
	BFailed trace.WaitReason `json:"b_failed"`
}

// AgentDifference is in what an agent of two runs differs.
type AgentDifference struct {
	// The agent.
	AgentID string `json:"agent_id"`
	// Decisions that differ in compared ticks.
	Decisions int64 `json:"decisions"`
	// First tick with one.
	FirstTick int64 `json:"first_tick"`
}

// GoalDifference is a goal that two runs got to differently.
type GoalDifference struct {
	// Id of the goal.
	GoalID string `json:"goal_id"`
	// Agent whose goal it is.
	AgentID string `json:"agent_id"`
	// Tick in which the first run met it; null when it did not.
	AMetAt *int64 `json:"a_met_at"`
	// Tick in which the second run met it; null when it did not.
	BMetAt *int64 `json:"b_met_at"`
	// Measured amount at the end of the first run.
	ANow int64 `json:"a_now"`
	// Measured amount at the end of the second run.
	BNow int64 `json:"b_now"`
}

// StockDifference is what all agents hold of a resource at the end of both runs.
type StockDifference struct {
	// Name of the resource.
	Resource string `json:"resource"`
	// Amount in the first run.
	A int64 `json:"a"`
	// Amount in the second run.
	B int64 `json:"b"`
}

// The words of [TickDifference.World].
const (
	worldEqual   = "equal"
	worldDiffers = "differs"
)

const (
	// ticksListedMax bounds the ticks a comparison lists.
	ticksListedMax = 500
	// actionCharsMax bounds an action's text.
	actionCharsMax = 300
)

// Compare compares two runs tick by tick after a tick, and as wholes. The reports are
// those of the traces. Memory grows with agents, not with ticks. An unfinished trace is
// compared as far as it goes.
func Compare(a, b Report, traceA, traceB Trace, after int64) (Comparison, error) {
	c := Comparison{
		AfterTick: after, Ticks: []TickDifference{}, Agents: []AgentDifference{}, Goals: []GoalDifference{},
		Stock: []StockDifference{}, Metrics: metricsOf(a, b),
	}
	var readers [2]*trace.Reader
	for i, t := range []Trace{traceA, traceB} {
		f, err := t.Open()
		if err != nil {
			return c, err
		}
		defer f.Close()
		readers[i] = trace.NewReader(f)
	}
	for {
		x, err := readTick(readers[0], after)
		if err != nil {
			return c, err
		}
		y, err := readTick(readers[1], after)
		if err != nil {
			return c, err
		}
		if x == nil || y == nil || x.Tick != y.Tick {
			break
		}
		c.tick(x, y)
	}
	slices.SortFunc(c.Agents, func(a, b AgentDifference) int { return strings.Compare(a.AgentID, b.AgentID) })
	for _, x := range a.Goals {
		i := slices.IndexFunc(b.Goals,
			func(y trace.GoalOutcome) bool { return x.AgentID == y.AgentID && x.GoalID == y.GoalID })
		if i >= 0 && (x.Now != b.Goals[i].Now || !sameTick(x.MetAt, b.Goals[i].MetAt)) {
			y := b.Goals[i]
			c.Goals = append(c.Goals, GoalDifference{GoalID: x.GoalID, AgentID: x.AgentID, AMetAt: x.MetAt, BMetAt: y.MetAt,
				ANow: x.Now, BNow: y.Now})
		}
	}
	if len(a.FinalStock) == 0 || len(b.FinalStock) == 0 {
		return c, nil // a run that is not finished tells none
	}
	amounts := map[string]*StockDifference{}
	for _, x := range a.FinalStock {
		at(amounts, x.Resource).A = x.Amount
	}
	for _, y := range b.FinalStock {
		at(amounts, y.Resource).B = y.Amount
	}
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		if d := amounts[name]; d.A != d.B {
			d.Resource = name
			c.Stock = append(c.Stock, *d)
		}
	}
	return c, nil
}

// comparedTick is what a comparison needs of a complete tick.
type comparedTick struct {
	trace.TickEnd
	decisions map[string]trace.Decision
}

// readTick reads the next complete tick after the given one, nil at the end.
func readTick(r *trace.Reader, after int64) (*comparedTick, error) {
	t := comparedTick{decisions: map[string]trace.Decision{}}
	for {
		record, err := r.NextOf(trace.TypeDecision, trace.TypeTickEnd)
		switch {
		case err == io.EOF || errors.Is(err, trace.ErrTorn):
			return nil, nil
		case err != nil:
			return nil, err
		case trace.TickOf(record) <= after:
			continue
		}
		switch record := record.(type) {
		case trace.Decision:
			t.decisions[record.AgentID] = record
		case trace.TickEnd:
			t.TickEnd = record
			return &t, nil
		}
	}
}

// tick compares a tick of both runs.
func (c *Comparison) tick(a, b *comparedTick) {
	ids := slices.AppendSeq(slices.Collect(maps.Keys(a.decisions)), maps.Keys(b.decisions))
	slices.Sort(ids)
	ids = slices.Compact(ids)
	c.TicksCompared++
	c.DecisionsCompared += int64(len(ids))
	d := TickDifference{Tick: a.Tick, World: worldEqual, Decisions: []DecisionDifference{}}
	for _, id := range ids {
		x, y := a.decisions[id], b.decisions[id]
		if string(x.Executed) == string(y.Executed) && x.WaitReason == y.WaitReason {
			// An outcome that cannot be read fails the fold of its trace.
			ruledX, _ := x.Ruling()
			ruledY, _ := y.Ruling()
			if ruledX.Accepted != ruledY.Accepted {
				c.OutcomesDiffering++
			}
			continue
		}
		d.Decisions = append(d.Decisions, DecisionDifference{
			AgentID: id, A: plaintext.Clip(string(x.Executed), actionCharsMax),
			B:       plaintext.Clip(string(y.Executed), actionCharsMax),
			AFailed: x.WaitReason, BFailed: y.WaitReason,
		})
		at := slices.IndexFunc(c.Agents, func(known AgentDifference) bool { return known.AgentID == id })
		if at < 0 {
			at = len(c.Agents)
			c.Agents = append(c.Agents, AgentDifference{AgentID: id, FirstTick: d.Tick})
		}
		c.Agents[at].Decisions++
	}
	c.DecisionsDiffering += int64(len(d.Decisions))
	if len(d.Decisions) > 0 && c.FirstDecisionTick == nil {
		c.FirstDecisionTick = &d.Tick
	}
	if a.Digest != b.Digest {
		d.World = worldDiffers
		if c.FirstDigestTick == nil {
			c.FirstDigestTick = &d.Tick
		}
	}
	if d.World == worldEqual && len(d.Decisions) == 0 {
		return
	}
	c.TicksDiffering++
	if len(c.Ticks) == ticksListedMax {
		c.TicksOmitted++
		return
	}
	c.Ticks = append(c.Ticks, d)
}

func sameTick(a, b *int64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// Parts is the first decision that differs with its tick; nil if none does.
func (c Comparison) Parts() (tick int64, first *DecisionDifference) {
	for _, t := range c.Ticks {
		if len(t.Decisions) > 0 {
			return t.Tick, &t.Decisions[0]
		}
	}
	return 0, nil
}

// Text returns the comparison of two runs with their names and reports for a terminal. action says an encoded action in
// words.
func (c Comparison) Text(nameA, nameB string, a, b Report, action func(string) string) string {
	side := func(encoded string, failed trace.WaitReason) string {
		switch {
		case failed != "":
			return plain(wording.Failed(failed))
		case encoded == "":
			return "nothing"
		}
		return plain(action(encoded))
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	plaintext.Fprintf(w, "\t%s\t%s\n", plain(nameA), plain(nameB))
	for _, row := range []struct {
		name  string
		value func(r Report) string
	}{
		{"run", Report.runLine},
		{"scenario", func(r Report) string { return fmt.Sprintf("%s, seed %d", plain(r.Scenario), r.Seed) }},
		{"model", func(r Report) string { return plain(r.Model) }},
		{"ticks", func(r Report) string { return fmt.Sprint(r.WorldTime) }},
		{"goals met", func(r Report) string { return fmt.Sprint(r.GoalsMet) }},
		{"actions", func(r Report) string {
			return fmt.Sprintf("%d accepted, %d rejected", r.ActionSuccess, r.ActionFailure)
		}},
		{"calls", func(r Report) string { return fmt.Sprint(r.TraceCounts.ModelCalls) }},
		{"tokens", func(r Report) string { return fmt.Sprintf("%d input, %d output", r.Tokens.Input, r.Tokens.Output) }},
		{"cost", Report.costLine},
	} {
		if x, y := row.value(a), row.value(b); x != "" || y != "" {
			plaintext.Fprintf(w, "%s\t%s\t%s\n", row.name, x, y)
		}
	}
	for _, m := range c.Metrics {
		above := slices.Contains([]string{"goals_met", "calls", "tokens_input", "tokens_output", "cost"}, m.Metric)
		own := slices.ContainsFunc(a.OwnMetrics, func(o OwnMetric) bool { return o.Name == m.Metric })
		if own || !above && (m.A == nil || m.B == nil || *m.A != *m.B) {
			plaintext.Fprintf(w, "%s\t%s\t%s\n", m.Metric, figure(m.A), figure(m.B))
		}
	}
	_ = w.Flush() // a strings.Builder takes everything
	if tick, first := c.Parts(); first != nil {
		plaintext.Fprintf(&text, "\nthey part in tick %d: %s\n", tick, plain(first.AgentID))
		plaintext.Fprintf(&text, "  in %s: %s\n", plain(nameA), side(first.A, first.AFailed))
		plaintext.Fprintf(&text, "  in %s: %s\n", plain(nameB), side(first.B, first.BFailed))
	}
	plaintext.Fprintf(&text, "\n%s\n", c.ticksText())
	if ends := c.endText(); ends != "" {
		plaintext.Fprintf(&text, "%s\n", ends)
	}
	for _, d := range c.Agents {
		plaintext.Fprintf(&text, "%s: differs in %s, the first in tick %d\n", plain(d.AgentID),
			plaintext.Count(d.Decisions, "decision"), d.FirstTick)
	}
	for _, t := range c.Ticks[:min(len(c.Ticks), namesMax)] {
		plaintext.Fprintf(&text, "tick %d, world after it: %s\n", t.Tick, t.World)
		for _, d := range t.Decisions {
			plaintext.Fprintf(&text, "  %s: %s | %s\n", plain(d.AgentID), side(d.A, d.AFailed), side(d.B, d.BFailed))
		}
	}
	return text.String()
}

// figure is the value of a metric for people.
func figure(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'g', 6, 64)
}

// ticksText says how many ticks and decisions differ, and since when.
func (c Comparison) ticksText() string {
	if c.TicksCompared == 0 {
		return "no tick to compare"
	}
	if c.TicksDiffering == 0 {
		return fmt.Sprintf("%s, all equal", plaintext.Count(c.TicksCompared, "tick"))
	}
	decisions, world := fmt.Sprintf("none of %s", plaintext.Count(c.DecisionsCompared, "decision")), "the world in none"
	if c.DecisionsDiffering > 0 {
		decisions = fmt.Sprintf("%d of %s, the first in tick %d", c.DecisionsDiffering,
			plaintext.Count(c.DecisionsCompared, "decision"), *c.FirstDecisionTick)
	}
	if c.FirstDigestTick != nil {
		world = fmt.Sprintf("the world from tick %d on", *c.FirstDigestTick)
	}
	return fmt.Sprintf("%d of %s differ, %s, %s", c.TicksDiffering, plaintext.Count(c.TicksCompared, "tick"), decisions,
		world)
}

// endText says how the ends of both runs differ; empty if they do not.
func (c Comparison) endText() string {
	var parts []string
	if len(c.Goals) > 0 {
		parts = append(parts, fmt.Sprintf("goals that differ, %d: %s", len(c.Goals),
			listed(c.Goals, namesMax, ", ", func(g GoalDifference) string {
				ends := fmt.Sprintf("%d and %d at the end", g.ANow, g.BNow)
				if !sameTick(g.AMetAt, g.BMetAt) {
					ends = metText(g.AMetAt) + " and " + metText(g.BMetAt)
				}
				return fmt.Sprintf("%s of %s (%s)", plain(g.GoalID), plain(g.AgentID), ends)
			})))
	}
	if len(c.Stock) > 0 {
		parts = append(parts, "stock of the second less the first's: "+
			listed(c.Stock, namesMax, ", ", func(s StockDifference) string {
				return fmt.Sprintf("%s %d", plain(s.Resource), s.B-s.A)
			}))
	}
	return strings.Join(parts, "; ")
}

// metText says when a goal was met.
func metText(at *int64) string {
	if at == nil {
		return "not met"
	}
	return fmt.Sprintf("met in tick %d", *at)
}
