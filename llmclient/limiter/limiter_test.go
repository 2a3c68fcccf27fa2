package limiter

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// acquire fails the test when there is no permit.
func acquire(t *testing.T, l *Limiter, began time.Time, tokens int64) *Permit {
	t.Helper()
	p, err := l.Acquire(t.Context(), began, tokens)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWhoBeganFirstGoesFirst fills the one place there is and lets calls queue in
// another order than they began in, a retried one last.
func TestWhoBeganFirstGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{InFlightMax: 1})
		start := time.Now()
		busy := acquire(t, l, start, 1)
		var order []int
		var group sync.WaitGroup
		for _, began := range []int{3, 1, 4, 1, 2, 0} {
			group.Go(func() {
				p := acquire(t, l, start.Add(time.Duration(began)*time.Second), 1)
				order = append(order, began)
				p.Done(Outcome{Answered: true})
			})
			synctest.Wait()
		}
		busy.Done(Outcome{Answered: true})
		group.Wait()
		if want := []int{0, 1, 1, 2, 3, 4}; !slices.Equal(order, want) {
			t.Errorf("calls that began at %v were let through, want %v", order, want)
		}
	})
}

// TestWindow shrinks once for calls that were under way together, and grows by one
// for a windowful of answers.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{InFlightMax: 8})
		together := make([]*Permit, 8)
		for i := range together {
			together[i] = acquire(t, l, time.Now(), 1)
		}
		for _, p := range together {
			p.Done(Outcome{Overloaded: true})
		}
		if got := l.Stats(); got.LimitFinal != 4 || got.Throttled != 8 {
			t.Fatalf("%d calls met one overload: limit %d after %d, want 4", len(together), got.LimitFinal, got.Throttled)
		}
		acquire(t, l, time.Now(), 1).Done(Outcome{Overloaded: true})
		acquire(t, l, time.Now(), 1).Done(Outcome{Overloaded: true})
		acquire(t, l, time.Now(), 1).Done(Outcome{Overloaded: true})
		if got := l.Stats(); got.LimitFinal != 1 || got.LimitLowest != 1 {
			t.Errorf("limit %d, lowest %d, want 1", got.LimitFinal, got.LimitLowest)
		}
		for _, want := range []int{2, 2, 2, 3} { // 2, 2.5, 2.9, 3.2
			acquire(t, l, time.Now(), 1).Done(Outcome{Answered: true})
			if got := l.Stats().LimitFinal; got != want {
				t.Errorf("limit %d after an answer, want %d", got, want)
			}
		}
		for range 100 {
			acquire(t, l, time.Now(), 1).Done(Outcome{Answered: true})
		}
		acquire(t, l, time.Now(), 1).Done(Outcome{})
		if got := l.Stats(); got.LimitFinal != 8 || got.LimitLowest != 1 {
			t.Errorf("limit %d, lowest %d after many answers, want 8 and 1", got.LimitFinal, got.LimitLowest)
		}
	})
}

func TestAPauseHoldsEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{InFlightMax: 4})
		start := time.Now()
		a, b := acquire(t, l, start, 1), acquire(t, l, start, 1)
		a.Done(Outcome{Overloaded: true, RetryAfter: 20 * time.Second})
		b.Done(Outcome{Overloaded: true, RetryAfter: 5 * time.Second}) // does not shorten it
		acquire(t, l, time.Now(), 1)
		if waited := time.Since(start); waited != 20*time.Second {
			t.Errorf("the next call waited %v, want 20s", waited)
		}
		if s := l.Stats(); s.Pauses != 1 || s.Waited != 1 || s.WaitLongest != 20*time.Second || s.WaitTotal != 20*time.Second {
			t.Errorf("stats %+v", s)
		}
	})
}

func TestDeadlinesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{InFlightMax: 1})
		start := time.Now()
		acquire(t, l, start, 1).Done(Outcome{RetryAfter: time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if _, err := l.Acquire(ctx, start, 1); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 0 {
			t.Errorf("a pause beyond the deadline: %v after %v, want an end at once", err, time.Since(start))
		}
		busy := acquire(t, l, start, 1) // after the pause
		ctx, cancel = context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if _, err := l.Acquire(ctx, start, 1); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 90*time.Second {
			t.Errorf("no place before the deadline: %v after %v, want an end after 90s", err, time.Since(start))
		}
		stopped, stop := context.WithCancel(t.Context())
		go func() { time.Sleep(time.Second); stop() }()
		if _, err := l.Acquire(stopped, start, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled while waiting: %v", err)
		}
		if _, err := l.Acquire(stopped, start, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before: %v", err)
		}
		busy.Done(Outcome{Answered: true})
		acquire(t, l, start, 1).Done(Outcome{Answered: true})
		if got := l.Stats(); got.GaveUp != 3 || got.Attempts != 3 {
			t.Errorf("stats %+v, want 3 attempts and 3 that gave up", got)
		}
	})
}

func TestAllowance(t *testing.T) {
	headers := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set("X-RateLimit-"+pairs[i], pairs[i+1])
		}
		return h
	}
	for _, c := range []struct {
		name   string
		header http.Header
		tokens int64
		want   time.Duration
	}{
		{"nothing said", headers(), 100, 0},
		{"enough left", headers("Remaining-Requests", "3", "Reset-Requests", "6s", "Remaining-Tokens", "500", "Reset-Tokens", "6s"), 100, 0},
		{"no request left, one in sixty comes back", headers("Limit-Requests", "60", "Remaining-Requests", "0", "Reset-Requests", "1m0s"), 100, time.Second},
		{"no limit named", headers("Remaining-Requests", "0", "Reset-Requests", "7s"), 100, 7 * time.Second},
		{"tokens come back evenly", headers("Limit-Tokens", "1000", "Remaining-Tokens", "0", "Reset-Tokens", "10s"), 100, time.Second},
		{"more tokens than there ever are", headers("Limit-Tokens", "50", "Remaining-Tokens", "0", "Reset-Tokens", "10s"), 100, 10 * time.Second},
		{"seconds without a unit", headers("Remaining-Requests", "0", "Reset-Requests", "1.5"), 1, 1500 * time.Millisecond},
		{"a reset that is absurd", headers("Remaining-Requests", "0", "Reset-Requests", "1e9"), 1, 0},
		{"seconds since 1970", headers("Remaining-Requests", "0", "Reset-Requests", "1795334400"), 1, 0},
		{"milliseconds since 1970", headers("Remaining-Tokens", "0", "Reset-Tokens", "1795334400000"), 1, 0},
		{"a negative reset", headers("Remaining-Requests", "0", "Reset-Requests", "-3s"), 1, 0},
		{"over ten minutes", headers("Remaining-Requests", "0", "Reset-Requests", "10m1s"), 1, 0},
		{"a reset that cannot be read", headers("Remaining-Requests", "0", "Reset-Requests", "soon"), 1, 0},
		{"a count that cannot be read", headers("Remaining-Requests", "none", "Reset-Requests", "9s"), 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := New(Limits{InFlightMax: 2})
			start := time.Now()
			acquire(t, l, start, 1).Done(Outcome{Answered: true, Header: c.header})
			acquire(t, l, start, c.tokens)
			if waited := time.Since(start); waited != c.want {
				t.Errorf("%s: waited %v, want %v", c.name, waited, c.want)
			}
		})
	}
}

// sent is one attempt of the property test.
type sent struct {
	at     time.Duration
	tokens int64
}

// TestRatesHold lets callers of random speed send at random moments and looks at
// every minute of what went out.
func TestRatesHold(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		limits := Limits{
			InFlightMax:       rapid.IntRange(1, 9).Draw(r, "in flight"),
			RequestsPerMinute: rapid.Int64Range(0, 90).Draw(r, "requests"),
			TokensPerMinute:   rapid.Int64Range(0, 5000).Draw(r, "tokens"),
		}
		calls := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) [4]int64 {
			return [4]int64{rapid.Int64Range(0, 20_000).Draw(r, "at"), rapid.Int64Range(1, 400).Draw(r, "guess"), rapid.Int64Range(1, 400).Draw(r, "billed"), rapid.Int64Range(0, 3000).Draw(r, "ms")}
		}), 1, 40).Draw(r, "calls")
		var out []sent
		most := 0
		synctest.Test(t, func(t *testing.T) { out, most = send(t, limits, calls) })
		if len(out) != len(calls) || most > limits.InFlightMax {
			r.Fatalf("%d of %d calls went out, %d at once of %d", len(out), len(calls), most, limits.InFlightMax)
		}
		for i := range out {
			requests, tokens := int64(0), int64(0)
			for _, s := range out[i:] {
				if s.at-out[i].at < time.Minute-time.Microsecond {
					requests++
					tokens += s.tokens
				}
			}
			if limits.RequestsPerMinute > 0 && requests > limits.RequestsPerMinute {
				r.Fatalf("%d requests in a minute, limit %d", requests, limits.RequestsPerMinute)
			}
			// The estimates are what can be held before the bill comes; the last call of
			// a minute may begin in it.
			if limits.TokensPerMinute > 0 && tokens > limits.TokensPerMinute+400 {
				r.Fatalf("%d tokens in a minute, limit %d", tokens, limits.TokensPerMinute)
			}
		}
	})
}

// send carries out calls of {moment, tokens guessed, tokens billed, duration} and
// returns what went out in order. Calls are billed as guessed, or the bound could not
// be stated; that corrections count is what TestCorrections shows.
func send(t *testing.T, limits Limits, calls [][4]int64) (out []sent, most int) {
	l := New(limits)
	start := time.Now()
	var mu sync.Mutex
	var group sync.WaitGroup
	flying := 0
	for _, c := range calls {
		group.Go(func() {
			time.Sleep(time.Duration(c[0]) * time.Millisecond)
			p, err := l.Acquire(t.Context(), time.Now(), c[1])
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			flying++
			most = max(most, flying)
			out = append(out, sent{time.Since(start), c[1]})
			mu.Unlock()
			time.Sleep(time.Duration(c[3]) * time.Millisecond)
			mu.Lock()
			flying--
			mu.Unlock()
			p.Done(Outcome{Answered: c[2]%5 != 0, Overloaded: c[2]%5 == 0, Tokens: c[1]})
		})
	}
	group.Wait()
	return out, most
}

func TestCorrections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{InFlightMax: 1, TokensPerMinute: 6000})
		start := time.Now()
		for _, c := range []struct {
			guess, billed int64
			sent          time.Duration // the next call after this one
		}{{100, 300, 3 * time.Second}, {400, 100, 4 * time.Second}, {100, 0, 5 * time.Second}} {
			acquire(t, l, start, c.guess).Done(Outcome{Answered: true, Tokens: c.billed})
			p := acquire(t, l, start, 1)
			if got := time.Since(start); got != c.sent {
				t.Errorf("after a call of %d tokens guessed and %d billed the next went out at %v, want %v", c.guess, c.billed, got, c.sent)
			}
			l.leaveForTest(p)
		}
	})
}

// leaveForTest takes a permit back as if its attempt had never been sent.
func (l *Limiter) leaveForTest(p *Permit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out--
	l.tokens.correct(-p.tokens)
}

// TestLateCancellations cancels attempts at the moment they may go, and demands that
// no place is lost.
func TestLateCancellations(t *testing.T) {
	l := New(Limits{InFlightMax: 2})
	var group sync.WaitGroup
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		group.Go(func() {
			if p, err := l.Acquire(ctx, time.Now(), 1); err == nil {
				p.Done(Outcome{Answered: true})
			}
		})
		group.Go(cancel)
	}
	group.Wait()
	a, b := acquire(t, l, time.Now(), 1), acquire(t, l, time.Now(), 1)
	a.Done(Outcome{})
	b.Done(Outcome{})
}

// TestAPermitThatCameTooLateIsGivenBack: an attempt may be admitted in the moment its
// context ends.
func TestAPermitThatCameTooLateIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{InFlightMax: 1, TokensPerMinute: 60})
		start := time.Now()
		w := l.enter(start, 30) // there is room, so it is admitted at once
		l.leave(w)
		acquire(t, l, start, 1)
		if waited := time.Since(start); waited != 0 {
			t.Errorf("the next attempt waited %v for one that was never sent", waited)
		}
	})
}
