package openai

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"example.com/agentworld/llmclient"
)

// patience decides what follows an attempt within one call.
//
// Invariants:
//  1. At most one attempt follows a timeout, and it is longer than the first.
//  2. At most retries further attempts follow other failures.
type patience struct {
	timeout     time.Duration // of the next attempt
	timeoutLast time.Duration // of the attempt after a timeout
	retries     int           // left
	backoff     time.Duration // longest wait before the next retry
	backoffBase time.Duration
}

// patience returns the decisions of a new call. c is completed.
func (c Config) patience() patience {
	return patience{
		timeout: c.Timeout, timeoutLast: c.DefaultTimeout, retries: c.RetriesMax,
		backoff: min(c.BackoffBase, BackoffMax), backoffBase: c.BackoffBase,
	}
}

// after says whether another attempt follows got, and after which wait. jitter
// is a random number in [0, 1). The attempt after a timeout comes at once: the
// time was spent already, and the server gave no sign of being overloaded.
func (p *patience) after(got outcome, jitter float64) (wait time.Duration, again bool) {
	switch {
	case got.failure == nil:
		return 0, false
	case got.failure.Kind == llmclient.ErrTimeout:
		again = p.timeout < p.timeoutLast
		p.timeout = p.timeoutLast
		return 0, again
	case !got.passing || p.retries == 0:
		return 0, false
	}
	p.retries--
	if got.asked != nil {
		// A part of the base is added, because the server asks all its clients the same.
		return *got.asked + time.Duration(jitter*float64(p.backoffBase)), true
	}
	wait = time.Duration(jitter * float64(p.backoff))
	p.backoff = min(2*p.backoff, BackoffMax)
	return wait, true
}

// waitLongest bounds what a server can ask for, so that sums of waits stay in
// range.
const waitLongest = math.MaxInt64 / 4

// askedWait returns the wait a response asks for, nil when it asks for none that
// can be read. Milliseconds come before seconds, seconds before a date; a date
// that has passed asks for no wait.
func askedWait(h http.Header, now time.Time) *time.Duration {
	if wait, ok := units(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return &wait
	}
	text := h.Get("Retry-After")
	if wait, ok := units(text, time.Second); ok {
		return &wait
	}
	if date, err := http.ParseTime(text); err == nil {
		wait := min(max(0, date.Sub(now)), waitLongest)
		return &wait
	}
	return nil
}

// units reads a count of units, which may have a fraction. A count beyond the
// longest wait becomes that.
func units(text string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if math.IsInf(n, 1) || err == nil && n > float64(waitLongest/unit) {
		return waitLongest, true
	}
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	return time.Duration(n * float64(unit)), true
}
