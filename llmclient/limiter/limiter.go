package limiter

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// Limits are what a user sets for one endpoint.
type Limits struct {
	// InFlightMax bounds the calls under way at once; at least 1.
	InFlightMax int
	// RequestsPerMinute and TokensPerMinute bound what is sent; 0 is no bound.
	RequestsPerMinute, TokensPerMinute int64
}

// Limiter admits the attempts of calls to one endpoint. Make one with [New]. It is
// safe for concurrent use; it has no goroutine of its own and needs no closing.
//
// Invariants:
//  1. 1 <= window <= InFlightMax, and no permit is given while as many are out.
//  2. waiting is sorted by the time at which the call began, and then by the order of
//     arrival.
type Limiter struct {
	mu      sync.Mutex
	limits  Limits
	waiting []*waiter
	arrived uint64
	out     int
	// window is the number of calls that may be under way, with the fraction that
	// grows towards the next one.
	window float64
	// epoch counts the times the window shrank. Calls sent before that say nothing
	// about the smaller window, so they do not shrink it again.
	epoch    uint64
	requests pace
	tokens   pace
	// paused is until when the endpoint asked not to be called.
	paused                         time.Time
	allowedRequests, allowedTokens quota
	wake                           *time.Timer
	stats                          Stats
}

// waiter is an attempt that has no permit yet.
type waiter struct {
	began  time.Time // of its call
	number uint64    // of its arrival
	since  time.Time // it waits
	tokens int64
	// given is closed when permit is set.
	given  chan struct{}
	permit *Permit
}

// New returns a limiter that begins with as many calls in flight as are allowed.
func New(limits Limits) *Limiter {
	limits.InFlightMax = max(limits.InFlightMax, 1)
	return &Limiter{
		limits: limits, window: float64(limits.InFlightMax),
		requests: pace{perMinute: limits.RequestsPerMinute}, tokens: pace{perMinute: limits.TokensPerMinute},
		stats: Stats{LimitLowest: limits.InFlightMax},
	}
}

// Acquire waits until an attempt may be sent. began is when its call began, which
// decides who goes first, unless ctx lets others do so, see [Behind]; tokens
// estimates what the attempt will cost. The error is that of ctx, or
// [context.DeadlineExceeded] at once when the deadline of ctx comes before the earliest
// moment at which the attempt could be sent.
func (l *Limiter) Acquire(ctx context.Context, began time.Time, tokens int64) (*Permit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	place, needed := placeOf(ctx, began)
	w := l.enter(place, tokens)
	if l.tooLate(ctx, w) {
		return nil, context.DeadlineExceeded
	}
	for {
		select {
		case <-w.given:
			return w.permit, nil
		case <-needed:
			needed = nil
			l.move(w, began)
		case <-ctx.Done():
			l.leave(w)
			return nil, ctx.Err()
		}
	}
}

// move gives an attempt that waits the place of one whose call began at a moment.
func (l *Limiter) move(w *waiter, began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.permit != nil {
		return
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(v *waiter) bool { return v == w })
	w.began = began
	at, _ := slices.BinarySearchFunc(l.waiting, w, (*waiter).compare)
	l.waiting = slices.Insert(l.waiting, at, w)
	l.admit(time.Now())
}

// enter puts an attempt into the queue and admits every attempt that may be sent.
func (l *Limiter) enter(began time.Time, tokens int64) *waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.arrived++
	w := &waiter{began: began, number: l.arrived, since: now, tokens: max(tokens, 1), given: make(chan struct{})}
	at, _ := slices.BinarySearchFunc(l.waiting, w, (*waiter).compare)
	l.waiting = slices.Insert(l.waiting, at, w)
	l.admit(now)
	return w
}

func (w *waiter) compare(v *waiter) int {
	return cmp.Or(w.began.Compare(v.began), cmp.Compare(w.number, v.number))
}

// tooLate removes w from the queue if its deadline is before its turn. Otherwise the
// agent would wait for a call that cannot be sent in time.
func (l *Limiter) tooLate(ctx context.Context, w *waiter) bool {
	deadline, bounded := ctx.Deadline()
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, _ := l.earliest(w.tokens); !bounded || w.permit != nil || !at.After(deadline) {
		return false
	}
	l.drop(w)
	return true
}

// leave takes w out of the queue, or gives back a permit that came too late.
func (l *Limiter) leave(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.permit != nil {
		l.out--
		l.tokens.correct(-w.tokens)
	} else {
		l.drop(w)
	}
	l.admit(time.Now())
}

func (l *Limiter) drop(w *waiter) {
	l.waiting = slices.DeleteFunc(l.waiting, func(v *waiter) bool { return v == w })
	l.stats.GaveUp++
}

// What attempts wait for.
const (
	HeldByRequests = "your own limit on requests per minute"
	HeldByTokens   = "your own limit on tokens per minute"
	HeldByInFlight = "as many calls as it takes at once are under way"
	heldByPause    = "it asked for that (Retry-After)"
	heldByQuota    = "what it allows is used up (x-ratelimit-reset)"
)

// OwnRate reports whether a reason is a rate that the user set.
func OwnRate(why string) bool { return why == HeldByRequests || why == HeldByTokens }

// earliest returns the first moment at which an attempt of that size may be sent, and what
// it waits for. It leaves out the calls in flight, because their end is unknown.
func (l *Limiter) earliest(tokens int64) (at time.Time, why string) {
	at, why = l.paused, heldByPause
	if t := l.requests.next; t.After(at) {
		at, why = t, HeldByRequests
	}
	if t := l.tokens.next; t.After(at) {
		at, why = t, HeldByTokens
	}
	for _, t := range []time.Time{l.allowedRequests.readyFor(1), l.allowedTokens.readyFor(tokens)} {
		if t.After(at) {
			at, why = t, heldByQuota
		}
	}
	return at, why
}

// Hold returns how long an attempt of that size would have to wait behind those that wait, and
// why. It leaves out the calls in flight.
func (l *Limiter) Hold(tokens int64) (wait time.Duration, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, ahead := time.Now(), int64(0)
	for _, w := range l.waiting {
		ahead += w.tokens
	}
	at, why := l.earliest(tokens)
	if t := l.requests.after(now, int64(len(l.waiting))); t.After(at) {
		at, why = t, HeldByRequests
	}
	if t := l.tokens.after(now, ahead); t.After(at) {
		at, why = t, HeldByTokens
	}
	return max(0, at.Sub(now)), why
}

// Held returns until when no attempt goes, and why. The moment is zero if that is unknown
// because it is the end of a call in flight, and may be past.
func (l *Limiter) Held() (until time.Time, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case len(l.waiting) == 0: // calls may wait elsewhere until a pause is over
		return l.paused, heldByPause
	case l.out >= l.limit():
		return time.Time{}, HeldByInFlight
	}
	return l.earliest(l.waiting[0].tokens)
}

// admit gives permits in the order of the queue until one has to wait, and sees to it
// that it is called again when that one may go. A small attempt does not overtake a
// large one: it would be the large one that never gets through.
func (l *Limiter) admit(now time.Time) {
	if l.wake != nil {
		l.wake.Stop()
		l.wake = nil
	}
	for len(l.waiting) > 0 && l.out < l.limit() {
		w := l.waiting[0]
		if at, _ := l.earliest(w.tokens); at.After(now) {
			l.wake = time.AfterFunc(at.Sub(now), func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.admit(time.Now())
			})
			return
		}
		l.waiting = slices.Delete(l.waiting, 0, 1)
		l.out++
		l.requests.spend(now, 1)
		l.tokens.spend(now, w.tokens)
		l.allowedRequests.left--
		l.allowedTokens.left -= w.tokens
		l.stats.Attempts++
		l.stats.InFlightMost = max(l.stats.InFlightMost, l.out)
		if wait := now.Sub(w.since); wait > 0 {
			l.stats.Waited++
			l.stats.WaitTotal += wait
			l.stats.WaitLongest = max(l.stats.WaitLongest, wait)
		}
		w.permit = &Permit{limiter: l, epoch: l.epoch, tokens: w.tokens}
		close(w.given)
	}
}

// limit is the window in whole calls.
func (l *Limiter) limit() int { return int(l.window) }

// Stats are what a limiter did so far. They depend on the clock and the network.
type Stats struct {
	// Attempts were let through, Waited of them not at once. GaveUp ended before
	// their turn: interrupted, or with a deadline that came first.
	Attempts, Waited, GaveUp int64
	// WaitTotal and WaitLongest are the time that attempts waited for a permit.
	WaitTotal, WaitLongest time.Duration
	// Throttled attempts found the endpoint overloaded. Pauses counts the waits that
	// it asked for and that held all callers.
	Throttled, Pauses int64
	// InFlightMost is the most attempts under way at once.
	InFlightMost int
	// LimitLowest and LimitFinal are the least and the last limit on them.
	LimitLowest, LimitFinal int
}

// Stats returns what the limiter did so far.
func (l *Limiter) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.LimitFinal = l.limit()
	return s
}
