package limiter

import (
	"net/http"
	"strconv"
	"strings"
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

// WaitMax is the longest wait that a server is believed to ask for.
const WaitMax = 10 * time.Minute

// ReadWait reads a wait as servers write it: a duration such as 6m0s, or a count of units.
// It is no wait when it is negative or longer than [WaitMax]: a moment since 1970 in a
// place where a wait belongs, or a wrong unit, would stop everybody.
func ReadWait(text string, unit time.Duration) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	wait, err := time.ParseDuration(text)
	if n, nan := strconv.ParseFloat(text, 64); nan == nil {
		wait, err = WaitMax+1, nil
		if units := n * float64(unit); units <= float64(WaitMax) { // which NaN is not
			wait = time.Duration(max(units, -1))
		}
	}
	return wait, err == nil && wait >= 0 && wait <= WaitMax
}

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
	reset, ok := ReadWait(h.Get("X-Ratelimit-Reset-"+what), time.Second)
	if !ok {
		*s = share{} // what was known before is over, too
		return
	}
	full, err := strconv.ParseInt(h.Get("X-Ratelimit-Limit-"+what), 10, 64)
	if err != nil {
		full = 0
	}
	*s = share{known: true, left: left, full: full, read: now, reset: reset}
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
