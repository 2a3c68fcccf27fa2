package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// longestTicksMax bounds the ticks that a report lists as the longest.
const longestTicksMax = 20

// AgentTiming says how long the turns of one agent took, those that reflect included: their model calls that
// were sent, retries and waits for the endpoint's limits included, and their tool calls. Only whole ticks count.
type AgentTiming struct {
	// Id of the agent.
	AgentID string `json:"agent_id"`
	// Turns in which something was asked.
	Turns int64 `json:"turns"`
	// Model calls sent, and moves of its seat.
	Calls int64 `json:"calls"`
	// Median turn in milliseconds; percentiles above a second are rounded down to three digits.
	P50MS int64 `json:"p50_ms"`
	// 95th percentile of turns in milliseconds.
	P95MS int64 `json:"p95_ms"`
	// Longest turn in milliseconds.
	LongestMS int64 `json:"longest_ms"`
	// Sum of all turns in milliseconds: what the agent would have taken if it had waited for nobody.
	SumMS int64 `json:"sum_ms"`
	// Ticks in which no other turn took longer.
	SlowestTicks int64 `json:"slowest_ticks"`
	// Share of ticks in which no other turn took longer, in millionths of those with turns.
	SlowestSharePPM int64 `json:"slowest_share_ppm"`
	// Milliseconds that ticks lasted only because of this agent: all others had finished.
	AwaitedMS int64 `json:"awaited_ms"`
}

// text is the row for people.
func (a AgentTiming) text() string {
	return fmt.Sprintf("%s %d ms alone, slowest in %s, turns p50 %d ms, p95 %d ms, longest %d ms, sum %d ms",
		plain(a.AgentID), a.AwaitedMS, plaintext.Count(a.SlowestTicks, "tick"), a.P50MS, a.P95MS, a.LongestMS, a.SumMS)
}

// EndpointLatency says how long the model calls to one endpoint took, in milliseconds.
type EndpointLatency struct {
	// Endpoint, "seat NAME" for moves of a seat; empty for the embedded model of a trace without one.
	Endpoint string `json:"endpoint"`
	// Model calls sent.
	Calls int64 `json:"calls"`
	// Median call; percentiles above a second are rounded down to three digits.
	P50MS int64 `json:"p50_ms"`
	// 95th percentile of calls.
	P95MS int64 `json:"p95_ms"`
	// Longest call.
	LongestMS int64 `json:"longest_ms"`
	// Sum of all calls.
	SumMS int64 `json:"sum_ms"`
}

// text is the row for people.
func (e EndpointLatency) text() string {
	return fmt.Sprintf("%s %s, p50 %d ms, p95 %d ms, longest %d ms", cmp.Or(plain(e.Endpoint), "its model"),
		plaintext.Count(e.Calls, "call"), e.P50MS, e.P95MS, e.LongestMS)
}

// Barrier says what it cost that every tick waits for its slowest turn. Turns that were queued for another
// one's end (--concurrency) are counted as if they had not been. Only whole ticks count.
type Barrier struct {
	// Ticks with turns. A tick in which agents also reflect waits twice, and its times are added up.
	Ticks int64 `json:"ticks"`
	// Sum of the slowest turns of all ticks, in milliseconds: what the run waited for its agents.
	WaitedMS int64 `json:"waited_ms"`
	// The longest sum of one agent's own turns, in milliseconds: what the run would have waited if no agent
	// waited for another.
	OwnAgentBoundMS int64 `json:"own_agent_bound_ms"`
	// The agent with that sum; empty without turns.
	OwnAgentBoundAgent string `json:"own_agent_bound_agent_id"`
	// The ticks that waited longest, at most 20, the longest first.
	LongestTicks []TickWait `json:"longest_ticks"`
}

// TickWait is what a tick waited for.
type TickWait struct {
	// Number of the tick.
	Tick int64 `json:"tick"`
	// Agent with the slowest turn.
	AgentID string `json:"agent_id"`
	// That turn, in milliseconds.
	SlowestMS int64 `json:"slowest_ms"`
	// Milliseconds of it after all others had finished.
	AwaitedMS int64 `json:"awaited_ms"`
}

// TurnTimes adds up how long the turns of a tick took. The zero value is a tick without turns.
type TurnTimes struct {
	deciding, reflecting turnGroup
}

// turnGroup are turns that go on at the same time, by agent, with the order in which they were seen.
type turnGroup struct {
	agents []string
	of     map[string]*turnTime
}

type turnTime struct{ ms, calls int64 }

// Call adds a model call or a move of a seat, and reports whether it took time: an answer of a recording took
// none, and neither did a request that was never sent.
func (t *TurnTimes) Call(c trace.ModelCall) bool {
	seated := c.Stage == trace.StageSeat
	if c.Timing == nil || c.Timing.Recorded || c.Timing.Attempts == 0 && !seated {
		return false
	}
	group := &t.deciding
	if learns(c.Stage) {
		group = &t.reflecting
	}
	group.add(c.AgentID, c.Timing.LatencyMS, 1)
	return true
}

// Tool adds a call of a tool.
func (t *TurnTimes) Tool(c trace.ToolCall) {
	if c.Timing != nil {
		t.deciding.add(c.AgentID, c.Timing.LatencyMS, 0)
	}
}

func (g *turnGroup) add(agent string, ms, calls int64) {
	if g.of == nil {
		g.of = map[string]*turnTime{}
	}
	if g.of[agent] == nil {
		g.agents = append(g.agents, agent)
	}
	of := at(g.of, agent)
	of.ms += ms
	of.calls += calls
}

// Waits returns what the tick waited for: its decisions, then its reflections, as far as there were any. Of
// equal turns the first by agent id is the slowest.
func (t *TurnTimes) Waits(tick int64) (waits []TickWait) {
	for _, g := range []turnGroup{t.deciding, t.reflecting} {
		if len(g.agents) == 0 {
			continue
		}
		w := TickWait{Tick: tick, SlowestMS: -1}
		next := int64(0)
		for _, agent := range g.agents {
			ms := g.of[agent].ms
			if ms > w.SlowestMS || ms == w.SlowestMS && agent < w.AgentID {
				next = max(next, w.SlowestMS)
				w.AgentID, w.SlowestMS = agent, ms
			} else {
				next = max(next, ms)
			}
		}
		w.AwaitedMS = w.SlowestMS - next
		waits = append(waits, w)
	}
	return waits
}

// turnTimeFold follows turns over a run.
type turnTimeFold struct {
	open      TurnTimes
	agents    map[string]*agentTimes
	endpoints map[string]*spread
	barrier   Barrier
}

// agentTimes are the turns of an agent.
type agentTimes struct {
	turns              spread
	calls              int64
	slowest, awaitedMS int64
}

// spread are the percentiles of times, in bounded memory, with their exact sum and maximum.
type spread struct {
	times        latencies
	longest, sum int64
}

func (s *spread) add(ms int64) {
	if s.times == nil {
		s.times = latencies{}
	}
	s.times[threeDigits(ms)]++
	s.longest = max(s.longest, ms)
	s.sum += ms
}

// threeDigits rounds down to three digits.
func threeDigits(n int64) int64 {
	unit := int64(1)
	for n/unit >= 1000 {
		unit *= 10
	}
	return n / unit * unit
}

// call takes a model call that an endpoint answered.
func (f *turnTimeFold) call(c trace.ModelCall, endpoint string) {
	if f.open.Call(c) {
		at(f.endpoints, endpoint).add(c.Timing.LatencyMS)
	}
}

// endTick closes a whole tick.
func (f *turnTimeFold) endTick(tick int64) {
	for _, g := range []turnGroup{f.open.deciding, f.open.reflecting} {
		for _, agent := range g.agents {
			a := at(f.agents, agent)
			a.turns.add(g.of[agent].ms)
			a.calls += g.of[agent].calls
		}
	}
	waits := f.open.Waits(tick)
	f.open = TurnTimes{}
	if len(waits) > 0 {
		f.barrier.Ticks++
	}
	slowest := map[string]bool{} // a tick with reflections counts once
	for _, w := range waits {
		a := at(f.agents, w.AgentID)
		a.awaitedMS += w.AwaitedMS
		if !slowest[w.AgentID] {
			slowest[w.AgentID] = true
			a.slowest++
		}
		f.barrier.WaitedMS += w.SlowestMS
		f.longest(w)
	}
}

// longest keeps the longest waits, of equal ones the first.
func (f *turnTimeFold) longest(w TickWait) {
	list := f.barrier.LongestTicks
	place, _ := slices.BinarySearchFunc(list, w, func(a, b TickWait) int {
		return cmp.Or(cmp.Compare(b.SlowestMS, a.SlowestMS), -1)
	})
	list = slices.Insert(list, place, w)
	f.barrier.LongestTicks = list[:min(len(list), longestTicksMax)]
}

// report closes the fold. Agents are in the given order.
func (f *turnTimeFold) report(agents []*agentFold, t *Timing) {
	t.ByAgent, t.ByEndpoint = []AgentTiming{}, []EndpointLatency{}
	b := f.barrier
	for _, row := range agents {
		a := f.agents[row.row.AgentID]
		if a == nil {
			continue
		}
		s := a.turns.times.summary()
		t.ByAgent = append(t.ByAgent, AgentTiming{
			AgentID: row.row.AgentID, Turns: s.Samples, Calls: a.calls, P50MS: s.P50, P95MS: s.P95,
			LongestMS: a.turns.longest, SumMS: a.turns.sum, SlowestTicks: a.slowest,
			SlowestSharePPM: perUnit(a.slowest, 1_000_000, b.Ticks), AwaitedMS: a.awaitedMS,
		})
		if b.OwnAgentBoundAgent == "" || a.turns.sum > b.OwnAgentBoundMS {
			b.OwnAgentBoundMS, b.OwnAgentBoundAgent = a.turns.sum, row.row.AgentID
		}
	}
	for _, endpoint := range slices.Sorted(maps.Keys(f.endpoints)) {
		of := f.endpoints[endpoint]
		s := of.times.summary()
		t.ByEndpoint = append(t.ByEndpoint, EndpointLatency{Endpoint: endpoint, Calls: s.Samples, P50MS: s.P50,
			P95MS: s.P95, LongestMS: of.longest, SumMS: of.sum})
	}
	if b.LongestTicks == nil {
		b.LongestTicks = []TickWait{}
	}
	t.Barrier = b
}

// endpointOf names what answers an agent's calls.
func endpointOf(s trace.Settings, c trace.ModelCall) string {
	if c.Stage == trace.StageSeat {
		return "seat " + c.Model
	}
	return cmp.Or(s.AgentModel(c.AgentID).BaseURL, s.BaseURL)
}
