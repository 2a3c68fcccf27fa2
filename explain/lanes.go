package explain

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// About what is kept of agents takes in memory, in bytes, beside texts.
const (
	sampleBytes = 56
	laneBytes   = 112
	useBytes    = 120
)

// Lanes are what the agents of a run held and decided, tick by tick, as far as it fits in memory.
// [NewLanes] makes them.
type Lanes struct {
	// Every is the distance of samples in ticks; it doubles when there are too many.
	Every int64
	// Full says that earlier decisions and uses did not fit.
	Full bool
	// Bytes is about what all of it takes in memory.
	Bytes int64

	ids     []string
	numbers map[string]int
	prices  Prices
	samples []sample
	// lanes are each agent's decisions, uses who used what others wrote or remembered, both the newest as
	// far as they fit.
	lanes [][]LaneEntry
	uses  map[Origin][]Use
	// usesBytes is about what uses take.
	usesBytes int64
	// shares are the parts of the agents, without their last decisions.
	shares []Share
	// names are action names, once each.
	names map[string]string
}

// sample is what the agents held after a tick, by agent and by [heldNames].
type sample struct {
	tick int64
	held [][len(heldNames)]int64
}

// heldNames are the names of what is sampled.
var heldNames = [...]string{"electricity", "heat", "compound_g", "hardware", "data", "products"}

// LaneEntry is a decision in the lane of its agent.
type LaneEntry struct {
	Tick   int64  `json:"tick"`
	Action string `json:"action"`
	// Kind is model, standing, fallback, alternative (after a refusal) or wait (of the engine).
	Kind     string `json:"kind"`
	Accepted bool   `json:"accepted"`
	Adjusted bool   `json:"adjusted,omitempty"`
	// Failed says why the turn failed, empty if it did not.
	Failed string `json:"failed,omitempty"`
	Calls  int    `json:"calls,omitempty"`
	Tokens int64  `json:"tokens,omitempty"`
	// CostMicros is in millionths, DurationMS how long the turn took.
	CostMicros int64 `json:"cost_micros,omitempty"`
	DurationMS int64 `json:"duration_ms,omitempty"`
}

// Origin is a tick of an agent, from which a source came.
type Origin struct {
	Agent string
	Tick  int64
}

// Use is a decision that used a source.
type Use struct {
	Tick   int64  `json:"tick"`
	Agent  string `json:"agent"`
	Source string `json:"source"`
}

// NewLanes returns the lanes of no tick of a run.
func NewLanes(h trace.Header) Lanes {
	a := Lanes{Every: 1, ids: AgentIDs(h), prices: PricesOf(h.Latest()), numbers: map[string]int{},
		uses: map[Origin][]Use{}, names: map[string]string{}}
	for i, id := range a.ids {
		a.numbers[id] = i
	}
	a.lanes = make([][]LaneEntry, len(a.ids))
	for _, of := range h.Agents {
		a.shares = append(a.shares, Share{Agent: of.ID, Name: of.Name})
	}
	return a
}

// IDs are the agents, in the order of the run.
func (a *Lanes) IDs() []string { return a.ids }

// Knows reports whether the run has an agent.
func (a *Lanes) Knows(agent string) bool {
	_, known := a.numbers[agent]
	return known
}

// Of are the decisions of an agent of the run, oldest first.
func (a *Lanes) Of(agent string) []LaneEntry { return a.lanes[a.numbers[agent]] }

// At is the decision of an agent of the run in a tick; it is empty if there is none, or it is not kept.
func (a *Lanes) At(agent string, tick int64) LaneEntry {
	lane := a.Of(agent)
	by := func(e LaneEntry, tick int64) int { return cmp.Compare(e.Tick, tick) }
	at, found := slices.BinarySearchFunc(lane, tick, by)
	if !found {
		return LaneEntry{}
	}
	return lane[at]
}

// LedTo are later decisions that used what came from an agent and tick.
func (a *Lanes) LedTo(at Origin) []Use { return a.uses[at] }

// Add takes the next tick, with the world after it, which is nil if that cannot be played again.
func (a *Lanes) Add(t *Tick, w *world.World) {
	if w != nil && (t.Tick-1)%a.Every == 0 {
		a.sample(w)
	}
	costs, took := map[string]int64{}, map[string]int64{}
	for _, c := range t.Calls {
		costs[c.AgentID] += a.prices.Micros(c.Model, c.Answer.Usage)
		if c.Timing != nil {
			took[c.AgentID] += c.Timing.LatencyMS
		}
	}
	for _, d := range t.Decisions {
		if n, known := a.numbers[d.AgentID]; known {
			e := a.entry(d, costs[d.AgentID], took[d.AgentID])
			a.lanes[n] = append(a.lanes[n], e)
			a.shares[n].decided(d, e)
			a.used(d)
		}
	}
	a.exchanged(t.Events)
}

// entry is a decision, whose calls cost and took so much.
func (a *Lanes) entry(d trace.Decision, costMicros, tookMS int64) LaneEntry {
	action, _ := d.Action()
	ruling, _ := d.Ruling()
	e := LaneEntry{
		Tick: d.Tick, Action: a.named(action.Name), Kind: a.named(string(d.DecidedBy)),
		Accepted: ruling.Accepted, Adjusted: len(d.Adjustments) > 0,
		Calls: d.Calls, CostMicros: costMicros, DurationMS: tookMS,
	}
	switch {
	case d.WaitReason != "":
		e.Kind = "wait"
		e.Failed = a.named(string(d.WaitReason))
	case d.FailedBy != "":
		e.Kind = "fallback"
		e.Failed = a.named(string(d.FailedBy))
	case d.By != "":
		e.Kind = "alternative"
	}
	if d.Tokens != nil {
		e.Tokens = d.Tokens.Total
	}
	if d.Timing != nil {
		e.DurationMS = d.Timing.DurationMS
	}
	return e
}

// used notes the sources that a decision used.
func (a *Lanes) used(d trace.Decision) {
	sources := make(map[string]trace.Source, len(d.SourcesRetrieved))
	for _, s := range d.SourcesRetrieved {
		sources[s.ID] = s
	}
	for _, id := range d.SourcesUsed {
		at := OriginOf(sources[id], d.AgentID)
		if at == (Origin{d.AgentID, d.Tick}) {
			continue // a module's answer
		}
		a.uses[at] = append(a.uses[at], Use{d.Tick, a.ids[a.numbers[d.AgentID]], id})
		a.usesBytes += useBytes + int64(len(id)+len(at.Agent))
	}
}

// named is a name that is kept once.
func (a *Lanes) named(name string) string {
	if kept, ok := a.names[name]; ok {
		return kept
	}
	if len(a.names) >= reasonsMax {
		return others
	}
	name = strings.Clone(plaintext.Head(name, reasonCharsMax))
	a.names[name] = name
	return name
}

// Fit drops what is more than a number of bytes: samples are thinned out, and of decisions and uses the
// older half goes.
func (a *Lanes) Fit(bytesMax int64) {
	perTick := sampleBytes * int64(len(a.ids))
	for perTick*int64(len(a.samples)) > bytesMax/3 && len(a.samples) > 64 {
		a.Every *= 2
		a.samples = slices.DeleteFunc(a.samples, func(s sample) bool { return (s.tick-1)%a.Every != 0 })
	}
	if a.usesBytes > bytesMax/3 {
		a.halveUses()
	}
	for lanes := a.lanesN(); laneBytes*lanes > bytesMax/3 && lanes > 64*int64(len(a.ids)); lanes = a.lanesN() {
		a.Full = true
		for n, lane := range a.lanes {
			a.lanes[n] = slices.Clone(lane[len(lane)/2:])
		}
	}
	a.Bytes = laneBytes*a.lanesN() + a.usesBytes + perTick*int64(len(a.samples))
}

// lanesN counts the decisions that are kept.
func (a *Lanes) lanesN() (n int64) {
	for _, lane := range a.lanes {
		n += int64(len(lane))
	}
	return n
}

// halveUses drops the uses of what came from the earlier half of ticks.
func (a *Lanes) halveUses() {
	a.Full = true
	a.usesBytes = 0
	var ticks []int64
	for at := range a.uses {
		ticks = append(ticks, at.Tick)
	}
	slices.Sort(ticks)
	for at, used := range a.uses {
		if at.Tick <= ticks[len(ticks)/2] {
			delete(a.uses, at)
			continue
		}
		for _, u := range used {
			a.usesBytes += useBytes + int64(len(u.Source)+len(at.Agent))
		}
	}
}

// sentID is the id of what an agent sent or posted: kind, tick, agent, number.
var sentID = regexp.MustCompile(`^(?:msg|note|req|offer|decline)-([0-9]{1,18})-(.+)-[0-9]+$`)

// OriginOf is where a source came from that was in view of an agent. Of what was sent the id
// says it; its origin tick is that of its arrival.
func OriginOf(s trace.Source, agent string) Origin {
	if m := sentID.FindStringSubmatch(s.ID); m != nil {
		tick, _ := strconv.ParseInt(m[1], 10, 64) // digits only
		return Origin{m[2], tick}
	}
	if s.OriginAgent != "" {
		agent = s.OriginAgent
	}
	return Origin{agent, s.OriginTick}
}

// sample notes what all agents hold.
func (a *Lanes) sample(w *world.World) {
	now := sample{tick: w.Tick(), held: make([][len(heldNames)]int64, len(a.ids))}
	for n := range min(w.Agents(), len(a.ids)) {
		s := w.Self(n)
		products := int64(0)
		for _, p := range s.Products {
			products += p.Amount
		}
		now.held[n] = [len(heldNames)]int64{s.Electricity, s.Heat, s.CompoundG, s.Hardware, s.Data, products}
	}
	a.samples = append(a.samples, now)
}

// Held is what an agent of the run held over time, for charts.
func (a *Lanes) Held(agent string) map[string][]int64 {
	of := map[string][]int64{"tick": make([]int64, len(a.samples))}
	for column, name := range heldNames {
		of[name] = make([]int64, len(a.samples))
		for i, s := range a.samples {
			of["tick"][i] = s.tick
			of[name][i] = s.held[a.numbers[agent]][column]
		}
	}
	return of
}
