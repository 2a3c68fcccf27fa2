package openai

import (
	"net/http"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/limiter"
)

// patience decides what follows an attempt within one call.
//
// Invariants:
//  1. At most one attempt follows a timeout, and it is longer than the first.
//  2. At most retries further attempts follow other failures.
type patience struct {
	Config                // completed
	timeout time.Duration // of the next attempt
	retries int           // left
	backoff time.Duration // longest wait before the next retry
}

// patience returns the decisions of a new call. c is completed.
func (c Config) patience() patience {
	return patience{c, c.Timeout, c.RetriesMax, min(c.BackoffBase, BackoffMax)}
}

// after says whether another attempt follows got, and after which wait. jitter
// is a random number in [0, 1). The attempt after a timeout comes at once: the
// time was spent already, and the server gave no sign of being overloaded.
func (p *patience) after(got outcome, jitter float64) (wait time.Duration, again bool) {
	switch {
	case got.failure == nil:
		return 0, false
	case got.failure.Kind == llmclient.ErrTimeout:
		again = p.timeout < p.DefaultTimeout
		p.timeout = p.DefaultTimeout
		return 0, again
	case !got.passing || p.retries == 0:
		return 0, false
	}
	p.retries--
	if got.asked != nil {
		// A part of the base is added, because the server asks all its clients the same.
		return *got.asked + time.Duration(jitter*float64(p.BackoffBase)), true
	}
	wait = time.Duration(jitter * float64(p.backoff))
	p.backoff = min(2*p.backoff, BackoffMax)
	return wait, true
}

// askedWait returns the wait a response asks for, nil when it asks for none that makes
// sense: see [limiter.ReadWait]. Milliseconds come before seconds, seconds before a date.
func askedWait(h http.Header, now time.Time) *time.Duration {
	text := h.Get("Retry-After")
	wait, ok := limiter.ReadWait(h.Get("Retry-After-Ms"), time.Millisecond)
	if !ok {
		wait, ok = limiter.ReadWait(text, time.Second)
	}
	if date, err := http.ParseTime(text); !ok && err == nil {
		wait = date.Sub(now)
		ok = wait >= 0 && wait <= limiter.WaitMax
	}
	if !ok {
		return nil
	}
	return &wait
}
