package openai

import (
	"fmt"
	"net/http"
	"time"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/limiter"
)

// patience decides what follows an attempt within one call.
//
// Invariants:
//  1. At most one attempt follows a timeout, and it is longer than the first.
//  2. At most one attempt follows an answer that its own server could not read: the next answer
//     may be another one.
//  3. At most retries further attempts follow other failures.
type patience struct {
	Config                // completed
	timeout time.Duration // of the next attempt
	retries int           // left
	backoff time.Duration // longest wait before the next retry
	misread bool          // an answer came that its server could not read
}

// patience returns the decisions of a new call. c is completed.
func (c Config) patience() patience {
	return patience{Config: c, timeout: c.Timeout, retries: c.RetriesMax, backoff: min(c.BackoffBase, BackoffMax)}
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
	case got.failure.Kind == llmclient.ErrMalformedCall:
		again = !p.misread && p.RetriesMax > 0
		p.misread = true
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

// learned is how long the first attempt of a call of a model may take at least, as answers of that
// model showed; 0 for what is set.
func (c *Client) learned(model string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.patient[model]
}

// patience returns the decisions of a new call of a model, which has at least the time that was learned.
func (c *Client) patience(model string) patience {
	p := c.config.patience()
	p.timeout = max(p.timeout, c.learned(model))
	return p
}

// learn notes that an answer came only after the short timeout, in so much time. The next ones may
// take twice as long at once, so that they are not given up and paid for twice.
func (c *Client) learn(model string, took time.Duration) {
	limit := min(2*took, c.config.DefaultTimeout)
	c.mu.Lock()
	first := c.patient[model] == 0 && limit > c.config.Timeout
	c.patient[model] = max(c.patient[model], limit)
	c.mu.Unlock()
	if first {
		c.note(fmt.Sprintf("answers of %s take longer than the request timeout of %s: "+
			"the next ones may take %s at once", model, c.config.Timeout, limit.Round(time.Millisecond)))
	}
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
