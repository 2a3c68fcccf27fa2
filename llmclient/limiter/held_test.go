package limiter

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestHeld tells apart what holds calls back, and for how long at the end of the queue.
func TestHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{InFlightMax: 4, RequestsPerMinute: 6})
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() { acquire(t, l, time.Now(), 1).Done(Outcome{Answered: true}) })
			synctest.Wait()
		}
		if until, why := l.Held(); time.Until(until) != 10*time.Second || why != HeldByRequests || !OwnRate(why) {
			t.Errorf("two wait for the pace: held for %v by %q", time.Until(until), why)
		}
		if wait, why := l.Hold(1); wait != 30*time.Second || why != HeldByRequests {
			t.Errorf("a fourth would wait %v for %q, want 30s", wait, why)
		}
		group.Wait()
	})
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{InFlightMax: 1})
		busy := acquire(t, l, time.Now(), 1)
		var group sync.WaitGroup
		group.Go(func() { acquire(t, l, time.Now(), 1).Done(Outcome{RetryAfter: time.Minute}) })
		synctest.Wait()
		if until, why := l.Held(); !until.IsZero() || why != HeldByInFlight {
			t.Errorf("one waits for a place: held until %v by %q", until, why)
		}
		busy.Done(Outcome{Answered: true})
		group.Wait()
		if until, why := l.Held(); time.Until(until) != time.Minute || OwnRate(why) {
			t.Errorf("a pause: held for %v by %q", time.Until(until), why)
		}
	})
}
