package ahead

import (
	"context"
	"math"
	"sync"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/limiter"
	"example.com/agentworld/trace"
)

// Responder answers requests, such as those of a live endpoint. It is called from several goroutines.
type Responder interface {
	Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer
}

// Source asks the requests of a run, and ahead of it those of coming ticks. An answer is given only to the
// identical request. It is safe for concurrent use.
type Source struct {
	next    Responder
	every   time.Duration
	log     *Log
	planner *Planner
	// context ends the calls asked ahead, stop cancels it. working are its goroutines.
	context context.Context
	stop    context.CancelFunc
	working sync.WaitGroup
	wake    chan struct{}
	closing chan struct{}

	mu sync.Mutex
	// numbers are the agents by id. own are the calls of the present tick that the run asks itself, flights
	// those asked ahead of the present and of coming ticks.
	numbers map[string]int
	own     map[CallID]bool
	flights map[CallID]*flight
	// told are what the planner was not told yet, in order.
	told []func(*Planner)
	// lost says that the planner needs a base.
	lost bool
	// held says that nothing is to be asked ahead now.
	held    bool
	counts  Counts
	failure error
}

// flight is a call that was asked ahead.
type flight struct {
	// landed is closed with the answer.
	landed chan struct{}
	answer llmclient.Answer
	// needed is closed when the run waits for the answer.
	needed func()
}

// NewSource returns a source that asks next. It looks ahead at most once in every, whose usual value is
// [Every]. before is what earlier processes asked of the run, and log keeps what this one asks; nil is
// nothing. The end of ctx breaks calls off. It must be closed.
func NewSource(ctx context.Context, next Responder, l Limits, every time.Duration, before *Kept,
	log *Log) *Source {
	ctx, stop := context.WithCancel(ctx)
	s := &Source{
		next: next, every: every, log: log, planner: NewPlanner(l, before), context: ctx, stop: stop,
		wake: make(chan struct{}, 1), closing: make(chan struct{}),
		own: map[CallID]bool{}, flights: map[CallID]*flight{}, lost: true,
	}
	s.counts = s.planner.Counts()
	if before != nil {
		for id, a := range before.open {
			landed := make(chan struct{})
			close(landed)
			s.flights[id] = &flight{landed: landed, answer: a, needed: func() {}}
		}
	}
	s.working.Go(s.look)
	return s
}

// Every is the usual time between two looks ahead: answers that arrive in between are looked at together.
const Every = 20 * time.Millisecond

// Close ends the calls asked ahead, or with await waits for their answers. The error is a failure to keep
// answers.
func (s *Source) Close(await bool) error {
	close(s.closing)
	if !await {
		s.stop()
	}
	s.working.Wait()
	s.stop()
	s.tellAll()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// Finish says, after [Source.Close], that the run has played its last tick: what it has not used was in vain. The error
// is a failure to keep that.
func (s *Source) Finish(tick int64) error {
	s.planner.settle(math.MaxInt64)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts = s.planner.Counts()
	if s.failure != nil {
		return nil // which Close returned
	}
	return s.log.note(tick, s.counts)
}

// Counts are what became of the calls so far.
func (s *Source) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Room says how many calls the caps of the run leave from now on, -1 if there is none: a call of
// a tick to which the run may not come counts as one in vain.
func (s *Source) Room(calls int64) { s.tell(func(p *Planner) { p.room = calls }) }

// Hold says whether nothing is to be asked ahead from now on.
func (s *Source) Hold(held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = held || s.failure != nil
}

// Respond implements [Responder] for the requests of the run.
func (s *Source) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	id := CallID{CallKey: key, Hash: r.Hash()}
	s.mu.Lock()
	f := s.flights[id]
	if f == nil {
		s.own[id] = true
	}
	n, known := s.numbers[key.Agent]
	if known {
		s.told = append(s.told, func(p *Planner) { p.Reach(id, n) })
	}
	s.mu.Unlock()
	if f != nil {
		f.needed()
		select {
		case <-f.landed:
		case <-ctx.Done():
			return s.next.Respond(ctx, key, r) // which says why it ended
		}
		if f.answer.Failure == nil {
			return f.answer
		}
		if known { // the run asks again
			s.tell(func(p *Planner) { p.Reach(id, n) })
		}
	}
	answer := s.next.Respond(ctx, key, r)
	if known {
		s.tell(func(p *Planner) { p.Answer(id, answer) })
	}
	return answer
}

// Decide tells what an agent decided in the present tick.
func (s *Source) Decide(tick int64, n int, d behavior.Decision) {
	s.tell(func(p *Planner) { p.Decide(tick, n, d) })
}

// Pass tells that the run played a tick, after which the world has a digest. base is the run then; it is
// only asked for if it is needed. other says that more changed than a tick does.
func (s *Source) Pass(tick int64, digest string, other bool, base func() Base) {
	s.mu.Lock()
	for id := range s.flights {
		if id.Tick <= tick {
			delete(s.flights, id)
		}
	}
	clear(s.own)
	lost := s.lost || other
	s.lost = false
	s.mu.Unlock()
	if !lost {
		s.tell(func(p *Planner) {
			follows := p.Pass(tick, digest)
			s.passed(tick, p.Counts(), !follows)
		})
		return
	}
	b := base()
	numbers := make(map[string]int, b.World.Agents())
	for n := range b.World.Agents() {
		numbers[b.World.AgentID(n)] = n
	}
	s.mu.Lock()
	s.numbers = numbers
	s.mu.Unlock()
	s.tell(func(p *Planner) {
		p.Begin(b)
		s.passed(tick, p.Counts(), false)
	})
}

// Saved tells by how many milliseconds the present tick was shorter than the answers of its slowest turn took.
func (s *Source) Saved(ms int64) { s.tell(func(p *Planner) { p.counts.SavedMS += ms }) }

// passed keeps the counts after a tick. lost says that the planner needs a base.
func (s *Source) passed(tick int64, c Counts, lost bool) {
	if err := s.log.note(tick, c); err != nil {
		s.fail(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = s.lost || lost
}

// tell tells the planner something soon.
func (s *Source) tell(what func(*Planner)) {
	s.mu.Lock()
	s.told = append(s.told, what)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// tellAll tells the planner what it was not told yet.
func (s *Source) tellAll() {
	for {
		s.mu.Lock()
		told := s.told
		s.told = nil
		s.counts = s.planner.Counts()
		s.mu.Unlock()
		if len(told) == 0 {
			return
		}
		for _, what := range told {
			what(s.planner)
		}
	}
}

// look looks ahead whenever there is something new, and rests between, at least as long as it took.
func (s *Source) look() {
	for {
		select {
		case <-s.wake:
		case <-s.closing:
			return
		}
		began := time.Now()
		s.tellAll()
		s.mu.Lock()
		held := s.held
		s.mu.Unlock()
		if !held {
			for _, c := range s.planner.Choose() {
				s.ask(c)
			}
		}
		s.tellAll()
		select {
		case <-time.After(max(s.every, time.Since(began))):
		case <-s.closing:
			return
		}
	}
}

// ask asks a request ahead.
func (s *Source) ask(c Call) {
	f := &flight{landed: make(chan struct{})}
	ctx, needed := limiter.Behind(s.context)
	f.needed = needed
	s.mu.Lock()
	if s.own[c.ID] { // it has just come to it
		s.mu.Unlock()
		s.tell(func(p *Planner) { p.Yield(c.ID) })
		return
	}
	s.flights[c.ID] = f
	s.mu.Unlock()
	s.working.Go(func() {
		f.answer = s.next.Respond(ctx, c.ID.CallKey, c.Request)
		if err := s.log.keep(c.ID, f.answer); err != nil {
			s.fail(err)
			f.answer = llmclient.Failed(llmclient.ErrConnection, "the answer could not be kept")
		}
		s.tell(func(p *Planner) { p.Answer(c.ID, f.answer) })
		close(f.landed) // whoever waits for it may tell more
	})
}

// fail keeps the first failure, after which nothing is asked ahead.
func (s *Source) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = err
	}
	s.held = true
}
