package limiter

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// allowance is what the endpoint says may still be sent, by the x-ratelimit-* headers
// of its last response, less what was sent since.
type allowance struct {
	requests, tokens share
}

// share is one of the two things that are counted.
type share struct {
	// known says that the endpoint reported it.
	known bool
	// left may be sent at the time read; full is there again at reset.
	left, full int64
	read       time.Time
	reset      time.Duration
}

// resetMax bounds what a header can make everybody wait, as a wrong unit would.
const resetMax = 2 * time.Minute

// read takes in a response's headers; absent or unreadable ones change nothing.
func (a *allowance) read(h http.Header, now time.Time) {
	a.requests.take(h, "Requests", now)
	a.tokens.take(h, "Tokens", now)
}

func (s *share) take(h http.Header, what string, now time.Time) {
	left, err := strconv.ParseInt(h.Get("X-Ratelimit-Remaining-"+what), 10, 64)
	if err != nil || left < 0 {
		return
	}
	reset, ok := resetTime(h.Get("X-Ratelimit-Reset-" + what))
	if !ok {
		return
	}
	full, err := strconv.ParseInt(h.Get("X-Ratelimit-Limit-"+what), 10, 64)
	if err != nil {
		full = 0
	}
	*s = share{known: true, left: left, full: full, read: now, reset: min(reset, resetMax)}
}

// resetTime reads a duration such as 6m0s or 20ms, or a number of seconds.
func resetTime(text string) (time.Duration, bool) {
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return d, true
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(seconds) || seconds < 0 || seconds > resetMax.Seconds() {
		return resetMax, err == nil && seconds > 0
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// spend notes that one request of that many tokens is sent.
func (a *allowance) spend(tokens int64) {
	a.requests.left--
	a.tokens.left -= tokens
}

// readyFor is when a request of that many tokens fits.
func (a *allowance) readyFor(tokens int64) time.Time {
	at := a.requests.readyFor(1)
	if t := a.tokens.readyFor(tokens); t.After(at) {
		return t
	}
	return at
}

// readyFor is when n is there, as what was used comes back evenly until the reset. A
// piece larger than all there ever is has to be tried then: the endpoint knows better.
func (s *share) readyFor(n int64) time.Time {
	if !s.known || s.left >= n {
		return time.Time{}
	}
	gap, missing := s.full-s.left, n-s.left
	if gap <= 0 || missing >= gap {
		return s.read.Add(s.reset)
	}
	return s.read.Add(time.Duration(float64(s.reset) * float64(missing) / float64(gap)))
}
