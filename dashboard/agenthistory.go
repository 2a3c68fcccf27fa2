package dashboard

import (
	"regexp"
	"strconv"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The bounds of what is kept of all agents together.
const (
	samplesMax = 1 << 20
	lanesMax   = 1 << 21
	usesMax    = 1 << 20
)

// agentHistory is what the agents held and decided, tick by tick.
type agentHistory struct {
	ids     []string
	numbers map[string]int
	prices  map[string]price.Price
	// every is the distance of samples in ticks; it doubles when there are too many.
	every   int64
	ticks   []int64
	samples [][]sample
	// lanes are each agent's decisions, uses who used what others wrote or remembered, both as
	// far as they fit; full says that they did not.
	lanes  [][]laneEntry
	uses   map[origin][]use
	lanesN int
	usesN  int
	full   bool
	// names are action names, once each.
	names map[string]string
}

// sample is what an agent held after a tick.
type sample struct {
	electricity, heat, compound, hardware, data, products int64
}

// laneEntry is a decision in the lane of its agent.
type laneEntry struct {
	Tick   int64  `json:"tick"`
	Action string `json:"action"`
	// Kind is model, standing, fallback or wait (of the engine).
	Kind     string `json:"kind"`
	Accepted bool   `json:"accepted"`
	Adjusted bool   `json:"adjusted,omitempty"`
	Calls    int    `json:"calls,omitempty"`
	Tokens   int64  `json:"tokens,omitempty"`
	// CostMicros is in millionths, DurationMS how long the turn took.
	CostMicros int64 `json:"cost_micros,omitempty"`
	DurationMS int64 `json:"duration_ms,omitempty"`
}

// origin is a tick of an agent, from which a source came.
type origin struct {
	agent string
	tick  int64
}

// use is a decision that used a source.
type use struct {
	Tick   int64  `json:"tick"`
	Agent  string `json:"agent"`
	Source string `json:"source"`
}

func newAgentHistory(h trace.Header) agentHistory {
	a := agentHistory{prices: pricesOf(h.Latest()), numbers: map[string]int{}, every: 1, uses: map[origin][]use{}, names: map[string]string{}}
	for i, agent := range h.Agents {
		a.ids = append(a.ids, agent.ID)
		a.numbers[agent.ID] = i
	}
	a.samples, a.lanes = make([][]sample, len(a.ids)), make([][]laneEntry, len(a.ids))
	return a
}

func (a *agentHistory) add(tick int64, t *tickCount, p *playback.Playback, played bool) {
	if played && (tick-1)%a.every == 0 {
		a.sample(tick, p.World())
	}
	costs, took := map[string]int64{}, map[string]int64{}
	for _, c := range t.calls {
		costs[c.AgentID] += cost(a.prices, c.Model, c.Answer.Usage)
		if c.Timing != nil {
			took[c.AgentID] += c.Timing.LatencyMS
		}
	}
	for _, d := range t.decisions {
		a.decided(d, costs[d.AgentID], took[d.AgentID])
	}
}

func (a *agentHistory) decided(d judged, costMicros, tookMS int64) {
	n, known := a.numbers[d.AgentID]
	if !known {
		return
	}
	if a.lanesN >= lanesMax {
		a.full = true
	} else {
		name := actionName(d.Executed)
		if kept, ok := a.names[name]; ok {
			name = kept
		}
		a.names[name] = name
		e := laneEntry{Tick: d.Tick, Action: name, Kind: string(d.DecidedBy), Accepted: d.outcome.Accepted, Adjusted: len(d.Adjustments) > 0, Calls: d.Calls, CostMicros: costMicros, DurationMS: tookMS}
		switch {
		case d.WaitReason != "":
			e.Kind = "wait"
		case d.FailedBy != "":
			e.Kind = "fallback"
		}
		if d.Tokens != nil {
			e.Tokens = d.Tokens.Total
		}
		if d.Timing != nil {
			e.DurationMS = d.Timing.DurationMS
		}
		a.lanes[n] = append(a.lanes[n], e)
		a.lanesN++
	}
	sources := make(map[string]trace.Source, len(d.SourcesRetrieved))
	for _, s := range d.SourcesRetrieved {
		sources[s.ID] = s
	}
	for _, id := range d.SourcesUsed {
		if a.usesN >= usesMax {
			a.full = true
			return
		}
		at := originOf(sources[id], d.AgentID)
		if at.tick == d.Tick && at.agent == d.AgentID {
			continue // a module's answer
		}
		a.uses[at] = append(a.uses[at], use{d.Tick, d.AgentID, id})
		a.usesN++
	}
}

// sentID is the id of what an agent sent or posted: kind, tick, agent, number.
var sentID = regexp.MustCompile(`^(?:msg|note|req|offer|decline)-([0-9]{1,18})-(.+)-[0-9]+$`)

// originOf is where a source came from that was in view of an agent. Of what was sent the id
// says it; its origin tick is that of its arrival.
func originOf(s trace.Source, agent string) origin {
	if m := sentID.FindStringSubmatch(s.ID); m != nil {
		tick, _ := strconv.ParseInt(m[1], 10, 64) // digits only
		return origin{m[2], tick}
	}
	if s.OriginAgent != "" {
		agent = s.OriginAgent
	}
	return origin{agent, s.OriginTick}
}

// sample notes what all agents hold. Too many samples are thinned out.
func (a *agentHistory) sample(tick int64, w *world.World) {
	a.ticks = append(a.ticks, tick)
	for n := range min(w.Agents(), len(a.samples)) {
		s := w.Self(n)
		of := sample{s.Electricity, s.Heat, s.CompoundG, s.Hardware, s.Data, 0}
		for _, p := range s.Products {
			of.products += p.Amount
		}
		a.samples[n] = append(a.samples[n], of)
	}
	if len(a.ticks) <= max(64, samplesMax/max(1, len(a.ids))) {
		return
	}
	for n, list := range a.samples {
		a.samples[n] = everySecond(list)
	}
	a.ticks, a.every = everySecond(a.ticks), 2*a.every
}

func everySecond[T any](list []T) []T {
	kept := list[:0]
	for i := 0; i < len(list); i += 2 {
		kept = append(kept, list[i])
	}
	return kept
}

// series is what an agent held over time, for charts.
func (a *agentHistory) series(n int) map[string][]int64 {
	of := map[string][]int64{"tick": append([]int64{}, a.ticks...)}
	for name, pick := range map[string]func(sample) int64{
		"electricity": func(s sample) int64 { return s.electricity }, "heat": func(s sample) int64 { return s.heat },
		"compound_g": func(s sample) int64 { return s.compound }, "hardware": func(s sample) int64 { return s.hardware },
		"data": func(s sample) int64 { return s.data }, "products": func(s sample) int64 { return s.products },
	} {
		column := make([]int64, len(a.samples[n]))
		for i, s := range a.samples[n] {
			column[i] = pick(s)
		}
		of[name] = column
	}
	return of
}
