package ahead

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// Simulation plays a run in simulated time, as an engine without a limit on concurrent calls would: only
// answers take time.
type Simulation struct {
	Base   Base
	Limits Limits
	// Answer is the answer to a request; known is false for one that the run never asked.
	Answer func(CallID) (answer llmclient.Answer, known bool)
	// Latency is how long the answer to a request takes.
	Latency func(trace.CallKey) time.Duration
	// Every is how much time lies between two foresights at least.
	Every time.Duration
	// Stop ends the simulation before its last tick when it reports true; nil is never.
	Stop func() bool
}

// Simulated is what came of a simulation.
type Simulated struct {
	Elapsed time.Duration
	Counts  Counts
	// Tick is the last tick that was played, and Digest that of the world after it, empty if a turn in it was
	// never answered.
	Tick   int64
	Digest string
	// InFlightMost is the highest number of calls at once.
	InFlightMost int
	// Bounds are how long the run could take otherwise.
	Bounds
}

// arrival is an answer on its way.
type arrival struct {
	at     time.Duration
	number int
	agent  int
	id     CallID
}

type arrivals []arrival

func (a arrivals) Len() int { return len(a) }
func (a arrivals) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(a[i].at, a[j].at), cmp.Compare(a[i].number, a[j].number)) < 0
}
func (a arrivals) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *arrivals) Push(x any)   { *a = append(*a, x.(arrival)) }
func (a *arrivals) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// Run plays the simulation to the base's last tick.
func (s *Simulation) Run() (got Simulated) {
	p := NewPlanner(s.Limits, nil)
	p.Begin(s.Base)
	var now, planned time.Duration
	var coming arrivals
	chart := newChart(s.Base.World)
	asked := 0
	ask := func(c Call) {
		asked++
		heap.Push(&coming, arrival{now + s.Latency(c.ID.CallKey), asked, c.Agent, c.ID})
		got.InFlightMost = max(got.InFlightMost, len(coming))
	}
	planned = -s.Every
	// reached is how many requests of each turn of the present tick the run came to.
	reached := make([]int, s.Base.World.Agents())
	// advance carries a turn of the present tick on.
	advance := func(f *foreseen, n int) {
		t := f.lives[n].turn
		for {
			p.shadow.proceed(f, n, p)
			requests := t.answered
			if t.ask != nil {
				requests = append(slices.Clip(requests), t.ask.id)
			}
			if reached[n] == len(requests) {
				return
			}
			for _, id := range requests[reached[n]:] {
				own := p.counts.Own
				p.Reach(id, n)
				if p.counts.Own > own {
					ask(Call{ID: id, Agent: n})
				}
			}
			reached[n] = len(requests)
		}
	}
	begin := func() {
		clear(reached)
		f := p.shadow.ticks[0]
		for n := range f.lives {
			if f.lives[n].turn != nil {
				advance(f, n)
			}
		}
	}
	begin()
	for s.Stop == nil || !s.Stop() {
		f := p.shadow.ticks[0]
		got.Tick = f.tick
		if f.waits() {
			if s.Limits.Depth > 0 && now >= planned+s.Every {
				planned = now
				for _, c := range p.Choose() {
					ask(c)
				}
			}
			if len(coming) == 0 {
				break // a turn that nothing answers
			}
			if next := planned + s.Every; p.stale && s.Limits.Depth > 0 && next < coming[0].at {
				now = next
				continue
			}
			a := heap.Pop(&coming).(arrival)
			now = a.at
			answer, known := s.Answer(a.id)
			if known {
				p.Answer(a.id, answer)
			} else {
				p.miss(a.id)
			}
			if a.id.Tick == f.tick && f.lives[a.agent].turn != nil { // else what was foreseen has no turn
				if c := p.calls[a.id]; c.reached && !c.usable() {
					reached[a.agent]-- // the run asks again
				}
				advance(f, a.agent)
			}
			continue
		}
		if !f.whole() {
			break // a turn that nothing decides
		}
		chart.add(&p.shadow, s.Latency)
		if f.tick == s.Base.Last {
			p.settle(f.tick)
			p.shadow.follow(f, nil)
			got.Digest = f.after
			break
		}
		p.stale = true
		p.foresee()
		if !p.Pass(f.tick, f.after) {
			panic("ahead: a simulation does not follow itself")
		}
		begin()
	}
	got.Elapsed, got.Counts = now, p.counts
	got.Bounds = chart.bounds()
	return got
}
