package ahead

import (
	"cmp"
	"maps"
	"slices"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// Limits bound what is asked ahead.
type Limits struct {
	// Depth is how many ticks past the present one are foreseen, 0 to [DepthMax]; with 0 nothing is asked
	// ahead.
	Depth int
	// InFlight is how many calls may be under way when one is asked ahead, at least 1.
	InFlight int
	// WastePermille is how many calls may be asked in vain for a thousand that the run makes.
	WastePermille int64
}

// DepthMax is the greatest depth.
const DepthMax = 8

// Call is a request to ask ahead.
type Call struct {
	ID      CallID
	Agent   int
	Ask     behavior.Ask
	Request llmclient.Request
}

// Planner chooses which requests of coming ticks to ask, from what is known of the run. It asks nothing
// itself, has no clock and is not safe for concurrent use.
//
// Invariants:
//  1. What it chooses depends on what it is told alone.
//  2. A failed prediction counts against its agent and no other; what all may waste together, it lessens for all.
//  3. Calls that were asked ahead and are open, by their chance to be in vain, and those that were in vain
//     stay within the waste that the run's calls allow.
type Planner struct {
	limits Limits
	shadow shadow
	calls  map[CallID]*call
	// latest are the last calls that were asked ahead of the steps of turns.
	latest map[trace.CallKey]*call
	// predictions are by turn, whose key has step 1.
	predictions map[trace.CallKey][]prediction
	records     []record
	counts      Counts
	// underWay counts the calls that are not answered. risk is what open calls are to waste by their chances, in
	// thousandths of a call.
	underWay int
	risk     int64
	// foretold is what those were to waste, by the chances with which they were asked, of which the run has told whether
	// they came true, and failed counts those of them that did not.
	foretold, failed int64
	// first is the first tick of the run that the planner knew of, and before are the calls of the run by then.
	first, before int64
	// room is how many calls the caps of the run leave, -1 without one.
	room int64
	// stale says that something is known that the shadow lacks.
	stale bool
	// kept are the answers that an earlier process asked ahead, until the first base.
	kept map[CallID]llmclient.Answer
}

// call is a request that was asked.
type call struct {
	agent int
	// ahead says that it was asked ahead of the run, reached that the run came to it, and closed that it
	// cannot any more.
	ahead, reached, closed bool
	certainty              certainty
	// at is where the agent is in the tick.
	at stand
	// risk is its part of the planner's, and foretold what that was when it was asked.
	risk     int64
	foretold int64

	done   bool
	answer llmclient.Answer
	// sent is the request of a call that was asked ahead by this process.
	sent llmclient.Request
}

// usable reports whether the answer to the call may be used. The run's own failures are its answers;
// those of calls asked ahead are dropped.
func (c *call) usable() bool { return c.done && (!c.ahead || c.answer.Failure == nil) }

// Counts are what became of the calls of a run.
type Counts struct {
	// Asked counts the calls asked ahead. The run used Used of them, and Wasted were in vain; the others
	// are open.
	Asked  int64 `json:"asked"`
	Used   int64 `json:"used"`
	Wasted int64 `json:"wasted"`
	// Own counts the calls that the run made itself.
	Own int64 `json:"own"`
	// WastedUsage is what the wasted calls took, as far as they were answered.
	WastedUsage llmclient.Usage `json:"wasted_usage"`
	// WastedCost is what they cost, as far as their models have prices: those that were cut off, and may have been
	// billed, what was reserved for them.
	WastedCost price.Money `json:"wasted_cost_pico"`
	// SavedMS is by how much ticks were shorter than the answers of their slowest turns took, in milliseconds.
	SavedMS int64 `json:"saved_ms"`
}

// NewPlanner returns a planner that knows nothing of the run but what earlier processes asked ahead, nil for
// nothing.
func NewPlanner(l Limits, before *Kept) *Planner {
	l.Depth = min(max(l.Depth, 0), DepthMax)
	l.InFlight = max(l.InFlight, 1)
	p := &Planner{limits: l, calls: map[CallID]*call{}, latest: map[trace.CallKey]*call{},
		predictions: map[trace.CallKey][]prediction{}, room: -1}
	if before != nil {
		p.counts, p.kept = before.counts, before.open
		p.before = p.counts.Own + p.counts.Used
	}
	return p
}

// Counts are the counts so far.
func (p *Planner) Counts() Counts { return p.counts }

// Begin gives the planner the run after a whole tick.
func (p *Planner) Begin(b Base) {
	if p.records == nil {
		p.records = make([]record, b.World.Agents())
		p.first = b.World.Tick()
	}
	p.keep(b.World.AgentNumber)
	p.settle(b.World.Tick())
	p.shadow.begin(b)
	p.stale = true
}

// keep takes over the calls of earlier processes. How certain they were is not kept.
func (p *Planner) keep(number func(agent string) (int, bool)) {
	for _, id := range slices.SortedFunc(maps.Keys(p.kept), compareIDs) {
		if n, known := number(id.Agent); known {
			c := &call{agent: n, ahead: true, certainty: unsettled, done: true, answer: p.kept[id]}
			p.calls[id] = c
			p.latest[id.CallKey] = c
		}
	}
	p.kept = nil
}

// Pass tells the planner that the run played its tick, after which the world has a digest. It returns
// false if the planner foresaw another world, and knows nothing until it is given a base.
func (p *Planner) Pass(tick int64, digest string) bool {
	p.foresee()
	p.settle(tick)
	if len(p.shadow.ticks) < 2 || p.shadow.ticks[0].tick != tick || p.shadow.ticks[0].after != digest {
		p.shadow.ticks = nil
		return false
	}
	p.shadow.pass()
	p.stale = true
	return true
}

// Decide tells the planner what an agent decided in the present tick, which only the run may know: the
// decisions of seats, and those that a tool of the user's helped with.
func (p *Planner) Decide(tick int64, n int, d behavior.Decision) {
	if len(p.shadow.ticks) == 0 || p.shadow.ticks[0].tick != tick {
		return
	}
	if t := p.shadow.ticks[0].lives[n].turn; t != nil && t.decision == nil {
		t.decision = &d
		p.stale = true
	}
}

// Reach tells the planner that the run came to a request of an agent, which the run asks itself if that
// was not asked ahead.
func (p *Planner) Reach(id CallID, n int) {
	c := p.calls[id]
	for _, was := range p.predictions[id.CallKey] {
		p.records[n].note(was.certainty, was.hash == id.Hash)
	}
	delete(p.predictions, id.CallKey)
	switch {
	case c == nil:
		p.calls[id] = &call{agent: n, reached: true}
		p.underWay++
		p.counts.Own++
	case c.done && !c.usable(): // it failed, and the run asks again
		p.calls[id] = &call{agent: n, reached: true}
		p.underWay++
		p.counts.Own++
	case !c.reached:
		c.reached = true
		p.use(c)
	}
}

// predict keeps what is foreseen of a turn, unless it was foreseen with the same certainty before.
func (p *Planner) predict(c certainty, id CallID) {
	if c.guessed() && id.Step == 1 && !p.predicted(id.CallKey, c) {
		p.predictions[id.CallKey] = append(p.predictions[id.CallKey], prediction{c, id.Hash})
	}
}

// predicted reports whether a turn was foreseen with a certainty.
func (p *Planner) predicted(key trace.CallKey, c certainty) bool {
	return slices.ContainsFunc(p.predictions[key], func(was prediction) bool { return was.certainty == c })
}

// Yield tells the planner that the run asks a call itself that was to be asked ahead.
func (p *Planner) Yield(id CallID) {
	if c := p.calls[id]; c != nil && c.ahead && !c.closed {
		p.close(c)
		c.ahead = false
		p.counts.Asked--
		p.counts.Own++
	}
}

// use counts a call asked ahead that the run came to and that was answered.
func (p *Planner) use(c *call) {
	if !c.ahead || !c.reached || !c.usable() || c.closed {
		return
	}
	p.close(c)
	p.counts.Used++
	p.foretold += c.foretold
	if !c.certainty.guessed() {
		p.records[c.agent].note(c.certainty, true)
	}
}

// close ends the risk of a call.
func (p *Planner) close(c *call) {
	c.closed = true
	p.risk -= c.risk
	c.risk = 0
}

// Answer tells the planner the answer to a call.
func (p *Planner) Answer(id CallID, a llmclient.Answer) {
	c := p.calls[id]
	if c == nil || c.done {
		return
	}
	c.done, c.answer = true, a
	p.underWay--
	p.stale = true
	switch {
	case !c.ahead:
	case c.closed: // the run has passed its tick
		if a.Failure != nil && a.Failure.Unsent {
			p.counts.Asked--
			p.counts.Wasted--
		} else {
			p.spend(c)
		}
		delete(p.calls, id)
	case a.Failure != nil && a.Failure.Unsent: // nobody was asked
		p.close(c)
		p.counts.Asked--
	case a.Failure != nil:
		p.close(c)
		p.counts.Wasted++ // though nobody foresaw anything wrong
		p.spend(c)
	default:
		p.use(c)
	}
}

// miss tells the planner that a call is answered, and with what nobody knows.
func (p *Planner) miss(id CallID) {
	if c := p.calls[id]; c != nil && !c.done {
		c.done, c.answer = true, llmclient.Failed(llmclient.ErrNotRecorded, "the run asked something else")
		p.underWay--
	}
}

// spend counts what a wasted call took. It is answered, if only with what cut it off.
func (p *Planner) spend(c *call) {
	if c.answer.Reply != nil {
		p.counts.WastedUsage = p.counts.WastedUsage.Add(c.answer.Reply.Usage)
	}
	p.counts.WastedCost = p.counts.WastedCost.Plus(p.shadow.base.Cost(c.agent, c.sent, c.answer))
}

// settle closes the calls of the ticks up to one, which the run has played.
func (p *Planner) settle(tick int64) {
	for _, id := range slices.SortedFunc(maps.Keys(p.calls), compareIDs) {
		c := p.calls[id]
		if id.Tick > tick {
			continue
		}
		if c.ahead && !c.closed {
			p.close(c)
			p.counts.Wasted++
			p.foretold += c.foretold
			p.failed++
			if c.done { // otherwise its answer says what it took
				p.spend(c)
			}
			if !c.certainty.guessed() {
				p.records[c.agent].note(c.certainty, false)
			}
		}
		if c.done {
			delete(p.calls, id)
		}
	}
	maps.DeleteFunc(p.predictions, func(key trace.CallKey, _ []prediction) bool { return key.Tick <= tick })
	maps.DeleteFunc(p.latest, func(key trace.CallKey, _ *call) bool { return key.Tick <= tick })
	for n := range p.records {
		p.records[n].fade()
	}
}

func compareIDs(a, b CallID) int {
	return cmp.Or(cmp.Compare(a.Tick, b.Tick), cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Step, b.Step),
		cmp.Compare(a.Hash, b.Hash))
}

// foresee brings the shadow up to date.
func (p *Planner) foresee() {
	if !p.stale {
		return
	}
	p.shadow.foresee(max(p.limits.Depth, 1), p)
	p.stale = false
}

// known implements [calls].
func (p *Planner) known(id CallID) (llmclient.Answer, bool) {
	c := p.calls[id]
	if c == nil || !c.usable() {
		return llmclient.Answer{}, false
	}
	return c.answer, true
}

// asked implements [calls].
func (p *Planner) asked(key trace.CallKey) bool { return p.latest[key] != nil }
