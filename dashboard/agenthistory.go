package dashboard

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// About what is kept of agents takes in memory, in bytes, beside texts.
const (
	sampleBytes = 56
	laneBytes   = 96
	useBytes    = 120
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
	// lanes are each agent's decisions, uses who used what others wrote or remembered, both the
	// newest as far as they fit; full says that they did not.
	lanes [][]laneEntry
	uses  map[origin][]use
	full  bool
	// bytes is about what all of it takes, usesBytes what uses do.
	bytes, usesBytes int64
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
	// Kind is model, standing, fallback, alternative (after a refusal) or wait (of the engine).
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
	a := agentHistory{prices: pricesOf(h.Latest()), numbers: map[string]int{}, every: 1, uses: map[origin][]use{},
		names: map[string]string{}}
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
	e := laneEntry{
		Tick: d.Tick, Action: a.named(actionName(d.Executed)), Kind: a.named(string(d.DecidedBy)),
		Accepted: d.outcome.Accepted, Adjusted: len(d.Adjustments) > 0,
		Calls: d.Calls, CostMicros: costMicros, DurationMS: tookMS,
	}
	switch {
	case d.WaitReason != "":
		e.Kind = "wait"
	case d.FailedBy != "":
		e.Kind = "fallback"
	case d.By != "":
		e.Kind = "alternative"
	}
	if d.Tokens != nil {
		e.Tokens = d.Tokens.Total
	}
	if d.Timing != nil {
		e.DurationMS = d.Timing.DurationMS
	}
	a.lanes[n] = append(a.lanes[n], e)
	sources := make(map[string]trace.Source, len(d.SourcesRetrieved))
	for _, s := range d.SourcesRetrieved {
		sources[s.ID] = s
	}
	for _, id := range d.SourcesUsed {
		at := originOf(sources[id], d.AgentID)
		if at.tick == d.Tick && at.agent == d.AgentID {
			continue // a module's answer
		}
		a.uses[at] = append(a.uses[at], use{d.Tick, a.ids[n], id})
		a.usesBytes += useBytes + int64(len(id)+len(at.agent))
	}
}

// named is a name that is kept once.
func (a *agentHistory) named(name string) string {
	if kept, ok := a.names[name]; ok {
		return kept
	}
	if len(a.names) >= reasonsMax {
		return others
	}
	name = strings.Clone(name[:min(len(name), reasonBytesMax)])
	a.names[name] = name
	return name
}

// fit drops what is more than a number of bytes: samples are thinned out, and of decisions and uses
// the older half goes.
func (a *agentHistory) fit(bytesMax int64) {
	for n := int64(len(a.ids)); sampleBytes*n*int64(len(a.ticks)) > bytesMax/3 && len(a.ticks) > 64; {
		for n, list := range a.samples {
			a.samples[n] = everySecond(list)
		}
		a.ticks, a.every = everySecond(a.ticks), 2*a.every
	}
	if a.usesBytes > bytesMax/3 {
		a.halveUses()
	}
	for lanes := a.lanesN(); laneBytes*lanes > bytesMax/3 && lanes > 64*int64(len(a.ids)); lanes = a.lanesN() {
		a.full = true
		for n, lane := range a.lanes {
			a.lanes[n] = slices.Clone(lane[len(lane)/2:])
		}
	}
	a.bytes = laneBytes*a.lanesN() + a.usesBytes + sampleBytes*int64(len(a.ids)*len(a.ticks))
}

// lanesN counts the decisions that are kept.
func (a *agentHistory) lanesN() (n int64) {
	for _, lane := range a.lanes {
		n += int64(len(lane))
	}
	return n
}

// halveUses drops the uses of what came from the earlier half of ticks.
func (a *agentHistory) halveUses() {
	a.full, a.usesBytes = true, 0
	var ticks []int64
	for at := range a.uses {
		ticks = append(ticks, at.tick)
	}
	slices.Sort(ticks)
	for at, used := range a.uses {
		if at.tick <= ticks[len(ticks)/2] {
			delete(a.uses, at)
			continue
		}
		for _, u := range used {
			a.usesBytes += useBytes + int64(len(u.Source)+len(at.agent))
		}
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

// sample notes what all agents hold.
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
}

// everySecond drops every second one of a list, and the memory of the others.
func everySecond[T any](list []T) []T {
	kept := make([]T, 0, len(list)/2+1)
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
