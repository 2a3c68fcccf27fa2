package explain

import (
	"slices"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Prices are the prices of a run by model.
type Prices map[string]price.Price

// PricesOf are the prices in some settings.
func PricesOf(s trace.Settings) Prices {
	of := Prices{}
	for _, p := range s.Prices {
		of[p.Model] = p
	}
	return of
}

// Micros is the cost of a call in millionths, 0 for a model without a price.
func (p Prices) Micros(model string, u llmclient.Usage) int64 {
	of, known := p[model]
	if !known {
		return 0
	}
	return of.Cost(u).Micros()
}

// Figures are counts of a run over time, in rows of equal length in ticks. When there are too many rows,
// each two become one.
type Figures struct {
	// Every is the length of a row in ticks.
	Every int64
	// Counts are those of the whole run by reason, under waits, failures (of turns), rejections, errors,
	// unusable (answers), repairs, adjusted and actions.
	Counts map[string]map[string]int64
	// Scorer, when set before the first tick, computes the score over time. Each tick must then have all of
	// its events.
	Scorer *world.Scorer

	prices Prices
	rows   []figureRow
	// agents are their indexes in the header.
	agents map[string]int64
}

// figureRowsMax bounds the rows.
const figureRowsMax = 4096

// The columns of a row. Most are sums. A tick is the first of the row, a price that of the last trade, a
// score the last, and of latencies in milliseconds the highest stays. Who was slowest is an index of the
// header's agents, of the tick that waited longest.
const (
	columnTick = iota
	columnCalls
	columnFailed
	columnRefused
	columnRepairs
	columnDecided
	columnContinued
	columnDegraded
	columnRejected
	columnReplaced
	columnAdjusted
	columnGoals
	columnTraded
	columnInput
	columnCached
	columnOutput
	columnReasoning
	columnCost
	columnPrice
	columnP50
	columnP95
	columnSlowestMS
	columnSlowestAgent
	columnScore
	columnContacts
	columnGifts
	columnRescued
)

var columnNames = [...]string{
	"tick", "calls", "failed", "refused", "repairs", "decided", "continued", "degraded", "rejected", "replaced",
	"adjusted", "goals", "traded", "input", "cached", "output", "reasoning", "cost_micros", "price", "latency_p50_ms",
	"latency_p95_ms", "slowest_ms", "slowest_agent", "score", "contacts", "gifts", "rescued",
}

// figureRow counts some ticks in a row, by column.
type figureRow [len(columnNames)]int64

// add takes the row of the ticks that follow.
func (r *figureRow) add(next figureRow) {
	for column, n := range next {
		switch column {
		case columnTick:
		case columnPrice:
			if n != 0 {
				r[column] = n
			}
		case columnP50, columnP95:
			r[column] = max(r[column], n)
		case columnSlowestMS:
			if n > r[column] {
				r[column] = n
				r[columnSlowestAgent] = next[columnSlowestAgent]
			}
		case columnSlowestAgent: // goes with the milliseconds
		case columnScore:
			r[column] = n
		default:
			r[column] += n
		}
	}
}

// The bounds of reasons, which a trace may hold any number of: the further ones are counted as others.
const (
	reasonsMax     = 1000
	reasonCharsMax = 200
	others         = "others"
)

// NewFigures returns the figures of no tick of a run.
func NewFigures(h trace.Header) *Figures {
	f := &Figures{Every: 1, prices: PricesOf(h.Latest()), Counts: map[string]map[string]int64{},
		agents: map[string]int64{}}
	for i, a := range h.Agents {
		f.agents[a.ID] = int64(i)
	}
	for _, name := range []string{"waits", "failures", "rejections", "errors", "unusable", "repairs", "adjusted",
		"actions"} {
		f.Counts[name] = map[string]int64{}
	}
	return f
}

// tally counts a reason.
func (f *Figures) tally(name, reason string) {
	counts := f.Counts[name]
	reason = plaintext.Head(reason, reasonCharsMax)
	if _, known := counts[reason]; !known && len(counts) >= reasonsMax {
		reason = others
	}
	counts[reason]++
}

// Add takes the next tick.
func (f *Figures) Add(t *Tick) {
	counted := t.counts(func(string) bool { return true })
	r := figureRow{
		columnTick: t.Tick, columnCalls: counted.Calls, columnFailed: counted.Failed, columnRefused: counted.Refused,
		columnDecided: counted.Decided - counted.Degraded, columnContinued: counted.Continued,
		columnDegraded: counted.Degraded, columnRejected: counted.Rejected,
	}
	f.calls(&r, t.Calls)
	f.waits(&r, t)
	f.steps(&r, t.Steps)
	f.decisions(&r, t.Decisions)
	for _, e := range t.Events {
		if f.Scorer != nil {
			f.Scorer.Observe(e)
		}
		switch {
		case e.Kind == world.EventMessageSent, e.Kind == world.EventOfferMade:
			r[columnContacts]++
		case e.Kind == world.EventActionApplied, e.Kind == world.EventOfferAccepted:
			if len(e.Exchanges()) > 0 {
				r[columnGifts]++
			}
		case e.Kind == world.EventGoalMet:
			r[columnGoals]++
		case e.Kind == world.EventTrade && e.Trade != nil:
			r[columnTraded] += e.Trade.Amount
			r[columnPrice] = e.Trade.Price
		}
	}
	if f.Scorer != nil {
		r[columnScore] = f.Scorer.Score(t.Tick)
	}
	if n := len(f.rows); n > 0 && (t.Tick-1)%f.Every != 0 {
		f.rows[n-1].add(r)
	} else {
		f.rows = append(f.rows, r)
	}
	if len(f.rows) > figureRowsMax {
		f.halve()
	}
}

// halve makes one row of each two.
func (f *Figures) halve() {
	kept := f.rows[:0]
	for pair := range slices.Chunk(f.rows, 2) {
		row := pair[0]
		for _, next := range pair[1:] {
			row.add(next)
		}
		kept = append(kept, row)
	}
	f.rows = kept
	f.Every *= 2
}

func (f *Figures) calls(r *figureRow, calls []trace.ModelCall) {
	var latencies []int64
	for _, c := range calls {
		if c.Stage == trace.StageSeat {
			if failure := c.Answer.Failure; failure != nil {
				f.tally("errors", string(failure.Kind)+" "+failure.Code)
			}
			continue
		}
		u := c.Answer.Usage
		r[columnInput] += u.Input
		r[columnCached] += u.Cached
		r[columnOutput] += u.Output
		r[columnReasoning] += u.Reasoning
		r[columnCost] += f.prices.Micros(c.Model, u)
		if c.Answer.Failure != nil {
			f.tally("errors", string(c.Answer.Failure.Kind))
		}
		if c.Timing != nil {
			latencies = append(latencies, c.Timing.LatencyMS)
		}
	}
	slices.Sort(latencies)
	if n := len(latencies); n > 0 {
		r[columnP50] = latencies[(n-1)/2]
		r[columnP95] = latencies[(n*95+99)/100-1]
	}
}

// waits notes the slowest turn of the tick.
func (f *Figures) waits(r *figureRow, t *Tick) {
	var times report.TurnTimes
	for _, c := range t.Calls {
		times.Call(c)
	}
	for _, c := range t.Tools {
		times.Tool(c)
	}
	for _, w := range times.Waits(t.Tick) {
		if w.SlowestMS > r[columnSlowestMS] {
			r[columnSlowestMS] = w.SlowestMS
			r[columnSlowestAgent] = f.agents[w.AgentID]
		}
	}
}

func (f *Figures) steps(r *figureRow, steps []trace.Step) {
	for _, s := range steps {
		switch s.Kind {
		case trace.StepRepair:
			r[columnRepairs]++
		case trace.StepParseError:
			f.tally("unusable", s.Code)
		}
		for _, name := range s.Repairs {
			f.tally("repairs", name)
		}
	}
}

func (f *Figures) decisions(r *figureRow, decisions []trace.Decision) {
	for _, d := range decisions {
		if d.WaitReason != "" {
			f.tally("waits", string(d.WaitReason))
			f.tally("failures", string(d.WaitReason))
		}
		if d.FailedBy != "" {
			f.tally("failures", string(d.FailedBy))
			r[columnRescued]++
		}
		r[columnAdjusted] += int64(len(d.Adjustments))
		for _, a := range d.Adjustments {
			f.tally("adjusted", a.Action+"."+a.Field+" ("+a.Bound+")")
		}
		if action, _ := d.Action(); action.Name != "" {
			f.tally("actions", action.Name)
		}
		ruling, _ := d.Ruling()
		if ruling.Refused() {
			f.tally("rejections", ruling.Code)
		}
		r[columnReplaced] += ruling.RefusedBefore
	}
}

// Columns are the rows by name, for charts.
func (f *Figures) Columns() map[string][]int64 {
	of := map[string][]int64{}
	for column, name := range columnNames {
		of[name] = make([]int64, len(f.rows))
		for i, r := range f.rows {
			of[name][i] = r[column]
		}
	}
	return of
}
