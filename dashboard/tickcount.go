package dashboard

import (
	"encoding/json"
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// tickCount is what the records of one tick add up to.
type tickCount struct {
	calls     []trace.ModelCall
	refusals  []trace.Refusal
	decisions []judged
	events    []world.Event
	// steps are those that repair, or say what had to be repaired.
	steps []trace.Step
	forks []trace.Fork
	caps  []trace.CapChange
}

func (t *tickCount) add(record trace.Record) {
	switch r := record.(type) {
	case trace.ModelCall:
		t.calls = append(t.calls, r)
	case trace.Refusal:
		t.refusals = append(t.refusals, r)
	case trace.Decision:
		t.decisions = append(t.decisions, judged{r, outcomeOf(r)})
	case trace.Event:
		t.events = append(t.events, r.Event)
	case trace.Step:
		t.steps = append(t.steps, r)
	case trace.Fork:
		t.forks = append(t.forks, r)
	case trace.CapChange:
		t.caps = append(t.caps, r)
	case trace.Control:
		if r.Caps != nil {
			t.caps = append(t.caps, trace.CapChange{Tick: r.Tick, Caps: *r.Caps})
		}
	case trace.Resume: // the world's part of the tick is derived again
		t.decisions = nil
		t.events = nil
		t.refusals = nil
		t.steps = nil
	}
}

// mark is a tick worth a look.
type mark struct {
	Tick int64 `json:"tick"`
	// Kind is failure, shutdown, rejected, goal, divergence or cap.
	Kind  string `json:"kind"`
	Agent string `json:"agent,omitempty"`
	Text  string `json:"text"`
}

// marksOfKindMax bounds the marks of one kind that can be many, markBytesMax the text of one.
const (
	marksOfKindMax = 64
	markBytesMax   = 1000
)

// marks adds those of the tick: of failures, shutdowns and refused actions the first, of goals,
// forks and caps all.
func (t *tickCount) marks(list []mark) []mark {
	count := func(kind string) (n int) {
		for _, m := range list {
			if m.Kind == kind {
				n++
			}
		}
		return n
	}
	add := func(most int, m mark) {
		if count(m.Kind) < most {
			m.Text = m.Text[:min(len(m.Text), markBytesMax)]
			list = append(list, m)
		}
	}
	for _, f := range t.forks {
		add(marksOfKindMax, mark{f.Tick, "divergence", "",
			"forked from " + f.Parent.Name + " after tick " + number(f.AtTick)})
	}
	for _, c := range t.caps {
		add(marksOfKindMax, mark{c.Tick, "cap", "", "other caps from here: " + c.Caps.Text("")})
	}
	for _, r := range t.refusals {
		add(1, mark{r.Tick, "cap", r.AgentID, "a cap refused a call: " + r.Cap})
	}
	for _, d := range t.decisions {
		if d.WaitReason != "" {
			add(1, mark{d.Tick, "failure", d.AgentID, "no decision: " + string(d.WaitReason)})
		}
		if refused := d.outcome.Rejection; refused != nil {
			add(1, mark{d.Tick, "rejected", d.AgentID, "first refused action: " + refused.Code})
		}
	}
	for _, e := range t.events {
		switch {
		case e.Kind == world.EventPowerState && e.Detail == "shutdown":
			add(1, mark{e.Tick, "shutdown", e.Agent, "out of electricity"})
		case e.Kind == world.EventGoalMet:
			add(marksOfKindMax, mark{e.Tick, "goal", e.Agent, e.Subject})
		}
	}
	return list
}

// outcome is what of a world's outcome the page counts.
type outcome struct {
	Accepted  bool `json:"accepted"`
	Rejection *struct {
		Code string `json:"code"`
	} `json:"rejection"`
	// RefusedBefore counts the choices that were refused before the one that ran.
	RefusedBefore int64 `json:"refused_before"`
}

// judged is a decision with what the world made of it.
type judged struct {
	trace.Decision
	outcome outcome
}

func outcomeOf(d trace.Decision) (o outcome) {
	_ = json.Unmarshal(d.Outcome, &o) // null where the world was not asked
	return o
}

// pricesOf are the prices of a run by model.
func pricesOf(s trace.Settings) map[string]price.Price {
	of := map[string]price.Price{}
	for _, p := range s.Prices {
		of[p.Model] = p
	}
	return of
}

// figures are counts of a run over time, in rows of equal length in ticks. When there are too
// many rows, each two become one.
type figures struct {
	prices map[string]price.Price
	// every is the length of a row.
	every int64
	rows  []figureRow
	// Waits, Rejections, Errors, Unusable answers, Repairs, Adjusted and Actions count over the
	// whole run, by reason.
	Waits, Rejections, Errors, Unusable, Repairs, Adjusted, Actions map[string]int64
}

// figureRowsMax bounds the rows.
const figureRowsMax = 4096

// figureRow counts some ticks in a row.
type figureRow struct {
	// from is the first tick.
	from                                         int64
	calls, failed, refused, repairs              int64
	decided, continued, degraded, rejected       int64
	adjusted, goals, traded, replaced            int64
	input, cached, output, reasoning, costMicros int64
	// price is that of the last trade, p50 and p95 are latencies in milliseconds.
	price, p50, p95 int64
}

// The bounds of reasons, which a trace may hold any number of: the further ones are counted as others.
const (
	reasonsMax     = 1000
	reasonBytesMax = 200
	others         = "others"
)

// tally counts a reason.
func tally(counts map[string]int64, reason string) {
	reason = reason[:min(len(reason), reasonBytesMax)]
	if _, known := counts[reason]; !known && len(counts) >= reasonsMax {
		reason = others
	}
	counts[reason]++
}

func newFigures(h trace.Header) figures {
	return figures{
		prices: pricesOf(h.Latest()), every: 1, Waits: map[string]int64{}, Rejections: map[string]int64{},
		Errors:   map[string]int64{},
		Unusable: map[string]int64{}, Repairs: map[string]int64{}, Adjusted: map[string]int64{}, Actions: map[string]int64{},
	}
}

// cost is that of a call in millionths, at the prices of the run.
func cost(prices map[string]price.Price, model string, u llmclient.Usage) int64 {
	p, known := prices[model]
	if !known {
		return 0
	}
	return p.Cost(u).Micros()
}

func (f *figures) add(tick int64, t *tickCount) {
	r := figureRow{from: tick, refused: int64(len(t.refusals))}
	f.calls(&r, t.calls)
	f.steps(&r, t.steps)
	f.decisions(&r, t.decisions)
	for _, e := range t.events {
		switch {
		case e.Kind == world.EventGoalMet:
			r.goals++
		case e.Kind == world.EventTrade && e.Trade != nil:
			r.traded += e.Trade.Amount
			r.price = e.Trade.Price
		}
	}
	if n := len(f.rows); n > 0 && (tick-1)%f.every != 0 {
		f.rows[n-1] = f.rows[n-1].with(r)
	} else {
		f.rows = append(f.rows, r)
	}
	if len(f.rows) > figureRowsMax {
		f.halve()
	}
}

// halve makes one row of each two.
func (f *figures) halve() {
	kept := f.rows[:0]
	for i := 0; i < len(f.rows); i += 2 {
		row := f.rows[i]
		if i+1 < len(f.rows) {
			row = row.with(f.rows[i+1])
		}
		kept = append(kept, row)
	}
	f.rows, f.every = kept, 2*f.every
}

func (f *figures) calls(r *figureRow, calls []trace.ModelCall) {
	var latencies []int64
	for _, c := range calls {
		r.calls++
		u := c.Answer.Usage
		r.input += u.Input
		r.cached += u.Cached
		r.output += u.Output
		r.reasoning += u.Reasoning
		r.costMicros += cost(f.prices, c.Model, u)
		if c.Answer.Failure != nil {
			r.failed++
			tally(f.Errors, string(c.Answer.Failure.Kind))
		}
		if c.Timing != nil {
			latencies = append(latencies, c.Timing.LatencyMS)
		}
	}
	if slices.Sort(latencies); len(latencies) > 0 {
		r.p50, r.p95 = latencies[(len(latencies)-1)/2], latencies[(len(latencies)*95+99)/100-1]
	}
}

func (f *figures) steps(r *figureRow, steps []trace.Step) {
	for _, s := range steps {
		switch s.Kind {
		case trace.StepRepair:
			r.repairs++
		case trace.StepParseError:
			tally(f.Unusable, s.Code)
		}
		for _, name := range s.Repairs {
			tally(f.Repairs, name)
		}
	}
}

func (f *figures) decisions(r *figureRow, decisions []judged) {
	for _, d := range decisions {
		switch {
		case d.WaitReason != "":
			r.degraded++
			tally(f.Waits, string(d.WaitReason))
		case d.DecidedBy == trace.ByStanding:
			r.continued++
		default:
			r.decided++
		}
		for _, a := range d.Adjustments {
			r.adjusted++
			tally(f.Adjusted, a.Action+"."+a.Field+" ("+a.Bound+")")
		}
		if name := actionName(d.Executed); name != "" {
			tally(f.Actions, name)
		}
		if refused := d.outcome.Rejection; refused != nil {
			r.rejected++
			tally(f.Rejections, refused.Code)
		}
		r.replaced += d.outcome.RefusedBefore
	}
}

// with is both rows as one. Of latencies the higher one stays.
func (r figureRow) with(s figureRow) figureRow {
	for _, sum := range []struct{ to, of *int64 }{
		{&r.calls, &s.calls}, {&r.failed, &s.failed}, {&r.refused, &s.refused}, {&r.repairs, &s.repairs},
		{&r.decided, &s.decided},
		{&r.continued, &s.continued}, {&r.degraded, &s.degraded}, {&r.rejected, &s.rejected}, {&r.replaced, &s.replaced},
		{&r.adjusted, &s.adjusted}, {&r.goals, &s.goals},
		{&r.traded, &s.traded}, {&r.input, &s.input}, {&r.cached, &s.cached}, {&r.output, &s.output},
		{&r.reasoning, &s.reasoning}, {&r.costMicros, &s.costMicros},
	} {
		*sum.to += *sum.of
	}
	r.p50, r.p95 = max(r.p50, s.p50), max(r.p95, s.p95)
	if s.price != 0 {
		r.price = s.price
	}
	return r
}

// columns are the rows by name, for charts.
func (f *figures) columns() map[string][]int64 {
	of := map[string][]int64{}
	names := []string{
		"tick", "calls", "failed", "refused", "repairs", "decided", "continued", "degraded", "rejected", "replaced",
		"adjusted", "goals", "traded",
		"input", "cached", "output", "reasoning", "cost_micros", "price", "latency_p50_ms", "latency_p95_ms",
	}
	for _, name := range names {
		of[name] = make([]int64, 0, len(f.rows))
	}
	for _, r := range f.rows {
		for i, n := range []int64{
			r.from, r.calls, r.failed, r.refused, r.repairs, r.decided, r.continued, r.degraded, r.rejected, r.replaced,
			r.adjusted, r.goals, r.traded,
			r.input, r.cached, r.output, r.reasoning, r.costMicros, r.price, r.p50, r.p95,
		} {
			of[names[i]] = append(of[names[i]], n)
		}
	}
	return of
}

// actionName is the name in an encoded action; of a standing order that of the order.
func actionName(raw json.RawMessage) string {
	var of struct {
		Action string `json:"action"`
	}
	_ = json.Unmarshal(raw, &of) // null where there is none
	return of.Action
}
