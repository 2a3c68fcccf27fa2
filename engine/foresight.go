package engine

import (
	"context"
	"errors"
	"maps"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/engine/ahead"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// Ahead is how a run asks models for coming turns while a tick waits for its slowest answer. The zero value
// does not. It changes no record but the wall-clock times.
type Ahead struct {
	// Depth is how many ticks are foreseen, 0 to [ahead.DepthMax].
	Depth int
	// WastePermille is how many calls may be asked in vain for a thousand that the run makes, in addition
	// to what caps and metrics count.
	WastePermille int64
	// Sent, when set, is told of each request of the run that was answered, and how many HTTP requests that
	// took. It is called from several goroutines.
	Sent func(r llmclient.Request, attempts int)
	// Lost, when set, is told how many lines of what earlier processes asked ahead are not used, since they are damaged,
	// or of another run or an older version.
	Lost func(lines int)
	// distort, when set, makes what is foreseen wrong; it is for tests.
	distort func(ahead.Base) ahead.Base
}

// lookout asks ahead of a run.
type lookout struct {
	*ahead.Source
	log *ahead.Log
	// other says that more changed since the last tick than a tick does.
	other bool
	// leave ends that a drain holds it.
	leave func() bool
}

// lookAhead is called between two ticks. It lets the run ask ahead from the next one on, if it is to and may.
func (r *runner) lookAhead(ctx context.Context) error {
	if !r.mayLookAhead() {
		r.holdLookout(true)
		r.changed()
		return nil
	}
	if r.lookout == nil {
		if err := r.beginLookout(ctx); err != nil {
			return err
		}
	}
	r.holdLookout(false)
	last := r.foreseeable()
	r.lookout.Pass(r.reached.Tick, r.reached.Digest, r.lookout.other, func() ahead.Base {
		if distort := r.Options.Ahead.distort; distort != nil {
			return distort(r.base(last))
		}
		return r.base(last)
	})
	r.lookout.other = false
	return nil
}

// NeverAhead says why a run with these settings asks nothing ahead, however far it is to look, such as "under a
// decision deadline"; empty where it may. fork says that the run left another. A deadline is of the clock, a
// recording is read in the order of ticks, and caps of an agent or a tick bind in every turn.
func NeverAhead(s trace.Settings, fork bool) string {
	switch {
	case fork:
		return "in a fork"
	case s.ModelSource == trace.SourceNone:
		return "without a model"
	case s.Recording != nil:
		return "with recorded answers"
	case s.DecisionDeadlineMS > 0:
		return "under a decision deadline"
	case s.Caps.Agent != (trace.Limit{}) || s.Caps.Tick != (trace.Limit{}):
		return "under caps of an agent or a tick"
	}
	return ""
}

// mayLookAhead reports whether the run is to ask ahead, and nothing that it does could be changed by it.
func (r *runner) mayLookAhead() bool {
	return r.Options.Ahead.Depth > 0 && r.RunDir != "" && r.reached.Tick >= r.past.derived && r.Source != nil &&
		NeverAhead(r.Settings, len(r.plan.forks) > 0) == ""
}

func (r *runner) beginLookout(ctx context.Context) error {
	dir := run.Dir(r.RunDir)
	of, err := dir.Identity()
	if err != nil {
		return err
	}
	log, before, err := ahead.OpenLog(dir.AppendAhead, of, r.reached.Tick)
	if err != nil {
		return err
	}
	if r.Options.Ahead.Lost != nil && before.Lost > 0 {
		r.Options.Ahead.Lost(before.Lost)
	}
	limits := ahead.Limits{
		Depth: r.Options.Ahead.Depth, InFlight: r.Concurrency, WastePermille: r.Options.Ahead.WastePermille,
	}
	r.lookout = &lookout{Source: ahead.NewSource(ctx, r.Source, limits, ahead.Every, before, log), log: log}
	r.Source = r.lookout.Source
	if r.Drain != nil { // of a batch, which may outlive the run by days
		r.lookout.leave = context.AfterFunc(r.Drain, func() { r.lookout.Hold(true) })
	}
	return nil
}

// holdLookout lets nothing be asked ahead as long as held is set, as while the operator pauses the run. Nor is
// anything when the run is to end, or a cap may end it.
func (r *runner) holdLookout(held bool) {
	if r.lookout != nil {
		r.lookout.Hold(held || r.draining() || r.nearCap())
		r.lookout.Room(r.room())
	}
}

// foreseeable is the last tick that can be foreseen: after it agents learn, or a prompt is switched.
func (r *runner) foreseeable() int64 {
	last, now := r.Ticks, r.reached.Tick
	if r.Learns() {
		last = min(last, now-now%r.LearnEvery+r.LearnEvery)
	}
	for _, s := range r.plan.switches {
		if s.Tick > now+1 {
			last = min(last, s.Tick-1)
		}
	}
	return last
}

// nearCap reports whether a cap of the run may bind before long: a tenth of it is left.
func (r *runner) nearCap() bool {
	spent, most := r.spending.budget.Spent(), r.Caps.Run
	for unit, limit := range map[budget.Unit]int64{budget.Calls: most.Calls, budget.Tokens: most.Tokens,
		budget.Cost: int64(most.Cost)} {
		if limit > 0 && spent[unit] > limit-limit/10 {
			return true
		}
	}
	return false
}

// reservedPerSpent is how many times as much a call is reckoned to reserve as calls took so far: a cap looks at what is
// reserved. With 4, runs under caps of 240,000 and 600,000 tokens asked 3 of 70 and 12 of 199 calls in vain.
const reservedPerSpent = 4

// room is how many calls the caps of the run leave, by what its calls took so far; -1 without a cap.
func (r *runner) room() int64 {
	spent, most := r.spending.budget.Spent(), r.Caps.Run
	room := int64(-1)
	for unit, limit := range map[budget.Unit]int64{budget.Calls: most.Calls, budget.Tokens: most.Tokens,
		budget.Cost: int64(most.Cost)} {
		if limit <= 0 {
			continue
		}
		left := int64(0) // where nobody knows what a call takes
		if calls := spent[budget.Calls]; unit == budget.Calls {
			left = limit - calls
		} else if calls > 0 {
			left = (limit - spent[unit]) / max(1, reservedPerSpent*(spent[unit]/calls))
		}
		if room < 0 || left < room {
			room = max(0, left)
		}
	}
	return room
}

// changed says that more changed than a tick does.
func (r *runner) changed() {
	if r.lookout != nil {
		r.lookout.other = true
	}
}

// saved counts by how much a tick was shorter than the answers of its slowest turn took.
func (r *runner) saved(turns []deliberation, took time.Duration) {
	if r.lookout == nil {
		return
	}
	slowest := int64(0)
	for _, t := range turns {
		slowest = max(slowest, t.latencyMS)
	}
	r.lookout.Saved(max(0, slowest-took.Milliseconds()))
}

// endLookout ends the calls that were asked ahead. In a run that drains they are awaited, since they are
// paid for. It returns what became of them, nil if nothing was to be asked ahead.
func (r *runner) endLookout() (*trace.AheadTiming, error) {
	if r.lookout == nil {
		return nil, nil
	}
	if r.lookout.leave != nil {
		r.lookout.leave()
	}
	err := r.lookout.Close(r.draining())
	if r.reached.Tick >= r.Ticks {
		err = errors.Join(err, r.lookout.Finish(r.reached.Tick))
	}
	return r.lookout.became(r.Options.Ahead), errors.Join(err, r.lookout.log.Close())
}

// became is what became of the calls so far, nil where nothing is asked ahead.
func (l *lookout) became(how Ahead) *trace.AheadTiming {
	if l == nil {
		return nil
	}
	c := l.Counts()
	return &trace.AheadTiming{
		Depth: how.Depth, WastePermille: how.WastePermille,
		Asked: c.Asked, Used: c.Used, Wasted: c.Wasted, Open: c.Asked - c.Used - c.Wasted,
		WastedUsage: c.WastedUsage, WastedCost: c.WastedCost, SavedMS: c.SavedMS,
	}
}

// base is the run as it is now, between two ticks, for what is foreseen of it up to a tick. It is
// independent of the run.
func (r *runner) base(last int64) ahead.Base {
	blind := r.Blind
	runtime, seed := r.runtime, r.seed
	short, long := r.ShortTermGoal, r.LongTermGoal
	w := r.world.Fork()
	agents := make([]*behavior.Agent, len(r.agents))
	for n, m := range r.agents {
		if m != nil {
			agents[n] = m.Fork()
		}
	}
	// What is known of endpoints changes after each tick.
	models := make([]endpoint, len(agents))
	ladders := map[*endpoint]*llmclient.Ladder{}
	for n := range models {
		p := r.endpoint(n)
		if ladders[p] == nil {
			ladders[p] = new(*p.ladder)
		}
		models[n] = *p
		models[n].ladder = ladders[p]
	}
	spending := *r.spending
	spending.local = maps.Clone(spending.local)
	bill := NewBill(r.Settings, true)
	return ahead.Base{
		World: w, Agents: agents, Modules: runtime.Registry(), Last: last,
		New:    func(n int) *behavior.Agent { return newAgent(runtime, w, n, short, long, seed) },
		View:   func(w *world.World, n int) world.View { return viewOf(w, n, blind) },
		Asked:  func(n int) bool { return models[n].seat == nil },
		Active: func(n int) bool { return !models[n].stopped },
		Cost: func(n int, r llmclient.Request, a llmclient.Answer) price.Money {
			if a.Reply != nil {
				return spending.meter.Prices[models[n].model].Cost(a.Reply.Usage)
			}
			return bill.Call(r).Charge(a).Cost
		},
		Request: func(n int, ask behavior.Ask) llmclient.Request {
			q := spending.bounded(ask, models[n].model)
			q.Ladder = models[n].ladder
			return q
		},
	}
}
