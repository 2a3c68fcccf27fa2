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
//  2. A failed prediction counts against its agent and no other.
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
	// underWay counts the calls that are not answered. risk is what open calls are likely to waste, in
	// thousandths of a call.
	underWay int
	risk     int64
	// first is the first tick of the run that the planner knew of.
	first int64
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
	// risk is its part of the planner's.
	risk   int64
	done   bool
	answer llmclient.Answer
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
	// WastedCost is what they cost, as far as their models have prices.
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
		predictions: map[trace.CallKey][]prediction{}}
	if before != nil {
		p.counts, p.kept = before.counts, before.open
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
	for id, a := range p.kept {
		if n, known := b.World.AgentNumber(id.Agent); known {
			p.calls[id] = &call{agent: n, ahead: true, done: true, answer: a}
		}
	}
	p.kept = nil
	p.settle(b.World.Tick())
	p.shadow.begin(b)
	p.stale = true
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
	p.shadow.ticks = p.shadow.ticks[1:]
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
	same := func(was prediction) bool { return was.certainty == c }
	if c.doubtful() && id.Step == 1 && !slices.ContainsFunc(p.predictions[id.CallKey], same) {
		p.predictions[id.CallKey] = append(p.predictions[id.CallKey], prediction{c, id.Hash})
	}
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
	if !c.certainty.doubtful() {
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
		p.spend(c)
		delete(p.calls, id)
	case a.Failure != nil:
		p.close(c)
		p.counts.Wasted++ // though nobody foresaw anything wrong
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

// spend counts what a wasted call took.
func (p *Planner) spend(c *call) {
	if c.answer.Reply != nil {
		usage := c.answer.Reply.Usage
		p.counts.WastedUsage = p.counts.WastedUsage.Add(usage)
		p.counts.WastedCost = p.counts.WastedCost.Plus(p.shadow.base.Cost(c.agent, usage))
	}
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
			p.spend(c)
			if !c.certainty.doubtful() {
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
	p.shadow.foresee(max(p.limits.Depth, 1), p.known)
	p.stale = false
}

// known returns the answer to a call, if it may be used.
func (p *Planner) known(id CallID) (llmclient.Answer, bool) {
	c := p.calls[id]
	if c == nil || !c.usable() {
		return llmclient.Answer{}, false
	}
	return c.answer, true
}

// chanceMin is the least chance of a prediction, in thousandths, at which a call is asked for it.
const chanceMin = 700

// Choose returns the calls to ask now, the surest first and of those the earliest. They count as asked.
func (p *Planner) Choose() (list []Call) {
	p.foresee()
	if p.limits.Depth == 0 || len(p.shadow.ticks) < 2 || p.underWay >= p.limits.InFlight {
		return nil
	}
	type candidate struct {
		*request
		agent     int
		certainty certainty
	}
	var all []candidate
	for _, f := range p.shadow.ticks[1:] {
		for n, l := range f.lives {
			if l.turn == nil || l.turn.ask == nil {
				continue
			}
			c := f.certaintyOf(n)
			p.predict(c, l.turn.ask.id)
			if p.calls[l.turn.ask.id] != nil {
				continue
			}
			before := p.latest[l.turn.ask.id.CallKey]
			p.supersede(before)
			if (before == nil || c < before.certainty) && p.records[n].chance(c) >= chanceMin {
				all = append(all, candidate{l.turn.ask, n, c})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.certainty, b.certainty), cmp.Compare(a.id.Tick, b.id.Tick))
	})
	for _, c := range all {
		risk := 1000 - p.records[c.agent].chance(c.certainty)
		if p.underWay >= p.limits.InFlight || p.risk+risk > p.allowance(c.certainty) {
			break
		}
		p.calls[c.id] = &call{agent: c.agent, ahead: true, certainty: c.certainty, risk: risk}
		p.latest[c.id.CallKey] = p.calls[c.id]
		p.risk += risk
		p.underWay++
		p.counts.Asked++
		list = append(list, Call{ID: c.id, Agent: c.agent, Ask: c.ask, Request: c.sent})
	}
	return list
}

// supersede notes that a later prediction of the turn of a call asks something else, so that the call has
// failed, as it seems: it weighs as one in vain until the run tells. Only a surer prediction is then asked.
func (p *Planner) supersede(c *call) {
	if c != nil && !c.closed {
		p.risk += 1000 - c.risk
		c.risk = 1000
	}
}

// allowance is how much risk open calls may have together, in thousandths of a call, if one of a certainty is
// asked: what the calls of the whole run allow, if it goes on as so far, without those that were in vain. A
// quarter is kept back, since agents in view of each other fail together, and another one from calls
// about agents with open turns in view, so that they do not stop those that hardly ever fail.
func (p *Planner) allowance(c certainty) int64 {
	calls := p.counts.Own + p.counts.Used
	now := p.shadow.ticks[0].tick
	played := now - 1 - p.first
	if played > 0 {
		calls = max(calls, calls*(p.shadow.base.Last-p.first)/played)
	}
	allowed := calls * p.limits.WastePermille
	if c > settledInSight {
		allowed = allowed * 3 / 4
	}
	return (allowed - 1000*p.counts.Wasted) * 3 / 4
}
